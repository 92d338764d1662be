"""What one run costs as its hours grow: exact and unrounded, as stretches that are straight or made of equal steps.

The run begins at midnight of the zone, on the usage's first day. Tax and running disk are in; rounding is left out, so that curves
meet where prices say, not where cents do.
"""

import itertools
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, time
from fractions import Fraction

from billing.costing.cost import units
from billing.costing.moments import DAY, SECOND, Calendar, local, wall
from billing.costing.pay_as_you_go import Meter
from billing.costing.plans import Plan
from billing.costing.terms import Span, term_end
from billing.costing.usage import Usage

Knot = tuple[Fraction, Fraction]
"""(billed seconds, money), between knots straight."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Seconds (start, end] of a run: `base + slope * x`, x the seconds since `origin` rounded up to `step` (0: not rounded)."""

    start: Fraction
    end: Fraction
    base: Fraction
    slope: Fraction = Fraction(0)
    step: int = 0
    origin: Fraction = Fraction(0)

    def value(self, at: Fraction) -> Fraction:
        """Cost of a run of `at` seconds."""
        since = at - self.origin
        return self.base + self.slope * (-(-since // self.step) * self.step if self.step else since)

    def just_after(self, at: Fraction) -> Fraction:
        """Cost of a run a moment longer than `at` seconds."""
        since = at - self.origin
        return self.base + self.slope * ((since // self.step + 1) * self.step if self.step else since)


@dataclass(frozen=True, slots=True)
class RunCurve:
    """Cost of a run under one plan up to `until` seconds: stretches end to end, and what disk adds per second."""

    stretches: tuple[Stretch, ...]
    drift: Fraction
    until: Fraction

    def at(self, seconds: Fraction) -> Fraction:
        """Exact cost of a run of so many seconds, 0 <= seconds <= until; nothing for no run."""
        return self.stretch(seconds).value(seconds) + self.drift * seconds if seconds > 0 else Fraction(0)

    def stretch(self, seconds: Fraction) -> Stretch:
        """The stretch whose (start, end] holds the moment."""
        return self.stretches[bisect_left(self.stretches, seconds, key=lambda stretch: stretch.end)]


def run_curve(plan: Plan, usage: Usage, others: Mapping[str, Plan], until: Fraction) -> RunCurve:
    """The curve of a run of up to `until` seconds (> 0). It ends early where a plan that stops leaves the run uncovered."""
    first_day = local(usage.intervals[0][0] if usage.intervals else usage.keep_until, usage.zone).date()
    begin = wall(datetime.combine(first_day, time()), usage.zone)
    paid_gb = max(Fraction(0), Fraction(usage.disk_gb) - Fraction(plan.free_disk_gb)) * usage.machines
    drift = paid_gb * Fraction(plan.disk_price_per_gb_day_running) * _taxed(plan) * SECOND / DAY
    if plan.term is None:
        return RunCurve(tuple(_open(plan, usage, begin, Fraction(0), until)), drift, until)
    stretches: list[Stretch] = []
    paid, terms, at = Fraction(0), 0, Fraction(0)
    while at < until:
        end = Fraction(term_end(plan, begin, terms + 1, usage.zone) - begin, SECOND)
        span = Span(begin + int(at * SECOND), begin + int(end * SECOND), terms > 0)
        stretches += _term(plan, span, at, min(end, until), paid, _factor(plan, usage))
        paid, terms, at = paid + Fraction(plan.unit_price) * _factor(plan, usage), terms + 1, end
        if plan.after_term != "renew":
            break
    follower = others.get(plan.on_demand_plan or "") if plan.after_term == "on_demand" else None
    if at < until and follower is not None:
        stretches += [
            Stretch(s.start, s.end, s.base + paid, s.slope, s.step, s.origin)
            for s in _open(follower, usage, begin, at, until)
        ]
    return RunCurve(tuple(stretches), drift, stretches[-1].end)


def _taxed(plan: Plan) -> Fraction:
    return Fraction(1) if plan.prices_include_tax else 1 + Fraction(plan.tax_percent) / 100


def _factor(plan: Plan, usage: Usage) -> Fraction:
    return units(plan, usage) * _taxed(plan)


def _term(plan: Plan, span: Span, at: Fraction, stop: Fraction, paid: Fraction, factor: Fraction) -> list[Stretch]:
    """One prepaid term: flat, or growing with the time used where unused time comes back."""
    price, whole = Fraction(plan.unit_price) * factor, Fraction(span.end - span.start, SECOND)
    end, slope = at + whole, Fraction(0)
    if plan.unused != "lost":
        slope = price / whole
    if plan.unused == "refund_clawback":
        discount = Fraction(plan.list_price_per_hour or 0) * factor / 3600 - slope
        slope += max(Fraction(0), discount) * (1 + Fraction(plan.refund_fee_percent) / 100)
    free = at
    if plan.refund_free_days and not span.renewal:
        free = min(stop, at + plan.refund_free_days * 86_400)
    full = at + price / slope if slope else at
    stretches = [
        Stretch(at, free, paid),
        Stretch(free, min(max(full, free), stop), paid, slope, 0, at),
        Stretch(max(free, min(full, stop)), stop, paid + price),
    ]
    kept = [stretch for stretch in stretches if stretch.start < stretch.end]
    if free == end and kept:  # a term used to its end is not refunded: its last moment costs the price
        kept[-1] = Stretch(kept[-1].start, end - 1, kept[-1].base)
        kept.append(Stretch(end - 1, end, paid + price))
    return kept


def _open(plan: Plan, usage: Usage, begin: int, origin: Fraction, until: Fraction) -> list[Stretch]:
    """Pay as you go from `origin` on, as a function of billed time, which grows by steps."""
    step, times = plan.billing_step_seconds, 1
    if plan.pieces == "clock_hour" and step > 3600:
        step, times = 3600, step // 3600  # every clock hour is billed as a whole day
    block = 0 if step == 1 else step
    knots = _knots(plan, usage, begin + int(origin * SECOND), (until - origin + step) * times)
    factor = _factor(plan, usage)
    stretches: list[Stretch] = []
    at = origin
    for (x0, y0), (x1, y1) in itertools.pairwise(knots):
        slope = (y1 - y0) / (x1 - x0)
        base, grows = (y0 - slope * x0) * factor, slope * times * factor
        end = origin + x1 / times
        whole = origin + (end - origin) // block * block if block else end
        if at < whole:
            stretches.append(Stretch(at, min(whole, until), base, grows, block, origin))
            at = whole
        if at < end:  # the step in which the slope changes: all of it costs what its end costs
            stretches.append(Stretch(at, min(at + block, until), _on(knots, (at + block - origin) * times) * factor))
            at += block
        if at >= until:
            break
    return [stretch for stretch in stretches if stretch.start < stretch.end]


def _on(knots: list[Knot], x: Fraction) -> Fraction:
    """The money of so much billed time."""
    index = max(1, min(bisect_left(knots, x, key=lambda knot: knot[0]), len(knots) - 1))
    (x0, y0), (x1, y1) = knots[index - 1], knots[index]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _knots(plan: Plan, usage: Usage, start: int, until: Fraction) -> list[Knot]:
    """Money, per card or machine, against billed seconds since `start`: price, cap and least charge."""
    longest = max(until, Fraction(plan.minimum_seconds))
    last = start + int(longest * SECOND)
    marks = {Fraction(0), longest}
    unit, price = plan.price_unit_seconds, Fraction(plan.unit_price)
    priced = Calendar(usage.zone, plan.price_per, start, last) if unit is None else None
    months = Calendar(usage.zone, "month", start, last) if plan.cap_hours_per_month is not None else None
    for calendar in (priced, months):
        marks |= {Fraction(at - start, SECOND) for at in (calendar.starts if calendar else ()) if start < at < last}
    capped: list[tuple[Fraction, Fraction]] = []
    if months is not None:
        cap = Fraction(int(Fraction(plan.cap_hours_per_month or 0) * 3600))
        for at, after in zip(months.starts, months.starts[1:], strict=False):
            reached, over = Fraction(max(at, start) - start, SECOND) + cap, Fraction(after - start, SECOND)
            if reached < over and after > start:
                capped.append((reached, over))
                marks |= {reached} if reached < longest else set()
    knots: list[Knot] = [(Fraction(0), Fraction(0))]
    ordered, periods, place = sorted(marks), 0, 0
    for x0, x1 in itertools.pairwise(ordered):
        while place < len(capped) and capped[place][1] <= x0:
            place += 1
        if place < len(capped) and capped[place][0] <= x0:
            rate = Fraction(0)
        elif priced is None:
            rate = price / (unit or 1)
        else:
            while priced.starts[periods + 1] <= start + int(x0 * SECOND):
                periods += 1
            rate = price * SECOND / priced.length(periods)
        knots.append((x1, knots[-1][1] + rate * (x1 - x0)))
    least = Fraction(plan.minimum_charge)
    if months is not None:  # a month never costs more than its cap
        meter = Meter(plan, usage.zone, start, last)
        least = min(least, meter.flat(meter.month_of(start)))
    return _at_least(knots, max(_on(knots, Fraction(plan.minimum_seconds)), least))


def _at_least(knots: list[Knot], floor: Fraction) -> list[Knot]:
    """The knots, nowhere below the least charge of a start."""
    if not floor:
        return knots
    raised: list[Knot] = [(Fraction(0), floor)]
    for (x0, y0), (x1, y1) in itertools.pairwise(knots):
        if y1 <= floor:
            continue
        if y0 < floor:
            raised.append((x0 + (floor - y0) * (x1 - x0) / (y1 - y0), floor))
        elif x0 > raised[-1][0]:
            raised.append((x0, y0))
        raised.append((x1, y1))
    if raised[-1][0] < knots[-1][0]:
        raised.append((knots[-1][0], floor))
    unique: dict[Fraction, Fraction] = dict(raised)
    return list(unique.items())
