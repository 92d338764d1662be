"""Plain values for the evidence pages' charts: x in per cent, y in pixels, as the design has it."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

HEIGHT = 260
FOOT = 22
"""Pixels below the plot for the axis labels."""
LEFT, RIGHT = 7.0, 98.0
"""Per cent of the width the plot takes."""


@dataclass(frozen=True, slots=True)
class Dot:
    """A measurement: where it stands, and whether it lies in its interval."""

    x: str
    y: str
    inside: bool


@dataclass(frozen=True, slots=True)
class Tick:
    """A round value on both axes."""

    value: float
    x: str
    y: str


@dataclass(frozen=True, slots=True)
class Scatter:
    """Predicted (up) against measured (right), both on one logarithmic scale."""

    name: str
    unit: str
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    inside: int

    @property
    def total_height(self) -> int:
        """Pixels with the axis labels."""
        return HEIGHT + FOOT

    @property
    def plot_height(self) -> int:
        """Pixels without them."""
        return HEIGHT


def _share(value: float, low: float, high: float) -> float:
    return (math.log10(value) - low) / (high - low)


def _x(share: float) -> str:
    return f"{LEFT + share * (RIGHT - LEFT):.2f}%"


def _y(share: float) -> str:
    return f"{(1 - share) * HEIGHT:.1f}"


def _rounds(low: float, high: float) -> Iterable[float]:
    exponents = range(math.floor(low), math.ceil(high) + 1)
    steps = (1, 2, 5) if high - low < 1.6 else (1, 3) if high - low < 2.6 else (1,)
    for exponent in exponents:
        for step in steps:
            value = step * 10.0**exponent
            if low - 1e-9 <= math.log10(value) <= high + 1e-9:
                yield value


def scatter(name: str, unit: str, points: Sequence[Mapping[str, Any]]) -> Scatter | None:
    """The chart of some trials of one unit; None where nothing can be drawn."""
    drawn = [point for point in points if point["measured"] > 0 and point["predicted"] > 0]
    if not drawn:
        return None
    values = [value for point in drawn for value in (point["measured"], point["predicted"])]
    low, high = math.log10(min(values)) - 0.05, math.log10(max(values)) + 0.05
    dots = tuple(
        Dot(_x(_share(p["measured"], low, high)), _y(_share(p["predicted"], low, high)), bool(p["inside"]))
        for p in drawn
    )
    ticks = tuple(
        Tick(value, _x(_share(value, low, high)), _y(_share(value, low, high))) for value in _rounds(low, high)
    )
    return Scatter(name, unit, dots, ticks, sum(dot.inside for dot in dots))
