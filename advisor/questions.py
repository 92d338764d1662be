"""The questions of command line and API: an object in, an answer in words out; what is wrong raises WorkloadError."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from advisor.costs import starts_priced
from advisor.recommend import recommend, to_dict
from advisor.sentences import estimate_in_words, recommendation_in_words
from advisor.sizing.estimate import prepare
from advisor.sizing.estimate import to_dict as estimate_dict
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.model_names import nearest_models
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import Problem, WorkloadError, shown, type_word
from advisor.sizing.workload import Workload
from catalog.snapshot import Catalogue

MAX_COUNT = 4096
STARTS_A_PIECE = 200
MOST_WORK = 120
"""Pieces of work of one request: about ten seconds of one processor at the very worst."""

LONGEST_PASTE = 2_000_000
DIAGNOSIS_FIELDS = {"text": "the pasted message", "model": "text", "currency": "text"}
"""Fields of a question to the doctor, with what each must be."""

type Answer = Callable[[Mapping[str, Any]], dict[str, Any]]


def question(value: object) -> Mapping[str, Any]:
    """The object that holds a question. Raises WorkloadError where there is none."""
    if isinstance(value, Mapping):
        return value
    raise WorkloadError((Problem("question", "not-an-object", {"got": type_word(value)}),))


@dataclass(frozen=True, slots=True)
class DiagnosisQuestion:
    """A pasted message, the library model it is about ("" where not told) and the currency of prices."""

    text: str
    model: str = ""
    currency: str = ""


def diagnosis_question(body: object, models: Mapping[str, Mapping[str, str]]) -> DiagnosisQuestion:
    """`{"text", "model"?, "currency"?}`, strictly. Raises WorkloadError with everything wrong."""
    asked, problems = question(body), []
    told: dict[str, str] = {}
    for name, wanted in DIAGNOSIS_FIELDS.items():
        value = asked.get(name, None if name == "text" else "")
        if name not in asked and name == "text":
            problems.append(Problem(name, "missing", {"wanted": wanted}))
        elif not isinstance(value, str):
            problems.append(Problem(name, "wrong-type", {"wanted": wanted, "got": type_word(value)}))
        elif len(value) > LONGEST_PASTE:
            problems.append(Problem(name, "too-long", {"maximum": LONGEST_PASTE}))
        else:
            told[name] = value
    problems += [_stranger(str(name)) for name in asked if name not in DIAGNOSIS_FIELDS]
    if (model := told.get("model", "")) and model not in models:
        near = ", ".join(nearest_models(model, models))
        code = "unknown-model-near" if near else "unknown-model"
        problems.append(Problem("model", code, {"value": shown(model), "suggestion": near}))
    if problems:
        raise WorkloadError(tuple(problems))
    return DiagnosisQuestion(**told)


def _stranger(name: str) -> Problem:
    allowed = ", ".join(DIAGNOSIS_FIELDS)
    near = difflib.get_close_matches(name[:80].lower(), DIAGNOSIS_FIELDS, n=1, cutoff=0.6)
    if near:
        values = {"value": shown(name), "suggestion": near[0], "allowed": allowed}
        return Problem(shown(name), "unknown-field-near", values)
    return Problem(shown(name), "unknown-field", {"value": shown(name), "allowed": allowed})


def estimate_answer(body: Mapping[str, Any], known: Library) -> dict[str, Any]:
    """`{"workload", "gpu", "count"}` -> `{"estimate"}`. Other keys are passed over."""
    problems: list[Problem] = []
    gpu = _gpu(body, known, problems)
    count = _count(body.get("count", 1), problems)
    try:
        workload = _workload(body, known)
    except WorkloadError as error:
        raise WorkloadError((*error.problems, *problems)) from error
    if gpu is None or count is None:
        raise WorkloadError(tuple(problems))
    return {"estimate": estimate_in_words(estimate_dict(prepare(workload, known).on(gpu, count)))}


def recommendation_answer(
    body: Mapping[str, Any], catalogue: Catalogue, known: Library, now: datetime
) -> dict[str, Any]:
    """`{"workload"}` -> `{"recommendation"}`. Other keys are passed over."""
    workload = _workload(body, known)
    return {"recommendation": recommendation_in_words(to_dict(recommend(workload, catalogue, known, now)))}


def pieces_of_work(body: object, known: Library) -> int:
    """What answering one question takes: one piece, and one more for each so many starts of its schedule; nothing where it is refused."""
    try:
        workload = _workload(question(body), known)
    except WorkloadError:
        return 0
    return 1 + starts_priced(workload) // STARTS_A_PIECE


def _workload(body: Mapping[str, Any], known: Library) -> Workload:
    if "workload" not in body:
        raise WorkloadError((Problem("workload", "missing", {"wanted": "an object with named fields"}),))
    return parse_workload(body["workload"], known.models, known.gpus)


def _gpu(body: Mapping[str, Any], known: Library, problems: list[Problem]) -> Gpu | None:
    slug = body.get("gpu")
    if "gpu" not in body:
        problems.append(Problem("gpu", "missing", {"wanted": "the slug of a card kind"}))
        return None
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
