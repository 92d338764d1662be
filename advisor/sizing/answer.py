"""What the sizing core answers with: plain values, no sentences. `advisor/sentences.py` turns codes into zh and en."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Fit = Literal["fits", "tight", "does_not_fit"]
Limit = Literal["memory-bandwidth", "compute", "interconnect", "capacity", "host"]
Tier = Literal["anchored", "known-stack", "new-model", "unknown-stack"]
"""How close the evidence is: the same work measured; stack and model measured; stack measured, model new; stack not known."""

Value = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Note:
    """A coded remark with its figures: an assumption, a warning, a question back, a reason."""

    code: str
    field: str | None = None
    values: Mapping[str, Value] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """Peak on the fullest card, GiB. `parts` add up to `per_gpu_gib`; `low_gib`..`high_gib` holds the truth 9 times in 10."""

    per_gpu_gib: float
    low_gib: float
    high_gib: float
    usable_gib: float
    parts: Mapping[str, float]
    tier: Tier = "unknown-stack"


@dataclass(frozen=True, slots=True)
class Speed:
    """Whole job over all its cards. `unit` as in the workload contract; `low`..`high` holds the truth 9 times in 10."""

    value: float
    unit: str
    low: float
    high: float
    limited_by: Limit
    generation_tokens_per_second: float | None = None
    prompt_tokens_per_second: float | None = None
    seconds_to_first_token: float | None = None
    tier: Tier = "unknown-stack"


@dataclass(frozen=True, slots=True)
class Spread:
    """How the work is spread over cards: the product of the factors is the count; `link` carries it."""

    data: int = 1
    tensor: int = 1
    pipeline: int = 1
    sharded: int = 1
    link: Literal["none", "nvlink", "pcie", "network"] = "none"
    nodes: int = 1


@dataclass(frozen=True, slots=True)
class Host:
    """What the job needs beside the cards."""

    ram_gib: float
    cpu_cores: int
    disk_gib: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """A published measurement near this answer; `distance` 0 is the same work on the same card."""

    id: str
    gpu: str | None
    count: int
    metric: str
    value: float
    unit: str
    source: str
    what: str
    distance: float
    bound: str | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """One workload on one card kind and count. `memory`/`speed` are None only with a `no-memory-model`/`no-speed-model` note."""

    gpu: str
    count: int
    fit: Fit
    memory: Memory | None
    speed: Speed | None
    hours: float | None
    hours_low: float | None
    hours_high: float | None
    spread: Spread
    host: Host
    assumptions: tuple[Note, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    warnings: tuple[Note, ...] = ()


def fit_of(memory: Memory) -> Fit:
    """The verdict of the workload contract, from the interval alone."""
    if memory.high_gib <= memory.usable_gib:
        return "fits"
    if memory.low_gib > memory.usable_gib:
        return "does_not_fit"
    return "tight"
