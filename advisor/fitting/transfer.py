"""Fits the card-transfer law of `advisor/sizing/transfer.py` to measurements of the same work on several cards.

Robust least squares on logs: soft-L1 residuals inside each work (its own scale drops out), Gaussian priors on every parameter, pattern
search over one parameter at a time. Standard library only; about a minute on one core.
"""

import dataclasses
import datetime
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from advisor.sizing.comparison import throughput
from advisor.sizing.estimate import assumed_of
from advisor.sizing.evidence import repository_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import WorkloadError
from advisor.sizing.scenarios import job_of
from advisor.sizing.transfer import (
    HOPPER,
    LAW,
    LBM_BYTES,
    Format,
    Law,
    Mix,
    card_class,
    has_large_cache,
    is_long,
    ratios,
)
from advisor.sizing.transfer import relative_time as transferred

SOFT = 0.12
"""Residual (in logs) beyond which a measurement pulls less than its square."""
SHARE_SPREAD = 0.6
CLASS_SPREAD = 0.20
"""Standard deviations of the priors, in logs."""
OTHER_KINDS = ("image-eager", "recurrent")
"""Kinds whose time is not a mix of card figures: the larger of host and card, or steps plus batch."""
SHARES = ("tensor", "bandwidth", "cores", "clock")

PRIOR = dataclasses.replace(
    LAW,
    mixes={
        **LAW.mixes,
        "image-batched": Mix(0.35, 0.30, 0.27, 0.08),
        "image-compiled": Mix(0.27, 0.26, 0.42, 0.05),
        "cnn-training": Mix(0.11, 0.42, 0.45, 0.02),
        "cnn-inference": Mix(0.40, 0.50, 0.08, 0.02),
        "transformer-inference": Mix(0.32, 0.34, 0.12, 0.22),
        "speech-training": Mix(0.10, 0.50, 0.20, 0.20),
        "asr-single": Mix(0.07, 0.15, 0.05, 0.23, 0.50),
        "asr-batched": Mix(0.30, 0.45, 0.15, 0.10),
        "md-small": Mix(0.0, 0.01, 0.05, 0.94),
        "md-medium": Mix(0.0, 0.17, 0.37, 0.46),
        "md-big": Mix(0.0, 0.50, 0.40, 0.10),
        "fold": Mix(0.55, 0.25, 0.20, 0.0),
    },
    classes={
        **LAW.classes,
        "hopper-sxm": 0.75,
        "hopper-pcie": 0.60,
        "hopper-cut": 0.90,
        "blackwell-hbm": 0.60,
        "volta": 0.70,
        "turing-pro": 0.35,
        "ampere-pro": 0.65,
        "ada-pro": 0.60,
        "blackwell-pro": 0.50,
        "geforce-20": 1.0,
        "geforce-30": 1.15,
        "geforce-40": 0.95,
        "geforce-50": 0.95,
        "no-tensor": 1.0,
    },
    long_classes={**LAW.long_classes, "hopper-sxm": 0.60, "hopper-cut": 1.05},
    hopper={"dit-compiled": 1.30, "dit-flash3": 1.40},
    cache_gain=2.0,
    old_cores=0.75,
)
"""Where the fit starts and what it stays near: sustained rates as a rule by class of card, shares read off single-figure rankings."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One measurement: seconds of work (any unit, the same inside `work`) on one card."""

    id: str
    work: str
    kind: str
    form: Format
    gpu: Gpu
    log_seconds: float
    source: str


def observations(library: Library) -> list[Observation]:
    """Single-card speed facts that say they are the same work as others on other cards."""
    found: list[Observation] = []
    for fact in library.facts:
        work = _work(fact)
        gpu = library.gpus.get(fact["gpu"] or "")
        if not work or gpu is None or fact["count"] != 1 or "ranking" not in fact["usable_for"]:
            continue
        if fact["workload"]["scenario"] == "llm" or fact["metric"] not in ("speed", "seconds"):
            continue
        found.extend(_observation(fact, work, gpu, library))
    return found


def _work(fact: Mapping[str, Any]) -> str | None:
    """The name of the work a fact belongs to.

    Batches tuned to each card count as the same where speed is per picture; where the source keeps no exact group, what it changes from
    card to card must not be the number format.
    """
    loose, differs = fact.get("loose_group"), set(fact.get("loose_differs") or ())
    if loose and fact["workload"]["scenario"] == "vision" and differs <= {"batch", "software"}:
        return str(loose)
    if fact.get("group"):
        return str(fact["group"])
    return str(loose) if loose and "precision" not in differs else None


def _observation(fact: Mapping[str, Any], work: str, gpu: Gpu, library: Library) -> Iterable[Observation]:
    try:
        workload = parse_workload(fact["workload"], library.models, library.gpus)
    except WorkloadError:
        return
    job: Any = job_of(workload, library)
    kind = job.kind()
    if kind in OTHER_KINDS or kind in LBM_BYTES:
        return
    done = throughput(fact["value"], fact["unit"], {**assumed_of(job), **fact["workload"]})
    if done is None or done[0] <= 0:
        return
    yield Observation(
        id=fact["id"],
        work=work,
        kind=kind,
        form=job.arithmetic(),
        gpu=gpu,
        log_seconds=-math.log(done[0]),
        source=repository_of(fact["source"]),
    )


@dataclass(frozen=True, slots=True)
class _Row:
    """An observation with everything a parameter does not move worked out."""

    work: int
    ratios: tuple[float, float, float, float]
    name: str
    large_cache: bool
    log_seconds: float


class _Problem:
    """Parameters as logs, cost by kind."""

    def __init__(self, seen: Sequence[Observation], prior: Law) -> None:
        self.prior = prior
        self.by_kind: dict[str, list[_Row]] = defaultdict(list)
        works: dict[str, int] = {}
        for one in seen:
            work = works.setdefault(one.work, len(works))
            row = _Row(work, ratios(one.gpu, one.form), card_class(one.gpu), has_large_cache(one.gpu), one.log_seconds)
            self.by_kind[one.kind].append(row)
        self.values: dict[tuple[str, str], float] = {}
        self.base: dict[tuple[str, str], float] = {}
        self.spread: dict[tuple[str, str], float] = {}
        for kind in self.by_kind:
            if not kind.startswith("dit"):
                for share in SHARES:
                    self._add(("share", f"{kind} {share}"), max(0.004, getattr(prior.mixes[kind], share)), SHARE_SPREAD)
        classes = {row.name for rows in self.by_kind.values() for row in rows} - {"ampere-hbm"}
        for name in sorted(classes):
            self._add(("class", name), prior.classes[name], CLASS_SPREAD)
            self._add(("long", name), prior.long_classes[name], CLASS_SPREAD)
        for kind, gain in prior.hopper.items():
            self._add(("hopper", kind), gain, 0.10)
        self._add(("law", "cache_gain"), prior.cache_gain, 0.25)
        self._add(("law", "old_cores"), prior.old_cores, 0.25)

    def _add(self, key: tuple[str, str], value: float, spread: float) -> None:
        self.values[key] = self.base[key] = math.log(value)
        self.spread[key] = spread

    def kinds_moved(self, key: tuple[str, str]) -> list[str]:
        """Kinds a parameter acts on."""
        group, name = key
        if group == "share":
            return [name.split(" ")[0]]
        if group == "hopper":
            return [name] if name in self.by_kind else []
        if group == "long":
            return [kind for kind in self.by_kind if is_long(kind)]
        return [kind for kind in self.by_kind if group == "law" or not is_long(kind)]

    def prior_cost(self, key: tuple[str, str]) -> float:
        """Price of a parameter's distance from its prior."""
        return 0.5 * ((self.values[key] - self.base[key]) / self.spread[key]) ** 2

    def cost_of(self, kind: str) -> float:
        """Soft-L1 of the residuals of one kind."""
        law = self.law(kind)
        rows = self.by_kind[kind]
        by_work: dict[int, list[float]] = defaultdict(list)
        for row in rows:
            by_work[row.work].append(row.log_seconds - math.log(_time(law, kind, row)))
        total = 0.0
        for values in by_work.values():
            middle = statistics.fmean(values)
            total += sum(soft_cost(value - middle) for value in values)
        return total / (SOFT * SOFT)

    def law(self, kind: str | None = None) -> Law:
        """The parameters as a law; with `kind`, only that kind's mix is brought up to date."""
        values = self.values
        kinds = [kind] if kind else list(self.by_kind)
        mixes = dict(self.prior.mixes)
        for name in kinds:
            if not name.startswith("dit"):
                mixes[name] = self._mix(name)
        classes = {
            name: math.exp(values.get(("class", name), math.log(old))) for name, old in self.prior.classes.items()
        }
        long = {
            name: math.exp(values.get(("long", name), math.log(old))) for name, old in self.prior.long_classes.items()
        }
        return Law(
            mixes=mixes,
            classes=classes,
            long_classes=long,
            hopper={name: math.exp(values[("hopper", name)]) for name in self.prior.hopper},
            cache_gain=math.exp(values[("law", "cache_gain")]),
            old_cores=math.exp(values[("law", "old_cores")]),
        )

    def _mix(self, kind: str) -> Mix:
        old = self.prior.mixes[kind]
        raw = [math.exp(self.values[("share", f"{kind} {share}")]) for share in SHARES]
        scale = (1 - old.host) / sum(raw)
        tensor, bandwidth, cores, clock = (share * scale for share in raw)
        return Mix(tensor, bandwidth, cores, clock, old.host, old.cached)


def soft_cost(residual: float) -> float:
    """Square near zero, a line far out."""
    return SOFT * SOFT * (math.sqrt(1 + (residual / SOFT) ** 2) - 1)


def _time(law: Law, kind: str, row: _Row) -> float:
    tensor, bandwidth, cores, clock = row.ratios
    mix = law.mixes[kind]
    hopper = row.name in HOPPER
    if is_long(kind):
        sustained = law.long_classes[row.name] * (law.hopper.get(kind, 1.0) if hopper else 1.0)
    else:
        sustained = law.classes[row.name]
    if mix.cached and row.large_cache:
        bandwidth /= law.cache_gain
    if row.name == "no-tensor":
        cores /= law.old_cores
    return (
        mix.tensor * tensor / sustained + mix.bandwidth * bandwidth + mix.cores * cores + mix.clock * clock + mix.host
    )


def fit(seen: Sequence[Observation], prior: Law = PRIOR, sweeps: int = 25) -> Law:
    """The law that explains the observations best, near its prior where they say little."""
    problem = _Problem(seen, prior)
    steps = dict.fromkeys(problem.values, 0.25)
    costs = {kind: problem.cost_of(kind) for kind in problem.by_kind}
    for _ in range(sweeps):
        moved = 0.0
        for key in problem.values:
            moved = max(moved, _improve(problem, key, steps, costs))
        if moved < 0.003:
            break
    return problem.law()


def _improve(
    problem: _Problem, key: tuple[str, str], steps: dict[tuple[str, str], float], costs: dict[str, float]
) -> float:
    """Tries one parameter a step up and down; answers how far it moved."""
    kinds = problem.kinds_moved(key)
    start = problem.values[key]
    best = sum(costs[kind] for kind in kinds) + problem.prior_cost(key)
    for step in (steps[key], -steps[key]):
        problem.values[key] = start + step
        new = {kind: problem.cost_of(kind) for kind in kinds}
        if sum(new.values()) + problem.prior_cost(key) < best - 1e-9:
            costs.update(new)
            steps[key] = min(0.5, steps[key] * 1.3)
            return abs(step)
    problem.values[key] = start
    steps[key] *= 0.5
    return steps[key]


Predict = Callable[[str, Gpu, Format], float]


def pair_errors(
    seen: Sequence[Observation], law: Law, *, only: Callable[[Observation], bool] | None = None
) -> dict[str, list[float]]:
    """|predicted / measured - 1| of carrying each measurement over to every other card of its work, by kind.

    `only`: the target must satisfy it (the card or source left out).
    """
    by_work: dict[str, list[Observation]] = defaultdict(list)
    for one in seen:
        by_work[one.work].append(one)
    errors: dict[str, list[float]] = defaultdict(list)
    for group in by_work.values():
        for there in group:
            for here in group:
                if here.gpu.slug == there.gpu.slug or (only and not only(here)):
                    continue
                ratio = transferred(here.kind, here.gpu, here.form, law) / transferred(
                    there.kind, there.gpu, there.form, law
                )
                errors[here.kind].append(abs(math.exp(math.log(ratio) + there.log_seconds - here.log_seconds) - 1))
    return errors


def left_out(
    seen: Sequence[Observation], key: Callable[[Observation], str], prior: Law = LAW
) -> dict[str, list[float]]:
    """Pair errors of the observations of each card or source under a law fitted without them."""
    total: dict[str, list[float]] = defaultdict(list)
    for name in sorted({key(one) for one in seen}):
        law = fit([one for one in seen if key(one) != name], prior)
        for kind, values in pair_errors(seen, law, only=lambda one, name=name: key(one) == name).items():  # type: ignore[misc]
            total[kind].extend(values)
    return total


def summary(errors: Mapping[str, Sequence[float]]) -> dict[str, dict[str, float]]:
    """Median and 90th percentile by kind."""
    table = {}
    for kind, values in sorted(errors.items()):
        ordered = sorted(values)
        table[kind] = {
            "pairs": len(ordered),
            "median": round(statistics.median(ordered), 4),
            "p90": round(ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))], 4),
        }
    return table


def report(library: Library, today: datetime.date, *, cross_validated: bool = True) -> dict[str, Any]:
    """The content of `calibration_transfer.json`: the fitted law, its residuals, and where they come from."""
    seen = observations(library)
    law = fit(seen)
    residuals: dict[str, Any] = {"in_sample": summary(pair_errors(seen, law))}
    if cross_validated:
        residuals["card_left_out"] = summary(left_out(seen, lambda one: one.gpu.slug))
        residuals["source_left_out"] = summary(left_out(seen, lambda one: one.source))
    return {
        "transfer": {
            "date": today.isoformat(),
            "facts": len(seen),
            "sources": sorted({one.source for one in seen}),
            "law": dataclasses.asdict(law),
            "residuals": residuals,
        }
    }
