"""Error against published measurements where the software is known, and as if it had never been measured.

The targets are those the product promises (median and 90th percentile of the absolute error). Bounds are judged one-sided.
"""

from collections import defaultdict
from functools import lru_cache

import pytest

from advisor.sizing.llm import InferenceJob, prepare
from advisor.sizing.parsing.workload import parse_workload
from tests.core.sizing.llm.asking import LIBRARY

Errors = dict[str, list[float]]


def rate_of(fact, asked, card) -> float | None:
    found = asked.rate(card, fact["count"])
    assert found is not None
    if isinstance(asked, InferenceJob):
        return {"generation": found.generation_tokens_per_second, "prompt": found.prompt_tokens_per_second}.get(
            fact.get("phase"), found.value
        )
    return found.value


def measured_speed(fact) -> float | None:
    return fact["value"] if fact["metric"] == "speed" else (fact.get("derived") or {}).get("value")


@lru_cache(maxsize=2)
def errors(left_out: bool) -> Errors:
    found: Errors = defaultdict(list)
    for fact in LIBRARY.facts:
        if fact["workload"]["scenario"] != "llm" or not fact["usable_for"]:
            continue
        workload = parse_workload(fact["workload"], LIBRARY.models)
        software = workload.get("engine" if workload.task == "inference" else "framework") or ""
        asked = prepare(workload, LIBRARY, (software,) if left_out else ())
        card = LIBRARY.gpus.get(fact["gpu"] or "a100-sxm-80g")
        assert card is not None, fact["gpu"]
        if fact["metric"] == "memory_gib_per_gpu" and "memory" in fact["usable_for"]:
            load = asked.load(card, fact["count"])
            assert load is not None
            found[f"{load.kind} {fact.get('bound') or ''}".strip()].append(sum(load.parts.values()) / fact["value"] - 1)
        elif "speed" in fact["usable_for"] and (truth := measured_speed(fact)) is not None:
            computed = rate_of(fact, asked, card)
            assert computed is not None
            kind = "prompt" if fact.get("phase") == "prompt" else workload.task
            found[f"{kind} speed {'1' if fact['count'] == 1 else 'n'}"].append(computed / truth - 1)
    return found


def median_and_p90(*kinds: str, left_out: bool = False) -> tuple[float, float, int]:
    sizes = sorted(abs(error) for kind in kinds for error in errors(left_out)[kind])
    assert len(sizes) >= 30, kinds
    return sizes[len(sizes) // 2], sizes[int(0.9 * len(sizes))], len(sizes)


@pytest.mark.parametrize(
    ("kinds", "median", "p90"),
    [
        (("llm-inference",), 0.02, 0.08),
        (("llm-lora", "llm-qlora"), 0.06, 0.18),
        (("llm-full",), 0.09, 0.30),
        (("inference speed 1", "inference speed n"), 0.05, 0.12),
        (("training speed 1",), 0.08, 0.22),
    ],
)
def test_known_software_is_met_as_promised(kinds, median, p90):
    found = median_and_p90(*kinds)
    assert found[0] <= median
    assert found[1] <= p90


@pytest.mark.parametrize(
    ("kinds", "median", "p90"),
    [
        (("llm-inference",), 0.10, 0.35),
        (("llm-lora", "llm-qlora"), 0.14, 0.45),
        (("llm-full",), 0.14, 0.45),
        (("inference speed 1", "inference speed n"), 0.15, 0.45),
        (("training speed 1",), 0.20, 0.60),
    ],
)
def test_software_as_if_never_measured_is_met_as_promised(kinds, median, p90):
    found = median_and_p90(*kinds, left_out=True)
    assert found[0] <= median
    assert found[1] <= p90


def test_a_lower_bound_is_hardly_ever_undercut():
    under = [error for error in errors(False)["llm-inference at_least"] if error < -0.03]
    assert len(under) <= 3


def test_more_cards_speed_up_as_measured():
    """Speed-up over the same work on one card, by link: the median error promised for 2, 4 and 8 cards."""
    groups: dict[tuple[str, str], dict[int, object]] = defaultdict(dict)
    for fact in LIBRARY.facts:
        if (
            (
                fact["workload"]["scenario"] == "llm"
                and fact["workload"]["task"] == "training"
                and "scaling" in fact["usable_for"]
            )
            and fact["metric"] == "speed"
            and fact.get("group")
        ):
            groups[fact["group"], fact["gpu"]][fact["count"]] = fact
    found: dict[tuple[str, int], list[float]] = defaultdict(list)
    for (_, slug), by_count in groups.items():
        if 1 not in by_count:
            continue
        for count, fact in by_count.items():
            if count == 1:
                continue
            asked = prepare(parse_workload(fact["workload"], LIBRARY.models), LIBRARY)
            one = prepare(parse_workload(by_count[1]["workload"], LIBRARY.models), LIBRARY)
            card = LIBRARY.gpus[slug]
            computed = asked.rate(card, count).value / one.rate(card, 1).value
            measured = fact["value"] / by_count[1]["value"]
            found[asked.spread(card, count).link, count].append(abs(computed / measured - 1))
    for link, count, promised in (
        ("nvlink", 2, 0.05),
        ("nvlink", 4, 0.08),
        ("nvlink", 8, 0.10),
        ("pcie", 2, 0.10),
        ("pcie", 4, 0.15),
        ("pcie", 8, 0.30),
    ):
        sizes = sorted(found[link, count])
        assert len(sizes) >= 4, (link, count)
        assert sizes[len(sizes) // 2] <= promised, (link, count, sizes)
