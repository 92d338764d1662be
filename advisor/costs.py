"""What an offer costs for the use a workload makes of it, under every plan and in the cheapest mix. Pure; exact Decimal money.

Hours are estimates and are taken to the second; from there on money is exact.
"""

import bisect
import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

from advisor.recommendation import Basis, Mix, MixPart, PlanCost, UseCost
from advisor.sizing.answer import Note
from advisor.sizing.demand import WEEKS
from advisor.sizing.workload import Schedule, Workload
from billing.costing import cost as costing
from billing.costing import mix as costing_mix
from billing.costing.mix_search import MixTooLarge
from billing.costing.moments import DEFAULT_ZONE, HOUR, SECOND, moment, zone_named
from billing.costing.money import digits, plain
from billing.costing.plans import Plan, parse_plans
from billing.costing.usage import MOST_HOURS, Usage
from catalog.snapshot import Offer, PlanKind, plan_rules

USE_HOURS = (1, 24, 168, 720)
"""Lengths of use priced where nobody knows how long the job takes: an hour, a day, a week, 30 days."""
MOST_WINDOWS = 2000
"""Starts priced one by one; a longer schedule is priced as one piece of the same hours, and that is said."""
JOB_STARTS = 400
"""Starts counted for a job inside a schedule: how many it takes is known only once its hours are."""
MOST_MIX_HOURS = 8784
"""A mix is searched for up to a year of use."""
PAY_AS_YOU_GO: frozenset[PlanKind] = frozenset({"minute", "hour"})

ZONE = zone_named(DEFAULT_ZONE, "timezone")

type Intervals = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Bill:
    """The use priced under every plan, cheapest plan known; `mix` and `use_costs` only once `completed`."""

    costs: tuple[PlanCost, ...]
    cheapest: PlanCost
    paid_hours: Decimal | None = None
    idle_hours: Decimal | None = None
    mix: Mix | None = None
    use_costs: tuple[UseCost, ...] = ()

    @property
    def least(self) -> Decimal:
        """The least the use costs: the mix where it saves, else the cheapest plan."""
        return self.mix.total if self.mix is not None else self.cheapest.total


class _Identity:
    """An offer as a cache key: the very object."""

    __slots__ = ("offer",)

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def __hash__(self) -> int:
        return id(self.offer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.offer is self.offer


@lru_cache(maxsize=1024)
def _plans(key: _Identity) -> tuple[tuple[PlanKind, Plan], ...]:
    parsed = parse_plans([plan_rules(plan) for plan in key.offer.plans])
    kinds: list[PlanKind] = [plan["kind"] for plan in key.offer.plans]  # type: ignore[misc]  # the snapshot's own word
    return tuple(zip(kinds, parsed, strict=True))


def plans_of(offer: Offer) -> tuple[tuple[PlanKind, Plan], ...]:
    """The offer's plans, read once."""
    return _plans(_Identity(offer))


def basis_of(workload: Workload) -> Basis:
    """What the costs will be for."""
    if workload.schedule is None:
        return Basis("hour" if workload.demand is None else "job")
    hours, weeks = _hours_of(workload.schedule), workload.schedule.weeks or WEEKS
    return Basis("schedule" if workload.demand is None else "job-in-schedule", hours, weeks)


def _hours_of(schedule: Schedule) -> float:
    return (schedule.hours_per_day or 24.0) * (schedule.days_per_week or 7.0) * (schedule.weeks or WEEKS)


def starts_priced(workload: Workload) -> int:
    """About how many starts of the machine are priced one by one under each plan: what a long schedule costs to reckon."""
    schedule = workload.schedule
    if schedule is None or _without_a_break(schedule):
        return 1
    if workload.demand is not None:
        return JOB_STARTS
    weekly = math.ceil(schedule.days_per_week or 7.0) * _starts_a_day(schedule)
    return min(MOST_WINDOWS, math.ceil(weekly * (schedule.weeks or WEEKS)))


def _without_a_break(schedule: Schedule) -> bool:
    return (schedule.hours_per_day or 24) >= 24 and (schedule.days_per_week or 7) >= 7 and _starts_a_day(schedule) == 1


def _starts_a_day(schedule: Schedule) -> int:
    return max(1, round(schedule.starts_per_day or 1))


class Usages:
    """When the machine of a workload runs: the same calendar for every card, or one that follows the card's hours."""

    def __init__(self, workload: Workload, now: datetime, basis: Basis | None = None) -> None:
        self.workload = workload
        self.now = now
        self.start = moment(now) // HOUR * HOUR  # on the hour: what was priced for it is not priced again
        self.basis = basis_of(workload) if basis is None else basis
        self.in_one_piece = False
        self._laid: dict[int, Intervals] = {}

    @property
    def needs_hours(self) -> bool:
        """Whether a card without known hours cannot be priced."""
        return self.basis.kind.startswith("job")

    def by_the_hour(self) -> "Usages":
        """The same where the demand cannot be turned into hours: the schedule alone, or prices per hour."""
        basis = Basis("hour") if self.workload.schedule is None else dataclasses.replace(self.basis, kind="schedule")
        return Usages(self.workload, self.now, basis)

    def of(self, hours: float | None) -> Intervals:
        """When the machine runs, in microseconds since 1970."""
        match self.basis.kind:
            case "hour":
                return self.piece(1.0)
            case "job":
                return self.piece(hours or 0.0)
            case "job-in-schedule":
                return self._laid_out(hours or 0.0)
            case _:
                return self._laid_out(self.basis.scheduled_hours or 0.0)

    def piece(self, hours: float) -> Intervals:
        """One run from now on, to the next full second."""
        return ((self.start, self.start + max(1, math.ceil(hours * 3600)) * SECOND),)

    def span_hours(self, hours: float | None) -> float | None:
        """Hours by the clock from the first start to the last stop of a job; None for open-ended use."""
        if not self.needs_hours or hours is None:
            return None
        if self.basis.kind == "job":
            return hours
        intervals = self._laid_out(hours)
        return (intervals[-1][1] - intervals[0][0]) / HOUR

    def _laid_out(self, hours: float) -> Intervals:
        """So many hours in the windows of the schedule."""
        if _without_a_break(self.workload.schedule or Schedule()):
            return self.piece(hours)
        seconds = max(1, math.ceil(hours * 3600))
        if seconds not in self._laid:
            self._laid[seconds] = self._windows_of(seconds)
        return self._laid[seconds] or self.piece(hours)

    def _windows_of(self, seconds: int) -> Intervals:
        """The first windows of the schedule that make so many seconds, the last one cut; empty where there are too many."""
        windows, ends = self._windows
        if seconds > ends[-1]:
            self.in_one_piece = True
            return ()
        last = bisect.bisect_left(ends, seconds)
        start, stop = windows[last]
        return (*windows[:last], (start, stop - (ends[last] - seconds) * SECOND))

    @cached_property
    def _windows(self) -> tuple[Intervals, list[int]]:
        """As many windows as are priced one by one, and the seconds up to the end of each."""
        pieces = list(itertools.islice(_windows(self.workload.schedule or Schedule()), MOST_WINDOWS))
        windows = tuple((self.start + at * SECOND, self.start + (at + length) * SECOND) for at, length in pieces)
        return windows, list(itertools.accumulate(length for _at, length in pieces))

    @property
    def assumptions(self) -> tuple[Note, ...]:
        """What the costs take for granted."""
        schedule = self.workload.schedule or Schedule()
        pattern = {"hours_per_day": schedule.hours_per_day or 24.0, "days_per_week": schedule.days_per_week or 7.0}
        match self.basis.kind:
            case "hour":
                first = Note("paid-by-the-hour", "demand")
            case "job":
                first = Note("one-run", "schedule")
            case "job-in-schedule":
                first = Note("job-in-schedule", "schedule", pattern)
            case _:
                values = {**pattern, "weeks": schedule.weeks or WEEKS, "hours": self.basis.scheduled_hours or 0.0}
                first = Note("scheduled-use", "schedule", values)
        return (first, Note("no-extra-disk"))

    def warnings(self, currency: str) -> Iterator[Note]:
        """What of the question could not be used as asked."""
        asked = self.workload.constraints.currency
        if self.workload.constraints.budget is not None and asked is not None and asked != currency:
            yield Note("currency-differs", "constraints.currency", {"budget_currency": asked, "currency": currency})
        if self.in_one_piece:
            yield Note("schedule-shortened", "schedule")


def _windows(schedule: Schedule) -> Iterator[tuple[int, int]]:
    """(start, length) in seconds from now of every scheduled piece, week after week, without end."""
    a_day = (schedule.hours_per_day or 24.0) * 3600
    days = schedule.days_per_week or 7.0
    starts = _starts_a_day(schedule)
    week = 0
    while True:
        for day in range(math.ceil(days)):
            share = min(1.0, days - day)
            length = max(1, math.floor(a_day * share / starts))
            for piece in range(starts):
                yield (week * 7 + day) * 86_400 + piece * (86_400 // starts), length
        week += 1


@lru_cache(maxsize=4096)
def _under_each_plan(
    key: _Identity, intervals: Intervals, *, one_term: bool
) -> tuple[tuple[PlanKind, Plan, costing.PlanCost], ...]:
    plans = _plans(key)
    others = {plan.name: plan for _, plan in plans}
    return tuple(
        (
            kind,
            plan,
            costing.cost(plan, _usage(key.offer, _one_term(plan, intervals) if one_term else intervals), others),
        )
        for kind, plan in plans
    )


def bill_of(offer: Offer, intervals: Intervals, basis: Basis) -> Bill:
    """The offer under each of its plans. Offers without a price are not asked."""
    one_term = basis.kind == "hour"
    found = _under_each_plan(_Identity(offer), intervals, one_term=one_term)
    costs = [_plan_cost(kind, plan, whole, offer, one_term=one_term) for kind, plan, whole in found]
    cheapest = _cheapest(costs, basis)
    whole = next(whole for kind, _, whole in found if kind == cheapest.kind)
    paid, idle = (None, None) if one_term else _idle(whole, intervals)
    return Bill(tuple(costs), cheapest, paid, idle)


def floor_of(bill: Bill, offer: Offer, intervals: Intervals, basis: Basis) -> Decimal:
    """Less than this the completed bill cannot be: where a mix may beat every plan, the whole use at the lowest price per second."""
    if basis.kind == "hour" or not _can_mix(offer, intervals):
        return bill.least
    seconds = sum(stop - start for start, stop in intervals) // SECOND
    rates = [_rate(plan) * (offer.count if plan.per == "gpu" else offer.nodes) for _, plan in plans_of(offer)]
    return plain(min(rates) * seconds, 2)


def _rate(plan: Plan) -> Fraction:
    """Price per second, a calendar month counted with its most days."""
    longest = {"day": 25 * 3600, "week": 169 * 3600, "month": 745 * 3600}
    return Fraction(plan.unit_price) / (plan.price_unit_seconds or longest[plan.price_per])


def completed(bill: Bill, offer: Offer, intervals: Intervals, basis: Basis) -> Bill:
    """The bill with what only a shown choice needs: the mix, or prices of an hour, a day, a week, a month."""
    if basis.kind == "hour":
        return dataclasses.replace(bill, use_costs=tuple(_use_costs(offer, intervals[0][0])))
    return dataclasses.replace(bill, mix=_mix(bill, offer, intervals))


def _usage(offer: Offer, intervals: Intervals) -> Usage:
    return Usage(
        intervals=intervals,
        zone=ZONE,
        keep_until=intervals[-1][1],
        gpus=offer.gpus_per_node,
        machines=offer.nodes,
    )


def _one_term(plan: Plan, intervals: Intervals) -> Intervals:
    """For a prepaid plan the shortest use: one term is bought for it; pay as you go keeps the hour."""
    return intervals if plan.term is None else ((intervals[0][0], intervals[0][0] + SECOND),)


def _plan_cost(kind: PlanKind, plan: Plan, whole: costing.PlanCost, offer: Offer, *, one_term: bool) -> PlanCost:
    """`one_term`: the use is one term long, so a term's price is spread over the whole of it."""
    own = [line for line in whole.lines if line.what in ("on-demand", "term") and line.params["plan"] == plan.name]
    count = offer.count if plan.per == "gpu" else offer.nodes
    quantity = sum((line.quantity for line in own), Decimal(0)) / count
    per_hour = whole.effective_per_hour
    if one_term and plan.term is not None and whole.purchases:
        per_hour = plain(Fraction(whole.total) / Fraction(_hours(whole.purchases[0])), at_least=digits(whole.currency))
    return PlanCost(
        kind=kind,
        plan=plan.name,
        quantity=quantity.normalize() if quantity else Decimal(0),
        total=whole.total,
        currency=whole.currency,
        effective_per_hour=per_hour if per_hour is not None else Decimal(0),
    )


def _hours(purchase: costing.Purchase) -> Decimal:
    return Decimal(round((purchase.end - purchase.start).total_seconds())) / 3600


def _cheapest(costs: list[PlanCost], basis: Basis) -> PlanCost:
    """The least total, of equal ones a prepaid one: it also covers hours more; where hours are not known, the least for one hour as you go."""
    pool = costs
    if basis.kind == "hour":
        pool = [one for one in costs if one.kind in PAY_AS_YOU_GO] or costs
    return min(pool, key=lambda one: (one.total, one.kind in PAY_AS_YOU_GO))


def _idle(whole: costing.PlanCost, intervals: Intervals) -> tuple[Decimal | None, Decimal | None]:
    """Hours paid ahead and how many of them stay unused, under a prepaid plan."""
    if not whole.purchases:
        return None, None
    paid = sum((_hours(one) for one in whole.purchases), Decimal(0))
    spans = [(moment(one.start), moment(one.end)) for one in whole.purchases]
    used = sum(max(0, min(stop, end) - max(start, begin)) for start, stop in intervals for begin, end in spans)
    return paid, paid - Decimal(used) / HOUR


def _use_costs(offer: Offer, start: int) -> Iterator[UseCost]:
    for hours in USE_HOURS:
        found = _under_each_plan(_Identity(offer), ((start, start + hours * HOUR),), one_term=False)
        kind, _, best = min(found, key=lambda priced: priced[2].total)
        yield UseCost(hours, kind, best.name, best.total, best.currency)


def _mix(bill: Bill, offer: Offer, intervals: Intervals) -> Mix | None:
    """The exact cheapest mix, where it beats the cheapest plan alone."""
    if not _can_mix(offer, intervals):
        return None
    found = _cheapest_mix(_Identity(offer), intervals)
    if found is None or found.total >= bill.cheapest.total:
        return None
    kinds: Mapping[str, PlanKind] = {plan.name: kind for kind, plan in plans_of(offer)}
    counts: dict[str, Decimal] = {}
    for line in found.lines:
        if line.what in ("on-demand", "term"):
            name = str(line.params["plan"])
            counts[name] = counts.get(name, Decimal(0)) + line.quantity / offer.count
    parts = tuple(MixPart(kinds[name], name, number.normalize()) for name, number in counts.items())
    return Mix(found.total, found.currency, parts, found.on_demand_hours, bill.cheapest.total - found.total)


def _can_mix(offer: Offer, intervals: Intervals) -> bool:
    """Whether a mix could beat every plan alone: one run no longer than the shortest term has room for one purchase only."""
    terms = [plan for _, plan in plans_of(offer) if plan.term is not None]
    seconds = (intervals[-1][1] - intervals[0][0]) // SECOND
    if not terms or seconds > MOST_MIX_HOURS * 3600:
        return False
    return len(intervals) > 1 or seconds > min(_shortest_term(plan) for plan in terms)


def _shortest_term(plan: Plan) -> int:
    """Seconds of a term, of a calendar term those of its shortest."""
    assert plan.term is not None
    shortest = {"day": 23 * 3600, "week": 167 * 3600, "month": 671 * 3600}
    return (plan.seconds_of(plan.term.unit) or shortest[plan.term.unit]) * plan.term.count


@lru_cache(maxsize=4096)
def _cheapest_mix(key: _Identity, intervals: Intervals) -> costing_mix.Mix | None:
    try:
        return costing_mix.cheapest_mix([plan for _, plan in _plans(key)], _usage(key.offer, intervals))
    except MixTooLarge:
        return None


def too_long(hours: float | None) -> bool:
    """Whether a run is longer than anything can be priced for (30 years)."""
    return hours is not None and hours > MOST_HOURS
