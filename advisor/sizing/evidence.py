"""Published measurements, indexed: which ones were taken on this work or near it.

Built once per library; asking is a scan over the few facts of one model.
"""

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from advisor.sizing.answer import Evidence
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.model_names import canonical_slug

Metric = Literal["memory", "speed"]
Exclude = Callable[["Fact"], bool]
"""True for the facts an estimate must not see (validation: the fact itself, its whole source)."""

ASIDE = frozenset({"scenario", "task", "demand", "schedule", "constraints", "priority", "stage"})
"""Parts of a workload that say how much, when and for whom, not what runs."""
SOFT_FIELDS: Mapping[str, float] = {
    "prompt_tokens": 0.35,
    "output_tokens": 0.2,
    "context_tokens": 0.25,
    "concurrency": 0.35,
    "sequence_tokens": 0.4,
    "micro_batch": 0.4,
    "batch": 0.35,
    "width": 0.5,
    "height": 0.5,
    "frames": 0.5,
    "image_size": 0.5,
    "image_tokens": 0.3,
    "images": 0.3,
    "lora_rank": 0.1,
    "atoms": 0.4,
    "cells": 0.2,
    "tokens": 0.4,
    "beam_size": 0.2,
    "streams": 0.3,
    "clip_seconds": 0.2,
    "steps": 0.02,
    "fps": 0.02,
    "gradient_accumulation": 0.05,
    "controlnets": 0.4,
    "loras": 0.2,
    "generations": 0.2,
    "completion_tokens": 0.2,
}
"""Sizes: how far apart two works are per doubling. A judgement, used to order what is shown and to fade what is borrowed."""
HARD_FIELDS: Mapping[str, float] = {
    "method": 2.0,
    "application": 4.0,
    "kind": 1.5,
    "system": 0.6,
    "weight_format": 0.7,
    "base_format": 0.7,
    "engine": 0.8,
    "framework": 0.8,
    "precision": 0.6,
    "sharding": 0.5,
    "optimizer": 0.4,
    "offload": 0.8,
    "gradient_checkpointing": 0.5,
    "objective": 0.6,
}
OTHER_FIELD = 0.25
"""Distance of any other field that differs."""
OTHER_CARD = 0.3
OTHER_MODEL = 2.0
MOST_REMEMBERED = 256
"""Cards and counts for which one work's evidence is kept."""


def repository_of(source: str) -> str:
    """The publication behind a source: `owner/name` of a repository, or the start of the address. One publication is one source."""
    found = re.match(r"([\w.-]+/[\w.-]+)(?=@|\s|,|$)", source)
    return found.group(1) if found else source[:60]


@dataclass(frozen=True, slots=True, eq=False)
class Fact:
    """One published measurement. `value` in `unit`: GiB per card for memory, any unit of speed or seconds otherwise."""

    id: str
    workload: Mapping[str, Any]
    gpu: str | None
    count: int
    metric: Metric
    value: float
    unit: str
    source: str
    repository: str
    software: str
    quality: str
    bound: str | None
    trust: str
    phase: str | None
    usable_for: frozenset[str]
    row: Mapping[str, Any]
    work: Mapping[str, Any]
    model: str | None
    """Slug in the library where it has one, else as the source's row names it; the application of a simulation."""

    @property
    def exact(self) -> bool:
        """A measured value fit for tests, neither a bound nor a wish."""
        return bool(self.usable_for) and self.bound is None and self.quality == "measured"

    @property
    def scenario_task(self) -> tuple[str, str]:
        """What kind of work."""
        return self.workload["scenario"], self.workload["task"]


def _model_of(workload: Mapping[str, Any], models: Collection[str]) -> str | None:
    model = workload.get("model")
    if not isinstance(model, str):
        return workload.get("application")
    return canonical_slug(model, models) or model


def fact_of(row: Mapping[str, Any], models: Collection[str] = ()) -> Fact:
    """A row of the measurements file as a `Fact`. Seconds whose row derives a throughput are read as that throughput.

    `models`: slugs of the library, so that a fact stands under the name customers use.
    """
    memory = row["metric"] == "memory_gib_per_gpu"
    derived = row.get("derived")
    value, unit = (derived["value"], derived["unit"]) if derived else (row["value"], row["unit"])
    source = row["source"] if isinstance(row["source"], str) else str(row["source"])
    return Fact(
        id=row["id"],
        workload=row["workload"],
        gpu=row.get("gpu"),
        count=row.get("count") or 1,
        metric="memory" if memory else "speed",
        value=float(value),
        unit=unit,
        source=source,
        repository=repository_of(source),
        software=row.get("software") or "",
        quality=row.get("quality") or "",
        bound=row.get("bound"),
        trust=row.get("trust") or "",
        phase=row.get("phase"),
        usable_for=frozenset(row.get("usable_for") or ()),
        row=row,
        work=work_of(row["workload"]),
        model=_model_of(row["workload"], models),
    )


Work = Mapping[str, Any]
"""Every field that matters of a workload, as given or as assumed; no amounts, no schedule."""


def work_of(workload: Mapping[str, Any], assumed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The fields of a workload that say what runs, completed by what was assumed."""
    work = {key: value for key, value in (assumed or {}).items() if key not in ASIDE}
    work.update((key, value) for key, value in workload.items() if key not in ASIDE and value is not None)
    return work


def _size(value: Any) -> float | None:
    kind = type(value)
    if kind is int or kind is float:
        return float(value)
    if (kind is list or kind is tuple) and len(value) == 2:
        return math.sqrt(float(value[0]) * float(value[1]))
    return None


def _field_distance(name: str, mine: Any, theirs: Any) -> float:
    soft = SOFT_FIELDS.get(name)
    if mine is None or theirs is None:
        return 0.3 * (soft or HARD_FIELDS.get(name, OTHER_FIELD))
    if soft is not None:
        a, b = _size(mine), _size(theirs)
        if a is not None and b is not None:
            return soft * abs(math.log2(a / b)) if a > 0 and b > 0 else soft
    return HARD_FIELDS.get(name, OTHER_FIELD)


def work_distance(mine: Work, theirs: Work) -> float:
    """How unlike two works of one model are: 0 the same, about 1 another engine or a size four times apart.

    A field only one of the two states counts a third.
    """
    apart = 0.0
    for name, value in mine.items():
        other = theirs.get(name)
        if other != value and name != "model":
            apart += _field_distance(name, value, other)
    for name, value in theirs.items():
        if name not in mine:
            apart += _field_distance(name, None, value)
    return apart


def card_distance(asked: Gpu, count: int, fact: Fact, gpus: Mapping[str, Gpu]) -> float:
    """0 on the same card and count; grows with the ratio of bandwidths and the ratio of counts."""
    apart = 0.25 * abs(math.log2(count / fact.count))
    if fact.gpu == asked.slug:
        return apart
    other = gpus.get(fact.gpu or "")
    if other is None:
        return apart + 2 * OTHER_CARD
    ratio = abs(math.log2(asked.memory_bandwidth_gb_s / other.memory_bandwidth_gb_s))
    return apart + OTHER_CARD + 0.1 * ratio + (0.0 if other.architecture == asked.architecture else 0.1)


@dataclass(frozen=True, slots=True)
class FactIndex:
    """Facts by what was run. `by_model` keys: (scenario, task, model or application)."""

    facts: tuple[Fact, ...]
    by_model: Mapping[tuple[str, str, str | None], tuple[Fact, ...]]
    by_task: Mapping[tuple[str, str], tuple[Fact, ...]]
    by_id: Mapping[str, Fact]
    sizes: Mapping[str, float] = field(default_factory=dict)

    def of_model(self, scenario: str, task: str, model: str | None) -> tuple[Fact, ...]:
        """Facts of one model (science: application) in one task."""
        return self.by_model.get((scenario, task, model), ())


def build_index(library: Library) -> FactIndex:
    """Index of the library's facts. Cost: one pass."""
    by_model: dict[tuple[str, str, str | None], list[Fact]] = {}
    by_task: dict[tuple[str, str], list[Fact]] = {}
    facts = tuple(fact_of(row, library.models) for row in library.facts)
    for fact in facts:
        scenario, task = fact.scenario_task
        by_model.setdefault((scenario, task, fact.model), []).append(fact)
        by_task.setdefault((scenario, task), []).append(fact)
    return FactIndex(
        facts=facts,
        by_model={key: tuple(found) for key, found in by_model.items()},
        by_task={key: tuple(found) for key, found in by_task.items()},
        by_id={fact.id: fact for fact in facts},
        sizes={slug: size for slug, row in library.models.items() if (size := _parameters(row)) is not None},
    )


def _parameters(row: Mapping[str, str]) -> float | None:
    for column in ("params_b", "denoiser_params_b"):
        try:
            return float(row.get(column) or "")
        except ValueError:
            continue
    return None


def _kin(
    index: FactIndex, scenario: str, task: str, model: str | None, size_b: float | None
) -> Iterator[tuple[float, Fact]]:
    """Facts of other models of the task with how unlike the model is, nearest sizes first."""
    for other in {fact.model for fact in index.by_task.get((scenario, task), ())}:
        theirs = index.sizes.get(other or "")
        if other == model or theirs is None or size_b is None:
            continue
        apart = OTHER_MODEL + abs(math.log2(theirs / size_b))
        if apart < OTHER_MODEL + 1.0:
            for fact in index.of_model(scenario, task, other):
                yield apart, fact


def title_of(fact: Fact) -> str:
    """What was run, in the contract's own words: model, formats, sizes, software. The same in every language."""
    said = [str(fact.model or "")]
    said.extend(
        f"{name}={value}"
        for name, value in fact.workload.items()
        if name not in ASIDE and name not in ("model", "application")
    )
    return " · ".join(said)


def evidence_of(fact: Fact, distance: float) -> Evidence:
    """A fact as an answer shows it."""
    return Evidence(
        id=fact.id,
        gpu=fact.gpu,
        count=fact.count,
        metric=fact.metric if fact.metric == "memory" else ("seconds" if fact.unit == "seconds" else "speed"),
        value=fact.value,
        unit=fact.unit,
        source=fact.source,
        what=title_of(fact),
        distance=round(distance, 3),
        bound=fact.bound,
    )


@dataclass(frozen=True, slots=True)
class Around:
    """What to look for: a work of one task, by model and size, and what must not be seen."""

    scenario: str
    task: str
    work: Work
    size_b: float | None
    exclude: Exclude | None = None

    @property
    def model(self) -> str | None:
        """Model slug or application."""
        model = self.work.get("model")
        return model if isinstance(model, str) else self.work.get("application")


NEAREST = 24
"""Facts nearest in work among which the nearest in card are looked for."""


class Nearby:
    """The facts around one work, nearest first; looked up at the first asking, weighed once per card and count."""

    __slots__ = ("_around", "_found", "_gpus", "_index", "_told")

    def __init__(self, index: FactIndex, around: Around, gpus: Mapping[str, Gpu]) -> None:
        self._index = index
        self._around = around
        self._gpus = gpus
        self._found: tuple[tuple[float, Fact], ...] | None = None
        self._told: dict[tuple[str, int], tuple[Evidence, ...]] = {}

    @property
    def found(self) -> tuple[tuple[float, Fact], ...]:
        """Facts by distance of the work alone: of the same model; of like-sized ones where fewer than three are known.

        Rows marked for no test are shown to nobody.
        """
        if self._found is None:
            self._found = tuple(sorted(self._look(), key=lambda pair: (pair[0], pair[1].id)))
        return self._found

    def _look(self) -> Iterator[tuple[float, Fact]]:
        around = self._around
        own = [(0.0, fact) for fact in self._index.of_model(around.scenario, around.task, around.model)]
        seen = [fact for _, fact in _usable(own, around.exclude)]
        yield from ((work_distance(around.work, fact.work), fact) for fact in seen)
        if len(seen) < 3:
            kin = _kin(self._index, around.scenario, around.task, around.model, around.size_b)
            for apart, fact in _usable(kin, around.exclude):
                yield apart + work_distance(around.work, fact.work), fact

    def on(self, gpu: Gpu, count: int, limit: int = 3) -> tuple[Evidence, ...]:
        """Up to `limit` facts nearest to this work on this card: at least one of memory and one of speed where there are."""
        key = (gpu.slug, count)
        if key not in self._told or self._gpus.get(gpu.slug) is not gpu:
            told = self._weigh(gpu, count, limit)
            if len(self._told) >= MOST_REMEMBERED:
                return told
            self._told[key] = told
        return self._told[key]

    def _weigh(self, gpu: Gpu, count: int, limit: int) -> tuple[Evidence, ...]:
        ranked = sorted(
            ((apart + card_distance(gpu, count, fact, self._gpus), fact) for apart, fact in self._candidates()),
            key=lambda pair: (pair[0], pair[1].id),
        )
        chosen: list[tuple[float, Fact]] = []
        for metric in ("memory", "speed"):
            chosen.extend([pair for pair in ranked if pair[1].metric == metric][:1])
        chosen.extend(pair for pair in ranked if pair not in chosen)
        return tuple(evidence_of(fact, apart) for apart, fact in sorted(chosen[:limit], key=lambda pair: pair[0]))

    def _candidates(self) -> Iterator[tuple[float, Fact]]:
        for metric in ("memory", "speed"):
            yield from [pair for pair in self.found if pair[1].metric == metric][:NEAREST]


def _usable(pairs: Iterable[tuple[float, Fact]], exclude: Exclude | None) -> Iterator[tuple[float, Fact]]:
    for apart, fact in pairs:
        if fact.usable_for and not (exclude and exclude(fact)):
            yield apart, fact
