"""Small multiples: how the memory follows one answer while the others stay, on the recommended card."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from advisor import charts, labels
from advisor.answers import ConfigTextError, query_of
from advisor.library import library
from advisor.pages.wizard import short_label, value_text, with_query
from advisor.recommendation import Choice
from advisor.sizing.answer import Spread
from advisor.sizing.estimate import prepare
from advisor.sizing.fields import field_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.workload import Workload, WorkloadError

ROOM = 1.2
"""Bars beyond the card are drawn up to so many times the usable memory, so that small ones stay readable."""

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
class Multiple:
    """One answer varied. `scale`: GiB at the end of the ruler. `usable`: the card's line."""

    name: labels.Text
    bars: tuple[charts.Bar, ...]
    usable: str
    scale: float


def _varied(workload: Workload, axis: str, value: Any, spread: Spread) -> dict[str, Any]:
    """The workload with one answer changed. The spread over cards stays: a bar may differ by its answer alone."""
    body = workload.to_dict()
    if field_of(workload.scenario, workload.task, "sharding") is not None and "sharding" not in body:
        kept = (
            "zero3"
            if spread.sharded > 1
            else "tensor"
            if spread.tensor > 1
            else "pipeline"
            if spread.pipeline > 1
            else None
        )
        if kept and not (kept == "zero3" and workload.task == "inference"):
            body["sharding"] = kept
    if axis == "method":
        body.pop("base_format", None)
    if axis == "size":
        return {**body, "width": value[0], "height": value[1]}
    return {**body, axis: value}


def _current(workload: Workload, axis: str, assumed: Mapping[str, Any]) -> Any:
    if axis == "size":
        width, height = (workload.get(side) or assumed.get(side) for side in ("width", "height"))
        return (width, height) if width and height else None
    value = workload.get(axis, assumed.get(axis))
    if value is None and (field := field_of(workload.scenario, workload.task, axis)) is not None:
        value = field.default
    return value


def _around(ladder: tuple[Any, ...], current: Any) -> list[Any]:
    """Up to five rungs, the current one among them."""
    if not all(isinstance(rung, int) for rung in ladder) or not isinstance(current, int | float):
        return list(ladder) if current in ladder or current is None else [*ladder, current]
    rungs = sorted({*ladder, current})
    middle = rungs.index(current)
    start = max(0, min(middle - 2, len(rungs) - MOST_BARS))
    return rungs[start : start + MOST_BARS]


def multiples(workload: Workload, choice: Choice, card: Gpu) -> tuple[Multiple, ...]:
    """Up to three small multiples for the task, on one ruler."""
    axes = AXES.get((workload.scenario, workload.task), ())
    assumed = {note.field: note.values.get("value") for note in choice.estimate.assumptions if note.field}
    found = []
    for axis in axes:
        current = _current(workload, axis, assumed)
        if current is None and axis in ("cells", "atoms", "tokens", "image_size", "frames", "size"):
            continue
        needs = list(_needs(workload, axis, _around(LADDERS[axis], current), choice, card))
        if len(needs) > 1:
            found.append((axis, current, needs))
    usable = card.usable_gib
    scale = (
        min(
            max([usable, *(need for _a, _c, needs in found for _v, need, _f, _q in needs)], default=usable),
            usable * 2.5,
        )
        * 1.05
    )
    return tuple(_multiple(workload, axis, current, needs, usable, scale) for axis, current, needs in found)


def _needs(
    workload: Workload, axis: str, values: Iterable[Any], choice: Choice, card: Gpu
) -> Iterable[tuple[Any, float, str, str]]:
    for value in values:
        try:
            body = _varied(workload, axis, value, choice.estimate.spread)
            answer = prepare(body, library()).on(card, choice.count, with_evidence=False)
            query = query_of(body)
        except (WorkloadError, ConfigTextError):
            continue
        if answer.memory is not None:
            yield value, answer.memory.per_gpu_gib, answer.fit, query


def _multiple(
    workload: Workload, axis: str, current: Any, needs: list[tuple[Any, float, str, str]], usable: float, scale: float
) -> Multiple:
    words = (
        labels.Words(labels.FIELDS["image_size"].label)
        if axis == "size"
        else labels.field_words(workload.scenario, workload.task, axis)
    )
    bars = tuple(
        charts.Bar(
            label=value_text(workload.scenario, workload.task, axis, value),
            value=need,
            width=charts.share(need, scale),
            current=value == current,
            query=with_query("result", query),
            fit=fit,
        )
        for value, need, fit, query in needs
    )
    return Multiple(short_label(words.label), bars, charts.share(usable, scale), scale)
