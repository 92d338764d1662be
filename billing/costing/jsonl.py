"""Lines of JSON in, lines of JSON out: each line is answered, whatever it holds."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal

from billing.costing.errors import CostingErrors, FieldError

LONGEST_LINE = 20_000_000


class _NotJson(ValueError):
    pass


def _refuse(name: str) -> object:
    raise _NotJson(f"{name} is no JSON number")


def _number(digits: str) -> Decimal:
    # parsed exactly, and never an int of a million digits
    if len(digits) > 400:
        raise _NotJson("a number of more than 400 digits")
    return Decimal(digits)


def _whole(digits: str) -> int:
    if len(digits) > 400:
        raise _NotJson("a number of more than 400 digits")
    return int(digits)


def named_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object, for `object_pairs_hook`. Raises ValueError where a name stands twice: one of its values would be lost in silence."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _value in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name {json.dumps(twice[:60])} stands twice in one object")
    return found


def read(line: str) -> object:
    """One line's JSON, numbers exact. Raises CostingErrors not-json."""
    try:
        if len(line) > LONGEST_LINE:
            raise _NotJson("it is too long")
        return json.loads(
            line, parse_float=_number, parse_int=_whole, parse_constant=_refuse, object_pairs_hook=named_once
        )
    except (ValueError, RecursionError, ArithmeticError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise CostingErrors([FieldError("", "not-json", {"reason": reason})]) from None


def answer_lines(lines: Iterable[str], answer: Callable[[object], dict[str, object]]) -> Iterator[tuple[str, bool]]:
    """For every line that is not blank: its answer as one line of JSON, and whether it is free of error."""
    for line in lines:
        if not line.strip():
            continue
        try:
            found = answer(read(line.lstrip("\ufeff")))
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
