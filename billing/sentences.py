"""Code -> sentence in the reader's language, for what is wrong with plans and usage and for what was assumed.

The pure core words them in English (`costing.errors`, `costing.notes`); the same words stand here to be translated, and a test holds the
two together.
"""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from billing.costing.errors import FieldError
from billing.costing.notes import Note

ERRORS: Mapping[str, str | Promise] = {
    "not-an-object": _("%(path)s must be an object with named fields, not %(got)s."),
    "not-a-list": _("%(path)s must be a list, not %(got)s."),
    "empty": _("%(path)s is empty: give at least one."),
    "too-many": _("%(path)s has %(count)s entries; at most %(maximum)s are taken."),
    "missing": _("%(path)s is missing."),
    "unknown-field": _("There is no field %(value)s here. Nearest: %(suggestion)s."),
    "unknown-value": _("%(path)s cannot be %(value)s. Allowed: %(allowed)s. Nearest: %(suggestion)s."),
    "wrong-type": _("%(path)s must be %(wanted)s, not %(got)s."),
    "not-a-number": _("%(path)s must be a decimal number such as 1.88, not %(value)s."),
    "too-many-decimals": _("%(path)s has more than %(maximum)s decimals."),
    "not-whole": _("%(path)s must be a whole number, not %(value)s."),
    "too-small": _("%(path)s must be at least %(minimum)s; got %(value)s."),
    "too-large": _("%(path)s must be at most %(maximum)s; got %(value)s."),
    "too-long": _("%(path)s is longer than %(maximum)s characters."),
    "bad-text": _("%(path)s holds characters that cannot be shown."),
    "unknown-currency": _("%(value)s is no currency code of ISO 4217 in use. Nearest: %(suggestion)s."),
    "mixed-currencies": _(
        "%(path)s is %(value)s, but the first plan is in %(other)s: one comparison has one currency."
    ),
    "duplicate-name": _("%(path)s is %(value)s like %(other)s: names of plans in one comparison differ."),
    "on-demand-plan-missing": _("after_term is on_demand: name in %(path)s the pay-as-you-go plan that follows."),
    "on-demand-plan-unknown": _("%(path)s names %(value)s, which is not among the plans. Nearest: %(suggestion)s."),
    "on-demand-plan-has-term": _("%(path)s names %(value)s, which is prepaid: a pay-as-you-go plan must follow."),
    "list-price-missing": _("unused is refund_clawback: %(path)s must say the hourly price without discount."),
    "price-per-not-term": _(
        "A term of this plan is counted in %(unit)s, so its price is per %(unit)s; %(path)s says %(value)s."
    ),
    "usage-kind-missing": _("%(path)s must say one of hours, intervals or weekly."),
    "usage-kind-twice": _("%(path)s stands beside %(other)s: give only one of hours, intervals and weekly."),
    "not-with": _("%(path)s does not belong to usage given as %(kind)s."),
    "bad-time": _("%(path)s must be a time such as 2026-03-02T10:00 or 2026-03-02T10:00:00+08:00, not %(value)s."),
    "bad-date": _("%(path)s must be a date such as 2026-03-02, not %(value)s."),
    "bad-clock": _("%(path)s must be a time of day such as 09:00, not %(value)s."),
    "time-out-of-range": _("%(path)s must lie between the years %(first)s and %(last)s."),
    "unknown-zone": _("%(value)s is no time zone such as Asia/Shanghai. Nearest: %(suggestion)s."),
    "not-a-pair": _("%(path)s must be a pair of times: [start, stop]."),
    "stop-before-start": _("%(path)s stops before it starts."),
    "nothing-counted": _("%(path)s is 0: write how many, or remove the line."),
    "discount-above-line": _("%(path)s is more than the line comes to: at most %(maximum)s."),
    "too-much-work": _(
        "This comparison has %(count)s pieces to reckon (each start and each term under each plan); at most "
        "%(maximum)s are taken. Ask with fewer plans, starts or weeks."
    ),
    "span-too-long": _("The usage spans more than %(maximum)s years."),
    "duplicate-day": _("%(path)s names %(value)s twice."),
    "keep-before-stop": _("%(path)s lies before the last stop, when the machine is still in use."),
    "keep-without-date": _("%(path)s needs `from`: without a date nothing says when the hours fall."),
    "not-json": _("This line is not JSON: %(reason)s."),
    "not-an-answerable-line": _("A line is an object; this one is %(got)s."),
}
"""Code -> what is wrong, with %(named)s figures."""

TYPES: Mapping[str, str | Promise] = {
    "null": _("null"),
    "true or false": _("true or false"),
    "text": _("text"),
    "a list": _("a list"),
    "an object": _("an object"),
    "a number": _("a number"),
    "a whole number": _("a whole number"),
    "the name of a time zone": _("the name of a time zone"),
}
"""Kinds of JSON values inside a sentence about a wrong one."""

NOTES: Mapping[str, str | Promise] = {
    "zone": _("Calendar days, months and full hours are those of %(zone)s."),
    "no-date": _("No date was given: the hours are counted from %(start)s."),
    "back-to-back": _("The %(starts)s starts are taken to follow one another without a gap."),
    "units": _("All of %(machines)s machines with %(gpus)s cards each run the whole usage."),
    "time-rounded": _("The time of each piece is rounded up to %(step)s s."),
    "clock-hours": _("Pieces are cut at each full hour of the clock."),
    "rounding-piece": _("Money is rounded (%(rule)s) for each piece of each card or machine, whichever is priced."),
    "rounding-line": _("Money is rounded (%(rule)s) line by line."),
    "rounding-total": _("Money is rounded (%(rule)s) once, on the total."),
    "minimum": _("Each start costs at least %(seconds)s s of time and at least %(charge)s, the dearer of the two."),
    "cap": _("Pay as you go stops growing after %(hours)s hours of a calendar month, machine by machine."),
    "day-24h": _("A day is 24 hours."),
    "day-calendar": _("A day ends at the same time of the next day; days with a clock change have 23 or 25 hours."),
    "week-168h": _("A week is 168 hours."),
    "week-calendar": _("A week ends at the same time of the same weekday."),
    "month-30d": _("A month is 30 days."),
    "month-720h": _("A month is 720 hours."),
    "month-730h": _("A month is 730 hours."),
    "month-365d/12": _("A month is a twelfth of 365 days (730 hours)."),
    "month-calendar": _("A month ends on the same day of the next month, on its last day where there is no such day."),
    "unused-lost": _("Prepaid time that is not used is lost."),
    "unused-refund_pro_rata": _("Unused prepaid time is refunded to the second."),
    "unused-refund_clawback": _(
        "Unused prepaid time is refunded less the discount already enjoyed and a fee of %(fee)s %% of it."
    ),
    "refund-free": _("Ended within %(days)s days of a new purchase, all is refunded; a renewal is no new purchase."),
    "after-renew": _("A term is bought when use begins, and again at its end or at the next use."),
    "after-on_demand": _("After the term, use goes on by the plan %(plan)s."),
    "after-stop": _("After the term nothing more is bought; what it does not cover is reported as uncovered hours."),
    "stopped-billed": _("A stopped machine's card goes on costing until the machine is released."),
    "disk": _("Disk is priced per GB and 24 hours; %(free)s GB are free."),
    "tax-none": _("No tax is counted."),
    "tax-added": _("Tax of %(percent)s %% is added."),
    "tax-included": _("Prices include tax of %(percent)s %%."),
    "mix-unused-lost": _("In the mix, unused time of a term is lost."),
    "mix-skipped": _(
        "The cheapest mix was not searched to the end: there are too many decisions to weigh. Fewer plans, starts or weeks are answered."
    ),
    "overlap-merged": _("Overlapping intervals were merged: %(count)s became part of an earlier one."),
    "zero-length": _("%(count)s intervals without any length were passed over."),
    "time-skipped": _(
        "%(count)s times do not exist because the clock is put forward; the time an hour later was taken."
    ),
    "time-twice": _("%(count)s times occur twice because the clock is put back; the first was taken."),
}
"""Code -> what was assumed or mended, with %(named)s figures."""


_COMMA = pgettext_lazy("between names of plans", ", ")
_NAMED = pgettext_lazy("plans and what is assumed of them", "%(plans)s: %(told)s")


def error_sentence(error: FieldError) -> str:
    """What is wrong, in the active language; English where a code has no words here yet."""
    text = ERRORS.get(error.code)
    typed = {key: str(TYPES.get(str(value), value)) for key, value in error.params.items() if key in ("got", "wanted")}
    return error.sentence if text is None else str(text) % {"path": error.path, **error.params, **typed}


def note_sentence(note: Note, words: str | Promise | None = None) -> str:
    """What was assumed, in the active language, after the names of the plans it concerns. `words`: instead of the code's own."""
    text = words or NOTES.get(note.code)
    told = note.sentence if text is None else str(text) % note.params
    return _NAMED % {"plans": str(_COMMA).join(note.plans), "told": told} if note.plans else told
