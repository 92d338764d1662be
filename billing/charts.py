"""Geometry of charts as plain values: x in per cent of the width, y in pixels, so text keeps its size on every screen.

Nothing here knows words or money formats; templates draw what these values say. Percentages are ready-made strings, because a
template would write a float in the reader's language.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tick:
    """A mark on an axis; `label` empty: no text. `at`: per cent or pixels, by the axis."""

    at: str
    label: str = ""
    anchor: str = "m"


def nice_ticks(low: float, high: float, most: int = 7) -> list[float]:
    """Round numbers that span `low` to `high`, at most `most` + 1 of them."""
    if high <= low:
        high = low + (abs(low) or 1.0)
    raw = (high - low) / most
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(index * step, 10) for index in range(first, last + 1)]


LEFT, RIGHT, TOP, BOTTOM = 9.0, 98.0, 20, 306
"""The plotting area: per cent across, pixels down, in a chart 350 px high."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis from data to drawing, linear."""

    low: float
    high: float

    def share(self, value: float) -> float:
        """0 at the axis's beginning, 1 at its end."""
        return (value - self.low) / (self.high - self.low)

    def x(self, value: float) -> float:
        """Per cent across."""
        return LEFT + self.share(value) * (RIGHT - LEFT)

    def y(self, value: float) -> int:
        """Pixels down."""
        return round(BOTTOM - self.share(value) * (BOTTOM - TOP))

    def inner(self, value: float) -> float:
        """0 to 100 inside the plotting area."""
        return self.share(value) * 100


@dataclass(frozen=True, slots=True)
class LogAxis(Axis):
    """Equal ratios are equal lengths; what is below `low` (which is above zero) stands at the beginning."""

    def share(self, value: float) -> float:
        """0 at the axis's beginning, 1 at its end."""
        return math.log(max(value, self.low) / self.low) / math.log(self.high / self.low)


def log_ticks(low: float, high: float) -> list[float]:
    """Round numbers (1, 2 or 5 and their tens) from just below `low` (above zero) to just above `high`, the tens between them."""
    first, last = math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1
    values = [round(step * 10.0**power, 10) for power in range(first, last + 1) for step in (1, 2, 5)]
    start = max(value for value in values if value <= low * (1 + 1e-9))
    end = min(value for value in values if value >= high * (1 - 1e-9))
    close = high / low < 200
    inside = [value for value in values if start < value < end and (close or _is_ten(value))]
    return [start, *inside, end]


def _is_ten(value: float) -> bool:
    """1, 10, 100, 0.1 ..."""
    return math.isclose(10 ** round(math.log10(value)), value, rel_tol=1e-6)


TEXT_HEIGHT = 14


@dataclass(frozen=True, slots=True)
class HoursLine:
    """One plan's cost over hours of use: its path, and where its direct label stands."""

    key: str
    path: str
    label_x: str
    label_y: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A numbered break-even."""

    number: int
    x: str
    y: int


@dataclass(frozen=True, slots=True)
class HoursChart:
    """Cost against hours of use under each plan, the cheapest mix, break-evens, the customer's own use."""

    width: int
    height: int
    plans: tuple[HoursLine, ...]
    mix: HoursLine | None
    marks: tuple[Mark, ...]
    own_x: str | None
    own_label_x: str
    own_label_anchor: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


type Points = Sequence[tuple[float, float]]


LABEL_FROM = 0.76
"""Share of the width from where a label at the right edge may stand, on a phone."""


def hours_chart(
    plans: Mapping[str, Points],
    mix: Points,
    breaks: Sequence[tuple[float, float]],
    own_hours: float | None,
    x_ticks: Sequence[tuple[float, str]],
    figure: Callable[[float], str],
    *,
    logarithmic: bool = False,
) -> HoursChart:
    """The chart. `plans`: kind -> (hours, cost) corners in order, straight between them. `x_ticks`: hours and their labels.

    `logarithmic`: both axes, from the first tick on; then no point may lie at zero.
    """
    drawn_points = [*plans.values(), mix]
    last = max(x_ticks[-1][0], *(hours for points in drawn_points for hours, _cost in points[-1:]))
    top = max(cost for points in drawn_points for _hours, cost in points)
    across: Axis
    up: Axis
    if logarithmic:
        y_values = log_ticks(min(cost for points in drawn_points for _hours, cost in points), top)
        across, up = LogAxis(x_ticks[0][0], last), LogAxis(y_values[0], y_values[-1])
    else:
        y_values = nice_ticks(0, top, 6)
        across, up = Axis(0, last), Axis(0, y_values[-1])
    drawn = [_hours_line(key, points, across, up) for key, points in plans.items()]
    if mix:
        line = _hours_line("mix", mix, across, up)
        drawn.append(HoursLine("mix", line.path, line.label_x, _below(mix, across, up), line.anchor))
    lines = _spread_labels(drawn)
    own_x = across.x(own_hours) if own_hours is not None and across.low <= own_hours <= last else None
    return HoursChart(
        width=1000,
        height=1000,
        plans=tuple(line for line in lines if line.key != "mix"),
        mix=next((line for line in lines if line.key == "mix"), None),
        marks=tuple(
            Mark(index, f"{across.x(hours):.2f}%", up.y(cost)) for index, (hours, cost) in enumerate(breaks, 1)
        ),
        own_x=f"{own_x:.2f}%" if own_x is not None else None,
        own_label_x=f"{own_x:.2f}%" if own_x is not None else "",
        own_label_anchor="e" if own_x is not None and own_x > 60 else "",
        x_ticks=tuple(
            Tick(f"{across.x(hours):.2f}%", label, "e" if across.share(hours) > 0.97 else "m")
            for hours, label in x_ticks
        ),
        y_ticks=tuple(Tick(str(up.y(value)), figure(value)) for value in y_values),
    )


def _hours_line(key: str, points: Points, across: Axis, up: Axis) -> HoursLine:
    path = "".join(
        f"{'M' if index == 0 else 'L'}{across.inner(hours) * 10:.1f} {1000 - up.inner(cost) * 10:.1f}"
        for index, (hours, cost) in enumerate(points)
    )
    _hours, cost = points[-1]
    start = points[0][1]
    if up.share(start) > 0.25:  # a prepaid term begins high: its name fits above its beginning
        return HoursLine(key, path, f"{LEFT + 1:g}%", max(up.y(start) - 6, 12), "")
    return HoursLine(key, path, f"{RIGHT:g}%", max(up.y(min(cost, up.high)) - 6, 12), "e")


def _below(points: Points, across: Axis, up: Axis) -> int:
    """Where a label at the right edge lies clear below a line that rises towards it."""
    crossing = min(range(len(points)), key=lambda index: abs(across.share(points[index][0]) - LABEL_FROM))
    return max(up.y(cost) for _hours, cost in points[crossing:]) + TEXT_HEIGHT + 2


def _spread_labels(lines: list[HoursLine]) -> list[HoursLine]:
    """Labels at one edge moved apart so that none covers another."""
    found: list[HoursLine] = []
    for line in sorted(lines, key=lambda one: (one.anchor, one.label_y)):
        y = line.label_y
        if found and found[-1].anchor == line.anchor and y - found[-1].label_y < TEXT_HEIGHT:
            y = found[-1].label_y + TEXT_HEIGHT
        found.append(HoursLine(line.key, line.path, line.label_x, y, line.anchor))
    return found
