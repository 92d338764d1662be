"""What one run costs as its hours grow, on one machine: every plan, the cheapest mix, where plans overtake each other.

Figures for the chart `billing.charts.hours_chart` draws, and the same as a table. Floats are for drawing only; the table is exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

from billing.costing.break_even import break_evens, curve
from billing.costing.mix import cheapest_mix
from billing.costing.mix_search import MixTooLarge
from billing.costing.moments import HOUR
from billing.costing.plans import Plan, parse_plans
from billing.costing.run_curve import run_curve
from billing.costing.usage import Usage
from billing.idle import usage_of
from catalog.snapshot import Offer, PlanKind, plan_rules

RANGES = (336, 720, 1440, 4320, 8760)
"""Hours a linear chart may span; the one that leaves the own use in its first 60 % is taken."""
DEFAULT_RANGE = 720
WEEK = 168
"""Up to so many hours of use the axes are logarithmic: on linear ones minutes, hours and a day card lie on top of each other."""
LOG_FIRST, LOG_LAST = 1, 720
POINTS = 60
MIX_POINTS = 30
TABLE_HOURS = (1, 8, 24, 72, 168, 336, 720)
PREPAID: frozenset[PlanKind] = frozenset({"day", "week", "month"})

type Points = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Overtaking:
    """Beyond `hours` a prepaid plan costs less than the hourly one, told as its first whole hour, `from_hour`.

    `cost`: what both cost at `hours`, None outside the chart.
    """

    kind: PlanKind
    hours: Decimal
    from_hour: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class CostRow:
    """Hours and the exact totals: the plans in order, then the mix where it was found."""

    hours: int
    totals: tuple[Decimal, ...]


@dataclass(frozen=True, slots=True)
class HoursCurves:
    """`plans`: what is worth drawing, in the order of the offer; `kinds`: all of them, as in the rows. `span`: last hour drawn.

    `then`: prepaid kind -> the kind of plan that what goes beyond its term is charged by.
    """

    span: int
    logarithmic: bool
    kinds: tuple[PlanKind, ...]
    then: Mapping[PlanKind, PlanKind]
    plans: Mapping[PlanKind, Points]
    mix: Points
    breaks: tuple[Overtaking, ...]
    rows: tuple[CostRow, ...]


class _Key:
    """An offer as a cache key: the very object."""

    __slots__ = ("offer",)

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def __hash__(self) -> int:
        return id(self.offer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.offer is self.offer


@lru_cache(maxsize=64)
def _plans(key: _Key) -> tuple[tuple[PlanKind, Plan], ...]:
    parsed = parse_plans([plan_rules(plan) for plan in key.offer.plans])
    kinds: list[PlanKind] = [plan["kind"] for plan in key.offer.plans]  # type: ignore[misc]  # the snapshot's own word
    return tuple(zip(kinds, parsed, strict=True))


def _usage(offer: Offer, hours: Decimal | int) -> Usage:
    return usage_of(offer, max(1, round(Decimal(hours) * HOUR)))


def span_of(own: float | None) -> tuple[int, bool] | None:
    """Hours to draw and whether on logarithmic axes; None where the use is longer than any chart."""
    if own is not None and own <= WEEK:
        return LOG_LAST, True
    if own is None:
        return DEFAULT_RANGE, False
    span = next((end for end in RANGES if own <= 0.6 * end), RANGES[-1])
    return (span, False) if own <= span else None


def hours_curves(offer: Offer, own: float | None) -> HoursCurves | None:
    """The curves of one machine round the own hours of use (None: not known). None without prices, or where nothing can be drawn."""
    plans = _plans(_Key(offer)) if offer.plans else ()
    chosen = span_of(own)
    if not plans or chosen is None:
        return None
    span, logarithmic = chosen
    usage = _usage(offer, span)
    known = {plan.name: plan for _kind, plan in plans}
    grid = (
        tuple(_log_hours()) if logarithmic else tuple(range(max(1, span // MIX_POINTS), span + 1, span // MIX_POINTS))
    )
    mix = _mix_points(_Key(offer), grid)
    if not logarithmic and mix:
        mix = [(0.0, 0.0), *mix]
    drawn = {
        kind: _log_points(plan, usage, known)
        if logarithmic
        else [(float(h), float(c)) for h, c in curve(plan, span, POINTS, usage, known)]
        for kind, plan in plans
    }
    top = max((cost for _h, cost in mix), default=0.0)
    shown = {
        kind: points
        for kind, points in drawn.items()
        if points and (logarithmic or points[0][1] <= 1.6 * top or kind in ("minute", "hour"))
    }
    return HoursCurves(
        span=span,
        logarithmic=logarithmic,
        kinds=tuple(kind for kind, _plan in plans),
        then=_then(plans),
        plans=shown,
        mix=mix,
        breaks=_breaks(plans, usage, span, shown),
        rows=_rows(offer, plans, own),
    )


def _then(plans: Sequence[tuple[PlanKind, Plan]]) -> dict[PlanKind, PlanKind]:
    kind_of = {plan.name: kind for kind, plan in plans}
    return {
        kind: kind_of[plan.on_demand_plan]
        for kind, plan in plans
        if plan.after_term == "on_demand" and plan.on_demand_plan in kind_of
    }


def _log_hours() -> list[int]:
    """Whole hours from the first to the last, closer together at the beginning, every day of the first week among them."""
    hours = {round(LOG_FIRST * (LOG_LAST / LOG_FIRST) ** (index / MIX_POINTS)) for index in range(MIX_POINTS + 1)}
    return sorted(hours | {24 * day for day in range(1, 8)} | {336, 504})


def _log_points(plan: Plan, usage: Usage, known: Mapping[str, Plan]) -> Points:
    """Exact costs at whole hours, and both ends of each jump of a prepaid term."""
    run = run_curve(plan, usage, known, Fraction(LOG_LAST * 3600))
    points = [
        (float(hours), float(run.at(Fraction(hours * 3600)))) for hours in _log_hours() if hours * 3600 <= run.until
    ]
    if plan.term is not None:
        for stretch in run.stretches[1:]:
            at = stretch.start
            if at > LOG_FIRST * 3600:
                hours = float(at / 3600)
                after = float(stretch.just_after(at) + run.drift * at)
                points += [(hours, float(run.at(at))), (hours + 1e-6, after)]
    return sorted(set(points))


@lru_cache(maxsize=64)
def _mix_points(key: _Key, hours: tuple[int, ...]) -> Points:
    """The cheapest mix at some hours; empty where it was too much to search."""
    points = []
    for each in hours:
        try:
            found = cheapest_mix([plan for _kind, plan in _plans(key)], _usage(key.offer, each))
        except MixTooLarge:
            return []
        points.append((float(each), float(found.total)))
    return points


def _breaks(
    plans: Sequence[tuple[PlanKind, Plan]], usage: Usage, span: int, shown: Mapping[PlanKind, Points]
) -> tuple[Overtaking, ...]:
    """Prepaid plans against the hourly one (or the first, where none is), earliest first."""
    by_name = {plan.name: kind for kind, plan in plans}
    known = {plan.name: plan for _kind, plan in plans}
    base = next((plan for kind, plan in plans if kind == "hour"), plans[0][1])
    found = []
    for one in break_evens([plan for _kind, plan in plans], usage):
        kind = by_name[one.cheaper]
        if base.name in one.between and kind in PREPAID and one.from_hour is not None:
            inside = one.hours <= span and kind in shown
            cost = float(total_at(base, one.hours, usage, known)) if inside else None
            found.append(Overtaking(kind, one.hours, one.from_hour, cost))
    return tuple(sorted(found, key=lambda one: one.hours))


def total_at(plan: Plan, hours: Decimal | int, usage: Usage, known: Mapping[str, Plan]) -> Decimal:
    """What a run of so many hours costs."""
    points = curve(plan, hours, POINTS, usage, known)
    return points[-1][1] if points else Decimal(0)


def _rows(offer: Offer, plans: Sequence[tuple[PlanKind, Plan]], own: float | None) -> tuple[CostRow, ...]:
    known = {plan.name: plan for _kind, plan in plans}
    asked = [max(1, -int(-own // 1))] if own is not None and own <= RANGES[-1] else []
    rows = []
    for hours in sorted({*TABLE_HOURS, *asked}):
        usage = _usage(offer, hours)
        totals = [total_at(plan, hours, usage, known) for _kind, plan in plans]
        try:
            totals.append(cheapest_mix([plan for _kind, plan in plans], usage).total)
        except MixTooLarge:
            totals.append(min(totals))
        rows.append(CostRow(hours, tuple(totals)))
    return tuple(rows)
