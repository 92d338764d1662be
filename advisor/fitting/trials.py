"""Every measurement predicted from the others: the trials that intervals are fitted from and accuracy is judged by.

Four ways of leaving out, none of which lets a fact judge itself:

- `fact`: the fact itself is left out. What stays is the rest of its table: the stack is known.
- `card`: every fact of its card kind is left out. The work may be known from other cards.
- `model`: every fact of its model is left out. The stack is known, the model is new to it.
- `source`: its whole publication is left out, together with constants read off it: where no other publication measured that engine or
  framework, the work is asked as software nobody measured.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from advisor.sizing.anchor import ANY_CARD
from advisor.sizing.answer import Estimate, Tier
from advisor.sizing.calibration import FLOOR_GIB, Basis, residual_class
from advisor.sizing.comparison import SECONDS_UNITS, speed_ratio
from advisor.sizing.estimate import SOFTWARE_FIELDS, Prepared, prepare, shared_of
from advisor.sizing.evidence import Exclude, Fact
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Rate
from advisor.sizing.problems import WorkloadError

Mode = Literal["fact", "card", "model", "source"]
UNMEASURED = "unmeasured"
"""Name of a software nobody measured: pooled constants."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One fact against its prediction. `log_ratio` = ln(measured / predicted), speeds in work per second."""

    fact: Fact
    mode: Mode
    kind: str
    tier: Tier
    basis: Basis
    predicted: float
    log_ratio: float
    low: float
    high: float

    @property
    def residual(self) -> float:
        """What intervals are fitted on: `log_ratio`, of memory above a fixed floor (see `calibration.FLOOR_GIB`)."""
        if self.fact.metric == "memory":
            return math.log((self.fact.value + FLOOR_GIB) / (self.predicted + FLOOR_GIB))
        return self.log_ratio

    @property
    def error(self) -> float:
        """Relative error of the prediction: predicted / measured - 1, of speeds in work per second."""
        return math.exp(-self.log_ratio) - 1

    @property
    def measured(self) -> float:
        """The measurement, in GiB or in the unit of the fact."""
        return self.fact.value

    @property
    def inside(self) -> bool:
        """Whether the measurement lies in the interval."""
        return self.low <= self.measured <= self.high


def card_of(fact: Fact, gpus: Mapping[str, Gpu]) -> Gpu | None:
    """The card of a fact; for memory without a card, the usual one."""
    return gpus.get(fact.gpu or "") or (gpus.get(ANY_CARD) if fact.metric == "memory" and fact.gpu is None else None)


def unmeasured_software(fact: Fact, sources_of: Mapping[tuple[str, str, str], frozenset[str]]) -> frozenset[str]:
    """Engine or framework of a fact that only its own publication measured; "" where the fact names none."""
    names = (str(fact.workload.get(name) or "") for name in SOFTWARE_FIELDS.get(fact.scenario_task, ()))
    return frozenset(
        name
        for name in names
        if not name or sources_of.get((*fact.scenario_task, name), frozenset()) <= {fact.repository}
    )


def workload_for(fact: Fact, unmeasured: frozenset[str]) -> dict[str, Any]:
    """The fact's workload, software nobody else measured named as nobody's (language models leave constants out by name instead)."""
    workload = dict(fact.workload)
    if workload["scenario"] != "llm":
        for name in SOFTWARE_FIELDS.get(fact.scenario_task, ()):
            if workload.get(name) in unmeasured:
                workload[name] = UNMEASURED
    return workload


def software_sources(facts: Iterable[Fact]) -> Mapping[tuple[str, str, str], frozenset[str]]:
    """(scenario, task, engine or framework) -> the publications that measured it."""
    found: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for fact in facts:
        if not fact.exact:
            continue
        for name in SOFTWARE_FIELDS.get(fact.scenario_task, ()):
            if said := fact.workload.get(name):
                found[(*fact.scenario_task, str(said))].add(fact.repository)
    return {key: frozenset(sources) for key, sources in found.items()}


def excluder(fact: Fact, mode: Mode) -> Exclude:
    """What a trial of this fact may not see."""
    if mode == "fact":
        return lambda other: other.id == fact.id
    if mode == "card":
        return lambda other: other.gpu == fact.gpu
    if mode == "model":
        return lambda other: other.model == fact.model
    return lambda other: other.repository == fact.repository


class Laboratory:
    """Facts and how to predict them. `library_for(source)` gives a library whose constants know nothing of that source."""

    def __init__(self, library: Library, library_for: Callable[[str], Library] | None = None) -> None:
        self.library = library
        self.library_for = library_for or (lambda source: library)
        self.facts = shared_of(library).index.facts
        self.sources_of = software_sources(self.facts)

    def prepared(self, fact: Fact, mode: Mode, exclude: Exclude | None = None) -> Prepared | None:
        """The fact's work with what it may not see left out; None where the contract does not take it."""
        library = self.library_for(fact.repository) if mode == "source" else self.library
        unmeasured = unmeasured_software(fact, self.sources_of) if mode == "source" else frozenset()
        workload = workload_for(fact, unmeasured)
        try:
            return prepare(workload, library, exclude=exclude or excluder(fact, mode), left_out=unmeasured)
        except WorkloadError:
            return None

    def trial(self, fact: Fact, mode: Mode) -> Trial | None:
        """The fact predicted, or None where nothing comparable is computed."""
        gpu = card_of(fact, self.library.gpus)
        prepared = self.prepared(fact, mode) if gpu else None
        if gpu is None or prepared is None:
            return None
        return against(fact, mode, prepared, gpu)

    def trials(self, mode: Mode) -> Iterator[Trial]:
        """Every exact fact; a card is left out for speed alone, memory hardly depends on it."""
        metrics = ("speed",) if mode == "card" else ("memory", "speed")
        for fact in self.facts:
            if fact.metric in metrics and fact.exact and {"memory", "speed", "ranking"} & fact.usable_for:
                found = self.trial(fact, mode)
                if found is not None:
                    yield found


def against(fact: Fact, mode: Mode, prepared: Prepared, gpu: Gpu) -> Trial | None:
    """A fact beside the answer for its own work."""
    answer = prepared.on(gpu, fact.count, with_evidence=False)
    if fact.metric == "memory":
        load = prepared.job.load(gpu, fact.count)
        if answer.memory is None or load is None:
            return None
        memory = answer.memory
        ratio = math.log(fact.value / memory.per_gpu_gib)
        basis = prepared.anchored_memory(load, fact.count).basis
        kind = residual_class(load.kind, prepared.work)
        return Trial(fact, mode, kind, memory.tier, basis, memory.per_gpu_gib, ratio, memory.low_gib, memory.high_gib)
    return _speed_trial(fact, mode, prepared, gpu, answer)


def _speed_trial(fact: Fact, mode: Mode, prepared: Prepared, gpu: Gpu, answer: Estimate) -> Trial | None:
    rate = prepared.job.rate(gpu, fact.count)
    if answer.speed is None or rate is None:
        return None
    speed = answer.speed
    said: Rate = replace(
        rate,
        value=speed.value,
        generation_tokens_per_second=speed.generation_tokens_per_second,
        prompt_tokens_per_second=speed.prompt_tokens_per_second,
    )
    faster = speed_ratio(fact.value, fact.unit, fact.phase, said, {**prepared.work, **fact.workload})
    if faster is None:
        return None
    predicted = fact.value * faster if fact.unit in SECONDS_UNITS else fact.value / faster
    narrow = (speed.low / speed.value, speed.high / speed.value)
    if (fact.unit in SECONDS_UNITS) != (rate.unit in SECONDS_UNITS):
        narrow = (1 / narrow[1], 1 / narrow[0])
    kind = f"{rate.kind}:prompt" if fact.phase == "prompt" else rate.kind
    basis = prepared.anchored_speed(rate, gpu, fact.count).basis
    return Trial(
        fact, mode, kind, speed.tier, basis, predicted, math.log(faster), predicted * narrow[0], predicted * narrow[1]
    )
