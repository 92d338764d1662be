"""The costing core's codes in words of the reader's language. The English of each is the core's own sentence; a test compares them."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from billing.costing.bill import Line
from billing.costing.errors import FieldError
from billing.costing.notes import Note
from billing.wording import comma

NOTES: Mapping[str, Promise] = {
    "zone": gettext_lazy("Calendar days, months and full hours are those of %(zone)s."),
    "no-date": gettext_lazy("No date was given: the hours are counted from %(start)s."),
    "back-to-back": gettext_lazy("The %(starts)s starts are taken to follow one another without a gap."),
    "units": gettext_lazy("All of %(machines)s machines with %(gpus)s cards each run the whole usage."),
    "time-rounded": gettext_lazy("The time of each piece is rounded up to %(step)s s."),
    "clock-hours": gettext_lazy("Pieces are cut at each full hour of the clock."),
    "rounding-piece": gettext_lazy(
        "Money is rounded (%(rule)s) for each piece of each card or machine, whichever is priced."
    ),
    "rounding-line": gettext_lazy("Money is rounded (%(rule)s) line by line."),
    "rounding-total": gettext_lazy("Money is rounded (%(rule)s) once, on the total."),
    "minimum": gettext_lazy(
        "Each start costs at least %(seconds)s s of time and at least %(charge)s, the dearer of the two."
    ),
    "cap": gettext_lazy("Pay as you go stops growing after %(hours)s hours of a calendar month, machine by machine."),
    "day-24h": gettext_lazy("A day is 24 hours."),
    "day-calendar": gettext_lazy(
        "A day ends at the same time of the next day; days with a clock change have 23 or 25 hours."
    ),
    "week-168h": gettext_lazy("A week is 168 hours."),
    "week-calendar": gettext_lazy("A week ends at the same time of the same weekday."),
    "month-30d": gettext_lazy("A month is 30 days."),
    "month-720h": gettext_lazy("A month is 720 hours."),
    "month-730h": gettext_lazy("A month is 730 hours."),
    "month-365d/12": gettext_lazy("A month is a twelfth of 365 days (730 hours)."),
    "month-calendar": gettext_lazy(
        "A month ends on the same day of the next month, on its last day where there is no such day."
    ),
    "unused-lost": gettext_lazy("Prepaid time that is not used is lost."),
    "unused-refund_pro_rata": gettext_lazy("Unused prepaid time is refunded to the second."),
    "unused-refund_clawback": gettext_lazy(
        "Unused prepaid time is refunded less the discount already enjoyed and a fee of %(fee)s %% of it."
    ),
    "refund-free": gettext_lazy(
        "Ended within %(days)s days of a new purchase, all is refunded; a renewal is no new purchase."
    ),
    "after-renew": gettext_lazy("A term is bought when use begins, and again at its end or at the next use."),
    "after-on_demand": gettext_lazy("After the term, use goes on by the plan %(plan)s."),
    "after-stop": gettext_lazy(
        "After the term nothing more is bought; what it does not cover is reported as uncovered hours."
    ),
    "stopped-billed": gettext_lazy("A stopped machine's card goes on costing until the machine is released."),
    "disk": gettext_lazy("Disk is priced per GB and 24 hours; %(free)s GB are free."),
    "tax-none": gettext_lazy("No tax is counted."),
    "tax-added": gettext_lazy("Tax of %(percent)s %% is added."),
    "tax-included": gettext_lazy("Prices include tax of %(percent)s %%."),
    "mix-unused-lost": gettext_lazy("In the mix, unused time of a term is lost."),
    "mix-skipped": gettext_lazy(
        "The cheapest mix was not searched: more than %(maximum)s moments would have to be weighed."
    ),
    "overlap-merged": gettext_lazy("Overlapping intervals were merged: %(count)s became part of an earlier one."),
    "zero-length": gettext_lazy("%(count)s intervals without any length were passed over."),
    "time-skipped": gettext_lazy(
        "%(count)s times do not exist because the clock is put forward; the time an hour later was taken."
    ),
    "time-twice": gettext_lazy("%(count)s times occur twice because the clock is put back; the first was taken."),
}
ERRORS: Mapping[str, Promise] = {
    "too-small": gettext_lazy("%(path)s must be at least %(minimum)s; got %(value)s."),
    "too-large": gettext_lazy("%(path)s must be at most %(maximum)s; got %(value)s."),
    "not-a-number": gettext_lazy("%(path)s must be a decimal number such as 1.88, not %(value)s."),
    "not-whole": gettext_lazy("%(path)s must be a whole number, not %(value)s."),
    "time-out-of-range": gettext_lazy("%(path)s must lie between the years %(first)s and %(last)s."),
    "span-too-long": gettext_lazy("The usage spans more than %(maximum)s years."),
    "empty": gettext_lazy("%(path)s is empty: give at least one."),
    "on-demand-plan-unknown": gettext_lazy(
        "%(path)s names %(value)s, which is not among the plans. Nearest: %(suggestion)s."
    ),
    "mixed-currencies": gettext_lazy(
        "%(path)s is %(value)s, but the first plan is in %(other)s: one comparison has one currency."
    ),
}
"""What a pattern of use can run into. Everything else is refused by the form, or is a fault of the catalogue, said in English."""

ROUNDING_RULES: Mapping[str, Promise] = {
    "up": gettext_lazy("up"),
    "half_up": gettext_lazy("half up"),
    "half_even": gettext_lazy("half to even"),
    "down": gettext_lazy("down"),
}


def note_words(note: Note, plan_names: Mapping[str, str]) -> str:
    """One assumption or warning, with the plans it concerns by their shown names."""
    params = dict(note.params)
    if "rule" in params:
        params["rule"] = ROUNDING_RULES.get(str(params["rule"]), params["rule"])
    if "plan" in params:
        params["plan"] = plan_names.get(str(params["plan"]), params["plan"])
    sentence = str(NOTES[note.code]) % params
    names = comma().join(plan_names.get(name, name) for name in note.plans)
    return _("%(plans)s: %(sentence)s") % {"plans": names, "sentence": sentence} if names else sentence


def error_words(error: FieldError) -> str:
    """One error of the costing core as a sentence."""
    sentence = ERRORS.get(error.code)
    return error.sentence if sentence is None else str(sentence) % {"path": error.path, **error.params}


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
