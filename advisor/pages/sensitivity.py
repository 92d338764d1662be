"""Small multiples: how the memory follows one answer while the others and the cards stay."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor import charts, labels
from advisor.answers import ConfigTextError, query_of
from advisor.library import library
from advisor.pages.wizard import value_text, with_query
from advisor.sizing.answer import Estimate, Spread
from advisor.sizing.estimate import prepare
from advisor.sizing.fields import field_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.problems import WorkloadError
from advisor.sizing.workload import Workload

RULER = 2.0
"""Every ruler ends at so many times the usable memory: the card's line keeps its place while answers are tried."""

LADDERS: Mapping[str, tuple[Any, ...]] = {
    "sequence_tokens": (512, 1024, 2048, 4096, 8192, 16384, 32768),
    "prompt_tokens": (256, 1024, 4096, 16384, 65536),
    "output_tokens": (128, 512, 2048, 8192),
    "concurrency": (1, 4, 16, 64, 256),
    "micro_batch": (1, 2, 4, 8, 16),
    "batch": (1, 2, 4, 8, 16, 32, 64),
    "frames": (25, 49, 81, 121, 161),
    "image_size": (320, 480, 640, 960, 1280),
    "streams": (1, 4, 8, 16, 32),
    "tokens": (512, 1024, 2048, 3072, 4096),
    "atoms": (25_000, 100_000, 500_000, 1_000_000),
    "cells": (10_000_000, 50_000_000, 100_000_000, 200_000_000, 500_000_000),
    "method": ("qlora", "lora", "full"),
    "weight_format": ("bf16", "fp8", "int8", "int4"),
    "precision": ("single", "mixed", "double"),
    "size": ((512, 512), (768, 768), (1024, 1024), (1536, 1536), (2048, 2048)),
}
AXES: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("llm", "training"): ("sequence_tokens", "method", "micro_batch"),
    ("llm", "inference"): ("prompt_tokens", "weight_format", "concurrency"),
    ("aigc", "image-generation"): ("size", "weight_format", "batch"),
    ("aigc", "image-editing"): ("size", "weight_format", "batch"),
    ("aigc", "video-generation"): ("frames", "weight_format"),
    ("aigc", "image-training"): ("size", "micro_batch"),
    ("aigc", "video-training"): ("frames", "micro_batch"),
    ("speech", "transcription"): ("batch", "weight_format"),
    ("speech", "training"): ("batch",),
    ("vision", "training"): ("image_size", "batch"),
    ("vision", "inference"): ("image_size", "batch"),
    ("science", "simulation"): ("cells", "precision"),
    ("science", "structure-prediction"): ("tokens",),
}
"""Task -> answers whose change is shown."""
MOST_BARS = 5


@dataclass(frozen=True, slots=True)
class Held:
    """What a variation leaves alone: the cards, and how the job lies over them."""

    card: Gpu
    count: int
    spread: Spread


@dataclass(frozen=True, slots=True)
class Bar:
    """One value of an answer. `need_gib` on each card; `href` leads to the result with it."""

    label: str
    need_gib: float
    width: str
    current: bool
    href: str
    fit: str
    key: str


@dataclass(frozen=True, slots=True)
class Multiple:
    """One answer varied; `usable`: where the card's line stands."""

    name: labels.Text
    bars: tuple[Bar, ...]
    usable: str


@dataclass(frozen=True, slots=True)
class Multiples:
    """Up to three answers varied on one card, on one ruler of `scale_gib`."""

    figures: tuple[Multiple, ...]
    scale_gib: float

    def __bool__(self) -> bool:
        return bool(self.figures)


@dataclass(frozen=True, slots=True)
class _Rung:
    value: Any
    need_gib: float
    fit: str
    query: str


def _changed(workload: Workload, axis: str, value: Any) -> dict[str, Any]:
    """The workload with one answer changed."""
    body = workload.to_dict()
    if axis == "method":
        body.pop("base_format", None)
    if axis == "size":
        return {**body, "width": value[0], "height": value[1]}
    return {**body, axis: value}


def _restored(workload: Workload, axis: str, first: Workload) -> dict[str, Any]:
    """The workload with one answer as it was at first, told or not."""
    names = {"size": ("width", "height"), "method": ("method", "base_format")}.get(axis, (axis,))
    told = first.to_dict()
    body = {name: value for name, value in workload.to_dict().items() if name not in names}
    return {**body, **{name: told[name] for name in names if name in told}}


def as_spread(body: Mapping[str, Any], spread: Spread) -> dict[str, Any]:
    """The same with its spread over the cards told, where nobody chose one: bars differ by their own answer alone."""
    key = (str(body["scenario"]), str(body["task"]))
    if field_of(*key, "sharding") is None or "sharding" in body:
        return dict(body)
    ways = (("zero3", spread.sharded), ("tensor", spread.tensor), ("pipeline", spread.pipeline))
    kept = next((name for name, cards in ways if cards > 1), None)
    if kept is None or (kept == "zero3" and key[1] == "inference"):
        return dict(body)
    return {**body, "sharding": kept}


def on_held(body: Mapping[str, Any], held: Held) -> Estimate:
    """The estimate of a workload on the held cards, spread as before where other answers still allow it. Raises WorkloadError."""
    try:
        prepared = prepare(as_spread(body, held.spread), library())
    except WorkloadError:
        prepared = prepare(body, library())
    return prepared.on(held.card, held.count, with_evidence=False)


def _current(workload: Workload, axis: str, assumed: Mapping[str, Any]) -> Any:
    if axis == "size":
        width, height = (workload.get(side) or assumed.get(side) for side in ("width", "height"))
        return (width, height) if width and height else None
    value = workload.get(axis, assumed.get(axis))
    if value is None and (field := field_of(workload.scenario, workload.task, axis)) is not None:
        value = field.default
    return value


def _taken(workload: Workload, held: Held) -> dict[str, Any]:
    """What the estimate took for answers nobody gave."""
    return {
        note.field: note.values.get("value") for note in on_held(workload.to_dict(), held).assumptions if note.field
    }


def _around(ladder: tuple[Any, ...], middle: Any, current: Any) -> list[Any]:
    """Up to five rungs round the middle one, the current one among them."""
    if not all(isinstance(rung, int) for rung in ladder) or not isinstance(middle, int | float):
        return [*ladder, *dict.fromkeys(one for one in (middle, current) if one is not None and one not in ladder)]
    rungs = sorted({*ladder, middle})
    place = rungs.index(middle)
    start = max(0, min(place - 2, len(rungs) - MOST_BARS))
    return sorted({*rungs[start : start + MOST_BARS], current})


def multiples(workload: Workload, held: Held, first: Workload | None = None) -> Multiples:
    """The answers that move the memory most, each varied alone on the held cards; the values shown are those near `first`'s own."""
    first = first or workload
    now, start = _taken(workload, held), _taken(first, held)
    found = []
    for axis in AXES.get((workload.scenario, workload.task), ()):
        current, middle = _current(workload, axis, now), _current(first, axis, start)
        if current is None and axis in ("cells", "atoms", "tokens", "image_size", "frames", "size"):
            continue
        bodies = {
            value: _restored(workload, axis, first) if value == middle else _changed(workload, axis, value)
            for value in _around(LADDERS[axis], middle, current)
        }
        rungs = list(_rungs(bodies, held))
        if len(rungs) > 1:
            found.append((axis, current, rungs))
    usable = held.card.usable_gib
    scale = usable * RULER
    return Multiples(tuple(_multiple(workload, *one, usable, scale) for one in found), scale)


def _rungs(bodies: Mapping[Any, Mapping[str, Any]], held: Held) -> Iterable[_Rung]:
    for value, body in bodies.items():
        try:
            answer, query = on_held(body, held), query_of(body)
        except (WorkloadError, ConfigTextError):
            continue
        if answer.memory is not None:
            yield _Rung(value, answer.memory.per_gpu_gib, answer.fit, query)


def _multiple(
    workload: Workload, axis: str, current: Any, rungs: Sequence[_Rung], usable: float, scale: float
) -> Multiple:
    words = (
        labels.Words(labels.FIELDS["image_size"].label)
        if axis == "size"
        else labels.field_words(workload.scenario, workload.task, axis)
    )
    bars = tuple(
        Bar(
            label=value_text(workload.scenario, workload.task, axis, rung.value),
            need_gib=rung.need_gib,
            width=charts.share(rung.need_gib, scale),
            current=rung.value == current,
            href=with_query("result", rung.query),
            fit=rung.fit,
            key=f"{axis}-{place}",
        )
        for place, rung in enumerate(rungs)
    )
    return Multiple(str(words.label), bars, charts.share(usable, scale))
