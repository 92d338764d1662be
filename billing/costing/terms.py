"""Prepaid terms: when they end, which are bought, what comes back for unused time."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from zoneinfo import ZoneInfo

from billing.costing.moments import DAY, HOUR, SECOND, add_days, add_months
from billing.costing.plans import Plan

_DAYS = {"day": 1, "week": 7, "month": 30}


@dataclass(frozen=True, slots=True)
class Span:
    """One term bought: [start, end) in microseconds since 1970 UTC. A renewal begins where the term before it ends."""

    start: int
    end: int
    renewal: bool = False


def is_calendar(plan: Plan) -> bool:
    """Whether the plan's term follows the wall clock, so that its end depends on where it is anchored."""
    assert plan.term is not None
    return plan.seconds_of(plan.term.unit) is None or _days_of_the_wall_clock(plan)


def _days_of_the_wall_clock(plan: Plan) -> bool:
    # "30d" counts days as the plan means them; the other lengths of a month are hours
    assert plan.term is not None
    return plan.term.unit == "month" and plan.month_means == "30d" and plan.day_means == "calendar"


def counts_months(plan: Plan) -> bool:
    """Whether the plan's term counts calendar months, whose ends depend on the day of the anchor."""
    return plan.term is not None and plan.term.unit == "month" and plan.month_means == "calendar"


def term_end(plan: Plan, anchor: int, terms: int, zone: ZoneInfo) -> int:
    """When the n-th of terms bought end to end since `anchor` is over.

    Calendar ends are counted from the anchor, so that 31 January, 28 February, 31 March follow one another.
    """
    assert plan.term is not None
    unit, count = plan.term.unit, plan.term.count * terms
    if counts_months(plan):
        return add_months(anchor, count, zone)
    if is_calendar(plan):
        return add_days(anchor, count * _DAYS[unit], zone)
    seconds = plan.seconds_of(unit)
    assert seconds is not None
    return anchor + seconds * SECOND * count


def cover(plan: Plan, intervals: Sequence[tuple[int, int]], zone: ZoneInfo) -> list[Span]:
    """The terms bought for a usage: one when use begins; then, if the plan renews, another wherever use is not covered."""
    bought: list[Span] = []
    anchor = terms = 0
    for start, stop in intervals:
        end = bought[-1].end if bought else start
        while end < stop:
            if bought and plan.after_term != "renew":
                return bought
            begin = max(end, start)
            renewal = bool(bought) and begin == end
            anchor, terms = (anchor, terms + 1) if renewal else (begin, 1)
            end = term_end(plan, anchor, terms, zone)
            bought.append(Span(begin, end, renewal))
    return bought


def uncovered(intervals: Sequence[tuple[int, int]], covered_until: int) -> list[tuple[int, int]]:
    """What of the intervals lies after the last term."""
    return [(max(start, covered_until), stop) for start, stop in intervals if stop > covered_until]


def refund(plan: Plan, last: Span, release: int) -> Fraction:
    """What comes back, per card or machine, when the machine is released before its last term ends. Exact, never negative.

    Clawback is Vast.ai's rule for reserved instances: the unused prepayment less the discount enjoyed on the time used, with a fee on it.
    """
    unused = (last.end - max(release, last.start)) // SECOND
    if unused <= 0:
        return Fraction(0)
    price = Fraction(plan.unit_price)
    whole = Fraction(last.end - last.start, SECOND)
    if plan.refund_free_days and not last.renewal and release - last.start <= plan.refund_free_days * DAY:
        return price
    if plan.unused == "lost":
        return Fraction(0)
    back = price * unused / whole
    if plan.unused == "refund_clawback":
        used_hours = (whole - unused) * SECOND / HOUR
        enjoyed = Fraction(plan.list_price_per_hour or 0) * used_hours - (price - back)
        back -= max(Fraction(0), enjoyed) * (1 + Fraction(plan.refund_fee_percent) / 100)
    return max(Fraction(0), back)
