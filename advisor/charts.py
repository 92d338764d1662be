"""Geometry of the charts as plain values: x in per cent of the width, y in pixels, so text keeps its size on every screen.

Nothing here knows words or money formats; templates draw what these values say. Percentages are ready-made strings, because a
template would write a float in the reader's language.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from advisor.sizing.answer import Memory
from billing.charts import BOTTOM, LEFT, Axis, Tick, nice_ticks

PART_ORDER = (
    "weights",
    "other_models",
    "gradients",
    "optimizer",
    "adapters",
    "activations",
    "kv_cache",
    "decoder_state",
    "state",
    "framework",
)
PART_CLASSES: Mapping[str, str] = {
    "weights": "p1",
    "other_models": "p2",
    "gradients": "p2",
    "optimizer": "p3",
    "adapters": "p3",
    "activations": "",
    "kv_cache": "",
    "decoder_state": "",
    "state": "",
    "framework": "p6",
}
PART_FILLS: Mapping[str, str] = {
    "activations": "url(#hatch)",
    "kv_cache": "url(#dots)",
    "decoder_state": "url(#dots)",
    "state": "url(#dots)",
}
DRAWN_AS: Mapping[str, str] = {
    "text_encoders": "other_models",
    "text_encoder": "other_models",
    "vae": "other_models",
    "controlnets": "other_models",
    "loras": "other_models",
    "loading": "other_models",
    "diarization": "other_models",
    "vision_tower": "other_models",
    "optimizer_step": "optimizer",
    "vae_decode": "activations",
    "batch": "activations",
    "sound": "activations",
    "logits": "activations",
    "autocast_cache": "activations",
    "fragmentation": "framework",
}
"""Parts of one scenario -> the part they are drawn as: six looks are all a reader tells apart."""


def share(part: float, whole: float) -> str:
    """`part` of `whole` as a percentage with at most two decimals, inside 0 to 100."""
    percent = 0.0 if whole <= 0 else min(100.0, max(0.0, part / whole * 100))
    return f"{percent:.2f}".rstrip("0").rstrip(".") + "%"


def rounded_parts(parts: Mapping[str, float], total: float, digits: int = 1) -> dict[str, float]:
    """Parts rounded so that a reader who adds them up gets the rounded total (largest remainders go up)."""
    unit = 10**-digits
    wanted = round(total / unit)
    floors = {name: math.floor(size / unit + 1e-9) for name, size in parts.items()}
    missing = wanted - sum(floors.values())
    by_remainder = sorted(parts, key=lambda name: parts[name] / unit - floors[name], reverse=missing > 0)
    for name in by_remainder[: abs(missing)]:
        floors[name] += 1 if missing > 0 else -1 if floors[name] > 0 else 0
    return {name: round(count * unit, digits) for name, count in floors.items()}


def drawn_parts(parts: Mapping[str, float]) -> dict[str, float]:
    """Parts as they are drawn, in the fixed order. What has no look of its own counts as activations."""
    found: dict[str, float] = {}
    for name, size in parts.items():
        drawn = DRAWN_AS.get(name, name if name in PART_ORDER else "activations")
        if (drawn, "gradients" in parts) == ("other_models", True):
            drawn = "weights"  # both would look the same
        if (drawn, "optimizer" in parts) == ("adapters", True):
            drawn = "optimizer"
        found[drawn] = found.get(drawn, 0.0) + size
    return {name: found[name] for name in PART_ORDER if name in found}


@dataclass(frozen=True, slots=True)
class Segment:
    """A filled stretch of a bar. `fill`: a pattern, where the class gives no colour."""

    name: str
    css: str
    fill: str
    x: str
    width: str


@dataclass(frozen=True, slots=True)
class MemoryBar:
    """A card as outline, the driver's share at its end, the job's parts, the usable line, the interval as a whisker.

    `over`: the stretch above the usable line that makes it tight (`near`) or not fit (`over`).
    """

    card: str
    rest_x: str
    rest_width: str
    parts: tuple[Segment, ...]
    usable: str
    low: str
    high: str
    over: Segment | None
    estimate: str
    ticks: tuple[Tick, ...] = ()

    @property
    def estimate_x(self) -> str:
        """Where the estimate's words stand: well left of the words at the usable line."""
        return f"{min(float(self.estimate[:-1]), float(self.usable[:-1]) - 22):.2f}%" if self.estimate_anchor else "0%"

    @property
    def estimate_anchor(self) -> str:
        """The words end at the estimate, or begin at zero where that is too far left."""
        return "e" if float(self.estimate[:-1]) > 30 else ""


def memory_bar(memory: Memory, card_gib: float, scale_gib: float, *, ticks: bool = False) -> MemoryBar:
    """The bar of one estimate on a ruler of 0 to `scale_gib`."""
    parts = []
    at = 0.0
    for name, size in drawn_parts(memory.parts).items():
        shown = min(size, max(0.0, scale_gib - at))
        parts.append(
            Segment(
                name,
                PART_CLASSES.get(name, "p2"),
                PART_FILLS.get(name, ""),
                share(at, scale_gib),
                share(shown, scale_gib),
            )
        )
        at += size
    over = None
    if memory.high_gib > memory.usable_gib:
        css = "over" if memory.low_gib > memory.usable_gib else "near"
        end = min(memory.high_gib, scale_gib)
        over = Segment("over", css, "", share(memory.usable_gib, scale_gib), share(end - memory.usable_gib, scale_gib))
    return MemoryBar(
        card=share(card_gib, scale_gib),
        rest_x=share(memory.usable_gib, scale_gib),
        rest_width=share(card_gib - memory.usable_gib, scale_gib),
        parts=tuple(parts),
        usable=share(memory.usable_gib, scale_gib),
        low=share(memory.low_gib, scale_gib),
        high=share(memory.high_gib, scale_gib),
        over=over,
        estimate=share(memory.per_gpu_gib, scale_gib),
        ticks=tuple(_ruler(scale_gib)) if ticks else (),
    )


def _ruler(end: float) -> Iterable[Tick]:
    """Marks of a gauge: labels at round numbers, none that would run into the one at the end."""
    step = next(size for size in (1, 2, 4, 5, 8, 10, 20, 40, 50, 100, 200, 500, 1000, 10_000, 10**9) if end / size <= 8)
    count = math.floor(end / step)
    for index in range(count + 1):
        value = index * step
        near_end = end - value < 0.16 * end and value != end
        anchor = "" if index == 0 else "m"
        yield Tick(share(value, end), "" if near_end or value == end else f"{value:,}", anchor)


def scale_of(cards_gib: Iterable[float], needs_gib: Iterable[float] = ()) -> float:
    """The ruler of a group of bars: the largest card, or a little more where a need is beyond it."""
    largest = max(cards_gib, default=24.0)
    most = max(needs_gib, default=0.0)
    return largest if most <= largest else min(most, largest * 1.25)


@dataclass(frozen=True, slots=True)
class Spot:
    """What goes into the chart of time against cost."""

    key: str
    label: str
    hours: float
    cost: float
    tight: bool = False
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A drawn point: on the front, beaten, tight, and whether it is the recommended one."""

    key: str
    label: str
    x: str
    y: int
    on_front: bool
    tight: bool
    chosen: bool
    text_x: str
    text_dx: int
    text_y: int
    anchor: str
    wide_only: bool


@dataclass(frozen=True, slots=True)
class Front:
    """Time against cost: dots, the stepped line of cards nobody beats, its dashed end of tight ones."""

    dots: tuple[Dot, ...]
    line: str
    dashed: str
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    on_front: tuple[str, ...] = field(default_factory=tuple)


def pareto(spots: Sequence[Spot]) -> list[Spot]:
    """Spots no other beats on both time and cost, fastest first. A tight one beats nobody that fits."""
    found: list[Spot] = []
    for spot in sorted(spots, key=lambda one: (one.hours, one.cost, one.key)):
        rivals = [one for one in found if one.cost <= spot.cost and (spot.tight or not one.tight)]
        if not rivals:
            found.append(spot)
    return found


def front_chart(spots: Sequence[Spot], figure: Callable[[float], str]) -> Front:
    """The chart of `spots`; `figure` writes an axis label in the reader's language."""
    x_values, y_values = (
        nice_ticks(*_span([one.hours for one in spots])),
        nice_ticks(*_span([one.cost for one in spots])),
    )
    across, up = Axis(x_values[0], x_values[-1]), Axis(y_values[0], y_values[-1])
    front = pareto(spots)
    solid = [one for one in front if not one.tight]
    return Front(
        dots=tuple(_dots(spots, {one.key for one in front}, across, up)),
        line=_steps(solid, across, up),
        dashed=_tight_steps(front, across, up),
        x_ticks=tuple(Tick(f"{across.x(value):.2f}%", figure(value)) for value in x_values),
        y_ticks=tuple(Tick(str(up.y(value)), figure(value)) for value in y_values),
        on_front=tuple(one.key for one in front),
    )


def _span(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    spread = high - low if high - low > 1e-6 * abs(high) else 0.0  # the last digits of a float are no difference
    room = spread * 0.08 or abs(high) * 0.25 or 1.0
    return max(0.0, low - room), high + room


def _steps(spots: Sequence[Spot], across: Axis, up: Axis) -> str:
    if not spots:
        return ""
    path = ""
    for index, spot in enumerate(spots):
        x, y = across.inner(spot.hours), 100 - up.inner(spot.cost)
        path += f"M{x:.1f} {y:.1f}" if index == 0 else f"H{x:.1f}V{y:.1f}"
    return path


def _tight_steps(front: Sequence[Spot], across: Axis, up: Axis) -> str:
    """From the last fitting spot on to the tight ones beyond it."""
    path = ""
    for before, spot in pairwise(front):
        if spot.tight:
            path += _steps([before, spot], across, up)
    return path


CHART_WIDTH, PHONE_WIDTH = 540, 330


def _text_width(text: str) -> float:
    """Rough pixels of a 12 px label; Chinese letters are twice as wide."""
    return sum(12.5 if ord(letter) > 0x2E80 else 6.8 for letter in text)


def _dots(spots: Sequence[Spot], front: set[str], across: Axis, up: Axis) -> Iterable[Dot]:
    """Points with their labels where they cover no other point or label; on a phone the hopeless ones are left to the table."""
    taken: list[tuple[float, float, float, float]] = [_around(across.x(one.hours), up.y(one.cost)) for one in spots]
    narrow: list[tuple[float, float, float, float]] = [
        _around(across.x(one.hours), up.y(one.cost), PHONE_WIDTH) for one in spots
    ]
    first = sorted(spots, key=lambda one: (not one.chosen, one.key not in front, one.hours))
    for spot in first:
        x, y = across.x(spot.hours), up.y(spot.cost)
        width = _text_width(spot.label)
        dx, dy, anchor, box = _place(x, y, width, taken, CHART_WIDTH)
        taken.append(box)
        small = _box(x, y, dx, dy, anchor, width, PHONE_WIDTH)
        collides = _hits(small, narrow) or small[0] < 0 or small[2] > PHONE_WIDTH
        if not collides:
            narrow.append(small)
        yield Dot(
            key=spot.key,
            label=spot.label,
            x=f"{x:.2f}%",
            y=y,
            on_front=spot.key in front,
            tight=spot.tight,
            chosen=spot.chosen,
            text_x=f"{x:.2f}%",
            text_dx=dx,
            text_y=y + dy,
            anchor=anchor,
            wide_only=collides and not spot.chosen,
        )


def _around(x: float, y: float, width: int = CHART_WIDTH) -> tuple[float, float, float, float]:
    return (x / 100 * width - 7, y - 7, x / 100 * width + 7, y + 7)


def _box(
    x: float, y: float, dx: int, dy: int, anchor: str, text: float, width: int
) -> tuple[float, float, float, float]:
    start = x / 100 * width + dx
    left = start - (text if anchor == "e" else text / 2 if anchor == "m" else 0)
    return (left, y + dy - 10, left + text, y + dy + 4)


def _hits(box: tuple[float, float, float, float], others: Iterable[tuple[float, float, float, float]]) -> bool:
    return any(box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in others)


def _place(
    x: float, y: int, text: float, taken: list[tuple[float, float, float, float]], width: int
) -> tuple[int, int, str, tuple[float, float, float, float]]:
    """Right of the point if free, else left, below, above; the first that stays inside the chart and hits nothing."""
    tries = (
        (12, 4, ""),
        (-12, 4, "e"),
        (0, 26, "m"),
        (0, -15, "m"),
        (10, 19, ""),
        (10, -10, ""),
        (-10, 19, "e"),
        (-10, -10, "e"),
    )
    best = None
    for dx, dy, anchor in tries:
        box = _box(x, y, dx, dy, anchor, text, width)
        inside = box[0] >= LEFT / 100 * width and box[2] <= width and box[1] >= 0 and box[3] <= BOTTOM
        if inside and not _hits(box, taken):
            return dx, dy, anchor, box
        if inside and best is None:
            best = (dx, dy, anchor, box)
    if best:
        return best
    dx, dy, anchor = tries[0] if x < 60 else tries[1]
    return dx, dy, anchor, _box(x, y, dx, dy, anchor, text, width)


@dataclass(frozen=True, slots=True)
class Rung:
    """One memory size of the wizard's ladder."""

    vram_gb: float
    card: str
    usable: str
    need: str
    over_x: str
    over_width: str
    over_css: str
    fit: str


def rung(vram_gb: float, usable_gib: float, memory: Memory, fit: str, scale_gib: float) -> Rung:
    """A job on a card of one size, on a ruler of 0 to `scale_gib`."""
    need = min(memory.per_gpu_gib, scale_gib)
    inside = min(need, usable_gib)
    return Rung(
        vram_gb=vram_gb,
        card=share(vram_gb, scale_gib),
        usable=share(usable_gib, scale_gib),
        need=share(inside, scale_gib),
        over_x=share(usable_gib, scale_gib),
        over_width=share(max(0.0, need - usable_gib), scale_gib),
        over_css="near" if fit == "tight" else "over",
        fit=fit,
    )
