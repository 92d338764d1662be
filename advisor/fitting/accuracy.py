"""How good the answers are, from trials: errors, coverage, ranking, transfer between cards, scaling, false fits, the worst."""

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any

from advisor.fitting.intervals import quantile
from advisor.fitting.trials import Laboratory, Mode, Trial, against, card_of
from advisor.sizing.anchor import split
from advisor.sizing.evidence import Fact
from advisor.sizing.gpu import Gpu

APART = 1.10
"""Two cards are ranked only where the measurements differ by more than this."""
SPREAD_FIELDS = frozenset({"sharding", "sequence_parallel", "offload"})
"""Fields a source changes when it goes from one card to several."""
SMALL_ATOMS, BIG_ATOMS = 30_000, 150_000
"""Sizes of molecular dynamics: below the first the launch rate decides, above the second the card."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row of the accuracy table. Errors as shares of the measured value."""

    name: str
    facts: int
    median: float
    p90: float
    coverage: float | None
    sources: int


def median_and_p90(errors: Iterable[float]) -> tuple[float, float]:
    """Median and 90th percentile (linear between neighbours) of absolute errors."""
    ordered = sorted(map(abs, errors))
    return statistics.median(ordered), quantile(ordered, 0.9)


def line(name: str, trials: Sequence[Trial]) -> Line:
    """One row over some trials; coverage without tokens of the prompt, which carry no interval."""
    median, p90 = median_and_p90(trial.error for trial in trials)
    held = [trial.inside for trial in trials if not trial.kind.endswith(":prompt")]
    return Line(
        name=name,
        facts=len(trials),
        median=median,
        p90=p90,
        coverage=sum(held) / len(held) if held else None,
        sources=len({trial.fact.repository for trial in trials}),
    )


def _is_memory(*tasks: str) -> Callable[[Trial], bool]:
    return lambda trial: trial.fact.metric == "memory" and trial.fact.workload["task"] in tasks


def _is_llm_training(trial: Trial) -> bool:
    return trial.fact.scenario_task == ("llm", "training")


def _is_decode(trial: Trial) -> bool:
    fact = trial.fact
    return fact.scenario_task == ("llm", "inference") and fact.metric == "speed" and fact.phase != "prompt"


TARGETS: Mapping[str, Callable[[Trial], bool]] = {
    "memory: LLM inference": lambda t: t.fact.metric == "memory" and t.fact.scenario_task == ("llm", "inference"),
    "memory: LoRA and QLoRA": lambda t: (
        t.fact.metric == "memory" and _is_llm_training(t) and t.fact.workload["method"] != "full"
    ),
    "memory: full training": lambda t: (
        t.fact.metric == "memory" and _is_llm_training(t) and t.fact.workload["method"] == "full"
    ),
    "memory: image and video generation": _is_memory("image-generation", "image-editing", "video-generation"),
    "memory: image and video training": _is_memory("image-training", "video-training"),
    "memory: speech": lambda t: t.fact.metric == "memory" and t.fact.workload["scenario"] == "speech",
    "memory: vision": lambda t: t.fact.metric == "memory" and t.fact.workload["scenario"] == "vision",
    "speed: LLM decode": _is_decode,
    "speed: LLM training, one card": lambda t: t.fact.metric == "speed" and _is_llm_training(t) and t.fact.count == 1,
    "speed: LLM training, several cards": lambda t: (
        t.fact.metric == "speed" and _is_llm_training(t) and t.fact.count > 1
    ),
}
"""Rows that are promised, each with the trials it is taken over."""


def target_lines(trials: Sequence[Trial]) -> list[Line]:
    """The promised rows."""
    rows = ((name, [trial for trial in trials if holds(trial)]) for name, holds in TARGETS.items())
    return [line(name, found) for name, found in rows if found]


def task_lines(trials: Sequence[Trial]) -> list[Line]:
    """A row per scenario, task and metric."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        scenario, task = trial.fact.scenario_task
        groups[f"{scenario} / {task} / {trial.fact.metric}"].append(trial)
    return [line(name, found) for name, found in sorted(groups.items())]


def tier_lines(trials: Sequence[Trial]) -> list[Line]:
    """A row per metric and tier."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        groups[f"{trial.fact.metric} / {trial.tier}"].append(trial)
    return [line(name, found) for name, found in sorted(groups.items())]


def worst(trials: Iterable[Trial], limit: int = 10) -> list[Trial]:
    """The trials furthest off, in logs."""
    return sorted(trials, key=lambda trial: -abs(trial.log_ratio))[:limit]


def speed_of(laboratory: Laboratory, fact: Fact, mode: Mode, exclude: Callable[[Fact], bool]) -> Trial | None:
    """A speed fact predicted with the facts of `exclude` unseen."""
    gpu = card_of(fact, laboratory.library.gpus)
    prepared = laboratory.prepared(fact, mode, exclude) if gpu else None
    return against(fact, mode, prepared, gpu) if gpu and prepared else None


def _rankable(facts: Iterable[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """Pairs of cards on the same work: one group, one count, measured more than 10 % apart."""
    groups: dict[tuple[str, int], list[Fact]] = defaultdict(list)
    for fact in facts:
        group = fact.row.get("group")
        if fact.metric == "speed" and group and fact.exact and "ranking" in fact.usable_for:
            groups[group, fact.count].append(fact)
    for members in groups.values():
        for one, other in combinations(members, 2):
            apart = max(one.value / other.value, other.value / one.value)
            if one.gpu != other.gpu and one.unit == other.unit and apart > APART:
                yield one, other


def ranking(laboratory: Laboratory, mode: Mode) -> dict[str, tuple[int, int]]:
    """Scenario -> (pairs ranked rightly, pairs), both facts of a pair left out (or their whole source)."""
    score: dict[str, list[bool]] = defaultdict(list)
    for one, other in _rankable(laboratory.facts):
        pair = {one.id, other.id}
        unseen = _of_source(one.repository) if mode == "source" else _among(pair)
        mine, theirs = (speed_of(laboratory, fact, mode, unseen) for fact in (one, other))
        if mine is None or theirs is None:
            continue
        score[one.workload["scenario"]].append(
            (mine.predicted > theirs.predicted) == (one.value > other.value) and mine.predicted != theirs.predicted
        )
    return {scenario: (sum(hits), len(hits)) for scenario, hits in sorted(score.items())}


def _among(ids: set[str]) -> Callable[[Fact], bool]:
    return lambda fact: fact.id in ids


def _of_source(repository: str) -> Callable[[Fact], bool]:
    return lambda fact: fact.repository == repository


def transfer_kind(fact: Fact) -> str | None:
    """The promised class of card transfer a fact belongs to."""
    scenario, task = fact.scenario_task
    if scenario == "aigc":
        return "video" if task.startswith("video") else "image"
    if scenario in ("vision", "speech"):
        return scenario
    if scenario == "llm":
        return f"llm {task}"
    if fact.workload.get("application") == "cfd-lbm":
        return "lattice Boltzmann"
    atoms = fact.workload.get("atoms") or 0
    if task != "simulation" or not atoms:
        return None
    return "small molecular dynamics" if atoms < SMALL_ATOMS else "big molecular dynamics"


def transfer(laboratory: Laboratory) -> list[Line]:
    """Known work, unknown card: every fact of the card left out, the same work measured on other cards kept."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for fact in laboratory.facts:
        kind = transfer_kind(fact)
        if fact.metric != "speed" or not fact.exact or fact.count != 1 or kind is None or fact.phase == "prompt":
            continue
        trial = laboratory.trial(fact, "card")
        if trial is not None and trial.tier == "anchored":
            groups[kind].append(trial)
    return [line(name, found) for name, found in sorted(groups.items())]


def link_of(fact: Fact, gpu: Gpu) -> str:
    """How the cards of a fact are joined: as said, else by the board."""
    return str(fact.row.get("link") or ("nvlink" if gpu.nvlink_group >= fact.count else "pcie"))


def scaling(laboratory: Laboratory) -> list[Line]:
    """Speed-up over one card, measured against predicted; no fact with several cards is seen."""
    groups: dict[str, list[Trial]] = defaultdict(list)
    for one, many in _scaled(laboratory.facts):
        gpu = card_of(many, laboratory.library.gpus)
        prepared = laboratory.prepared(many, "fact", lambda fact: fact.count > 1)
        if gpu is None or prepared is None:
            continue
        alone, together = against(one, "fact", prepared, gpu), against(many, "fact", prepared, gpu)
        if alone and together:
            gain = together.log_ratio - alone.log_ratio
            found = replace(together, log_ratio=gain)
            groups[f"{link_of(many, gpu)} x{many.count}"].append(found)
    return [line(name, found) for name, found in sorted(groups.items())]


def _scaled(facts: Iterable[Fact]) -> Iterator[tuple[Fact, Fact]]:
    """(one card, several cards) of the same group and card kind."""
    groups: dict[tuple[str, str | None], list[Fact]] = defaultdict(list)
    for fact in facts:
        if fact.metric == "speed" and fact.exact and "scaling" in fact.usable_for:
            for group in {fact.row.get("group"), fact.row.get("loose_group")} - {None}:
                groups[str(group), fact.gpu].append(fact)
    seen: set[tuple[str, str]] = set()
    for members in groups.values():
        for alone, many in product(members, members):
            pair = (alone.id, many.id)
            if alone.count == 1 < many.count and pair not in seen and _alike(alone, many):
                seen.add(pair)
                yield alone, many


def _alike(one: Fact, many: Fact) -> bool:
    """The same work, how it is spread over cards aside."""
    mine, theirs = (split(fact.workload, "speed") for fact in (one, many))
    return mine[1] == theirs[1] and _without_spread(mine[0]) == _without_spread(theirs[0])


def _without_spread(settings: Sequence[tuple[str, Any]]) -> tuple[tuple[str, Any], ...]:
    return tuple(part for part in settings if part[0] not in SPREAD_FIELDS)


def false_fits(laboratory: Laboratory, mode: Mode, cards: Iterable[Gpu]) -> dict[str, list[str]]:
    """Answers `fits` on a card that holds less than what was measured: by `bound` facts and by `measured` ones."""
    sizes = sorted({card.usable_gib: card for card in cards}.values(), key=lambda card: card.usable_gib)
    found: dict[str, list[str]] = {"bound": [], "measured": []}
    for fact in laboratory.facts:
        if (
            fact.metric != "memory"
            or not fact.usable_for
            or fact.quality != "measured"
            or fact.bound not in (None, "at_least")
        ):
            continue
        prepared = laboratory.prepared(fact, mode)
        if prepared is None:
            continue
        for card in sizes:
            if card.usable_gib < fact.value and prepared.on(card, fact.count, with_evidence=False).fit == "fits":
                found["bound" if fact.bound else "measured"].append(f"{fact.id}@{card.slug}")
    return found


def trial_dict(trial: Trial) -> dict[str, Any]:
    """A trial as the accuracy page draws it."""
    fact = trial.fact
    return {
        "id": fact.id,
        "scenario": fact.workload["scenario"],
        "task": fact.workload["task"],
        "model": fact.model,
        "gpu": fact.gpu,
        "count": fact.count,
        "metric": fact.metric,
        "unit": fact.unit,
        "measured": fact.value,
        "predicted": float(f"{trial.predicted:.4g}"),
        "error": round(trial.error, 4),
        "tier": trial.tier,
        "inside": trial.inside,
        "source": fact.source,
    }


def line_dict(row: Line) -> dict[str, Any]:
    """A row as data."""
    return {
        "name": row.name,
        "facts": row.facts,
        "median": round(row.median, 4),
        "p90": round(row.p90, 4),
        "coverage": None if row.coverage is None else round(row.coverage, 4),
        "sources": row.sources,
    }


def finite(value: float) -> bool:
    """Whether a figure can be drawn."""
    return math.isfinite(value) and value > 0
