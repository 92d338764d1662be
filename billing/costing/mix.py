"""The cheapest mix: the exact least total of prepaid terms and pay as you go over a calendar of use.

A term may begin when use begins (the start of an interval) or, inside an interval, the moment another term ends; what no term
covers is paid as you go to the end of that interval; unused time of a term is lost. Under these rules every road through the
calendar is a chain of moments, so the least total is a shortest path: all moments that can be reached are found forward in
time, their least cost to the end is found backward. Ties go to fewer purchases, then to the earlier plan in the list.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from heapq import heappop, heappush
from math import lcm
from typing import NamedTuple

from billing.costing.bill import Group, Line, bill, total_of
from billing.costing.cost import Purchase, charge_items, cost, disk_groups, term_items, units
from billing.costing.moments import DAY, HOUR, local, same_anchor
from billing.costing.money import plain
from billing.costing.pay_as_you_go import Charge, Meter
from billing.costing.plans import Plan
from billing.costing.terms import Span, counts_months, is_calendar, term_end
from billing.costing.usage import Usage

MOST_STATES = 200_000
"""Moments weighed before the search gives up (ten years of hourly starts have 87,660)."""

_Chain = tuple[int, int, int] | None
"""(plan, anchor, terms so far) of calendar terms running end to end, where a renewal ends elsewhere than a new purchase."""
_Used = tuple[int, ...]
"""For each pay-as-you-go plan with a cap, the seconds counted in the calendar month of the moment."""
_State = tuple[int, _Chain, _Used]


class MixTooLarge(Exception):
    """The search would have to weigh more than MOST_STATES moments."""


@dataclass(frozen=True, slots=True)
class Mix:
    """The cheapest mix. `on_demand_hours`: hours of one machine paid as you go. `lines` add up to `total`."""

    total: Decimal
    currency: str
    lines: tuple[Line, ...]
    purchases: tuple[Purchase, ...]
    on_demand_hours: Decimal


class _Step(NamedTuple):
    """One decision: plan number `plan` from `start` to `end`; the next decision is at state `after`."""

    plan: int
    cost: Fraction
    start: int
    end: int
    after: _State | None


def cheapest_mix(plans: Sequence[Plan], usage: Usage) -> Mix:
    """The least total that covers the whole usage. Plans have one currency. Raises MixTooLarge past MOST_STATES moments."""
    search = _Search(plans, usage)
    found = _mix_of(search, search.best()) if usage.intervals else _empty(plans)
    single = _best_single(plans, usage)
    # rules whose cost is not a sum over intervals (a stopped card billed on) can make a single plan cheaper
    return single if single is not None and single.total < found.total else found


def _empty(plans: Sequence[Plan]) -> Mix:
    return Mix(total_of((), plans[0].currency), plans[0].currency, (), (), Decimal(0))


def _best_single(plans: Sequence[Plan], usage: Usage) -> Mix | None:
    """The cheapest plan alone, among those that need no refund and leave nothing uncovered."""
    best: Mix | None = None
    for plan in plans:
        if plan.term is not None and (plan.unused != "lost" or plan.refund_free_days or plan.after_term != "renew"):
            continue
        found = cost(plan, usage)
        if best is None or found.total < best.total:
            hours = usage.hours if plan.term is None else Decimal(0)
            best = Mix(found.total, plan.currency, found.lines, found.purchases, hours)
    return best


class _Search:
    def __init__(self, plans: Sequence[Plan], usage: Usage) -> None:
        self.plans = plans
        self.usage = usage
        self.intervals = usage.intervals
        self.starts = [start for start, _ in usage.intervals]
        self.stops = [stop for _, stop in usage.intervals]
        self.taxed = [Fraction(1) if p.prices_include_tax else 1 + Fraction(p.tax_percent) / 100 for p in plans]
        self.units = [units(plan, usage) for plan in plans]
        self.terms = [index for index, plan in enumerate(plans) if plan.term is not None]
        self.open = [index for index, plan in enumerate(plans) if plan.term is None]
        self.calendar = {index for index in self.terms if is_calendar(plans[index])}
        self.factor = [count * tax for count, tax in zip(self.units, self.taxed, strict=True)]
        self.price = {i: Fraction(plans[i].unit_price) * self.factor[i] for i in self.terms}
        first, last = (self.starts[0], max(self.stops[-1], usage.keep_until)) if self.intervals else (0, 0)
        self.meters = {index: Meter(plans[index], usage.zone, first, last) for index in self.open}
        self.capped = [index for index in self.open if plans[index].cap_hours_per_month is not None]
        self.disk = [self._disk_rates(plan, self.taxed[index]) for index, plan in enumerate(plans)]
        self.has_disk = any(running or stopped for running, stopped in self.disk)
        self.fresh: _Used = (0,) * len(self.capped)

    def _disk_rates(self, plan: Plan, taxed: Fraction) -> tuple[Fraction, Fraction]:
        """Money per microsecond of disk running and stopped."""
        paid = (
            max(Fraction(0), Fraction(self.usage.disk_gb) - Fraction(plan.free_disk_gb)) * self.usage.machines * taxed
        )
        return (
            paid * Fraction(plan.disk_price_per_gb_day_running) / DAY,
            paid * Fraction(plan.disk_price_per_gb_day_stopped) / DAY,
        )

    @cached_property
    def _run_before(self) -> list[int]:
        """Microseconds run before each interval."""
        total, before = 0, [0]
        for start, stop in self.intervals:
            total += stop - start
            before.append(total)
        return before

    def _run_until(self, at: int) -> int:
        index = bisect_right(self.starts, at)
        return self._run_before[index] - max(0, self.stops[index - 1] - at) if index else 0

    def disk_time(self, start: int, after: int | None) -> tuple[int, int]:
        """Microseconds running and stopped from a decision to the next one (None: to the release)."""
        until = max(self.usage.keep_until, self.stops[-1]) if after is None else after
        running = self._run_until(until) - self._run_until(start)
        return running, until - start - running

    def _disk(self, plan: int, start: int, after: int | None) -> Fraction:
        running, stopped = self.disk_time(start, after)
        return self.disk[plan][0] * running + self.disk[plan][1] * stopped

    def _next(self, at: int) -> int | None:
        """The first moment of use at or after `at`."""
        index = bisect_right(self.stops, at)
        return None if index == len(self.stops) else max(at, self.starts[index])

    def steps(self, state: _State) -> list[_Step]:
        """Every legal decision at a moment of use, in the order of the plans."""
        at, chain, used = state
        stop = self.stops[bisect_right(self.stops, at)]
        found = []
        for index, plan in enumerate(self.plans):
            if plan.term is None:
                found.append(self._pay_as_you_go(index, at, stop, used))
                continue
            anchor, terms = (chain[1], chain[2] + 1) if chain is not None and chain[0] == index else (at, 1)
            end = term_end(plan, anchor, terms, self.usage.zone)
            after = self._next(end)
            next_state = None if after is None else self._after_term(index, anchor, terms, end, after, used, at)
            price = self.price[index] + self._disk(index, at, after) if self.has_disk else self.price[index]
            found.append(_Step(index, price, at, end, next_state))
        return found

    def _after_term(self, index: int, anchor: int, terms: int, end: int, after: int, used: _Used, at: int) -> _State:
        chain: _Chain = None
        if index in self.calendar and after == end:
            months = counts_months(self.plans[index])
            if not same_anchor(anchor, end, self.usage.zone, months=months):
                chain = (index, anchor, terms)
        return after, chain, self._still_used(used, at, after)

    def _still_used(self, used: _Used, at: int, after: int) -> _Used:
        """The counts of a month go with it."""
        if not self.capped:
            return used
        meter = self.meters[self.capped[0]]
        return used if meter.month_of(at) == meter.month_of(after) else self.fresh

    def charge(self, index: int, at: int, stop: int, used: _Used) -> tuple[list[Charge], dict[int, int]]:
        """What pay as you go costs from a moment to the end of its interval; a stopped card may cost until the next one."""
        meter = self.meters[index]
        counts: dict[int, int] = {}
        if index in self.capped:
            counts[meter.month_of(at)] = used[self.capped.index(index)]
        if self.plans[index].stopped_gpu_billed:
            after = self._next(stop)
            stop = max(self.usage.keep_until, stop) if after is None else after
        return [meter.charge(at, stop, counts)], counts

    def _pay_as_you_go(self, index: int, at: int, stop: int, used: _Used) -> _Step:
        (charge,), counts = self.charge(index, at, stop, used)
        after = self._next(stop)
        money = charge.amount * self.factor[index]
        if self.has_disk:
            money += self._disk(index, at, after)
        if after is None:
            return _Step(index, money, at, stop, None)
        still = self._still_used(used, at, after)
        if index in self.capped:
            meter, place = self.meters[index], self.capped.index(index)
            left = min(counts.get(meter.month_of(after), 0), meter.cap_seconds)
            still = (*still[:place], left, *still[place + 1 :])
        return _Step(index, money, at, stop, (after, None, still))

    def best(self) -> list[tuple[_Step, _Used]]:
        """The decisions of the cheapest road, each with the cap counts it began with."""
        first: _State = (self.starts[0], None, self.fresh)
        found: dict[_State, list[_Step]] = {}
        queue: list[tuple[int, int, _State]] = [(first[0], 0, first)]
        seen = {first}
        while queue:
            state = heappop(queue)[2]
            found[state] = steps = self.steps(state)
            for step in steps:
                if step.after is not None and step.after not in seen:
                    if len(seen) >= MOST_STATES:
                        raise MixTooLarge
                    seen.add(step.after)
                    heappush(queue, (step.after[0], len(seen), step.after))
        return self._walk(first, found, self._weigh(found))

    def _weigh(self, found: dict[_State, list[_Step]]) -> dict[_State, _Step]:
        """The best decision at each moment, from the last moment back. Costs are counted in a common smallest part."""
        part = lcm(*{step.cost.denominator for steps in found.values() for step in steps})
        worth: dict[_State | None, tuple[int, int]] = {None: (0, 0)}
        chosen: dict[_State, _Step] = {}
        for state, steps in reversed(found.items()):
            best: tuple[int, int] | None = None
            for step in steps:
                money, bought = worth[step.after]
                term = self.plans[step.plan].term is not None
                total = (money + step.cost.numerator * (part // step.cost.denominator), bought + term)
                if best is None or total < best:
                    best, chosen[state] = total, step
            assert best is not None
            worth[state] = best
        return chosen

    def _walk(
        self, state: _State | None, found: dict[_State, list[_Step]], chosen: dict[_State, _Step]
    ) -> list[tuple[_Step, _Used]]:
        road = []
        while state is not None:
            step = chosen[state]
            road.append((step, state[2]))
            state = step.after
        return road


def _mix_of(search: _Search, road: Sequence[tuple[_Step, _Used]]) -> Mix:
    """The bill of a road: each plan's terms, pay as you go and disk, by its own rounding and tax."""
    usage, open_time = search.usage, 0
    lines: tuple[Line, ...] = ()
    for index, plan in enumerate(search.plans):
        mine = [(step, used) for step, used in road if step.plan == index]
        if not mine:
            continue
        groups: list[Group] = []
        if plan.term is None:
            charges = []
            for step, used in mine:
                open_time += step.end - step.start
                charges += search.charge(index, step.start, step.end, used)[0]
            groups.append(charge_items(plan, usage, charges))
        else:
            groups.append(term_items(plan, usage, [Span(s.start, s.end) for s, _ in mine], refunds=False))
        times = [search.disk_time(step.start, step.after[0] if step.after else None) for step, _ in mine]
        groups += disk_groups(plan, usage, sum(r for r, _ in times), sum(s for _, s in times))
        lines += bill(plan, groups)
    purchases = tuple(
        Purchase(search.plans[s.plan].name, local(s.start, usage.zone), local(s.end, usage.zone))
        for s, _ in road
        if search.plans[s.plan].term is not None
    )
    currency = search.plans[0].currency
    return Mix(total_of(lines, currency), currency, tuple(lines), purchases, plain(Fraction(open_time, HOUR)))
