"""How much there is to reckon in one comparison, known before it is begun: so that a question too large is refused, not waited for."""

from collections.abc import Sequence

from billing.costing.break_even import sought_seconds
from billing.costing.errors import FieldError
from billing.costing.moments import DAY, HOUR
from billing.costing.plans import Plan
from billing.costing.usage import Usage

MOST_PIECES = 200_000
"""In one comparison: a second or two. Ten years of hourly starts under two plans are fewer."""
HOUR_PIECES = 4
"""A clock hour that is billed by itself takes as long as so many starts."""
CAP_PIECES = 5
"""So does a start under a monthly cap."""
PAIR_PIECES = 10
"""So does looking where one plan overtakes another."""
_DAYS = {"day": 1, "week": 7, "month": 28}


def pieces(plans: Sequence[Plan], usage: Usage) -> int:
    """What is billed one by one: each start under each plan, each term bought, clock hours where the rules need them single; and the
    stretches of the curves laid side by side for break-evens."""
    billed = sum(_billed(plan, usage) for plan in plans)
    curves = sum(_stretches(plan, sought_seconds(plans)) + PAIR_PIECES for plan in plans)
    return billed + curves * (len(plans) - 1)


def work_errors(plans: Sequence[Plan], usage: Usage) -> tuple[FieldError, ...]:
    """One error where there are more pieces than one comparison takes."""
    count = pieces(plans, usage)
    return (FieldError("usage", "too-much-work", {"count": count, "maximum": MOST_PIECES}),) * (count > MOST_PIECES)


def _billed(plan: Plan, usage: Usage) -> int:
    starts = len(usage.intervals)
    if plan.term is not None:
        return starts + usage.running // (_term_days(plan) * DAY)
    by_month = plan.cap_hours_per_month is not None and (plan.round_at == "piece" or plan.billing_step_seconds > 3600)
    alone = plan.pieces == "clock_hour" and (plan.price_unit_seconds is None or by_month)
    if plan.cap_hours_per_month is not None:
        starts *= CAP_PIECES
    return starts + (usage.running // HOUR * HOUR_PIECES if alone else 0)


def _stretches(plan: Plan, seconds: int) -> int:
    """Of the curve of one run: terms end to end, or calendar periods of different prices."""
    if plan.term is not None:
        return seconds // (_term_days(plan) * 86_400)
    return seconds // 86_400 if plan.price_unit_seconds is None or plan.cap_hours_per_month is not None else 1


def _term_days(plan: Plan) -> int:
    assert plan.term is not None
    return plan.term.count * _DAYS[plan.term.unit]
