"""What to do about a wrong answer or an unreadable config.json, in the words of the pages."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from advisor import labels
from advisor.sentences import reason_words
from advisor.sizing.problems import Problem


def _figure(value: float | str | None) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:g}"


def problem_text(problem: Problem, label: str) -> str:
    """What to do about a wrong value, in the words of the page."""
    values = {key: _figure(value) if key in ("minimum", "maximum") else value for key, value in problem.values.items()}
    said = {"label": label, "value": "", "suggestion": "", "allowed": "", **values}
    for names in ("suggestion", "allowed"):
        said[names] = str(said[names]).replace(", ", pgettext("between names", ", "))
    match problem.code:
        case "unknown-model-near":
            return _("There is no model “%(value)s” here. Did you mean %(suggestion)s?") % said
        case "unknown-model":
            return (
                _(
                    "There is no model “%(value)s” here. Write its size instead, for example 13B, or paste its config.json."
                )
                % said
            )
        case "model-of-other-scenario":
            home = labels.SCENARIOS.get(str(values.get("home")))
            return _("%(value)s belongs to “%(home)s”. Choose that scenario, or another model.") % {
                **said, "home": home.label if home else values.get("home", "")}  # fmt: skip
        case "missing-model":
            return _("Name the model, or write its size, for example 13B.")
        case "not-a-config":
            return config_text(str(values.get("reason", "")))
        case "too-small":
            return _("%(label)s must be at least %(minimum)s.") % said
        case "too-large":
            return _("%(label)s must be at most %(maximum)s.") % said
        case "missing-field" | "missing-number":
            return _("%(label)s is still missing.") % said
        case "unknown-value-near":
            return _("“%(value)s” is not known for %(label)s. Did you mean %(suggestion)s?") % said
        case "unknown-value" | "value-of-other-task":
            return _("“%(value)s” is not known for %(label)s. Possible: %(allowed)s.") % said
        case "unknown-gpu":
            return _("There is no card “%(value)s”. Nearest: %(suggestion)s.") % said
        case "unknown-field-near":
            return _("The address holds “%(value)s”, which is no field. Did you mean %(suggestion)s?") % said
        case "unknown-field" if problem.path == "demand.samples":
            return _("Samples of one epoch are only asked for where the amount is counted in epochs.")
        case "unknown-field" | "field-of-other-task":
            return _("The address holds “%(value)s”, which is no field of this task.") % said
        case "unknown-scenario":
            return _("“%(value)s” is no scenario. Choose one on the first page.") % said
        case "unknown-task":
            return _("“%(value)s” is no task of this scenario.") % said
        case "not-finite":
            return _("%(label)s must be an ordinary number.") % said
        case "wrong-type" if problem.values.get("wanted") in (
            "a number",
            "a whole number",
            "a number or [height, width]",
        ):
            return _number_text(problem, label)
        case _:
            if problem.values.get("wanted") == "an amount such as 100.50":
                return _("%(label)s must be an amount such as 100.50.") % said
            return _("%(label)s cannot be read.") % said


def _number_text(problem: Problem, label: str) -> str:
    if problem.values.get("wanted") == "a whole number":
        return _("%(label)s must be a whole number.") % {"label": label}
    if problem.values.get("wanted") == "a number":
        return _("%(label)s must be a number, for example 16.") % {"label": label}
    return _("%(label)s must be a number such as 640, or height × width such as 1024x2048.") % {"label": label}


def config_text(reason: str) -> str:
    """What is wrong with a pasted config.json and what to do; `reason` is a code of `ConfigTextError` or a reason of the contract."""
    match reason:
        case "no-figures":
            return _("This is no model's config.json: it holds no figures such as hidden_size or num_hidden_layers.")
        case "not-json":
            return _("This is no config.json: it cannot be read as JSON. Copy the whole file, from { to }.")
        case "not-an-object":
            return _("This is no config.json: a model's configuration is one object, from { to }.")
        case "too-large" | "too-long-for-address":
            return _(
                "This config.json is too long. Write the model's size instead, for example 13B, or send the file to the API."
            )
        case _:
            return _("This config.json does not describe a model: %(reason)s. Write the model's size instead, for example 13B.") % {
                "reason": reason_words(reason)}  # fmt: skip
