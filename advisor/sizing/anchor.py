"""What measurements of the same work, or of its near kin, say about a computed figure.

Measured / computed is looked at for every fact of the model on the same software stack. Two things follow:

- a **correction** of the computed figure: the mean of those ratios (in logs), drawn towards 1 where facts are few. Memory uses one
  correction per model, method and formats whatever the sizes, speed one that fades with the distance between sizes but knows no card:
  so more context never needs less memory and a better card is never slower;
- **brackets**: memory is at least what a smaller work of the same kind took and at most what a larger one took; a card that is better
  in every figure is at least as fast as a measured lesser one. The answer is the median of lower bracket, upper bracket and
  corrected figure: a monotone function of the sizes (of the card), and the measured value itself where the very work was measured.
"""

import math
import re
import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.sizing.answer import Tier
from advisor.sizing.calibration import Basis
from advisor.sizing.comparison import SECONDS_UNITS, speed_ratio
from advisor.sizing.disagreement import SUPERSEDED, of_replaced_release
from advisor.sizing.evidence import HARD_FIELDS, OTHER_FIELD, SOFT_FIELDS, Exclude, Fact, Metric, Work, work_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Job, Load, Rate

NO_MATTER: Mapping[Metric, frozenset[str]] = {
    "memory": frozenset({"steps", "fps", "gradient_accumulation", "model", "scenario", "task"}),
    "speed": frozenset({"fps", "model", "scenario", "task"}),
}
"""Fields that do not move the figure."""
MODEL_PRIOR = {"memory": 1.0, "speed": 1.0}
"""Facts' worth of belief in the formula itself, against facts of the same model and stack."""
SETTING_PRIOR = {"memory": 1.0, "speed": 1.0}
"""Facts' worth of belief in the model's correction, against facts with the same settings."""
SPLIT_OVER_CARDS = frozenset({"zero1", "zero2", "zero3", "fsdp", "tensor", "pipeline"})
"""Ways of sharing under which more cards never need more per card."""
ANY_CARD = "a100-sxm-80g"
"""Card of memory facts whose source names none: memory hardly depends on it."""
FEWEST_KIN = 3
"""Other models below which nothing is learnt from them."""
KIN_PRIOR = 2.0
"""Models' worth of belief in the formula itself, against other models on the stack."""
FADE = 0.6
"""Distance (see `evidence.SOFT_FIELDS`) over which a fact's weight for speed falls to 1/e."""
NEAR_WEIGHT = 0.8
"""Weight of facts from which a speed counts as measured near by."""
SAME_WORK = 0.999
"""Weight above which a fact was taken on the very work."""
SAME_PRIOR = 0.15
"""Facts' worth of belief in what near works say, against facts of the very work."""
KNOWN_WEIGHT = 0.3
"""Weight of facts from which a speed counts as known on its stack."""
HEARSAY = 0.3
"""Weight of what one user reports (trust C) against a measurement of the makers or one with its method told; it is no bound for other cards."""
COUNT_APART = 0.4
"""Distance of a doubling of cards."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A work as (settings, sizes): settings must agree, sizes may be more or less."""

    settings: tuple[tuple[str, Any], ...]
    sizes: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Modelled:
    """A fact beside what the formula says of it. `log_ratio` = ln(measured / computed), for speed in work per second."""

    fact: Fact
    work: Work
    kind: str
    stack: str | None
    log_ratio: float
    computed: float
    """GiB, or work per second in the unit of the computed speed."""
    shape: Shape

    @property
    def measured(self) -> float:
        """The measurement in the unit of `computed`."""
        return self.computed * math.exp(self.log_ratio)


@dataclass(frozen=True, slots=True)
class Anchored:
    """A figure after the facts had their say.

    `factor` on the computed figure (work per second for speed); `same_work`: facts of the very work (speed: on this card);
    `floor`: GiB that a measured lesser or equal work needed at least; `known`: facts of the model on this stack.
    """

    factor: float
    tier: Tier
    same_work: tuple[Modelled, ...] = ()
    known: int = 0
    floor: float | None = None
    elsewhere: bool = False
    """Measured, but on other cards than the one asked."""
    near: bool = False
    """The model was measured on the stack with the same settings, in other sizes."""

    @property
    def basis(self) -> Basis:
        """What the interval rests on."""
        if self.tier == "anchored":
            return "transferred" if self.elsewhere else "anchored"
        return "near" if self.near and self.tier == "known-stack" else self.tier


def per_second(rate: Rate) -> float:
    """A speed as work per second, whichever way its unit points."""
    return 1 / rate.value if rate.unit in SECONDS_UNITS else rate.value


def plain_size(value: Any) -> float | None:
    """A size as one number: pixels of `[height, width]` as the side of a square of the same area."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return math.sqrt(float(value[0]) * float(value[1]))
    return None


def split(work: Work, metric: Metric) -> tuple[tuple[tuple[str, Any], ...], tuple[tuple[str, float], ...]]:
    """A work as (settings, sizes): settings must agree, sizes may be more or less. Off, none and not said are one."""
    settings: list[tuple[str, Any]] = []
    sizes: list[tuple[str, float]] = []
    for name in sorted(work):
        value = work[name]
        if name in NO_MATTER[metric] or value in (None, False, "none", 0):
            continue
        if name in ("atoms", "cells") and work.get("system"):
            continue  # a named benchmark has its size
        size = plain_size(value) if name in SOFT_FIELDS else None
        if size is not None:
            sizes.append((name, size))
        else:
            settings.append((name, tuple(value) if isinstance(value, list) else value))
    return tuple(settings), tuple(sizes)


def _at_most(small: Mapping[str, float], large: Mapping[str, float]) -> bool:
    """Whether no size of `small` is above that of `large`. A size only one of them states is taken as equal."""
    return all(size <= large.get(name, size) for name, size in small.items())


def _sizes_apart(mine: Mapping[str, float], theirs: Mapping[str, float]) -> float:
    return sum(
        SOFT_FIELDS[name] * abs(math.log2(mine[name] / theirs[name])) if name in mine and name in theirs else 0.1
        for name in mine.keys() | theirs.keys()
    )


def better_card(better: Gpu, worse: Gpu) -> bool:
    """Whether a card is at least as good in every figure the sheets of both name."""
    pairs = (
        (better.memory_bandwidth_gb_s, worse.memory_bandwidth_gb_s),
        (better.fp32_tflops, worse.fp32_tflops),
        (better.boost_clock_mhz, worse.boost_clock_mhz),
        (better.sm_count, worse.sm_count),
        (better.vram_gb, worse.vram_gb),
        (better.fp64_tflops, worse.fp64_tflops),
        (better.fp16_tensor_fp32acc_tflops or 0.0, worse.fp16_tensor_fp32acc_tflops or 0.0),
        (better.tf32_tensor_tflops or 0.0, worse.tf32_tensor_tflops or 0.0),
        (better.fp8_tensor_tflops or 0.0, worse.fp8_tensor_tflops or 0.0),
        (better.nvlink_gb_s, worse.nvlink_gb_s),
    )
    return all(a >= b for a, b in pairs if a is not None and b is not None)


def _mean(pairs: Iterable[tuple[float, float]], prior: float, belief: float) -> float:
    """Weighted mean of (weight, value) with `belief` facts' worth of weight on `prior`."""
    weight, total = belief, belief * prior
    for share, value in pairs:
        weight += share
        total += share * value
    return total / weight


def _median(a: float, b: float, c: float) -> float:
    return max(min(a, b), min(max(a, b), c))


def _tier(same: bool, known: bool, stack: str | None, stack_said: bool) -> Tier:
    if not stack_said:
        return "unknown-stack"
    if same:
        return "anchored"
    if known:
        return "known-stack"
    return "new-model" if stack is not None else "unknown-stack"


def _is_floor(fact: Fact) -> bool:
    """Facts whose work needs at least what was measured."""
    return bool(fact.usable_for) and fact.quality == "measured" and fact.bound in (None, "at_least")


def _corrects(fact: Fact) -> bool:
    """Facts whose ratio to the formula says something of today's software."""
    return fact.exact and not of_replaced_release(fact)


def _is_ceiling(fact: Fact) -> bool:
    """Facts whose work needs at most what was measured on the fullest card."""
    return (
        bool(fact.usable_for)
        and fact.quality == "measured"
        and fact.bound in (None, "at_most", "near_full")
        and not fact.row.get("divided_by_count")
    )


def shape_of(work: Work, metric: Metric) -> Shape:
    """What of a work moves a figure."""
    settings, sizes = split(work, metric)
    return Shape(settings, dict(sizes))


@dataclass(frozen=True, slots=True)
class _Bracket:
    """What the facts say of memory on a number of cards, whatever the formula computes."""

    log: float
    low: float
    top: float
    same: tuple[Modelled, ...]
    known: int
    near: bool


@dataclass(frozen=True, slots=True)
class _Pull:
    """What the facts say of speed on a number of cards, before the card."""

    log: float
    same: tuple[Modelled, ...]
    weight: float
    known: int


KinLog = Callable[[Metric, str, str | None], float]
"""(metric, kind, stack) -> ln(measured / computed) that other models on the stack suggest."""


def unrelated(metric: Metric, kind: str, stack: str | None) -> float:
    """Nothing is known of other models."""
    return 0.0


def trusted(fact: Fact) -> bool:
    """Facts that may correct an answer: fit for tests, and not of a release long replaced."""
    return bool(fact.usable_for) and fact.id not in SUPERSEDED


def family_of(model: str | None) -> str:
    """What a model's name says of its kin: `yolov5-s` -> `yolov5`, `swin-base` -> `swin`."""
    found = re.match(r"[a-z]+\d*", model or "")
    return found.group(0) if found else ""


def kin_log(others: Iterable[Modelled], model: str | None, kind: str, stack: str | None) -> float:
    """What other models say of the formula: the median over models of their own median, drawn towards none where models are few.

    On a known stack all its models count, else those of the same family by name.
    """
    logs: dict[str, list[float]] = {}
    family = family_of(model)
    for one in others:
        other = one.fact.model
        if one.kind != kind or one.stack != stack or other == model or not one.fact.exact or other is None:
            continue
        if stack is not None or family_of(other) == family:
            logs.setdefault(other, []).append(one.log_ratio)
    if len(logs) < FEWEST_KIN:
        return 0.0
    middle = statistics.median(statistics.median(values) for values in logs.values())
    return middle * len(logs) / (len(logs) + KIN_PRIOR)


class Anchors:
    """The facts of one model and task that stand beside one work."""

    __slots__ = (
        "_brackets",
        "_gpus",
        "_kin",
        "_memory",
        "_memory_shape",
        "_prompt",
        "_prompt_logs",
        "_pulls",
        "_speed",
        "_speed_shape",
    )

    def __init__(
        self,
        found: Iterable[Modelled],
        work: Work,
        gpus: Mapping[str, Gpu],
        exclude: Exclude | None = None,
        kin: KinLog = unrelated,
    ) -> None:
        """`found`: the model's facts; those of `exclude` are unseen. Tokens of the prompt alone are another speed, kept apart.

        `kin`: what other models say of a (metric, kind, stack).
        """
        self._kin = kin
        seen = [one for one in found if trusted(one.fact) and not (exclude and exclude(one.fact))]
        self._memory = [one for one in seen if one.fact.metric == "memory"]
        speeds = [one for one in seen if one.fact.metric == "speed" and one.fact.exact]
        self._speed = [one for one in speeds if one.fact.phase != "prompt"]
        self._prompt = [one for one in speeds if one.fact.phase == "prompt"]
        self._memory_shape, self._speed_shape = shape_of(work, "memory"), shape_of(work, "speed")
        self._gpus = gpus
        self._brackets: dict[tuple[str, str | None, int], _Bracket] = {}
        self._pulls: dict[tuple[str, str | None, int], _Pull] = {}
        self._prompt_logs: dict[tuple[str, str | None, int], float] = {}

    def on_memory(self, load: Load, count: int, computed_gib: float, *, stack_said: bool) -> Anchored:
        """Factor on a computed memory figure (GiB per card), and how well the work is known."""
        key = (load.kind, load.stack, count)
        if key not in self._brackets:
            self._brackets[key] = self._bracket(*key)
        told = self._brackets[key]
        settled = _median(told.low, told.top, computed_gib * math.exp(told.log))
        return Anchored(
            factor=settled / computed_gib,
            tier=_tier(bool(told.same), told.known > 0, load.stack, stack_said),
            same_work=told.same,
            known=told.known,
            floor=told.low or None,
            near=told.near,
        )

    def _bracket(self, kind: str, stack: str | None, count: int) -> _Bracket:
        kin = [one for one in self._memory if one.kind == kind and one.stack == stack]
        exact = [one for one in kin if _corrects(one.fact)]
        prior = self._kin("memory", kind, stack)
        model_log = _mean(_believed(exact), prior, MODEL_PRIOR["memory"])
        mine = self._memory_shape
        shared = dict(mine.settings).get("sharding") in SPLIT_OVER_CARDS
        alike = [
            one
            for one in kin
            if one.shape.settings == mine.settings and (shared or (one.fact.count > 1) == (count > 1))
        ]
        log = _mean(_believed(one for one in alike if _corrects(one.fact)), model_log, SETTING_PRIOR["memory"])
        lows = [
            one.fact.value
            for one in alike
            if _is_floor(one.fact)
            and _at_most(one.shape.sizes, mine.sizes)
            and (one.fact.count == count or (shared and one.fact.count > count))
        ]
        tops = [
            one.fact.value
            for one in alike
            if _is_ceiling(one.fact)
            and _at_most(mine.sizes, one.shape.sizes)
            and (one.fact.count == count or (shared and one.fact.count < count))
        ]
        near = [one for one in alike if one.fact.count == count]
        return _Bracket(
            log=log,
            low=max(lows, default=0.0),
            top=min(tops, default=math.inf),
            same=tuple(one for one in near if one.fact.exact and one.shape.sizes == mine.sizes),
            known=len(exact),
            near=any(one.fact.exact for one in alike),
        )

    def on_speed(self, rate: Rate, gpu: Gpu, count: int, *, stack_said: bool) -> Anchored:
        """Factor on a computed speed (work per second), and how well the work is known."""
        computed = per_second(rate)
        told = self._pulled(rate, count)
        sure = [one for one in told.same if not _is_hearsay(one.fact)]
        lows = [one.measured for one in sure if self._better(gpu, one.fact.gpu)]
        tops = [one.measured for one in sure if self._worse(gpu, one.fact.gpu)]
        settled = _median(max(lows, default=0.0), min(tops, default=math.inf), computed * math.exp(told.log))
        here = tuple(one for one in told.same if one.fact.gpu == gpu.slug)
        return Anchored(
            factor=settled / computed,
            tier=_tier(bool(told.same), told.weight > KNOWN_WEIGHT, rate.stack, stack_said),
            same_work=here,
            known=told.known,
            elsewhere=not here,
            near=told.weight > NEAR_WEIGHT,
        )

    def _pulled(self, rate: Rate, count: int) -> _Pull:
        key = (rate.kind, rate.stack, count)
        if key not in self._pulls:
            self._pulls[key] = self._pull(self._speed, *key)
        return self._pulls[key]

    def on_prompt(self, rate: Rate, count: int) -> float:
        """Factor on the computed speed of reading the prompt, from measurements of the prompt alone."""
        if not self._prompt:
            return 1.0
        key = (rate.kind, rate.stack, count)
        if key not in self._prompt_logs:
            self._prompt_logs[key] = self._pull(self._prompt, *key).log
        return math.exp(self._prompt_logs[key])

    def _pull(self, facts: Sequence[Modelled], kind: str, stack: str | None, count: int) -> _Pull:
        kin = [one for one in facts if one.kind == kind and one.stack == stack]
        weighed = [(math.exp(-_apart(one, self._speed_shape) / FADE), one) for one in kin]
        spread = [weight * _count_share(one, count) * _belief(one.fact) for weight, one in weighed]
        nearest = max((_count_share(one, count) for one in kin), default=1.0)
        far = _mean(
            ((weight, one.log_ratio) for weight, one in zip(spread, kin, strict=True)),
            0.0,
            MODEL_PRIOR["speed"] * nearest,
        )
        same = [one for weight, one in weighed if weight > SAME_WORK]
        near = _mean(
            ((_count_share(one, count) * _belief(one.fact), one.log_ratio) for one in same), far, SAME_PRIOR * nearest
        )
        return _Pull(
            log=near,
            same=tuple(one for one in same if one.fact.count == count),
            weight=sum(spread) / nearest,
            known=len(kin),
        )

    def _better(self, gpu: Gpu, slug: str | None) -> bool:
        other = self._gpus.get(slug or "")
        return other is not None and better_card(gpu, other)

    def _worse(self, gpu: Gpu, slug: str | None) -> bool:
        other = self._gpus.get(slug or "")
        return other is not None and better_card(other, gpu)


def _is_hearsay(fact: Fact) -> bool:
    return fact.trust == "C"


def _belief(fact: Fact) -> float:
    """Weight of a fact by who told it."""
    return HEARSAY if _is_hearsay(fact) else 1.0


def _believed(found: Iterable[Modelled]) -> Iterable[tuple[float, float]]:
    """(weight, ln(measured / computed)) of facts, whatever their sizes."""
    return ((_belief(one.fact), one.log_ratio) for one in found)


def _count_share(one: Modelled, count: int) -> float:
    """Weight of a fact taken on another number of cards."""
    return math.exp(-COUNT_APART * abs(math.log2(count / one.fact.count)) / FADE)


def _apart(one: Modelled, mine: Shape) -> float:
    """How unlike a fact's work is to the asked one, cards and counts aside."""
    theirs = one.shape
    apart = _sizes_apart(mine.sizes, theirs.sizes)
    if mine.settings == theirs.settings:
        return apart
    a, b = dict(mine.settings), dict(theirs.settings)
    return apart + sum(HARD_FIELDS.get(name, OTHER_FIELD) for name in a.keys() | b.keys() if a.get(name) != b.get(name))


def modelled(fact: Fact, job: Job, assumed: Mapping[str, Any], gpus: Mapping[str, Gpu]) -> Modelled | None:
    """A fact beside the formula's figure for it; None where the formula says nothing or counts something else."""
    gpu = gpus.get(fact.gpu or "") or (gpus.get(ANY_CARD) if fact.metric == "memory" else None)
    if gpu is None:
        return None
    work = work_of(fact.workload, assumed)
    shape = shape_of(work, fact.metric)
    if fact.metric == "memory":
        load = job.load(gpu, fact.count)
        computed = sum(load.parts.values()) if load else 0.0
        if load is None or computed <= 0:
            return None
        ratio = fact.value / computed
        return Modelled(fact, work, load.kind, load.stack, math.log(ratio), computed, shape)
    rate = job.rate(gpu, fact.count)
    if rate is None or rate.value <= 0:
        return None
    faster = speed_ratio(fact.value, fact.unit, fact.phase, rate, {**work, **fact.workload})
    if faster is None or faster <= 0:
        return None
    return Modelled(fact, work, rate.kind, rate.stack, math.log(faster), per_second(rate), shape)
