"""One JSON object per line in, one per line out: a bad line is answered with what is wrong with it and never stops the rest."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, BinaryIO, TextIO

from advisor.sizing.problems import Problem, WorkloadError
from billing.costing.jsonl import strict_json

MAX_LINE_BYTES = 2_000_000
"""A workload with a config.json inside takes a few kB; a longer line is refused without being read into a value."""


class LineError(ValueError):
    """A line that holds no question: `code` and a sentence."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code


def read_line(line: bytes) -> Mapping[str, Any]:
    """The object of a line. Raises LineError."""
    if len(line) > MAX_LINE_BYTES:
        raise LineError("line-too-long", f"A line has at most {MAX_LINE_BYTES} bytes; this one has {len(line)}.")
    try:
        value = strict_json(line)
    except (ValueError, RecursionError) as error:
        raise LineError("not-json", f"This line is not JSON: {str(error)[:120]}.") from error
    if not isinstance(value, dict):
        raise LineError("not-an-object", 'A line must be an object such as {"id": 1, "workload": {...}}.')
    return value


def problems_dict(problems: Iterable[Problem], say: Callable[[Problem], str]) -> dict[str, Any]:
    """Everything wrong with a workload, as the `error` of a line."""
    told = [
        {"path": one.path, "code": one.code, "detail": say(one), **_hints(one), "values": dict(one.values)}
        for one in problems
    ]
    return {"code": "invalid-workload", "detail": " ".join(str(one["detail"]) for one in told), "problems": told}


def _hints(problem: Problem) -> dict[str, Any]:
    """What is allowed and the nearest spelling, beside the sentence that also says them."""
    return {key: problem.values[key] for key in ("allowed", "suggestion") if key in problem.values}


def answer_lines(
    source: BinaryIO,
    sink: TextIO,
    answer: Callable[[Mapping[str, Any]], dict[str, Any]],
    say: Callable[[Problem], str] = lambda problem: problem.sentence,
) -> int:
    """Answers every line of `source` on `sink`; the number of lines that ended in an error.

    `answer` takes a line's object and returns what goes beside its `id`; it raises WorkloadError where the contract is broken.
    Empty lines are passed over.
    """
    errors = 0
    for line in source:
        if not line.strip():
            continue
        told, failed = _answered(line, answer, say)
        errors += failed
        sink.write(_written(told) + "\n")
    sink.flush()
    return errors


def _written(told: Mapping[str, Any]) -> str:
    text = json.dumps(told, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair: only an escape can carry it
        return json.dumps(told, allow_nan=False, separators=(",", ":"))
    return text


def _answered(
    line: bytes, answer: Callable[[Mapping[str, Any]], dict[str, Any]], say: Callable[[Problem], str]
) -> tuple[dict[str, Any], bool]:
    asked: Any = None
    try:
        body = read_line(line)
        asked = _plain_id(body.get("id"))
        return {"id": asked, **answer(body)}, False
    except LineError as error:
        return {"id": asked, "error": {"code": error.code, "detail": str(error), "problems": []}}, True
    except WorkloadError as error:
        return {"id": asked, "error": problems_dict(error.problems, say)}, True


def _plain_id(value: Any) -> Any:
    """The id as given, if it is one: text, a number or nothing."""
    return value if isinstance(value, str | int | float) or value is None else str(value)[:200]
