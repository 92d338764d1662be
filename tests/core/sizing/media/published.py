"""Formula figures beside published ones, without any help from the facts themselves."""

import statistics
from collections.abc import Callable, Mapping
from typing import Any

from advisor.library import library
from advisor.sizing.comparison import speed_ratio
from advisor.sizing.estimate import assumed_of
from advisor.sizing.job import Job
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.scenarios import job_of

LIBRARY = library()
ANY_CARD = LIBRARY.gpus["a100-sxm-80g"]


def job_for(body: Mapping[str, Any]) -> Job:
    """A workload of the contract, prepared."""
    return job_of(parse_workload(body, LIBRARY.models, LIBRARY.gpus), LIBRARY)


def memory_gib(body: Mapping[str, Any], gpu: str = "a100-sxm-80g", count: int = 1) -> float:
    """Computed peak on the fullest card."""
    load = job_for(body).load(LIBRARY.gpus[gpu], count)
    assert load is not None
    return sum(load.parts.values())


def speed(body: Mapping[str, Any], gpu: str, count: int = 1) -> float:
    """Computed speed, more is better whatever the unit."""
    rate = job_for(body).rate(LIBRARY.gpus[gpu], count)
    assert rate is not None
    return 1 / rate.value if rate.unit.startswith("seconds") else rate.value


def ratios(metric: str, wanted: Callable[[Mapping[str, Any]], bool]) -> list[float]:
    """Computed over measured for every fact usable for the metric that `wanted` accepts; near-full and at-most rows left out."""
    found = []
    for fact in LIBRARY.facts:
        kind = "memory" if fact["metric"].startswith("memory") else "speed"
        if kind != metric or not fact["usable_for"] or fact["bound"] or not wanted(fact):
            continue
        job = job_for(fact["workload"])
        gpu = LIBRARY.gpus[fact["gpu"]] if fact["gpu"] else ANY_CARD
        if metric == "memory":
            load = job.load(gpu, fact["count"])
            assert load is not None
            found.append(sum(load.parts.values()) / fact["value"])
            continue
        rate = job.rate(gpu, fact["count"])
        assert rate is not None
        work = {**assumed_of(job), **fact["workload"]}
        faster = speed_ratio(fact["value"], fact["unit"], fact.get("phase"), rate, work)
        if faster:
            found.append(1 / faster)
    return found


def errors(metric: str, wanted: Callable[[Mapping[str, Any]], bool]) -> tuple[float, float, int]:
    """Median and 90th percentile of |computed / measured - 1|, and how many."""
    off = sorted(abs(ratio - 1) for ratio in ratios(metric, wanted))
    return statistics.median(off), off[min(len(off) - 1, int(0.9 * len(off)))], len(off)
