"""Typed view of the fitted intervals: how far from a computed figure the measured one lies, 9 times in 10.

The quantiles are residuals of facts that were left out when they were predicted (`manage.py fit_sizing`): by kind of work and by how
much was known. Where a kind has few facts the wider neighbour class stands in.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from advisor.sizing.evidence import Metric

Basis = Literal["anchored", "transferred", "near", "known-stack", "new-model", "unknown-stack"]
"""What an interval rests on: a tier, or finer: `transferred`, the work was measured, but on other cards than the one asked; `near`, the
model was measured on the stack with the same settings and other sizes."""
BASES: tuple[Basis, ...] = ("anchored", "transferred", "near", "known-stack", "new-model", "unknown-stack")
"""From the best known to the least known. An interval never narrows along this order."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Factors on a computed figure: measured lies within `low`..`high` times it in 9 of 10 cases. `facts` stand behind it."""

    low: float
    high: float
    facts: int = 0

    def around(self, figure: float, floor: float = 0.0) -> tuple[float, float]:
        """Both ends around a figure; with a floor, the factors apply to figure plus floor."""
        return (figure + floor) * self.low - floor, (figure + floor) * self.high - floor

    def widened(self, other: "Interval") -> "Interval":
        """The smallest interval that holds both."""
        return Interval(min(self.low, other.low), max(self.high, other.high), self.facts)


UNFITTED: Mapping[str, Mapping[Basis, Interval]] = {
    "memory": {
        "anchored": Interval(0.94, 1.08),
        "transferred": Interval(0.94, 1.08),
        "near": Interval(0.90, 1.15),
        "known-stack": Interval(0.84, 1.22),
        "new-model": Interval(0.78, 1.35),
        "unknown-stack": Interval(0.55, 1.70),
    },
    "speed": {
        "anchored": Interval(0.75, 1.30),
        "transferred": Interval(0.75, 1.30),
        "near": Interval(0.72, 1.38),
        "known-stack": Interval(0.70, 1.40),
        "new-model": Interval(0.60, 1.60),
        "unknown-stack": Interval(0.40, 2.20),
    },
}
"""Where no residuals of a kind exist: a first try's figures over all kinds, rounded outwards."""
EXACT = Interval(0.97, 1.03)
"""Figures that are counted, not modelled (bytes per cell, memory the user states)."""


FLOOR_GIB = 2.0
"""Memory residuals are ratios of memory plus this: contexts, libraries and caches cost about as much beside a small model as a large."""
LONG_PROMPT_TOKENS = 4096
"""From here on what a release keeps of the whole prompt decides its memory: such prompts have residuals of their own."""


def residual_class(kind: str, work: Mapping[str, Any]) -> str:
    """The class a work's residuals are gathered in: its kind, long prompts apart from short ones."""
    prompt = work.get("prompt_tokens")
    if kind == "llm-inference" and isinstance(prompt, int | float) and prompt > LONG_PROMPT_TOKENS:
        return f"{kind}-long"
    return kind


@dataclass(frozen=True, slots=True)
class Intervals:
    """Fitted intervals by metric and kind. `fallback` holds each metric's pooled ones."""

    by_kind: Mapping[tuple[Metric, str], Mapping[Basis, Interval]]
    fallback: Mapping[Metric, Mapping[Basis, Interval]]

    def of(self, metric: Metric, kind: str, basis: Basis) -> Interval:
        """The interval of a kind and basis, or the pooled one of the basis."""
        found = self.by_kind.get((metric, kind), {}).get(basis)
        return found or self.fallback[metric][basis]


def _interval(row: Mapping[str, Any]) -> Interval:
    return Interval(math.exp(row["low_log"]), math.exp(row["high_log"]), int(row["facts"]))


FEWEST_RESIDUALS = 12
"""Below so many residuals of a kind its interval is not narrower than the pooled one: a handful that agree prove nothing."""


def _bases(rows: Mapping[str, Any], base: Mapping[Basis, Interval]) -> dict[Basis, Interval]:
    """Intervals of every basis, none narrower than the better known one before it."""
    found: dict[Basis, Interval] = {}
    before: Interval | None = None
    few = sum(int(row["facts"]) for row in rows.values()) < FEWEST_RESIDUALS
    for basis in BASES:
        here = _interval(rows[basis]) if basis in rows else base[basis]
        here = here.widened(base[basis]) if few else here
        before = found[basis] = here.widened(before) if before else here
    return found


def intervals_of(calibration: Mapping[str, Any]) -> Intervals:
    """The `intervals` part of the calibration data; first-try figures where it is not there."""
    data = calibration.get("intervals") or {}
    fallback: dict[Metric, Mapping[Basis, Interval]] = {}
    by_kind: dict[tuple[Metric, str], Mapping[Basis, Interval]] = {}
    metrics: tuple[Metric, ...] = ("memory", "speed")
    for metric in metrics:
        fallback[metric] = _bases(data.get(metric, {}).get("all", {}), UNFITTED[metric])
        for kind, rows in data.get(metric, {}).get("kinds", {}).items():
            by_kind[metric, kind] = _bases(rows, fallback[metric])
    return Intervals(by_kind=by_kind, fallback=fallback)
