"""From trials to intervals: quantiles of the residuals of facts left out, by metric, kind of work and how much was known."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.fitting.trials import Trial
from advisor.sizing.calibration import BASES, Basis
from advisor.sizing.disagreement import of_replaced_release
from advisor.sizing.evidence import Metric

TAILS: Mapping[Metric, tuple[float, float]] = {"memory": (0.04, 0.035), "speed": (0.035, 0.035)}
"""Shares of left-out measurements below and above the interval. 90 % is promised; what comes from elsewhere lies wider than what was
fitted on, and memory that runs out costs more than memory that is left."""
FEW = 20
"""Residuals at which the tails are halved."""
LEAST = 0.04
"""Least half width: the same run read by another tool, or on another day, differs by as much."""
FEWEST = 8
"""Residuals below which a basis is judged together with the next."""


def quantile(ordered: Sequence[float], share: float) -> float:
    """Quantile of sorted values, linear between neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def bounds(residuals: Iterable[float], tails: tuple[float, float]) -> tuple[float, float]:
    """Lower and upper log residual that leave the tails outside; the fewer there are, the less is left outside."""
    ordered = sorted(residuals)
    few = len(ordered) / (len(ordered) + FEW)
    return quantile(ordered, tails[0] * few), quantile(ordered, 1 - tails[1] * few)


@dataclass(slots=True)
class _Block:
    """Neighbouring bases judged together, and their residuals."""

    bases: list[Basis]
    residuals: list[float]
    tails: tuple[float, float]

    @property
    def span(self) -> tuple[float, float]:
        """Bounds, held apart at least by the noise of measuring."""
        low, high = bounds(self.residuals, self.tails)
        return min(low, -LEAST), max(high, LEAST)

    def joined(self, other: "_Block") -> "_Block":
        """Both together."""
        return _Block([*self.bases, *other.bases], [*self.residuals, *other.residuals], self.tails)


def _filled(blocks: list[_Block]) -> list[_Block]:
    """Blocks of at least `FEWEST` residuals: a thin one joins the less known after it, the last the one before."""
    found: list[_Block] = []
    for block in blocks:
        if found and len(found[-1].residuals) < FEWEST:
            found[-1] = found[-1].joined(block)
        else:
            found.append(block)
    if len(found) > 1 and len(found[-1].residuals) < FEWEST:
        thin = found.pop()
        found[-1] = found[-1].joined(thin)
    return found


def _ordered(blocks: list[_Block], end: int) -> dict[Basis, float]:
    """One end of the spans, never narrowing from better to less known: violators share the mean of their bounds, by number of facts."""
    pools: list[tuple[float, int, list[Basis]]] = []
    for block in blocks:
        value, weight, bases = abs(block.span[end]), len(block.residuals), list(block.bases)
        while pools and pools[-1][0] > value:
            before, count, names = pools.pop()
            value = (before * count + value * weight) / (count + weight)
            weight, bases = weight + count, [*names, *bases]
        pools.append((value, weight, bases))
    return {basis: value for value, _, bases in pools for basis in bases}


def _spans(
    residuals: Mapping[Basis, list[float]],
    tails: tuple[float, float],
    pooled: Mapping[Basis, dict[str, Any]] | None,
) -> dict[Basis, dict[str, Any]]:
    """Bounds by basis. One without facts takes those of the less known after it; past the last, the pooled ones if wider."""
    blocks = _filled([_Block([basis], residuals[basis], tails) for basis in BASES if residuals.get(basis)])
    lows, highs = _ordered(blocks, 0), _ordered(blocks, 1)
    found: dict[Basis, dict[str, Any]] = {}
    after: dict[str, Any] | None = None
    for basis in reversed(BASES):
        if basis in lows:
            here = {"low_log": round(-lows[basis], 4), "high_log": round(highs[basis], 4)}
            after = {**here, "facts": len(residuals[basis])}
        elif after is not None:
            after = {**after, "facts": 0}
        elif pooled is not None:
            last = next(name for name in reversed(BASES) if name in lows)
            base = pooled[basis]
            found[basis] = {
                "low_log": min(base["low_log"], round(-lows[last], 4)),
                "high_log": max(base["high_log"], round(highs[last], 4)),
                "facts": 0,
            }
            continue
        if after is not None:
            found[basis] = after
    return {basis: found[basis] for basis in BASES if basis in found}


def fit_intervals(trials: Iterable[Trial]) -> dict[str, Any]:
    """The `memory` and `speed` parts of the intervals data, from trials of all modes.

    Tokens of the prompt have no interval; facts of releases long replaced are told as a range beside it.
    """
    kept = [trial for trial in trials if not trial.kind.endswith(":prompt") and not of_replaced_release(trial.fact)]
    found: dict[str, Any] = {}
    for metric in TAILS:
        mine = [trial for trial in kept if trial.fact.metric == metric]
        everything = _spans(_by_basis(mine), TAILS[metric], None)
        by_kind: dict[str, list[Trial]] = defaultdict(list)
        for trial in mine:
            by_kind[trial.kind].append(trial)
        kinds: dict[str, Any] = {}
        for kind, ones in sorted(by_kind.items()):
            parent = kinds.get(kind.removesuffix("-long"), everything)
            kinds[kind] = _spans(_by_basis(ones), TAILS[metric], parent)
        found[metric] = {"all": everything, "kinds": kinds}
    return found


def _by_basis(trials: Sequence[Trial]) -> dict[Basis, list[float]]:
    """Residuals by basis. Unknown software is judged by whole sources left out where there are enough: its own table knows too much."""
    found: dict[Basis, list[float]] = defaultdict(list)
    strange = [trial for trial in trials if trial.basis == "unknown-stack" and trial.mode == "source"]
    for trial in trials:
        if trial.basis != "unknown-stack" or trial.mode == "source" or len(strange) < FEWEST:
            found[trial.basis].append(trial.residual)
    return found
