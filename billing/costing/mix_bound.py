"""What covering the rest of a calendar costs at least: the reason why the search of the cheapest mix need not look everywhere.

Two bounds, both in whole parts of money and microseconds of use, and both consistent: no decision lowers what is still to pay by more
than it costs itself. So the first road found to the end is the cheapest, and all roads as cheap have been followed.

- `RestOfUse`: a term never covers more use than the busiest stretch of its length holds, time paid as you go never costs less than the
  lowest rate. What is left is a knapsack: how many terms of each kind, the rest by the hour. Use is measured by any clock (`Timeline`),
  for calendar months also by one that makes all of them equally long (`MonthClock`).
- `RestOfMonths`, where pay as you go is capped: each calendar month at the least its use can cost, be it by time, cap or terms.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate

from billing.costing.moments import DAY, SECOND

MONTH = 27 * DAY
MOST_LOADS = 4_000
"""Combinations of terms looked at; what they leave open is bounded by the cheapest rate."""


class Timeline:
    """Intervals of use in order, without overlap, on any clock that never goes back."""

    def __init__(self, starts: Sequence[int], stops: Sequence[int]) -> None:
        self.starts = starts
        self.stops = stops
        self.before = [0, *accumulate(stop - start for start, stop in zip(starts, stops, strict=True))]

    @property
    def whole(self) -> int:
        """All use."""
        return self.before[-1]

    def until(self, at: int) -> int:
        """The use before a moment."""
        index = bisect_right(self.starts, at)
        return self.before[index] - max(0, self.stops[index - 1] - at) if index else 0

    def busiest(self, length: int) -> int:
        """The most use in any stretch of a length. Such a stretch begins at a start or ends at a stop."""
        starts, stops, before = self.starts, self.stops, self.before
        if length >= stops[-1] - starts[0]:
            return self.whole
        most = first = last = 0
        for index, start in enumerate(starts):
            end = start + length
            while last < len(stops) and stops[last] <= end:
                last += 1
            cut = max(0, end - starts[last]) if last < len(starts) else 0
            most = max(most, before[last] - before[index] + cut)
            opened = stops[index] - length
            while stops[first] <= opened:
                first += 1
            most = max(most, before[index + 1] - before[first] - max(0, opened - starts[first]))
        return most


class MonthClock:
    """A clock that runs on the first 27 days of each month and stands still until the next.

    By it every term of a calendar month takes at most 27 days, wherever it begins and whatever its anchor.
    """

    def __init__(self, begins: Sequence[int]) -> None:
        """`begins`: the moments months begin at, ascending, in a zone that keeps its offset."""
        self._begins = begins

    def at(self, moment: int) -> int:
        """What it shows, in microseconds."""
        month = bisect_right(self._begins, moment) - 1
        return month * MONTH + min(moment - self._begins[month], MONTH)


class RestOfUse:
    """Least cost by the use still ahead. `terms`: (price, most use covered) each; `rate`: least price of a microsecond paid as you go."""

    def __init__(self, terms: Sequence[tuple[int, int]], rate: int | None, whole: int) -> None:
        self._rate = rate
        terms = [(price, most) for price, most in terms if most]
        rates = [price // most for price, most in terms] + ([rate] if rate is not None else [])
        self._lowest = min(rates, default=0)
        self._covers: list[int] = []
        self._costs: list[int] = []
        self._unseen = self._load(terms, whole)
        # cost of each load less what its cover is worth by the hour: the least of all up to there
        paid = [cost - (rate or 0) * cover for cost, cover in zip(self._costs, self._covers, strict=True)]
        self._base = list(accumulate(paid, min))

    def _load(self, terms: Sequence[tuple[int, int]], whole: int) -> int | None:
        """The loads worth their price, by cost and cover ascending, and the least cost of those not looked at (None: all are)."""
        queue, seen = [(0, 0)], {(0, 0)}
        furthest, base = -1, None
        while queue:
            cost, less = heappop(queue)
            if len(self._covers) == MOST_LOADS:
                return cost
            worth = cost + self._rate * less if self._rate is not None else None
            if -less <= furthest or (base is not None and worth is not None and worth >= base):
                continue
            furthest, base = -less, worth
            self._costs.append(cost)
            self._covers.append(furthest)
            if furthest >= whole:
                return None
            for price, most in terms:
                after = (cost + price, less - most)
                if after not in seen:
                    seen.add(after)
                    heappush(queue, after)
        return None

    def least(self, use: int) -> int:
        """Of covering so many microseconds of use."""
        index = bisect_left(self._covers, use)
        found = [self._costs[index]] if index < len(self._costs) else []
        if index and self._rate is not None:
            found.append(self._base[index - 1] + self._rate * use)
        if self._unseen is not None:
            found.append(max(self._unseen, self._lowest * use))
        return min(found)


class RestOfMonths:
    """Least cost by the moment. `begins`: the moments months begin at, ascending; `rates`: least price of a microsecond of use in each."""

    def __init__(self, begins: Sequence[int], used: Sequence[int], rates: Sequence[int]) -> None:
        """`used`: microseconds of use in each month."""
        self._begins = begins
        self._rates = rates
        # of a start that runs into a month, up to a second may be billed with the month before
        costs = [max(0, use - SECOND) * rate for use, rate in zip(used, rates, strict=True)]
        self._after = [*accumulate(reversed(costs), initial=0)][::-1]
        self._until = list(accumulate(used))

    def least(self, at: int, used: int, *, paid: bool) -> int:
        """Of all use from a moment on, `used` being that before it; a month paid up costs nothing any more."""
        month = bisect_right(self._begins, at) - 1
        rest = 0 if paid else (self._until[month] - used) * self._rates[month]
        return self._after[month + 1] + rest
