"""Reads what a case expects of an answer: the words of `cases/workloads.jsonl`, whoever wrote the case."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from advisor.library import library
from advisor.recommend import Recommendation, recommend
from advisor.sizing.answer import Estimate
from advisor.sizing.estimate import prepare
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import WorkloadError
from advisor.sizing.workload import Workload
from advisor.survey import rate_of
from catalog.example import example_catalogue

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


def read(workload: Mapping[str, Any]) -> Workload:
    """The checked workload."""
    known = library()
    return parse_workload(workload, known.models, known.gpus)


def advice(**workload: Any) -> Recommendation:
    """A workload answered from the example catalogue."""
    return recommend(read(workload), example_catalogue(), library(), NOW)


def estimate(workload: Mapping[str, Any], place: str) -> Estimate:
    """A workload on `gpu@count`."""
    slug, _at, count = place.partition("@")
    known = library()
    return prepare(read(workload), known).on(known.gpus[slug], int(count or 1))


def reasons_of(answer: Recommendation, gpu: str) -> set[str]:
    """Every reason code an answer gives about a card kind, chosen or rejected."""
    chosen = [
        note.code for one in answer.choices if one.gpu == gpu for note in (*one.reasons_for, *one.reasons_against)
    ]
    rejected = [note.code for one in answer.rejected if one.gpu == gpu for note in one.reasons]
    return {*chosen, *rejected}


def faults(workload: Mapping[str, Any], expect: Mapping[str, Any]) -> list[str]:
    """Everything in which the answer is not as expected; an expectation nobody can read is one, too."""
    if "error_at" in expect:
        return _error_faults(workload, expect["error_at"])
    answer = advice(**workload)
    recommended = answer.recommended
    found = []
    for what, wanted in expect.items():
        match what:
            case "fit":
                for place, allowed in wanted.items():
                    fit = estimate(workload, place).fit
                    if fit not in allowed:
                        found.append(f"fit on {place}: {fit}, not {allowed}")
            case "choices_include":
                chosen = {one.gpu for one in answer.choices}
                found += [f"{gpu} is not among the choices" for gpu in wanted if gpu not in chosen]
            case "recommended_in":
                if recommended is None or recommended.gpu not in wanted:
                    found.append(f"recommended {recommended and recommended.gpu}, none of {wanted}")
            case "not_recommended":
                if recommended is not None and recommended.gpu in wanted:
                    found.append(f"recommended {recommended.gpu}")
            case "reasons_include":
                for gpu, codes in wanted.items():
                    missing = set(codes) - reasons_of(answer, gpu)
                    if missing:
                        found.append(f"{gpu} lacks {missing}")
            case "faster":
                for fast, slow in wanted.items():
                    one, other = (rate_of(estimate(workload, place).speed) for place in (fast, slow))
                    if one is None or other is None or one <= other:
                        found.append(f"{fast} is not faster than {slow}: {one}, {other}")
            case "min_count_recommended":
                if recommended is None or recommended.count < wanted:
                    found.append(f"recommended {recommended and recommended.count} cards")
            case "warns":
                told = {note.code for note in answer.warnings} - {"sample-price"}
                if bool(told) != wanted:
                    found.append(f"warnings: {told}")
            case "answers":
                if bool(answer.choices) != wanted:
                    found.append("no choice")
            case _:
                found.append(f"unknown expectation {what}")
    return found


def _error_faults(workload: Mapping[str, Any], path: str) -> list[str]:
    try:
        read(workload)
    except WorkloadError as error:
        paths = [problem.path for problem in error.problems]
        return [] if path in paths else [f"errors at {paths}"]
    return ["no error"]
