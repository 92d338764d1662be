"""The shortest road through a calendar of use: which terms to buy, and where to pay as you go.

Every legal road is a chain of moments: a start of use, or a moment inside an interval at which a term ends. Roads are explored by
what they have cost so far (Dijkstra). A later moment is never worth less than an earlier one reached at more cost, for whatever
the road from the earlier one buys can be bought from the later one and reaches as far: so of all moments only those further
than any cheaper one are followed. Three rules break this, and are answered otherwise:

- monthly caps. A month costs the lesser of its time and the cap, so each month is taken both ways: by time, or paid up to the cap
  once and free from then on. A road with a month paid up is dropped only for one that is cheaper by that much;
- calendar months, where 30 January, 23:00 reaches further than 31 January, 10:00: the same search with month ends that only grow
  gives a bound. If its road is legal, it is the answer; else a legal road is sought, and what is dearer at any moment than the bound's
  cheapest way past it by more than the gap between the two cannot be on the cheapest road;
- everything else that is not monotone (disk prices that differ between plans, prices per calendar month billed by the day, clock
  changes under calendar terms): every moment is followed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import count
from math import lcm
from typing import NamedTuple

from billing.costing.cost import term_price, units
from billing.costing.moments import DAY, SECOND, keeps_offset, month_reach, same_anchor
from billing.costing.money import digits
from billing.costing.pay_as_you_go import Charge, Meter, Share
from billing.costing.plans import Plan
from billing.costing.terms import counts_months, is_calendar, term_end
from billing.costing.usage import Usage

MOST_STATES = 100_000
"""Moments followed before the search gives up."""

Chain = tuple[int, int, int] | None
"""(plan, anchor, terms so far) of calendar terms running end to end, where a renewal ends elsewhere than a new purchase."""
Paid = tuple[bool, ...]
"""For each pay-as-you-go plan with a cap, whether the calendar month of the moment is paid up to the cap."""
State = tuple[int, Chain, Paid]
Worth = tuple[int | Fraction, int]
"""(cost in the search's smallest part, purchases): compared in this order."""


class MixTooLarge(Exception):
    """The search would have to follow more than MOST_STATES moments."""


class Step(NamedTuple):
    """One decision: plan number `plan` from `start` to `end` for `cost`; the next decision is at `after` (None: all is covered)."""

    plan: int
    cost: int | Fraction
    start: int
    end: int
    after: State | None


class Search:
    """One usage and the plans that may cover it."""

    def __init__(self, plans: Sequence[Plan], usage: Usage) -> None:
        self.plans = plans
        self.usage = usage
        self.starts = [start for start, _ in usage.intervals]
        self.stops = [stop for _, stop in usage.intervals]
        self.release = max(usage.keep_until, self.stops[-1])
        taxed = [Fraction(1) if p.prices_include_tax else 1 + Fraction(p.tax_percent) / 100 for p in plans]
        self.factor = [units(plan, usage) * tax for plan, tax in zip(plans, taxed, strict=True)]
        self.terms = [index for index, plan in enumerate(plans) if plan.term is not None]
        self.open = [index for index, plan in enumerate(plans) if plan.term is None]
        self.meters = {index: Meter(plans[index], usage.zone, self.starts[0], self.release) for index in self.open}
        self.capped = [index for index in self.open if plans[index].cap_hours_per_month is not None]
        self.unpaid: Paid = (False,) * len(self.capped)
        self._set_disk(taxed)
        self._set_parts()
        self._set_lengths()
        before = 0
        self._run_before = [0]
        for start, stop in usage.intervals:
            before += stop - start
            self._run_before.append(before)

    def _set_disk(self, taxed: Sequence[Fraction]) -> None:
        """Money per microsecond of disk, running and stopped, by plan. Where all are equal, no decision depends on disk."""
        rates = []
        for plan, tax in zip(self.plans, taxed, strict=True):
            paid = max(Fraction(0), Fraction(self.usage.disk_gb) - Fraction(plan.free_disk_gb)) * self.usage.machines
            running, stopped = plan.disk_price_per_gb_day_running, plan.disk_price_per_gb_day_stopped
            rates.append((paid * tax * Fraction(running) / DAY, paid * tax * Fraction(stopped) / DAY))
        self.disk = rates
        self.disk_decides = any(rate != rates[0] for rate in rates)

    def _set_parts(self) -> None:
        """The smallest part all costs are whole multiples of, where there is one: whole numbers are fast."""
        costs = [Fraction(1, 10 ** digits(self.plans[0].currency)) * factor for factor in self.factor]
        for index, plan in enumerate(self.plans):
            costs += [
                Fraction(plan.unit_price) * self.factor[index],
                Fraction(plan.minimum_charge) * self.factor[index],
            ]
            if (unit := plan.price_unit_seconds) is not None:
                costs.append(Fraction(plan.unit_price) * self.factor[index] / unit)
        if self.disk_decides:
            costs += [rate for pair in self.disk for rate in pair]
        self.parts = lcm(*(cost.denominator for cost in costs))
        self.fast = {index: self._fast(index) for index in self.open if self._is_plain(self.plans[index])}
        self.price = {i: self._in_parts(term_price(self.plans[i]) * self.factor[i]) for i in self.terms}

    @staticmethod
    def _is_plain(plan: Plan) -> bool:
        """Whether a start's cost is its billed seconds at one price, or the minimum."""
        return (
            plan.price_unit_seconds is not None
            and plan.cap_hours_per_month is None
            and plan.pieces == "start"
            and plan.round_at != "piece"
        )

    def _fast(self, index: int) -> tuple[int, int, int, int | Fraction, int | Fraction]:
        """(step in microseconds, step, least seconds, price of a second, least charge) of a plain plan, money in parts."""
        plan, factor = self.plans[index], self.factor[index]
        rate = self._in_parts(Fraction(plan.unit_price) * factor / (plan.price_unit_seconds or 1))
        step = plan.billing_step_seconds
        return step * SECOND, step, plan.minimum_seconds, rate, self._in_parts(Fraction(plan.minimum_charge) * factor)

    def _in_parts(self, money: Fraction) -> int | Fraction:
        scaled = money * self.parts
        return scaled.numerator if scaled.denominator == 1 else scaled

    def flat_in_parts(self, index: int) -> int | Fraction:
        """The dearest a month under a capped plan can be."""
        meter = self.meters[index]
        months = range(meter.month_of(self.starts[0]), meter.month_of(self.release) + 1)
        return max(self._in_parts(meter.flat(month) * self.factor[index]) for month in months)

    def _set_lengths(self) -> None:
        """Microseconds of each term, where they do not depend on when it begins; what calendar terms remain."""
        longest = max((term_end(self.plans[i], 0, 1, self.usage.zone) for i in self.terms), default=0)
        steady = keeps_offset(self.usage.zone, self.starts[0], self.stops[-1] + longest + DAY) if self.terms else True
        self.length: dict[int, int] = {}
        for index in self.terms:
            plan = self.plans[index]
            if not is_calendar(plan) or (steady and not counts_months(plan)):
                self.length[index] = term_end(plan, self.starts[0], 1, self.usage.zone) - self.starts[0]
        self.calendar = [index for index in self.terms if index not in self.length]
        self.monotone = (
            not self.disk_decides
            and (steady or not self.calendar)
            and all(self._grows_with_time(index) for index in self.open)
        )

    def _grows_with_time(self, index: int) -> bool:
        """Whether a later start to the same stop never costs more."""
        plan, meter = self.plans[index], self.meters[index]
        beyond = max(plan.billing_step_seconds, plan.minimum_seconds) > 1
        if plan.price_unit_seconds is None and beyond:
            return False
        if not meter.capped or not (beyond or plan.minimum_charge):
            return True
        # time billed beyond a stop, and minimums, may move to a month whose cap is not reached
        last = max(plan.billing_step_seconds, plan.minimum_seconds) * SECOND
        return all(meter.month_of(start) == meter.month_of(stop + last) for start, stop in self.usage.intervals)

    def road(self) -> list[Step]:
        """The decisions of the cheapest road; ties to fewer purchases, then to the earlier plan at the first difference."""
        if not self.monotone:
            return self._walk(self._explore(None)[0])
        front = _Front(self)
        found, least = self._explore(front, bound=bool(self.calendar))
        road = self._walk(found)
        if not self.calendar or self._is_legal(road):
            return road
        found, worth = self._explore(_Front(self))
        gap = worth[0] - least[0]
        return self._walk(self._explore(front, slack=gap)[0] if gap else found)

    def _is_legal(self, road: Sequence[Step]) -> bool:
        """Whether each decision leads where the bound says it does."""
        state: State | None = (self.starts[0], None, self.unpaid)
        for step in road:
            if state is None:
                return False
            like = [
                real for real in self._steps(state, bound=False) if real.plan == step.plan and real.cost == step.cost
            ]
            following = [real.after for real in like if _moment(real.after) == _moment(step.after)]
            if not following:
                return False
            state = following[0]
        return state is None

    # --- what a decision leads to ---------------------------------------------------------------------------------------

    def _next(self, at: int) -> int | None:
        """The first moment of use at or after `at`."""
        index = bisect_right(self.stops, at)
        return None if index == len(self.stops) else max(at, self.starts[index])

    def _steps(self, state: State, *, bound: bool) -> list[Step]:
        """Every legal decision at a moment of use, in the order of the plans."""
        at, chain, paid = state
        stop = self.stops[bisect_right(self.stops, at)]
        found = []
        for index, plan in enumerate(self.plans):
            if plan.term is None:
                found += self._pay_as_you_go(index, at, stop, paid)
                continue
            new_chain: Chain = None
            if index in self.length:
                end = at + self.length[index]
            elif bound:
                end = month_reach(at, plan.term.count, self.usage.zone)
            else:
                end, new_chain = self._calendar_end(index, at, chain)
            after = self._next(end)
            price = self.price[index]
            if self.disk_decides:
                price += self._disk(index, at, after)
            if after is None:
                found.append(Step(index, price, at, end, None))
            else:
                still = self._still_paid(paid, at, after)
                found.append(Step(index, price, at, end, (after, new_chain if after == end else None, still)))
        return found

    def _calendar_end(self, index: int, at: int, chain: Chain) -> tuple[int, Chain]:
        plan, zone = self.plans[index], self.usage.zone
        anchor, terms = (chain[1], chain[2] + 1) if chain is not None and chain[0] == index else (at, 1)
        end = term_end(plan, anchor, terms, zone)
        alike = same_anchor(anchor, end, zone, months=counts_months(plan))
        return end, None if alike else (index, anchor, terms)

    def _still_paid(self, paid: Paid, at: int, after: int) -> Paid:
        """What is paid of a month goes with it."""
        return paid if not self.capped or self.month(at) == self.month(after) else self.unpaid

    def month(self, at: int) -> int:
        """The calendar month of a moment; 0 where no plan has a cap."""
        return self.meters[self.capped[0]].month_of(at) if self.capped else 0

    def _billed_until(self, index: int, stop: int, after: int | None) -> int:
        """A stopped card may cost until the next start."""
        if not self.plans[index].stopped_gpu_billed:
            return stop
        return self.release if after is None else after

    def charge(self, index: int, at: int, stop: int) -> Charge:
        """What pay as you go costs from a moment to the end of its interval."""
        return self.meters[index].charge(at, self._billed_until(index, stop, self._next(stop)))

    def _pay_as_you_go(self, index: int, at: int, stop: int, paid: Paid) -> list[Step]:
        after = self._next(stop)
        until = self._billed_until(index, stop, after)
        disk = self._disk(index, at, after) if self.disk_decides else 0
        if index in self.fast:
            step_length, step, least_seconds, rate, least = self.fast[index]
            money = max(rate * max(-((at - until) // step_length) * step, least_seconds), least)
        elif index in self.capped:
            shares = self.meters[index].charge(at, until).shares
            return [
                Step(
                    index,
                    self._in_parts(part * self.factor[index]) + disk,
                    at,
                    stop,
                    None if after is None else (after, None, still),
                )
                for part, still in self._under_cap(index, shares, at, after, paid)
            ]
        else:
            money = self._in_parts(self.meters[index].charge(at, until).amount * self.factor[index])
        state = None if after is None else (after, None, self._still_paid(paid, at, after))
        return [Step(index, money + disk, at, stop, state)]

    def _under_cap(
        self, index: int, shares: Sequence[Share], at: int, after: int | None, paid: Paid
    ) -> list[tuple[Fraction, Paid]]:
        """The ways to pay a start month by month: by its time, or up to the cap, which frees the rest of that month."""
        meter, place = self.meters[index], self.capped.index(index)
        now, then = meter.month_of(at), None if after is None else meter.month_of(after)
        closed, ways = Fraction(0), [(Fraction(0), False)]
        for month, money, _ in shares:
            if month == now and paid[place]:
                if month == then:
                    ways = [(Fraction(0), True)]
            elif month == then:
                ways = [(money, False), (meter.flat(month), True)]
            else:  # nothing else will fall into this month, but what came before it in the first one stays as it was paid
                closed += min(money, meter.flat(month))
        still = paid if after is None else self._still_paid(paid, at, after)
        return [(closed + money, (*still[:place], is_paid, *still[place + 1 :])) for money, is_paid in ways]

    def _run_until(self, at: int) -> int:
        index = bisect_right(self.starts, at)
        return self._run_before[index] - max(0, self.stops[index - 1] - at) if index else 0

    def disk_time(self, start: int, after: int | None) -> tuple[int, int]:
        """Microseconds running and stopped from a decision to the next one (None: to the release)."""
        until = self.release if after is None else after
        running = self._run_until(until) - self._run_until(start)
        return running, until - start - running

    def _disk(self, plan: int, start: int, after: int | None) -> int | Fraction:
        running, stopped = self.disk_time(start, after)
        return self._in_parts(self.disk[plan][0] * running + self.disk[plan][1] * stopped)

    # --- the search -------------------------------------------------------------------------------------------------------

    def _explore(
        self, front: "_Front | None", *, bound: bool = False, slack: int | Fraction | None = None
    ) -> tuple[dict[State, list[Step]], Worth]:
        """The moments worth following with the decisions at each, and the least worth of the whole road.

        `front`: what is passed already is not followed (None: everything is). `bound`: month ends that only grow. `slack`: the front
        is that of the bound, and is left as it is; what is dearer than it by more than the slack is not followed.
        """
        first: State = (self.starts[0], None, self.unpaid)
        best: dict[State | None, Worth] = {first: (0, 0)}
        queue: list[tuple[Worth, int, State | None]] = [((0, 0), 0, first)]
        found: dict[State, list[Step]] = {}
        number = count(1)
        whole: Worth | None = None
        while queue:
            worth, _, state = heappop(queue)
            if whole is not None and worth > whole:
                break
            if worth > best[state] or (state is not None and state in found):
                continue
            if state is None:
                whole = worth
                continue
            if front is not None:
                if front.beaten(state, worth, slack):
                    continue
                if slack is None:
                    front.note(state, worth)
            if len(found) >= MOST_STATES:
                raise MixTooLarge
            found[state] = steps = self._steps(state, bound=bound)
            for step in steps:
                reached = (worth[0] + step.cost, worth[1] + (self.plans[step.plan].term is not None))
                if step.after not in best or reached < best[step.after]:
                    best[step.after] = reached
                    heappush(queue, (reached, next(number), step.after))
        assert whole is not None
        return found, whole

    def _walk(self, found: dict[State, list[Step]]) -> list[Step]:
        """The best decision at each moment, counted from the last moment back, then the road from the first."""
        worth: dict[State | None, Worth] = {None: (0, 0)}
        chosen: dict[State, Step] = {}
        for state in sorted(found, key=lambda state: state[0], reverse=True):
            for step in found[state]:
                if step.after not in worth:  # not worth following
                    continue
                money, bought = worth[step.after]
                total = (money + step.cost, bought + (self.plans[step.plan].term is not None))
                if state not in worth or total < worth[state]:
                    worth[state], chosen[state] = total, step
        road: list[Step] = []
        at: State | None = (self.starts[0], None, self.unpaid)
        while at is not None:
            road.append(chosen[at])
            at = chosen[at].after
        return road


def _moment(state: State | None) -> tuple[int, Paid] | None:
    return None if state is None else (state[0], state[2])


class _Front:
    """Which moments a cheaper road has already passed. Moments come in the order of their worth."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._flats = [search.flat_in_parts(index) for index in search.capped]
        self._all = _Passed()
        self._peers: dict[tuple[int, Paid], _Passed] = {}

    def note(self, state: State, worth: Worth) -> None:
        """A moment that is followed."""
        self._all.note(state[0], worth)
        if self._flats:
            self._peers.setdefault((self._search.month(state[0]), state[2]), _Passed()).note(state[0], worth)

    def beaten(self, state: State, worth: Worth, slack: int | Fraction | None) -> bool:
        """Whether a strictly cheaper road (by more than the slack) stands at this moment or further."""
        at, _, paid = state
        # with slack, only money counts: a road of equal cost is followed whatever its purchases
        cost, bought = worth if slack is None else (worth[0] - slack, -1)
        passed = self._all.furthest((cost, bought))
        if not self._flats:
            return passed >= at
        month = self._search.month(at)
        if self._search.month(passed) > month:
            return True
        for peer in {paid, *self._combinations(month)}:
            # what this road has paid ahead and the other has not may still be worth its price
            ahead = sum(flat for flat, mine, its in zip(self._flats, paid, peer, strict=True) if mine and not its)
            known = self._peers.get((month, peer))
            if known is not None and known.furthest((cost - ahead, bought)) >= at:
                return True
        return False

    def _combinations(self, month: int) -> list[Paid]:
        return [paid for known, paid in self._peers if known == month]


class _Passed:
    """Moments passed, in the order of their worth."""

    def __init__(self) -> None:
        self._worths: list[Worth] = []
        self._furthest: list[int] = []

    def note(self, at: int, worth: Worth) -> None:
        """One more moment, at no less worth than all before."""
        self._worths.append(worth)
        self._furthest.append(max(at, self._furthest[-1]) if self._furthest else at)

    def furthest(self, worth: Worth) -> int:
        """The furthest moment of strictly less worth; -1 where there is none."""
        index = bisect_left(self._worths, worth)
        return self._furthest[index - 1] if index else -1
