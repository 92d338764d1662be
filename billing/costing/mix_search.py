"""The shortest road through a calendar of use: which terms to buy, and where to pay as you go.

Every legal road is a chain of moments: a start of use, or a moment inside an interval at which a term ends. Roads are explored by
what they have cost so far and what the rest costs at least (A*, `mix_bound`), so that whatever cannot be on the cheapest road is
never looked at; terms that cost more than the busiest stretch they could cover are not even offered.

A later moment is never worth less than an earlier one reached at more cost, for whatever the road from the earlier one buys can be
bought from the later one and reaches as far: so of all moments only those further than any cheaper one are followed (`mix_front`).
Three rules break this, and are answered otherwise:

- monthly caps. A month costs the lesser of its time and the cap, so each month is taken both ways: by time, or paid up to the cap
  once and free from then on. A road with a month paid up is dropped only for one that is cheaper by that much;
- calendar months, where 30 January, 23:00 reaches further than 31 January, 10:00: the same search with month ends that only grow
  gives a bound. If its road is legal, it is the answer; else a legal road is sought, and what is dearer at any moment than the bound's
  cheapest way past it by more than the gap between the two cannot be on the cheapest road;
- everything else that is not monotone (disk prices that differ between plans, prices per calendar month billed by the day, clock
  changes under calendar terms): every moment is followed.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from itertools import accumulate, count, pairwise
from math import lcm
from operator import attrgetter
from typing import NamedTuple

from billing.costing.cost import term_price, units
from billing.costing.mix_bound import MONTH, MonthClock, RestOfMonths, RestOfUse, Timeline
from billing.costing.mix_front import Chain, Front, Paid, State, Worth
from billing.costing.moments import DAY, HOUR, SECOND, Calendar, keeps_offset, month_reach, same_anchor
from billing.costing.money import digits
from billing.costing.pay_as_you_go import Charge, Meter, Share
from billing.costing.plans import Plan
from billing.costing.terms import counts_months, is_calendar, term_end
from billing.costing.usage import Usage

MOST_DECISIONS = 60_000
"""Decisions weighed for one usage before the search gives up: well under a second."""

FINER = 10**9
"""The smallest part is so much smaller than costs need, for prices of a microsecond to be whole numbers of it."""

LONGEST_DAYS = {"day": 1, "week": 7, "month": 31}
CLOCK_CHANGES = 4 * HOUR

_plan_of = attrgetter("plan")
_cost_of = attrgetter("cost")


class MixTooLarge(Exception):
    """The search would have to weigh more decisions than it may."""


class Effort:
    """Decisions several searches together may still weigh."""

    def __init__(self, decisions: int) -> None:
        self.left = decisions

    def spend(self, decisions: int) -> None:
        """Raises MixTooLarge where none are left."""
        self.left -= decisions
        if self.left < 0:
            raise MixTooLarge


class Step(NamedTuple):
    """One decision: plan number `plan` from `start` to `end` for `cost`; the next decision is at `after` (None: all is covered)."""

    plan: int
    cost: int | Fraction
    start: int
    end: int
    after: State | None


class Search:
    """One usage and the plans that may cover it."""

    def __init__(self, plans: Sequence[Plan], usage: Usage, shared: Effort | None = None) -> None:
        """`shared`: what this search and others may weigh together; each alone at most MOST_DECISIONS."""
        self.efforts = [Effort(MOST_DECISIONS), *([shared] if shared else [])]
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
        self.timeline = Timeline(self.starts, self.stops)
        self.offered: Sequence[int] = range(len(plans))

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
        self.parts = lcm(*(cost.denominator for cost in costs)) * FINER
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
        self.steady = steady = (
            keeps_offset(self.usage.zone, self.starts[0], self.stops[-1] + longest + DAY) if self.terms else True
        )
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
        if self.monotone and self.open and not self.capped:
            by_the_hour = self._by_the_hour()
            self.offered = [index for index in self.offered if index in self.open or self._may_pay(index, by_the_hour)]
            if len(self.offered) == len(self.open):
                return by_the_hour
        ahead = self._ahead()
        if not self.monotone:
            return self._walk(self._explore(ahead=ahead)[0])
        front = self._front()
        found, least = self._explore(front, ahead, bound=bool(self.calendar))
        road = self._walk(found)
        if not self.calendar or self._is_legal(road):
            return road
        found, worth = self._explore(self._front(), ahead)
        gap = worth[0] - least[0]
        return self._walk(self._explore(front, ahead, slack=gap)[0] if gap else found)

    def _front(self) -> Front:
        return Front(self.month, [self.flat_in_parts(index) for index in self.capped])

    def _by_the_hour(self) -> list[Step]:
        """The cheapest road without any term."""
        return [self._cheapest_open(start, stop, self.unpaid) for start, stop in self.usage.intervals]

    def _may_pay(self, index: int, by_the_hour: Sequence[Step]) -> bool:
        """Whether there is a stretch of use that a term can cover for less than it costs by the hour. Else no cheapest road has it."""
        spent = list(accumulate((step.cost for step in by_the_hour), initial=0))
        price, length, last = self.price[index], self._longest(index), 0
        for first, stop in enumerate(self.stops):
            while last < len(self.starts) and self.starts[last] < stop + length:
                last += 1
            if spent[last] - spent[first] > price:
                return True
        return False

    def _longest(self, index: int) -> int:
        """The microseconds a term may reach at most, wherever it begins."""
        if index in self.length:
            return self.length[index]
        term = self.plans[index].term
        assert term is not None
        # a month counted to the end of one reaches from 28 February to 1 April; clocks put back add hours
        return (term.count * LONGEST_DAYS[term.unit] + 1) * DAY + CLOCK_CHANGES

    def _term_count(self, index: int) -> int:
        term = self.plans[index].term
        return term.count if term is not None else 0

    def _ahead(self) -> Callable[[State], int]:
        """What the rest of a road costs at least."""
        if self.capped:
            return self._ahead_under_caps()
        used = self.timeline
        plain = self._rest_of(used, {})
        if not self.calendar or not self.steady:
            return lambda state: plain.least(used.whole - used.until(state[0]))
        clock = MonthClock(Calendar(self.usage.zone, "month", self.starts[0], self.stops[-1]).starts)
        shown = Timeline([clock.at(at) for at in self.starts], [clock.at(at) for at in self.stops])
        by_month = self._rest_of(shown, {i: MONTH * self._term_count(i) for i in self.calendar})
        return lambda state: max(
            plain.least(used.whole - used.until(state[0])),
            by_month.least(shown.whole - shown.until(clock.at(state[0]))),
        )

    def _ahead_under_caps(self) -> Callable[[State], int]:
        used, calendar = self.timeline, self.meters[self.capped[0]].months
        assert calendar is not None
        before = [used.until(begin) for begin in calendar.starts] + [used.whole]
        by_month = [after - begin for begin, after in pairwise(before)]
        by_term = [int(self.price[i]) // used.busiest(self._longest(i)) for i in self.terms]
        rates = [
            min(by_term + [self._least_rate(index, month, use) for index in self.open]) if use else 0
            for month, use in enumerate(by_month)
        ]
        months = RestOfMonths(calendar.starts, by_month, rates)
        return lambda state: months.least(state[0], used.until(state[0]), paid=any(state[2]))

    def _rest_of(self, used: Timeline, lengths: Mapping[int, int]) -> RestOfUse:
        """By a timeline on whose clock some terms are of other lengths."""
        longest = {i: lengths.get(i) or self._longest(i) for i in self.offered if i in self.price}
        most = {length: used.busiest(length) for length in set(longest.values())}
        rate = min((self._least_rate(index) for index in self.open), default=None)
        return RestOfUse([(int(self.price[i]), most[length]) for i, length in longest.items()], rate, used.whole)

    def _least_rate(self, index: int, month: int = 0, use: int = 0) -> int:
        """The least a microsecond of use costs under a plan paid as you go, in whole parts; with a cap, in a month of so much use."""
        plan, meter = self.plans[index], self.meters[index]
        if plan.round_at == "piece" and plan.money_rounding != "up":
            return 0  # rounding may make short pieces cost nothing
        unit = plan.price_unit_seconds
        if meter.priced is not None:
            length = max(after - begin for begin, after in pairwise(meter.priced.starts))
        else:
            length = (unit or 1) * SECOND
        rate = int(Fraction(plan.unit_price) * self.factor[index] * self.parts / length)
        return min(rate, int(self._in_parts(meter.flat(month) * self.factor[index]) // use)) if meter.capped else rate

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
        for index in self.offered:
            plan = self.plans[index]
            if plan.term is None:
                if self.capped:
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
        if self.open and not self.capped:
            found.append(self._cheapest_open(at, stop, paid))
            found.sort(key=_plan_of)
        return found

    def _cheapest_open(self, at: int, stop: int, paid: Paid) -> Step:
        """Without caps, all plans paid as you go lead to the same moment: only the cheapest counts, the earlier on a tie."""
        return min((self._pay_as_you_go(index, at, stop, paid)[0] for index in self.open), key=_cost_of)

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

    def disk_time(self, start: int, after: int | None) -> tuple[int, int]:
        """Microseconds running and stopped from a decision to the next one (None: to the release)."""
        until = self.release if after is None else after
        running = self.timeline.until(until) - self.timeline.until(start)
        return running, until - start - running

    def _disk(self, plan: int, start: int, after: int | None) -> int | Fraction:
        running, stopped = self.disk_time(start, after)
        return self._in_parts(self.disk[plan][0] * running + self.disk[plan][1] * stopped)

    # --- the search -------------------------------------------------------------------------------------------------------

    def _explore(
        self,
        front: Front | None = None,
        ahead: Callable[[State], int] | None = None,
        *,
        bound: bool = False,
        slack: int | Fraction | None = None,
    ) -> tuple[dict[State, list[Step]], Worth]:
        """The moments worth following with the decisions at each, and the least worth of the whole road.

        `front`: what is passed already is not followed (None: everything is). `ahead`: what the rest costs at least (None: nothing is
        known). `bound`: month ends that only grow. `slack`: the front is that of the bound, and is left as it is; what is dearer
        than it by more than the slack is not followed.
        """
        first: State = (self.starts[0], None, self.unpaid)
        best: dict[State | None, Worth] = {first: (0, 0)}
        queue: list[tuple[Worth, int, int | Fraction, State | None]] = [((0, 0), 0, 0, first)]
        found: dict[State, list[Step]] = {}
        number = count(1)
        whole: Worth | None = None
        while queue:
            least, _, cost, state = heappop(queue)
            if whole is not None and least > whole:
                break
            worth = (cost, least[1])
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
            found[state] = steps = self._steps(state, bound=bound)
            for effort in self.efforts:
                effort.spend(len(steps))
            for step in steps:
                after, reached = step.after, (cost + step.cost, least[1] + (step.plan in self.price))
                if after not in best or reached < best[after]:
                    best[after] = reached
                    rest = 0 if ahead is None or after is None else ahead(after)
                    heappush(queue, ((reached[0] + rest, reached[1]), next(number), reached[0], after))
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
