"""What the plan comparison says: assumptions with the shown names of plans, and what a line of a breakdown charges for."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from billing.costing.bill import Line
from billing.costing.notes import Note
from billing.sentences import note_sentence
from billing.wording import timezone_text
from catalog.formats import figure_text

ROUNDING_RULES: Mapping[str, Promise] = {
    "up": gettext_lazy("up"),
    "half_up": gettext_lazy("half up"),
    "half_even": gettext_lazy("half to even"),
    "down": gettext_lazy("down"),
}


STEPS: Mapping[object, Promise] = {
    60: gettext_lazy("The time of each piece is rounded up to whole minutes."),
    3600: gettext_lazy("The time of each piece is rounded up to whole hours."),
    86_400: gettext_lazy("The time of each piece is rounded up to whole days."),
}
"""Billing step in seconds -> what is assumed of it."""


def note_words(note: Note, plan_names: Mapping[str, str]) -> str:
    """One assumption or warning; plans, rounding rules, steps and zones by the names people use."""
    params = dict(note.params)
    if "rule" in params:
        params["rule"] = ROUNDING_RULES.get(str(params["rule"]), params["rule"])
    if "plan" in params:
        params["plan"] = plan_names.get(str(params["plan"]), params["plan"])
    if "zone" in params:
        params["zone"] = timezone_text(str(params["zone"]))
    named = replace(note, params=params, plans=tuple(plan_names.get(name, name) for name in note.plans))
    return note_sentence(named, STEPS.get(note.params.get("step")))


def made_of_words(lines: Sequence[Line], plan_names: Mapping[str, str]) -> str:
    """The terms a prepaid plan's total holds and what was paid beyond them: `Day card × 1 + Hourly × 21`; empty for one plan."""
    paid = [line for line in lines if line.what in ("term", "on-demand")]
    if len({line.params["plan"] for line in paid}) < 2:
        return ""
    return " + ".join(
        f"{plan_names[str(line.params['plan'])]} × {figure_text(line.quantity / int(str(line.params['units'])))}"
        for line in paid
    )


def cost_words(line: Line, plan_names: Mapping[str, str]) -> str:
    """What a line of a breakdown charges for."""
    plan = plan_names.get(str(line.params["plan"]), str(line.params["plan"]))
    starts = int(str(line.params.get("starts", 1)))
    words = {
        "on-demand": ngettext("%(plan)s, %(n)d start", "%(plan)s, %(n)d starts", starts) % {"plan": plan, "n": starts},
        "minimum": _("Minimum charge per start"),
        "term": plan,
        "refund": _("Refund of unused time"),
        "disk-running": _("Data disk while running, GB days"),
        "disk-stopped": _("Data disk while stopped, GB days"),
        "tax": _("VAT"),
    }
    return words[line.what]
