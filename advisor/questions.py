"""The questions of command line and API: an object in, an answer in words out; what is wrong raises WorkloadError."""

import difflib
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from advisor.costs import starts_priced
from advisor.recommend import recommend, to_dict
from advisor.sentences import estimate_in_words, recommendation_in_words
from advisor.sizing.estimate import prepare
from advisor.sizing.estimate import to_dict as estimate_dict
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.problems import Problem, WorkloadError, shown, type_word
from advisor.sizing.workload import parse_workload
from catalog.snapshot import Catalogue

MAX_COUNT = 4096
STARTS_A_PIECE = 200
MOST_WORK = 120
"""Pieces of work of one request: about ten seconds of one processor at the very worst."""

type Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


def question(value: object) -> Mapping[str, Any]:
    """The object that holds a question. Raises WorkloadError where there is none."""
    if isinstance(value, Mapping):
        return value
    raise WorkloadError((Problem("question", "not-an-object", {"got": type_word(value)}),))


def estimate_answer(body: Mapping[str, Any], known: Library) -> dict[str, Any]:
    """`{"workload", "gpu", "count"}` -> `{"estimate"}`. Other keys are passed over."""
    problems: list[Problem] = []
    gpu = _gpu(body.get("gpu"), known, problems)
    count = _count(body.get("count", 1), problems)
    try:
        workload = parse_workload(body.get("workload"), known.models, known.gpus)
    except WorkloadError as error:
        raise WorkloadError((*error.problems, *problems)) from error
    if gpu is None or count is None:
        raise WorkloadError(tuple(problems))
    return {"estimate": estimate_in_words(estimate_dict(prepare(workload, known).on(gpu, count)))}


def recommendation_answer(
    body: Mapping[str, Any], catalogue: Catalogue, known: Library, now: datetime
) -> dict[str, Any]:
    """`{"workload"}` -> `{"recommendation"}`. Other keys are passed over."""
    workload = parse_workload(body.get("workload"), known.models, known.gpus)
    return {"recommendation": recommendation_in_words(to_dict(recommend(workload, catalogue, known, now)))}


def pieces_of_work(body: object, known: Library) -> int:
    """What answering one question takes: one piece, and one more for each so many starts of its schedule; nothing where it is refused."""
    try:
        workload = parse_workload(question(body).get("workload"), known.models, known.gpus)
    except WorkloadError:
        return 0
    return 1 + starts_priced(workload) // STARTS_A_PIECE


def _gpu(slug: object, known: Library, problems: list[Problem]) -> Gpu | None:
    if not isinstance(slug, str):
        problems.append(Problem("gpu", "wrong-type", {"wanted": "the slug of a card kind", "got": type_word(slug)}))
        return None
    if slug not in known.gpus:
        near = difflib.get_close_matches(slug[:80], list(known.gpus), n=3, cutoff=0.3) or list(known.gpus)[:3]
        problems.append(Problem("gpu", "unknown-gpu", {"value": shown(slug), "suggestion": ", ".join(near)}))
        return None
    return known.gpus[slug]


def _count(count: object, problems: list[Problem]) -> int | None:
    if isinstance(count, bool) or not isinstance(count, int):
        problems.append(Problem("count", "wrong-type", {"wanted": "a whole number", "got": type_word(count)}))
    elif count < 1:
        problems.append(Problem("count", "too-small", {"minimum": 1, "value": shown(count)}))
    elif count > MAX_COUNT:
        problems.append(Problem("count", "too-large", {"maximum": MAX_COUNT, "value": shown(count)}))
    else:
        return count
    return None
