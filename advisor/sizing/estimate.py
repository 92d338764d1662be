"""One workload on one card kind and count: the scenario's formula, what was measured near it, the interval, the verdict.

`prepare` once, `on` per card and count: whatever does not depend on the card is worked out in `prepare`.
"""

import json
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from advisor.sizing.anchor import Anchored, Anchors, KinLog, Modelled, kin_log, modelled, trusted
from advisor.sizing.answer import Estimate, Evidence, Host, Memory, Note, Speed, Spread, Tier, fit_of
from advisor.sizing.calibration import EXACT, FLOOR_GIB, Interval, Intervals, intervals_of, residual_class
from advisor.sizing.comparison import SECONDS_UNITS
from advisor.sizing.demand import demand_hours, demand_notes
from advisor.sizing.disagreement import Asked, disagreements, range_note
from advisor.sizing.evidence import Around, Exclude, Fact, FactIndex, Metric, Nearby, Work, build_index, work_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Job, Library, Load, Rate
from advisor.sizing.misfit import misfit_notes
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import WorkloadError
from advisor.sizing.scenarios import job_of
from advisor.sizing.workload import Workload

SOFTWARE_FIELDS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("llm", "inference"): ("engine",),
    ("llm", "training"): ("framework",),
    ("speech", "transcription"): ("engine",),
}
"""Tasks whose figures the software decides: left open there, the answer is for the likely one with the widest interval."""
HELD_PARTS = ("weights", "gradients", "optimizer")
"""Parts that are counted, not estimated: a correction goes to the others first."""
METRICS: tuple[Metric, ...] = ("memory", "speed")
REMEMBERED_CHARACTERS = 8_000
MOST_REMEMBERED = 4_096
REMEMBERED_WORKS, MOST_ANSWERS = 64, 160
"""Works kept ready, and answers kept of each: bounded, so that a million different questions take no more memory than a thousand."""
CONFLICT_RATIO = 1.15
"""Measurements of one work that lie further apart are told as a range of software versions."""


type _KinKey = tuple[str, str, str | None, bool, Metric, str, str | None]
"""Scenario, task, model, whether the software is named, metric, kind, stack."""


def names_software(workload: Workload | Mapping[str, Any], scenario: str, task: str) -> bool:
    """Whether the software is named, where it decides the figures."""
    return all(workload.get(name) is not None for name in SOFTWARE_FIELDS.get((scenario, task), ()))


def same_ground(one: Modelled, *, software_said: bool) -> bool:
    """Whether a fact stands beside the same formula: software without constants of its own is worked out by others than software nobody named."""
    return one.stack is not None or names_software(one.fact.workload, *one.fact.scenario_task) == software_said


class _Shared:
    """What is built once per library: the index of facts, the intervals, the formula's figure beside each fact."""

    def __init__(self, library: Library) -> None:
        self.library = library
        self.index: FactIndex = build_index(library)
        self.intervals: Intervals = intervals_of(library.calibration)
        self._modelled: dict[tuple[str, str, str | None], tuple[Modelled, ...]] = {}
        self._kin: dict[_KinKey, float] = {}

    def modelled_of(self, scenario: str, task: str, model: str | None) -> tuple[Modelled, ...]:
        """Facts of one model in one task beside the formula's figures for them."""
        key = (scenario, task, model)
        if key not in self._modelled:
            pairs = (self._beside(fact) for fact in self.index.of_model(*key) if fact.usable_for)
            self._modelled[key] = tuple(one for one in pairs if one is not None)
        return self._modelled[key]

    def kin_of(
        self, scenario: str, task: str, model: str | None, exclude: Exclude | None, *, software_said: bool
    ) -> KinLog:
        """What other models of a task say of the formula, by metric, kind and stack."""

        def log(metric: Metric, kind: str, stack: str | None) -> float:
            key = (scenario, task, model, software_said, metric, kind, stack)
            if exclude is not None:
                return self._kin_log(key, exclude)
            if key not in self._kin and len(self._kin) < MOST_REMEMBERED:
                self._kin[key] = self._kin_log(key, None)
            return self._kin[key] if key in self._kin else self._kin_log(key, None)

        return log

    def _kin_log(self, key: _KinKey, exclude: Exclude | None) -> float:
        scenario, task, model, software_said, metric, kind, stack = key
        names = dict.fromkeys(fact.model for fact in self.index.by_task.get((scenario, task), ()))
        others = (one for name in names if name != model for one in self.modelled_of(scenario, task, name))
        seen = (
            one
            for one in others
            if one.fact.metric == metric
            and one.fact.phase != "prompt"
            and trusted(one.fact)
            and same_ground(one, software_said=software_said)
            and not (exclude and exclude(one.fact))
        )
        return kin_log(seen, model, kind, stack)

    def _beside(self, fact: Fact) -> Modelled | None:
        try:
            workload = parse_workload(fact.workload, self.library.models)
        except WorkloadError:
            return None
        job = job_of(workload, self.library)
        found = modelled(fact, job, assumed_of(job), self.library.gpus)
        if found is not None and found.stack is not None and not names_software(workload, *fact.scenario_task):
            return None  # which software it was is a guess: no ground to correct an answer about that software
        return found


class _Identity:
    """A library as a cache key: the very object, not its contents."""

    __slots__ = ("library",)

    def __init__(self, library: Library) -> None:
        self.library = library

    def __hash__(self) -> int:
        return id(self.library)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and other.library is self.library


@lru_cache(maxsize=8)
def _shared(key: _Identity) -> _Shared:
    return _Shared(key.library)


def shared_of(library: Library) -> _Shared:
    """Index and intervals of a library, built at the first asking."""
    return _shared(_Identity(library))


def assumed_of(job: Job) -> dict[str, Any]:
    """The defaults a job took, by field."""
    return {note.field: note.values["value"] for note in job.assumptions if note.field and "value" in note.values}


def _parts(load: Load, factor: float) -> dict[str, float]:
    """Parts that add up to the corrected figure: what is counted stays while the rest can take the correction, the weights as long as they go in."""
    total = sum(load.parts.values())
    for names, least in ((HELD_PARTS, 0.1), (("weights",), 0.0)):
        held = sum(size for name, size in load.parts.items() if name in names)
        rest, wanted = total - held, total * factor - held
        if rest > 0 and wanted >= least * rest:
            return {name: size if name in names else size * wanted / rest for name, size in load.parts.items()}
    return {name: size * factor for name, size in load.parts.items()}


def _spanning(interval: Interval, anchored: Anchored) -> Interval:
    """The interval, widened to hold every measurement of the very work."""
    ratios = [one.log_ratio - math.log(anchored.factor) for one in anchored.same_work]
    if not ratios:
        return interval
    return interval.widened(Interval(math.exp(min(ratios)), math.exp(max(ratios))))


def _conflict(anchored: Anchored, metric: str) -> tuple[Note, ...]:
    """The very work measured with clearly different outcomes: both figures, both sources."""
    if len(anchored.same_work) < 2:
        return ()
    least, most = (pick(anchored.same_work, key=lambda one: one.log_ratio) for pick in (min, max))
    if math.exp(most.log_ratio - least.log_ratio) < CONFLICT_RATIO:
        return ()
    return (range_note(metric, least.fact, most.fact),)


@dataclass(frozen=True, slots=True)
class Told:
    """A known disagreement that concerns the work, and whether the interval must hold both figures."""

    low: Fact
    high: Fact
    note: Note
    spans: bool


def _told(asked: Asked, metric: Metric, index: FactIndex, exclude: Exclude | None) -> tuple[Told, ...]:
    found = []
    for one in disagreements(asked, metric):
        low, high = index.by_id.get(one.low), index.by_id.get(one.high)
        if low and high and not (exclude and (exclude(low) or exclude(high))):
            found.append(Told(low, high, range_note(metric, low, high, one.reason), one.spans))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A workload ready to be asked on any card kind and count."""

    workload: Workload
    job: Job
    work: Work
    anchors: Anchors
    nearby: Nearby
    intervals: Intervals
    software_said: bool
    told: Mapping[Metric, tuple[Told, ...]]
    misfit: tuple[Note, ...] = ()
    _answers: dict[tuple[str, int, bool], tuple[Gpu, Estimate]] = field(default_factory=dict, compare=False, repr=False)

    def on(self, gpu: Gpu, count: int = 1, *, with_evidence: bool = True) -> Estimate:
        """The estimate on `count` cards of one kind; asked again, the same answer is at hand."""
        key = (gpu.slug, count, with_evidence)
        known = self._answers.get(key)
        if known is not None and known[0] is gpu:
            return known[1]
        answer = self.worked_out(gpu, count, with_evidence=with_evidence)
        if len(self._answers) < MOST_ANSWERS:
            self._answers[key] = (gpu, answer)
        return answer

    def worked_out(self, gpu: Gpu, count: int = 1, *, with_evidence: bool = True) -> Estimate:
        """The estimate, worked out whether or not it was before."""
        load, rate = self.job.load(gpu, count), self.job.rate(gpu, count)
        memory, memory_notes = self._memory(load, gpu, count)
        speed, speed_notes = self._speed(rate, gpu, count)
        spread = self.job.spread(gpu, count)
        hours = _hours(self.workload, rate, speed, spread, count)
        return Estimate(
            gpu=gpu.slug,
            count=count,
            fit=fit_of(memory) if memory else "tight",
            memory=memory,
            speed=speed,
            hours=hours[0],
            hours_low=hours[1],
            hours_high=hours[2],
            spread=spread,
            host=self.job.host(gpu, count),
            assumptions=self.job.assumptions,
            evidence=self.nearby.on(gpu, count) if with_evidence else (),
            warnings=(
                *self.misfit,
                *self.job.notes(gpu, count),
                *memory_notes,
                *speed_notes,
                *demand_notes(self.workload, rate),
            ),
        )

    def anchored_memory(self, load: Load, count: int) -> Anchored:
        """What the facts say of a computed memory figure above zero."""
        if load.exact:
            return Anchored(factor=1.0, tier="anchored")
        return self.anchors.on_memory(load, count, sum(load.parts.values()), stack_said=self.software_said)

    def anchored_speed(self, rate: Rate, gpu: Gpu, count: int) -> Anchored:
        """What the facts say of a computed speed above zero."""
        return self.anchors.on_speed(rate, gpu, count, stack_said=self.software_said)

    def _memory(self, load: Load | None, gpu: Gpu, count: int) -> tuple[Memory | None, tuple[Note, ...]]:
        computed = sum(load.parts.values()) if load else 0.0
        if load is None or computed <= 0:
            return None, (Note("no-memory-model", "memory"),)
        anchored = self.anchored_memory(load, count)
        figure = max(computed * anchored.factor, load.floor_gib)
        kind = residual_class(load.kind, self.work)
        interval = EXACT if load.exact else self.intervals.of("memory", kind, anchored.basis)
        low, high = interval.around(figure, 0.0 if load.exact else FLOOR_GIB)
        measured = [one.fact.value for one in anchored.same_work]
        spanned = [one for one in self.told["memory"] if one.spans]
        return (
            Memory(
                per_gpu_gib=figure,
                low_gib=max(
                    min([low, figure, *measured, *(one.low.value for one in spanned)]), min(load.floor_gib, figure), 0.0
                ),
                high_gib=max([high, anchored.floor or 0.0, *measured, *(one.high.value for one in spanned)]),
                usable_gib=gpu.usable_gib,
                parts=_parts(load, figure / computed),
                tier=anchored.tier,
            ),
            (*self._sparse("memory", anchored.tier), *(self._ranges("memory") or _conflict(anchored, "memory"))),
        )

    def _speed(self, rate: Rate | None, gpu: Gpu, count: int) -> tuple[Speed | None, tuple[Note, ...]]:
        if rate is None or rate.value <= 0:
            return None, (Note("no-speed-model", "speed"),)
        anchored = self.anchored_speed(rate, gpu, count)
        interval = _spanning(self.intervals.of("speed", rate.kind, anchored.basis), anchored)
        faster, reading = anchored.factor, self.anchors.on_prompt(rate, count)
        seconds = rate.unit in SECONDS_UNITS
        value = rate.value / faster if seconds else rate.value * faster
        low, high = (1 / interval.high, 1 / interval.low) if seconds else (interval.low, interval.high)
        return (
            Speed(
                value=value,
                unit=rate.unit,
                low=value * low,
                high=value * high,
                limited_by=rate.limited_by,
                generation_tokens_per_second=_times(rate.generation_tokens_per_second, faster),
                prompt_tokens_per_second=_times(rate.prompt_tokens_per_second, reading),
                seconds_to_first_token=_times(rate.seconds_to_first_token, 1 / reading),
                tier=anchored.tier,
            ),
            (*self._sparse("speed", anchored.tier), *(_conflict(anchored, "speed") or self._ranges("speed"))),
        )

    def _ranges(self, metric: Metric) -> tuple[Note, ...]:
        return tuple(one.note for one in self.told[metric])

    def _sparse(self, metric: Metric, tier: Tier) -> tuple[Note, ...]:
        """Says that nothing near was measured, and what to name where naming it would narrow the answer."""
        if tier != "unknown-stack":
            return ()
        if not self.software_said:
            return (
                Note(
                    "software-open", SOFTWARE_FIELDS[self.workload.scenario, self.workload.task][0], {"metric": metric}
                ),
            )
        return (Note("stack-not-measured", metric, {"metric": metric}),)


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _hours(
    workload: Workload, rate: Rate | None, speed: Speed | None, spread: Spread, count: int
) -> tuple[float | None, float | None, float | None]:
    """Hours of the demand: expected, at the best and at the worst end of the speed's interval."""
    if workload.demand is None:
        return None, None, None
    if workload.demand.unit == "gpu_hours":
        hours = workload.demand.amount / count
        return hours, hours, hours
    if rate is None or speed is None:
        return None, None, None
    ends = (speed.value, speed.low, speed.high)
    taken = [demand_hours(workload, replace(rate, value=end), spread, count) for end in ends]
    told = sorted(value for value in taken if value is not None)
    return (taken[0], told[0], told[-1]) if told else (None, None, None)


def prepare(
    workload: Workload | Mapping[str, Any],
    library: Library,
    *,
    exclude: Exclude | None = None,
    left_out: Collection[str] = (),
) -> Prepared:
    """Everything about a workload that no card changes.

    `workload`: checked, or a JSON object of the contract. For validation, `exclude`: facts that must not be seen, `left_out`: engines
    and frameworks whose constants must not be used.
    Raises WorkloadError where the object breaks the contract.
    """
    if isinstance(workload, Workload):
        return _prepare(workload, library, exclude, left_out)
    text = _as_json(workload) if exclude is None and not left_out else None
    if text is None:
        return _prepare(parse_workload(workload, library.models, library.gpus), library, exclude, left_out)
    return _remembered(_Identity(library), text)


@lru_cache(maxsize=REMEMBERED_WORKS)
def _remembered(key: _Identity, text: str) -> Prepared:
    """The works asked last, so that asking again on another card costs only the card."""
    library = key.library
    return _prepare(parse_workload(json.loads(text), library.models, library.gpus), library, None, ())


def _as_json(workload: object) -> str | None:
    """A workload as text, None where it is no JSON value or a large one."""
    try:
        text = json.dumps(workload, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return None
    return text if len(text) <= REMEMBERED_CHARACTERS else None


def _prepare(checked: Workload, library: Library, exclude: Exclude | None, left_out: Collection[str]) -> Prepared:
    shared = shared_of(library)
    job = job_of(checked, library, left_out)
    work = work_of(_plain(checked), assumed_of(job))
    model = checked.model.slug if checked.model else checked.get("application")
    software_said = names_software(checked, checked.scenario, checked.task)
    beside = [
        one
        for one in shared.modelled_of(checked.scenario, checked.task, model)
        if same_ground(one, software_said=software_said)
    ]
    size_b = _size_b(checked, shared.index)
    asked = Asked(checked.scenario, checked.task, model, size_b, checked.fields)
    return Prepared(
        workload=checked,
        job=job,
        work=work,
        anchors=Anchors(
            beside,
            work,
            library.gpus,
            exclude,
            shared.kin_of(checked.scenario, checked.task, model, exclude, software_said=software_said),
        ),
        nearby=Nearby(shared.index, Around(checked.scenario, checked.task, work, size_b, exclude), library.gpus),
        intervals=shared.intervals,
        told={metric: _told(asked, metric, shared.index, exclude) for metric in METRICS},
        software_said=software_said,
        misfit=misfit_notes(model, library.models.get(model or ""), checked.task) if checked.model else (),
    )


def _plain(workload: Workload) -> dict[str, Any]:
    model = workload.model.slug if workload.model else None
    return {**workload.fields, **({"model": model} if model else {})}


def _size_b(workload: Workload, index: FactIndex) -> float | None:
    if workload.model is None:
        return None
    if workload.model.parameters_b is not None:
        return workload.model.parameters_b
    return index.sizes.get(workload.model.slug or "")


def estimate(workload: Workload | Mapping[str, Any], gpu: Gpu, count: int, library: Library) -> Estimate:
    """One workload on one card kind and count. Raises WorkloadError where the workload breaks the contract."""
    return prepare(workload, library).on(gpu, count)


def _rounded(value: float | None) -> float | None:
    """Six significant digits: more would be noise in JSON."""
    return None if value is None else float(f"{value:.6g}")


def note_dict(note: Note) -> dict[str, Any]:
    """A note as JSON; the caller adds `text` in the asked language."""
    return {"code": note.code, "field": note.field, "values": dict(note.values)}


def _memory_dict(memory: Memory) -> dict[str, Any]:
    return {
        "per_gpu_gib": _rounded(memory.per_gpu_gib),
        "low_gib": _rounded(memory.low_gib),
        "high_gib": _rounded(memory.high_gib),
        "usable_gib": _rounded(memory.usable_gib),
        "parts": {name: _rounded(size) for name, size in memory.parts.items()},
        "tier": memory.tier,
    }


def _speed_dict(speed: Speed) -> dict[str, Any]:
    answer: dict[str, Any] = {
        "value": _rounded(speed.value),
        "unit": speed.unit,
        "low": _rounded(speed.low),
        "high": _rounded(speed.high),
        "limited_by": speed.limited_by,
        "tier": speed.tier,
    }
    for name in ("generation_tokens_per_second", "prompt_tokens_per_second", "seconds_to_first_token"):
        if (value := getattr(speed, name)) is not None:
            answer[name] = _rounded(value)
    return answer


def _spread_dict(spread: Spread) -> dict[str, Any]:
    return {
        "data": spread.data,
        "tensor": spread.tensor,
        "pipeline": spread.pipeline,
        "sharded": spread.sharded,
        "link": spread.link,
        "nodes": spread.nodes,
    }


def _host_dict(host: Host) -> dict[str, Any]:
    return {"ram_gib": _rounded(host.ram_gib), "cpu_cores": host.cpu_cores, "disk_gib": _rounded(host.disk_gib)}


def evidence_dict(evidence: Evidence) -> dict[str, Any]:
    """A measured fact as JSON."""
    return {
        "id": evidence.id,
        "gpu": evidence.gpu,
        "count": evidence.count,
        "metric": evidence.metric,
        "value": evidence.value,
        "unit": evidence.unit,
        "source": evidence.source,
        "what": evidence.what,
        "distance": evidence.distance,
        "bound": evidence.bound,
    }


def to_dict(answer: Estimate) -> dict[str, Any]:
    """The JSON form of the workload contract; notes without their sentences."""
    return {
        "gpu": answer.gpu,
        "count": answer.count,
        "fit": answer.fit,
        "memory": _memory_dict(answer.memory) if answer.memory else None,
        "speed": _speed_dict(answer.speed) if answer.speed else None,
        "hours": _rounded(answer.hours),
        "hours_low": _rounded(answer.hours_low),
        "hours_high": _rounded(answer.hours_high),
        "plan": _spread_dict(answer.spread),
        "host": _host_dict(answer.host),
        "assumptions": [note_dict(note) for note in answer.assumptions],
        "evidence": [evidence_dict(one) for one in answer.evidence],
        "warnings": [note_dict(note) for note in answer.warnings],
    }
