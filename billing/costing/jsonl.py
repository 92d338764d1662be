"""Lines of JSON in, lines of JSON out: each line is answered, whatever it holds."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from math import isinf
from typing import Any

from billing.costing.errors import CostingErrors, FieldError

LONGEST_LINE = 20_000_000


MOST_DIGITS = 400


def _refuse(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if isinf(number):
        raise ValueError(f"{digits[:40]} is larger than any number here")
    return number


def _exact(digits: str) -> Decimal:
    _finite(digits)
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    return Decimal(digits)


def _whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError(f"a number of more than {MOST_DIGITS} digits")
    return int(digits)


def named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object, for `object_pairs_hook`. Raises ValueError where a name stands twice: one of its values would be lost in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {json.dumps(twice[:60])} stands twice in one object")
    return found


def strict_json(body: bytes, number: Callable[[str], object] = _finite) -> Any:
    """JSON in UTF-8 as every reader understands it: no NaN, no number past all bounds, no name twice in an object.

    `number` reads what is written with a point or an exponent. Raises ValueError with the reason, or RecursionError.
    """
    try:
        text = body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not in UTF-8") from None
    return json.loads(text, parse_float=number, parse_int=_whole, parse_constant=_refuse, object_pairs_hook=named_once)


def read(line: bytes) -> object:
    """One line's JSON, numbers exact. Raises CostingErrors not-json."""
    try:
        if len(line) > LONGEST_LINE:
            raise ValueError("it is too long")
        return strict_json(line, _exact)
    except (ValueError, RecursionError, ArithmeticError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise CostingErrors([FieldError("", "not-json", {"reason": reason})]) from None


def answer_lines(lines: Iterable[bytes], answer: Callable[[object], dict[str, object]]) -> Iterator[tuple[str, bool]]:
    """For every line that is not blank: its answer as one line of JSON, and whether it is free of error."""
    for line in lines:
        if not line.strip():
            continue
        try:
            found = answer(read(line))
        except CostingErrors as error:
            found = {"id": None, "error": error.to_dict()}
        yield _written(found), "error" not in found


def _written(found: dict[str, object]) -> str:
    text = json.dumps(found, ensure_ascii=False, default=_spelled)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a pair: only an escape can carry it
        return json.dumps(found, default=_spelled)
    return text


def line_id(line: object) -> object:
    """The `id` of a line, if it is text or a number."""
    name = line.get("id") if isinstance(line, Mapping) else None
    return name if isinstance(name, str | int | Decimal) else None


def _spelled(value: object) -> object:
    """An id that is a decimal number goes back as it came."""
    return float(value) if isinstance(value, Decimal) else str(value)
