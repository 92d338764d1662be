"""The wizard's forms, made from the field table: what each step asks, which values it shows, what is wrong with them.

A page gets plain `Input` values to draw; reading and judging is `advisor.answers` and the contract's reader, so a form never
accepts what the API would refuse.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from advisor import labels
from advisor.answers import PARENT, Answers, Reading, input_of, last
from advisor.library import library
from advisor.sentences import reason_words
from advisor.sizing.fields import (
    CONSTRAINT_FIELDS,
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    REQUIREMENTS,
    SCHEDULE_FIELDS,
    STAGES,
    Field,
    field_of,
)
from advisor.sizing.problems import Problem

type Draw = Literal["text", "number", "select", "radio", "many", "checks", "model", "gpu-hours"]

MAIN_CHOICES: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("llm", "training", "method"): ("full", "lora", "qlora"),
    ("aigc", "image-training", "method"): ("lora", "dreambooth", "full"),
    ("aigc", "video-training", "method"): ("lora", "full"),
    ("vision", "training", "kind"): ("classification", "detection", "segmentation"),
    ("vision", "inference", "kind"): ("classification", "detection", "segmentation"),
    ("science", "simulation", "precision"): ("mixed", "single", "double"),
}
"""Choices drawn as cards with a sentence each; the rest of the field's values fold away below them."""

PICKS: dict[tuple[str, str, str], tuple[int, ...]] = {
    ("llm", "training", "sequence_tokens"): (512, 1024, 2048, 4096, 8192),
    ("llm", "inference", "concurrency"): (1, 4, 16, 64, 256),
}
"""Figures most people need, offered at a click beside a field for any other."""

SUGGESTED: dict[tuple[str, str, str], str] = {
    ("llm", "training", "method"): "lora",
    ("llm", "inference", "weight_format"): "",
    ("aigc", "image-training", "method"): "lora",
    ("aigc", "video-training", "method"): "lora",
    ("aigc", "image-generation", "width"): "1024",
    ("aigc", "image-generation", "height"): "1024",
    ("aigc", "image-editing", "width"): "1024",
    ("aigc", "image-editing", "height"): "1024",
    ("aigc", "image-training", "width"): "1024",
    ("aigc", "image-training", "height"): "1024",
    ("aigc", "video-generation", "width"): "832",
    ("aigc", "video-generation", "height"): "480",
    ("aigc", "video-generation", "frames"): "81",
    ("aigc", "video-training", "width"): "832",
    ("aigc", "video-training", "height"): "480",
    ("aigc", "video-training", "frames"): "49",
    ("science", "simulation", "precision"): "mixed",
    ("science", "simulation", "application"): "openmm",
    ("science", "structure-prediction", "application"): "alphafold3",
    ("science", "structure-prediction", "tokens"): "1024",
}
"""What a fresh form holds where the field table leaves the default to the other answers."""

USUAL_FORMATS = ("bf16", "fp8", "int8", "awq", "gptq-int4", "nf4", "q4_k_m", "q8_0")
MODEL_EXAMPLES = {
    "llm": ("qwen2.5-7b", "qwen3-14b", "llama-3.1-8b", "llama-3.1-70b", "qwen2.5-72b", "deepseek-v3"),
    "aigc": ("sdxl-base-1.0", "flux.1-dev", "stable-diffusion-1.5", "wan2.2-t2v-a14b", "wan2.1-t2v-1.3b"),
    "speech": ("whisper-large-v3", "whisper-large-v3-turbo", "whisper-large-v2"),
    "vision": ("yolov8x", "yolo11m", "resnet-50", "vit-b-16"),
    "science": (),
}


@dataclass(frozen=True, slots=True)
class Option:
    """One value to choose."""

    value: str
    label: labels.Text
    hint: labels.Text = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """One field as a page draws it. `more`: rarer options, folded away. `error`: the sentence of the error summary, too."""

    name: str
    label: labels.Text
    hint: labels.Text = ""
    draw: Draw = "text"
    value: str = ""
    options: tuple[Option, ...] = ()
    more: tuple[Option, ...] = ()
    unit: labels.Text = ""
    error: str = ""
    expert: bool = False
    small: bool = False
    required: bool = False
    inputs: tuple["Input", ...] = ()

    @property
    def id(self) -> str:
        """Id of the control; of a group, that of its first control."""
        return f"f-{self.name.replace('.', '-')}"

    @property
    def described_by(self) -> str:
        """Ids of hint and error, for assistive technology."""
        ids = [f"{self.id}-h"] if self.hint else []
        return " ".join([*ids, *([f"{self.id}-e"] if self.error else [])])

    @property
    def more_chosen(self) -> bool:
        """Whether a folded option is the chosen one, so that the fold must stand open."""
        return any(option.chosen for option in self.more)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line of the error summary: the sentence, and the control it leads to (None: the control is on another page)."""

    text: str
    target: str | None
    href: str = ""


@dataclass(frozen=True, slots=True)
class WhatForm:
    """Step 2: the model and the task's fields."""

    model: Input | None
    basic: tuple[Input, ...]
    expert: tuple[Input, ...]
    troubles: tuple[Trouble, ...]

    @property
    def expert_open(self) -> bool:
        """A fold that holds an error stands open."""
        return any(one.error for one in self.expert)


@dataclass(frozen=True, slots=True)
class AmountForm:
    """Step 3: how much, how long, which limits, what matters most."""

    demand: tuple[Input, ...]
    schedule: tuple[Input, ...]
    limits: tuple[Input, ...]
    expert: tuple[Input, ...]
    priority: tuple[Input, ...]
    troubles: tuple[Trouble, ...]

    @property
    def names(self) -> set[str]:
        """Names of everything this form sends."""
        groups = (*self.demand, *self.schedule, *self.limits, *self.expert, *self.priority)
        return {one.name for one in groups} | {"go"}

    @property
    def schedule_open(self) -> bool:
        """Whether something of the schedule was said or is wrong."""
        return any(one.value or one.error for one in self.schedule)

    @property
    def expert_open(self) -> bool:
        """A fold that holds a value or an error stands open."""
        return any(one.error or one.value or any(option.chosen for option in one.options) for one in self.expert)


def _figure(value: float | str | None) -> str:
    if isinstance(value, str) or value is None:
        return value or ""
    return f"{int(value):,}" if value == int(value) and abs(value) < 1e15 else f"{value:g}"


def problem_text(problem: Problem, label: str) -> str:
    """What to do about a wrong value, in the words of the page."""
    values = {key: _figure(value) if key in ("minimum", "maximum") else value for key, value in problem.values.items()}
    said = {"label": label, "value": "", "suggestion": "", "allowed": "", **values}
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
        case "unknown-value":
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


class _Builder:
    """Draws inputs from answers; what is wrong with an answer stands at its field and in the summary, in the same words."""

    def __init__(self, scenario: str, task: str, answers: Answers, problems: Sequence[Problem]) -> None:
        self.scenario = scenario
        self.task = task
        self.answers = answers
        self.problems = problems
        self.drawn: dict[str, str] = {}

    def value(self, name: str) -> str:
        """The value given, as written, so that nothing is lost."""
        return last(self.answers, name)

    def error(self, name: str, label: labels.Text) -> str:
        self.drawn[name] = f"f-{name.replace('.', '-')}"
        return next((problem_text(one, str(label)) for one in self.problems if input_of(one.path) == name), "")

    def of_field(self, field: Field) -> Input:
        if field.kind == "gpu-hours":
            return self.gpu_hours(field)
        key = (self.scenario, self.task, field.name)
        words = labels.field_words(*key)
        value = self.value(field.name) or _default(field)
        options, more, draw = self.options(field, key, value)
        return Input(
            name=field.name,
            label=words.label,
            hint=words.hint,
            draw=draw,
            value="" if draw == "many" and any(option.chosen for option in options) else value,
            options=options,
            more=more,
            unit=_unit(field),
            error=self.error(field.name, words.label),
            expert=not field.common,
            required=field.required,
        )

    def options(
        self, field: Field, key: tuple[str, str, str], value: str
    ) -> tuple[tuple[Option, ...], tuple[Option, ...], Draw]:
        if field.kind == "bool":
            words = (("", _("Automatic")), ("true", _("Yes")), ("false", _("No")))
            return tuple(Option(v, label, chosen=v == value) for v, label in words), (), "select"
        if picks := PICKS.get(key):
            return tuple(Option(str(p), f"{p:,}", chosen=str(p) == value) for p in picks), (), "many"
        if field.kind not in ("choice", "open-choice"):
            return (), (), "number" if field.kind in ("int", "number") else "text"
        if main := MAIN_CHOICES.get(key):
            rest = [choice for choice in field.choices if choice not in main]
            return self.choices(field, main, value), self.choices(field, rest, value), "radio"
        listed = [value] if value and value not in field.choices else []
        empty = () if field.required else (Option("", _("Automatic"), chosen=not value),)
        return (*empty, *self.choices(field, [*listed, *field.choices], value)), (), "select"

    def choices(self, field: Field, values: Iterable[str], chosen: str) -> tuple[Option, ...]:
        found = []
        for value in values:
            words = labels.choice_words(self.scenario, field.name, value)
            found.append(Option(value, words.label, words.hint, chosen=value == chosen))
        return tuple(found)

    def gpu_hours(self, field: Field) -> Input:
        words = labels.field_words(self.scenario, self.task, field.name)
        gpu, hours = (f"{field.name}.{part}" for part in ("gpu", "hours"))
        chosen = self.value(gpu)
        cards = [Option("", _("None"), chosen=not chosen)]
        cards += [Option(card.slug, card.name, chosen=card.slug == chosen) for card in library().gpus.values()]
        return Input(
            name=field.name,
            label=words.label,
            hint=words.hint,
            draw="gpu-hours",
            expert=True,
            error=self.error(field.name, words.label),
            inputs=(
                Input(gpu, _("Card"), draw="select", options=tuple(cards), error=self.error(gpu, _("Card"))),
                Input(
                    hours,
                    _("Hours"),
                    draw="number",
                    value=self.value(hours),
                    unit=_("hours"),
                    error=self.error(hours, _("Hours")),
                ),
            ),
        )

    def model(self) -> Input | None:
        if self.scenario == "science":
            return None
        words = labels.MODEL
        models = library().models
        own = [slug for slug, row in models.items() if (row.get("scenario") or "").split(" ")[0] == self.scenario]
        first = [slug for slug in MODEL_EXAMPLES[self.scenario] if slug in models]
        names = list(dict.fromkeys([*first, *own]))
        options = tuple(Option(slug, models[slug]["name"]) for slug in names)
        return Input(
            "model",
            words.label,
            words.hint,
            "model",
            self.value("model"),
            options,
            error=self.error("model", words.label),
            required=True,
        )

    def number(self, field: Field) -> Input:
        words = labels.FIELDS[field.name]
        return Input(
            field.name,
            words.label,
            words.hint,
            "number",
            self.value(field.name),
            unit="" if field.unit == "cards" else _unit(field),
            error=self.error(field.name, words.label),
            small=True,
        )

    def choice(
        self, name: str, values: Iterable[str], default: str, draw: Draw, words: dict[str, labels.Text] | None = None
    ) -> Input:
        chosen = last(self.answers, name) or default
        options = []
        for value in values:
            said = labels.Words(words[value]) if words else labels.choice_words(self.scenario, name, value)
            options.append(Option(value, said.label, said.hint, chosen=value == chosen))
        about = labels.FIELDS[name]
        return Input(name, about.label, about.hint, draw, chosen, tuple(options), error=self.error(name, about.label))

    def text(self, name: str, unit: labels.Text = "", hint: labels.Text = "", *, small: bool = False) -> Input:
        words = labels.FIELDS[name]
        return Input(
            name,
            words.label,
            hint or words.hint,
            "number",
            self.value(name),
            unit=unit,
            error=self.error(name, words.label),
            small=small,
        )

    def troubles(self) -> tuple[Trouble, ...]:
        found = []
        for problem in self.problems:
            name = input_of(problem.path)
            label = str(self.label(name))
            trouble = Trouble(problem_text(problem, label), self.drawn.get(name))
            if trouble not in found:
                found.append(trouble)
        return tuple(found)

    def label(self, name: str) -> labels.Text:
        if name == "model":
            return labels.MODEL.label
        return labels.field_words(self.scenario, self.task, name.split(".")[0]).label


def _default(field: Field) -> str:
    if isinstance(field.default, bool):
        return "true" if field.default else "false"
    return "" if field.default is None else str(field.default)


def _unit(field: Field) -> labels.Text:
    units: dict[str, labels.Text] = {
        "tokens": _("tokens"),
        "pixels": _("pixels"),
        "seconds": _("seconds"),
        "frames": _("frames"),
        "hours": _("hours"),
        "days": _("days"),
        "weeks": _("weeks"),
        "cards": _("cards"),
        "steps": _("steps"),
        "starts": _("times"),
        "GiB": "GiB",
        "tokens per second": _("tokens/s"),
        "frames per second": _("frames/s"),
    }
    return units.get(field.unit or "", "")


def with_defaults(scenario: str, task: str, answers: Answers) -> Answers:
    """The answers, and where nothing but perhaps the model was answered yet, the values a fresh form holds."""
    fields = FIELDS[scenario, task]
    if any(last(answers, field.name) for field in fields):
        return answers
    filled = answers.copy()
    for field in fields:
        if field.common and (value := SUGGESTED.get((scenario, task, field.name), _default(field))):
            filled.setlist(field.name, [value])
    return filled


def what_form(scenario: str, task: str, answers: Answers, problems: Sequence[Problem]) -> WhatForm:
    """Step 2 for one task. `problems`: what shall be shown as wrong."""
    build = _Builder(scenario, task, answers, problems)
    model = build.model()
    fields = FIELDS[scenario, task]
    basic = tuple(build.of_field(field) for field in fields if field.common)
    expert = tuple(build.of_field(field) for field in fields if not field.common)
    return WhatForm(model, basic, expert, build.troubles())


SERVING = ("max_seconds_to_first_token", "min_tokens_per_second_per_sequence")


def amount_form(scenario: str, task: str, answers: Answers, problems: Sequence[Problem], currency: str) -> AmountForm:
    """Step 3: amount, schedule, limits, priority."""
    build = _Builder(scenario, task, answers, problems)
    units = DEMAND_UNITS[scenario]
    demand = (
        build.text("amount", hint=labels.UNIT_HINTS.get((scenario, task), "")),
        build.choice(
            "unit", units, _usual_unit(scenario, task), "select", {unit: labels.UNITS[unit] for unit in units}
        ),
        build.text("samples"),
    )
    plain = {field.name: field for field in CONSTRAINT_FIELDS}
    limits = (
        build.number(plain["deadline_hours"]),
        build.text("budget", unit=currency, small=True),
        build.number(plain["max_gpus"]),
    )
    serving = [build.number(plain[name]) for name in SERVING] if (scenario, task) == ("llm", "inference") else []
    require = Input(
        "require",
        labels.FIELDS["require"].label,
        draw="checks",
        options=tuple(
            Option(word, words.label, words.hint, chosen=word in answers.getlist("require"))
            for word in REQUIREMENTS
            for words in [labels.choice_words(scenario, "require", word)]
        ),
        error=build.error("require", labels.FIELDS["require"].label),
    )
    expert = (require, *serving, build.text("region", small=True), build.number(plain["host_ram_gib"]))
    return AmountForm(
        demand=demand,
        schedule=tuple(build.number(field) for field in SCHEDULE_FIELDS),
        limits=limits,
        expert=expert,
        priority=(
            build.choice("priority", PRIORITIES, "balanced", "radio"),
            build.choice("stage", STAGES, "production", "radio"),
        ),
        troubles=build.troubles(),
    )


def _usual_unit(scenario: str, task: str) -> str:
    usual = {
        ("llm", "training"): "tokens",
        ("aigc", "video-generation"): "videos",
        ("aigc", "image-training"): "steps",
        ("aigc", "video-training"): "steps",
        ("speech", "speech-synthesis"): "requests",
        ("speech", "training"): "epochs",
        ("vision", "training"): "epochs",
        ("science", "structure-prediction"): "requests",
    }
    return usual.get((scenario, task), DEMAND_UNITS[scenario][0])


def answer_troubles(
    reading: Reading, scenario: str, task: str, answers: Answers, pages: Mapping[str, str]
) -> tuple[Trouble, ...]:
    """Everything wrong with an address, for pages without fields of their own. `pages`: step -> where it can be put right."""
    build = _Builder(scenario, task, answers, ())
    found = []
    for problem in reading.problems:
        text = problem_text(problem, str(build.label(input_of(problem.path))))
        found.append(Trouble(text, None, pages.get(step_of(problem, scenario, task), "")))
    return tuple(dict.fromkeys(found))


def step_of(problem: Problem, scenario: str, task: str) -> Literal["what", "amount"]:
    """The wizard step on which a wrong answer can be put right."""
    name = input_of(problem.path).split(".")[0]
    inside = (scenario, task) in FIELDS and field_of(scenario, task, name) is not None
    return "amount" if name in PARENT or (name in ("priority", "stage") and not inside) else "what"


def problems_of_step(
    problems: Sequence[Problem], step: Literal["what", "amount"], scenario: str, task: str
) -> tuple[Problem, ...]:
    """Those problems that this step can put right; what belongs nowhere is shown on step 2."""
    return tuple(one for one in problems if step_of(one, scenario, task) == step)
