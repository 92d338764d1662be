"""Which moments of a calendar a cheaper road has already passed: those need not be followed."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from fractions import Fraction

Chain = tuple[int, int, int] | None
"""(plan, anchor, terms so far) of calendar terms running end to end, where a renewal ends elsewhere than a new purchase."""
Paid = tuple[bool, ...]
"""For each pay-as-you-go plan with a cap, whether the calendar month of the moment is paid up to the cap."""
State = tuple[int, Chain, Paid]
Worth = tuple[int | Fraction, int]
"""(cost in the search's smallest part, purchases): compared in this order."""


class Front:
    """The moments passed. `month`: the calendar month of a moment; `flats`: for each plan with a cap, the dearest a month can be."""

    def __init__(self, month: Callable[[int], int], flats: Sequence[int | Fraction]) -> None:
        self._month = month
        self._flats = flats
        self._all = _Passed()
        self._peers: dict[int, dict[Paid, _Passed]] = {}

    def note(self, state: State, worth: Worth) -> None:
        """A moment that is followed."""
        at, _, paid = state
        self._all.note(at, worth)
        if self._flats:
            self._peers.setdefault(self._month(at), {}).setdefault(paid, _Passed()).note(at, worth)

    def beaten(self, state: State, worth: Worth, slack: int | Fraction | None) -> bool:
        """Whether a strictly cheaper road (by more than the slack) stands at this moment or further."""
        at, _, paid = state
        # with slack, only money counts: a road of equal cost is followed whatever its purchases
        cost, bought = worth if slack is None else (worth[0] - slack, -1)
        passed = self._all.furthest((cost, bought))
        if not self._flats:
            return passed >= at
        month = self._month(at)
        if self._month(passed) > month:
            return True
        for peer, known in self._peers.get(month, {}).items():
            # what this road has paid ahead and the other has not may still be worth its price
            ahead = sum(flat for flat, mine, its in zip(self._flats, paid, peer, strict=True) if mine and not its)
            if known.furthest((cost - ahead, bought)) >= at:
                return True
        return False


class _Passed:
    """Moments passed, each further than all of less worth."""

    def __init__(self) -> None:
        self._worths: list[Worth] = []
        self._furthest: list[int] = []

    def note(self, at: int, worth: Worth) -> None:
        """One more moment."""
        index = end = bisect_left(self._worths, worth)
        if index and self._furthest[index - 1] >= at:
            return
        while end < len(self._worths) and self._furthest[end] <= at:
            end += 1
        self._worths[index:end] = [worth]
        self._furthest[index:end] = [at]

    def furthest(self, worth: Worth) -> int:
        """The furthest moment of strictly less worth; -1 where there is none."""
        index = bisect_left(self._worths, worth)
        return self._furthest[index - 1] if index else -1
