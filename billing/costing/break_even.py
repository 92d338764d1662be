"""At how many hours of one run a plan overtakes another, and the curve of cost against hours for a chart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from billing.costing.money import plain, round_money
from billing.costing.plans import UNIT_SECONDS, Plan
from billing.costing.run_curve import RunCurve, Stretch, run_curve
from billing.costing.usage import Usage

HOUR = 3600
WHOLE_HOURS_SOUGHT = 25
"""No plan is charged in steps longer than a day, so within so many hours of an overtaking a whole hour shows it."""
LEAST_SOUGHT = 62 * 86_400
"""Seconds of a run over which plans are compared at least: any two months."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Up to `hours` of one run the plan that leads costs no more; just beyond, its rival does. `between` in order of the list.

    `cheaper`: the rival; `from_hour`: the first whole hour at which it is charged less, None where its lead is over by then.
    """

    between: tuple[str, str]
    hours: Decimal
    cheaper: str
    from_hour: int | None


def break_even(a: Plan, b: Plan, usage: Usage, others: Mapping[str, Plan] | None = None) -> Decimal | None:
    """Hours of one run up to which the plan that is cheaper at first stays so; just beyond, the other costs less.

    Only the shape of `usage` counts: first day, zone, cards, machines, disk. Sought over two
    months, or two of the longest terms. None where neither overtakes the other. Exact, with 6 decimals.
    """
    known = others if others is not None else {a.name: a, b.name: b}
    until = Fraction(sought_seconds((a, b)))
    turn = _between(run_curve(a, usage, known, until), run_curve(b, usage, known, until))
    return plain(turn[0] / HOUR) if turn else None


def break_evens(plans: Sequence[Plan], usage: Usage) -> tuple[BreakEven, ...]:
    """The break-even of every pair that has one, in order of the list."""
    known = {plan.name: plan for plan in plans}
    until = Fraction(sought_seconds(plans))
    curves = [run_curve(plan, usage, known, until) for plan in plans]
    found = []
    for i, a in enumerate(plans):
        for j in range(i + 1, len(plans)):
            b = plans[j]
            turn = _between(curves[i], curves[j])
            if turn is None:
                continue
            at, second_leads = turn
            rival, leader = ((b, curves[j]), (a, curves[i])) if second_leads else ((a, curves[i]), (b, curves[j]))
            found.append(BreakEven((a.name, b.name), plain(at / HOUR), rival[0].name, _first_hour(at, rival, leader)))
    return tuple(found)


def _first_hour(at: Fraction, rival: tuple[Plan, RunCurve], leader: tuple[Plan, RunCurve]) -> int | None:
    """The first whole hour after an overtaking at which the rival is charged less, by each plan's own rounding."""
    first = int(at // HOUR) + 1
    last = min(first + WHOLE_HOURS_SOUGHT, int(min(rival[1].until, leader[1].until) // HOUR))
    return next((hour for hour in range(first, last + 1) if _charged(*rival, hour) < _charged(*leader, hour)), None)


def _charged(plan: Plan, run: RunCurve, hours: int) -> Decimal:
    return round_money(run.at(Fraction(hours * HOUR)), plan.currency, plan.money_rounding)


def sought_seconds(plans: Sequence[Plan]) -> int:
    """Over how many seconds of one run the plans are compared."""
    return max(LEAST_SOUGHT, *(2 * _term_seconds(plan) for plan in plans))


def _term_seconds(plan: Plan) -> int:
    if plan.term is None:
        return 0
    days = {"day": 1, "week": 7, "month": 31}[plan.term.unit]
    return plan.term.count * days * UNIT_SECONDS["day"]


def _between(a: RunCurve, b: RunCurve) -> tuple[Fraction, bool] | None:
    """The first second after which the curve that led no longer does, and whether it is the second one that leads then."""
    leader, drift = 0, b.drift - a.drift
    for start, end, one, two in _merged(a, b):
        if not leader:
            gap = two.just_after(start) - one.just_after(start) + drift * start
            if not gap:
                gap = two.value(end) - one.value(end) + drift * end
            leader = (gap > 0) - (gap < 0)
        if leader:
            pair = _Pair(one, two, drift) if leader > 0 else _Pair(two, one, -drift)
            at = pair.overtaken(start, end)
            if at is not None:
                return at, leader > 0
    return None


def _merged(a: RunCurve, b: RunCurve) -> list[tuple[Fraction, Fraction, Stretch, Stretch]]:
    """The stretches of both curves side by side, cut so that each pair spans the same time. From the first second on."""
    until = min(a.until, b.until)
    pairs, at, i, j = [], Fraction(0), 0, 0
    while at < until:
        one, two = a.stretches[i], b.stretches[j]
        end = min(one.end, two.end, until)
        if end > 1 and at < end:
            pairs.append((max(at, Fraction(1)), end, one, two))
        i, j, at = i + (one.end <= end), j + (two.end <= end), end
    return pairs


@dataclass(frozen=True, slots=True)
class _Pair:
    """The plan that leads and its rival, where both are straight or of equal steps. `drift`: rival's disk less the leader's."""

    leader: Stretch
    rival: Stretch
    drift: Fraction

    def after(self, at: Fraction) -> Fraction:
        """How much dearer the rival is a moment after."""
        return self.rival.just_after(at) - self.leader.just_after(at) + self.drift * at

    def upto(self, at: Fraction) -> Fraction:
        """How much dearer the rival is at a moment."""
        return self.rival.value(at) - self.leader.value(at) + self.drift * at

    def overtaken(self, start: Fraction, end: Fraction) -> Fraction | None:
        """The first moment in [start, end) just after which the rival is cheaper."""
        coarse = self.leader if self.leader.step >= self.rival.step else self.rival
        if not coarse.step:
            return self._in_block(start, end)
        first = coarse.origin + -(-(start - coarse.origin) // coarse.step) * coarse.step
        last = coarse.origin + (end - coarse.origin) // coarse.step * coarse.step
        if first > last or first >= end:
            return self._in_block(start, end)
        if start < first and (at := self._in_block(start, first)) is not None:
            return at
        count = int((last - first) // coarse.step)
        if count and (at := self._in_blocks(first, coarse.step, count)) is not None:
            return at
        return self._in_block(last, end) if last < end else None

    def _in_blocks(self, first: Fraction, step: int, count: int) -> Fraction | None:
        """Among whole steps of the coarser plan: the gap at their beginnings and at their ends is straight in their number."""

        def turned(n: int) -> bool:
            return self.after(first + n * step) < 0 or self.upto(first + (n + 1) * step) < 0

        if turned(0):
            return self._in_block(first, first + step)
        if not turned(count - 1):
            return None
        low, high = 0, count - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if turned(middle) else (middle, high)
        return self._in_block(first + high * step, first + (high + 1) * step)

    def _in_block(self, start: Fraction, end: Fraction) -> Fraction | None:
        """Within one step of the coarser plan only the finer one grows (and disk)."""
        if self.after(start) < 0:
            return start
        if self.upto(end) >= 0:
            return None
        fine = min((s for s in (self.leader, self.rival) if s.slope), key=lambda s: s.step, default=self.leader)
        if 0 < fine.step < max(self.leader.step, self.rival.step):
            return self._on_lattice(start, end, fine)
        before, behind = self.after(start), self.upto(end)
        return start + (end - start) * before / (before - behind)

    def _on_lattice(self, start: Fraction, end: Fraction, fine: Stretch) -> Fraction:
        """The first step of the finer plan in (start, end] that is paid to the rival's advantage."""
        first = fine.origin + (start - fine.origin) // fine.step * fine.step
        low, high = 0, int((end - first) // fine.step)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.after(first + middle * fine.step) < 0 else (middle, high)
        return first + high * fine.step


def curve(
    plan: Plan, up_to_hours: Decimal | int, points: int, usage: Usage, others: Mapping[str, Plan] | None = None
) -> list[tuple[Decimal, Decimal]]:
    """(hours, total) of one run from 0 to `up_to_hours` for a chart, hours ascending, totals in the currency's digits.

    A jump stands as two points at the same hours: before and after it. Jumps of prepaid terms are all there; where steps of
    pay as you go outnumber `points`, they are drawn as the line through their ends.
    """
    until = Fraction(up_to_hours) * HOUR
    run = run_curve(plan, usage, others or {}, until)
    found: list[tuple[Fraction, Fraction]] = []
    for stretch in run.stretches:
        found += _drawn(stretch, run.drift, Fraction(until, max(points, 1)))
    rounded = [(plain(at / HOUR), round_money(money, plan.currency, plan.money_rounding)) for at, money in found]
    return [point for n, point in enumerate(rounded) if not n or point != rounded[n - 1]]


def _drawn(stretch: Stretch, drift: Fraction, apart: Fraction) -> list[tuple[Fraction, Fraction]]:
    at = stretch.start
    if stretch.step and stretch.slope and stretch.step >= apart:
        found = []
        while at < stretch.end:
            after = stretch.origin + ((at - stretch.origin) // stretch.step + 1) * stretch.step
            end = min(after, stretch.end)
            found += [(at, stretch.just_after(at) + drift * at), (end, stretch.value(end) + drift * end)]
            at = end
        return found
    inner = []
    while (at := at + apart) < stretch.end and (stretch.slope or drift):
        inner.append((at, stretch.value(at) + drift * at))
    begin = stretch.just_after(stretch.start) if not stretch.step else stretch.value(stretch.start)
    return [
        (stretch.start, begin + drift * stretch.start),
        *inner,
        (stretch.end, stretch.value(stretch.end) + drift * stretch.end),
    ]
