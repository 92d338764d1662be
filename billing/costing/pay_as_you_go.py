"""What starts cost under pay as you go: steps, pieces, minimums, the monthly cap, prices per calendar day, week or month."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from zoneinfo import ZoneInfo

from billing.costing.moments import HOUR, SECOND, Calendar, hour_cuts
from billing.costing.money import round_money
from billing.costing.plans import UNIT_SECONDS, Plan

Piece = tuple[int, int, int]
"""(start, billed seconds, how many such pieces follow one another)."""
Share = tuple[int, Fraction, int]
"""(calendar month, money, billed seconds): what of a start falls into a month, before the cap."""


@dataclass(frozen=True, slots=True)
class Charge:
    """Of one start, for one card or machine, whichever is priced: exact money and billed seconds.

    `minimum` is the part of `amount` that only the minimum charge caused; the rest is `seconds` at the unit price. `shares` are by
    month, and only there where the plan has a cap.
    """

    amount: Fraction
    minimum: Fraction
    seconds: int
    shares: tuple[Share, ...] = ()


class Meter:
    """Charges starts of one plan between two moments."""

    def __init__(self, plan: Plan, zone: ZoneInfo, first: int, last: int) -> None:
        self.plan = plan
        self.zone = zone
        self.price = Fraction(plan.unit_price)
        unit = plan.price_unit_seconds
        self.rate = self.price / unit if unit else None
        self._by_piece = plan.round_at == "piece"
        self._rounded: dict[Fraction, Fraction] = {}
        self._floor = self._settled(Fraction(plan.minimum_charge))
        self.capped = plan.cap_hours_per_month is not None
        self.cap_seconds = int(Fraction(plan.cap_hours_per_month or 0) * 3600)
        # a piece may be billed up to a step, or to the minimum, beyond the end of use
        beyond = last + (max(plan.billing_step_seconds, plan.minimum_seconds) + 86_400) * SECOND
        self.months = Calendar(zone, "month", first, beyond) if self.capped else None
        self.priced = Calendar(zone, plan.price_per, first, beyond) if unit is None else None
        self._step = plan.billing_step_seconds
        # where only the length of a start counts, equal lengths cost the same
        self._by_length = unit is not None and plan.pieces == "start"
        self._known: dict[int, Charge] = {}

    def charge(self, start: int, stop: int) -> Charge:
        """What running [start, stop) costs, before the cap."""
        if not self._by_length:
            return self._charge(start, stop)
        month = self.months.at(start) if self.months is not None else 0
        if self.months is not None and stop > self.months.starts[month + 1]:
            return self._charge(start, stop)
        known = self._known.get(stop - start)
        if known is None:
            known = self._known[stop - start] = self._charge(start, stop)
        if not known.shares or known.shares[0][0] == month:
            return known
        return Charge(known.amount, known.minimum, known.seconds, ((month, known.amount, known.seconds),))

    def paid(self, spans: Sequence[tuple[int, int]]) -> list[Charge]:
        """What is paid for all starts of a usage, as `settle` says; starts of nothing but billed time are one sum."""
        if not self._by_length or self.capped or self._by_piece or self.plan.minimum_charge or self.rate is None:
            return self.settle([self.charge(start, stop) for start, stop in spans])
        least = self.plan.minimum_seconds
        seconds = sum(max(self._billed(stop - start), least) for start, stop in spans)
        return [Charge(self.rate * seconds, Fraction(0), seconds)]

    def _charge(self, start: int, stop: int) -> Charge:
        pieces = self._pieces(start, stop)
        seconds = sum(billed * times for _, billed, times in pieces)
        amount = self._amount(pieces)
        if seconds < self.plan.minimum_seconds:
            pieces, seconds = [(start, self.plan.minimum_seconds, 1)], self.plan.minimum_seconds
            amount = max(amount, self._amount(pieces))
        extra = max(Fraction(0), self._floor - amount)
        shares = self._shares(pieces, stop, amount + extra) if self.months is not None else ()
        return Charge(amount + extra, extra, seconds, shares)

    def _pieces(self, start: int, stop: int) -> list[Piece]:
        """The pieces of one start, the time of each rounded up to the billing step."""
        if self.plan.pieces == "start":
            return [(start, self._billed(stop - start), 1)]
        return [(at, self._billed(length), times) for at, length, times in hour_cuts(start, stop, self.zone)]

    def _billed(self, length: int) -> int:
        return -(-length // (self._step * SECOND)) * self._step

    def _amount(self, pieces: Iterable[Piece]) -> Fraction:
        if self.rate is None:
            money = (
                self._settled(self._priced(at + n * HOUR, billed)) for at, billed, times in pieces for n in range(times)
            )
            return sum(money, Fraction(0))
        if self._by_piece:
            return sum((self._settled(self.rate * billed) * times for _, billed, times in pieces), Fraction(0))
        return self.rate * sum(billed * times for _, billed, times in pieces)

    def _priced(self, start: int, seconds: int) -> Fraction:
        """Exact money of billed time by its share of each calendar day, week or month."""
        assert self.priced is not None
        spans = self.priced.split(start, start + seconds * SECOND)
        return self.price * sum((Fraction(end - begin, self.priced.length(n)) for n, begin, end in spans), Fraction(0))

    def _shares(self, pieces: Sequence[Piece], stop: int, amount: Fraction) -> tuple[Share, ...]:
        """A start's money and billed seconds by month. Time billed beyond the stop belongs to the stop's month, minimums to the first."""
        assert self.months is not None
        start = pieces[0][0]
        spans = self.months.split(start, stop)
        if len(spans) == 1:
            return ((spans[0][0], amount, sum(billed * times for _, billed, times in pieces)),)
        seconds: dict[int, int] = {}
        money: dict[int, Fraction] = {}
        for at, billed, times in pieces:
            # whole hours of the clock in a row are one stretch of time, unless each is rounded for itself
            alone = self._step > 3600 or self._by_piece
            for n in range(times if alone else 1):
                parts = self._months_of(at + n * HOUR, billed * (1 if alone else times), stop)
                exact = [
                    self.rate * count if self.rate is not None else self._priced(since, count)
                    for _, since, count in parts
                ]
                whole = sum(exact, Fraction(0))
                for (month, _, counted), part in zip(parts, exact, strict=True):
                    seconds[month] = seconds.get(month, 0) + counted
                    settled = part * self._settled(whole) / whole if whole else part
                    money[month] = money.get(month, Fraction(0)) + settled
        first = next(iter(money))
        money[first] += amount - sum(money.values(), Fraction(0))  # what minimums add
        return tuple((month, money[month], seconds[month]) for month in money)

    def _months_of(self, start: int, seconds: int, stop: int) -> list[tuple[int, int, int]]:
        """(month, since, whole seconds) of one billed piece."""
        assert self.months is not None
        found, left = [], seconds
        spans = self.months.split(start, min(stop, start + seconds * SECOND))
        for month, begin, end in spans[:-1]:
            counted = min(left, -(-(end - begin) // SECOND))
            found.append((month, begin, counted))
            left -= counted
        return [*found, (spans[-1][0], spans[-1][1], left)]

    def flat(self, month: int) -> Fraction:
        """What a month costs that has reached the cap: so many hours at the price."""
        if self.rate is not None:
            return self._settled(self.rate * self.cap_seconds)
        assert self.months is not None
        nominal = (
            self.months.length(month) // SECOND if self.plan.price_per == "month" else UNIT_SECONDS[self.plan.price_per]
        )
        return self._settled(self.price * self.cap_seconds / nominal)

    def month_of(self, at: int) -> int:
        """The calendar month a moment lies in, as `shares` count it."""
        return self.months.at(at) if self.months is not None else 0

    def settle(self, charges: Sequence[Charge]) -> list[Charge]:
        """What is paid for all starts of a usage: as charged; where the plan has a cap, month by month, at most `flat`."""
        if not self.capped:
            return list(charges)
        money: dict[int, Fraction] = {}
        seconds: dict[int, int] = {}
        minimum: dict[int, Fraction] = {}
        for charge in charges:
            for n, (month, share, counted) in enumerate(charge.shares):
                money[month] = money.get(month, Fraction(0)) + share
                seconds[month] = seconds.get(month, 0) + counted
                minimum[month] = minimum.get(month, Fraction(0)) + (charge.minimum if n == 0 else 0)
        return [
            Charge(flat, Fraction(0), min(seconds[month], self.cap_seconds))
            if (flat := self.flat(month)) < money[month]
            else Charge(money[month], minimum[month], seconds[month])
            for month in money
        ]

    def _settled(self, amount: Fraction) -> Fraction:
        """Rounded, where the plan rounds piece by piece."""
        if not self._by_piece:
            return amount
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
