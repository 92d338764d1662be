"""From trials to intervals: quantiles of the residuals of facts left out, by metric, kind of work and how much was known."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from advisor.fitting.trials import Trial
from advisor.sizing.calibration import BASES, Basis

SHARE = 0.91
"""Of left-out measurements an interval holds; 90 % is promised."""
FEWEST = 8
"""Facts below which a kind's own quantiles are not trusted alone: the pooled ones widen them."""


def quantile(ordered: Sequence[float], share: float) -> float:
    """Quantile of sorted values, linear between neighbours."""
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def bounds(residuals: Iterable[float]) -> tuple[float, float]:
    """Lower and upper log residual that leave half of 1 - SHARE outside at each end."""
    ordered = sorted(residuals)
    tail = (1 - SHARE) / 2
    return quantile(ordered, tail), quantile(ordered, 1 - tail)


def _row(residuals: Sequence[float], pooled: tuple[float, float] | None) -> dict[str, Any]:
    low, high = bounds(residuals)
    low, high = min(low, 0.0), max(high, 0.0)
    if pooled and len(residuals) < FEWEST:
        share = 1 - len(residuals) / FEWEST
        low, high = min(low, share * pooled[0]), max(high, share * pooled[1])
    return {"low_log": round(low, 4), "high_log": round(high, 4), "facts": len(residuals)}


def fit_intervals(trials: Iterable[Trial]) -> dict[str, Any]:
    """The `memory` and `speed` parts of the intervals data, from trials of all modes. Tokens of the prompt have no interval."""
    kept = [trial for trial in trials if not trial.kind.endswith(":prompt")]
    found: dict[str, Any] = {}
    for metric in ("memory", "speed"):
        mine = [trial for trial in kept if trial.fact.metric == metric]
        pooled = {basis: rows for basis in BASES if (rows := [one.log_ratio for one in mine if one.basis == basis])}
        spans = {basis: bounds(rows) for basis, rows in pooled.items()}
        found[metric] = {
            "all": {basis: _row(rows, None) for basis, rows in pooled.items()},
            "kinds": _kinds(mine, spans),
        }
    return found


def _kinds(trials: Iterable[Trial], spans: Mapping[Basis, tuple[float, float]]) -> dict[str, Any]:
    by_kind: dict[str, dict[Basis, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        by_kind[trial.kind][trial.basis].append(trial.log_ratio)
    return {
        kind: {basis: _row(rows[basis], spans.get(basis)) for basis in BASES if basis in rows}
        for kind, rows in sorted(by_kind.items())
    }
