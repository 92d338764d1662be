"""What one start costs under pay as you go: steps, pieces, minimums, the monthly cap, prices per calendar day, week or month."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from zoneinfo import ZoneInfo

from billing.costing.moments import HOUR, SECOND, Calendar, hour_cuts
from billing.costing.money import round_money
from billing.costing.plans import Plan

Piece = tuple[int, int, int]
"""(start, billed seconds, how many such pieces follow one another)."""


@dataclass(frozen=True, slots=True)
class Charge:
    """Of one start, for one card or machine, whichever is priced: exact money and billed seconds.

    `minimum` is the part of `amount` that only the minimum charge caused; the rest is `seconds` at the unit price.
    """

    amount: Fraction
    minimum: Fraction
    seconds: int


class Meter:
    """Charges starts of one plan between two moments. The cap's count is the caller's: see `charge`."""

    def __init__(self, plan: Plan, zone: ZoneInfo, first: int, last: int) -> None:
        self.plan = plan
        self.zone = zone
        self.price = Fraction(plan.unit_price)
        unit = plan.price_unit_seconds
        self.rate = self.price / unit if unit else None
        self.minimum_charge = Fraction(plan.minimum_charge)
        self.capped = plan.cap_hours_per_month is not None
        self.cap_seconds = int(Fraction(plan.cap_hours_per_month or 0) * 3600)
        # a piece may be billed up to a step, or to the minimum, beyond the end of use
        beyond = last + (max(plan.billing_step_seconds, plan.minimum_seconds) + 86_400) * SECOND
        self.months = Calendar(zone, "month", first, beyond) if self.capped else None
        self.priced = Calendar(zone, plan.price_per, first, beyond) if unit is None else None
        self._step = plan.billing_step_seconds
        self._by_piece = plan.round_at == "piece"
        self._rounded: dict[Fraction, Fraction] = {}
        # where only the length of a start counts, equal lengths cost the same
        self._by_length = unit is not None and not self.capped and plan.pieces == "start"
        self._charges: dict[int, Charge] = {}

    def pieces(self, start: int, stop: int) -> list[Piece]:
        """The pieces of one start, the time of each rounded up to the billing step."""
        if self.plan.pieces == "start":
            return [(start, self._billed(stop - start), 1)]
        return [(at, self._billed(length), times) for at, length, times in hour_cuts(start, stop, self.zone)]

    def _billed(self, length: int) -> int:
        step = self._step * SECOND
        return -(-length // step) * self._step

    def charge(self, start: int, stop: int, used: dict[int, int] | None = None) -> Charge:
        """What running [start, stop) costs. `used`: seconds counted so far by month; counted on where the plan has a cap."""
        if not self._by_length:
            return self._charge(start, stop, used)
        known = self._charges.get(stop - start)
        if known is None:
            known = self._charges[stop - start] = self._charge(start, stop, used)
        return known

    def _charge(self, start: int, stop: int, used: dict[int, int] | None) -> Charge:
        pieces = self.pieces(start, stop)
        seconds = sum(billed * times for _, billed, times in pieces)
        amount, allowed = self._amount(pieces, used)
        if seconds < self.plan.minimum_seconds:
            # the minimum time holds in the place of the shorter time: it starts from the same count
            least, allowed = self._amount([(start, self.plan.minimum_seconds, 1)], used)
            seconds, amount = self.plan.minimum_seconds, max(amount, least)
        if self.capped and used is not None:
            for month, count in allowed:
                used[month] = used.get(month, 0) + count
            counted = sum(count for _, count in allowed)
            if counted < seconds:  # capped: no minimum holds beyond it
                return Charge(amount, Fraction(0), counted)
        floor = self._round(self.minimum_charge) if self._by_piece else self.minimum_charge
        extra = max(Fraction(0), floor - amount)
        return Charge(amount + extra, extra, seconds)

    def _amount(self, pieces: Iterable[Piece], used: dict[int, int] | None) -> tuple[Fraction, list[tuple[int, int]]]:
        """Exact money of pieces, and the seconds counted by month where the plan has a cap."""
        if self.rate is not None and not self.capped:
            if self._by_piece:
                return sum((self._round(self.rate * billed) * times for _, billed, times in pieces), Fraction(0)), []
            return self.rate * sum(billed * times for _, billed, times in pieces), []
        total, counted = Fraction(0), []
        fresh = dict(used or {})
        for start, billed, times in pieces:
            for n in range(times):
                at = start + n * HOUR
                spans = self._allowed(at, billed, fresh) if self.capped else [(0, at, at + billed * SECOND)]
                money = sum((self._priced(begin, end) for _, begin, end in spans), Fraction(0))
                total += self._round(money) if self._by_piece else money
                counted += [(month, (end - begin) // SECOND) for month, begin, end in spans]
        return total, counted

    def _allowed(self, start: int, billed: int, used: dict[int, int]) -> list[tuple[int, int, int]]:
        """The part of a billed piece that the cap leaves, by month; `used` is counted on."""
        assert self.months is not None
        spans = []
        for month, begin, end in self.months.split(start, start + billed * SECOND, self._at(self.months, start)):
            # whole seconds, so that parts of a piece add up to it: a second belongs to the month it begins in
            left = self.cap_seconds - used.get(month, 0)
            count = min(left, -(-(end - begin) // SECOND) if end < start + billed * SECOND else (end - begin) // SECOND)
            if count > 0:
                used[month] = used.get(month, 0) + count
                spans.append((month, begin, begin + count * SECOND))
        return spans

    def _priced(self, start: int, stop: int) -> Fraction:
        """Exact money of billed time: by the second, or by its share of each calendar day, week or month."""
        if self.rate is not None:
            return self.rate * Fraction(stop - start, SECOND)
        assert self.priced is not None
        return self.price * sum(
            (
                Fraction(end - begin, self.priced.length(index))
                for index, begin, end in self.priced.split(start, stop, self._at(self.priced, start))
            ),
            Fraction(0),
        )

    @staticmethod
    def _at(calendar: Calendar, at: int) -> int:
        return bisect_right(calendar.starts, at) - 1

    def month_of(self, at: int) -> int:
        """The calendar month a moment lies in, as `used` counts it."""
        return self._at(self.months, at) if self.months is not None else 0

    def _round(self, amount: Fraction) -> Fraction:
        known = self._rounded.get(amount)
        if known is None:
            known = Fraction(round_money(amount, self.plan.currency, self.plan.money_rounding))
            self._rounded[amount] = known
        return known


def billed_spans(plan: Plan, intervals: Iterable[tuple[int, int]], keep_until: int) -> list[tuple[int, int]]:
    """What the meter sees as starts: the intervals; one long start to the release where a stopped card costs as well."""
    spans = list(intervals)
    if plan.stopped_gpu_billed and spans:
        return [(spans[0][0], max(keep_until, spans[-1][1]))]
    return spans
