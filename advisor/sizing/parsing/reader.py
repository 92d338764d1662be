"""Reads single values of a workload's JSON: the type, the allowed words and the limits, or the problem of each."""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, cast

from advisor.sizing.fields import Field, homes_of, homes_of_value
from advisor.sizing.problems import Problem, shown, type_word

MAX_AMOUNT = 1e18
MAX_STRANGERS = 20
"""Unknown fields told one by one; a body with more is told so."""
TYPO_CUTOFF = 0.85
"""difflib ratio above which a name outside an open list is taken for a misspelt one of the list."""


class Reader:
    """Collects problems while it reads; each method answers None where it reported one."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def report(self, path: str, code: str, **values: str | int | float) -> None:
        self.problems.append(Problem(path, code, values))

    def mapping(self, value: object, path: str) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return cast(Mapping[str, Any], value)
        self.report(path, "not-an-object", got=type_word(value))
        return None

    def unknown_value(self, path: str, value: str, allowed: Iterable[str]) -> None:
        words = tuple(allowed)
        near = difflib.get_close_matches(value[:80].lower(), words, n=1, cutoff=0.5)
        told = ", ".join(words)
        if near:
            self.report(path, "unknown-value-near", value=shown(value), suggestion=near[0], allowed=told)
        else:
            self.report(path, "unknown-value", value=shown(value), allowed=told)

    def word(self, value: object, path: str, allowed: tuple[str, ...]) -> str | None:
        if not isinstance(value, str):
            self.report(path, "wrong-type", wanted="text", got=type_word(value))
        elif value not in allowed:
            self.unknown_value(path, value, allowed)
        else:
            return value
        return None

    def number(self, value: object, path: str, minimum: float, maximum: float) -> float | int | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.report(path, "wrong-type", wanted="a number", got=type_word(value))
        elif isinstance(value, float) and not math.isfinite(value):
            self.report(path, "not-finite", value=str(value))
        elif value < minimum:
            self.report(path, "too-small", minimum=minimum, value=shown(value))
        elif value > maximum:
            self.report(path, "too-large", maximum=maximum, value=shown(value))
        else:
            return value
        return None

    def integer(self, value: object, path: str, minimum: float, maximum: float) -> int | None:
        number = self.number(value, path, minimum, maximum)
        if number is None:
            return None
        if number != int(number):
            self.report(path, "wrong-type", wanted="a whole number", got=shown(number))
            return None
        return int(number)

    def numbers(self, data: Mapping[str, Any], fields: tuple[Field, ...], path: str) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for field in fields:
            if field.name not in data:
                continue
            read = self.integer if field.kind == "int" else self.number
            where = f"{path}.{field.name}"
            out[field.name] = read(data[field.name], where, field.minimum or 0, field.maximum or MAX_AMOUNT)
        return out

    def unknown_fields(self, data: Mapping[str, Any], allowed: tuple[str, ...], path: str, task: str | None) -> None:
        strangers = [name for name in data if name not in allowed]
        if len(strangers) > MAX_STRANGERS:
            self.report(path.rstrip(".") or "workload", "too-many", maximum=len(allowed))
        for name in strangers[:MAX_STRANGERS]:
            where = f"{path}{shown(name)}"
            if task and (homes := homes_of(name)):
                self.report(where, "field-of-other-task", value=name, task=task, homes=", ".join(homes))
                continue
            near = difflib.get_close_matches(str(name)[:80].lower(), allowed, n=1, cutoff=0.6)
            told = ", ".join(allowed)
            if near:
                self.report(where, "unknown-field-near", value=shown(name), suggestion=near[0], allowed=told)
            else:
                self.report(where, "unknown-field", value=shown(name), allowed=told)

    def field(self, field: Field, value: object, gpus: Collection[str] | None) -> Any:
        """The checked, canonical value of a task's field, or None with a problem reported."""
        path = field.name
        low, high = field.minimum or 0.0, field.maximum if field.maximum is not None else MAX_AMOUNT
        match field.kind:
            case "bool":
                if isinstance(value, bool):
                    return value
                self.report(path, "wrong-type", wanted="true or false", got=type_word(value))
                return None
            case "int":
                return self.integer(value, path, low, high)
            case "number":
                return self.number(value, path, low, high)
            case "size":
                return self.size(value, path, low, high)
            case "gpu-hours":
                return self.gpu_hours(value, path, low, high, gpus)
            case _:
                return self.choice(field, value, path)

    def choice(self, field: Field, value: object, path: str) -> str | None:
        if not isinstance(value, str):
            self.report(path, "wrong-type", wanted="text", got=type_word(value))
            return None
        if field.allows(value):
            return "zero3" if value == "fsdp" and "zero3" in field.choices else value
        if field.kind == "open-choice" and (homes := homes_of_value(field, value)):
            told = ", ".join(field.allowed_words)
            self.report(path, "value-of-other-task", value=value, homes=", ".join(homes), allowed=told)
            return None
        open_name = field.kind == "open-choice" and re.fullmatch(r"[a-z0-9][a-z0-9 ._+:-]{0,47}", value)
        if open_name and not difflib.get_close_matches(value, field.choices, n=1, cutoff=TYPO_CUTOFF):
            return value
        self.unknown_value(path, value, field.allowed_words)
        return None

    def size(self, value: object, path: str, low: float, high: float) -> int | tuple[int, int] | None:
        if not isinstance(value, list | tuple):
            return self.integer(value, path, low, high)
        if len(value) != 2:
            self.report(path, "wrong-type", wanted="a number or [height, width]", got=f"a list of {len(value)}")
            return None
        height, width = (self.integer(side, f"{path}[{i}]", low, high) for i, side in enumerate(value))
        return None if height is None or width is None else (height, width)

    def gpu_hours(
        self, value: object, path: str, low: float, high: float, gpus: Collection[str] | None
    ) -> dict[str, object] | None:
        data = self.mapping(value, path)
        if data is None:
            return None
        self.unknown_fields(data, ("gpu", "hours"), f"{path}.", None)
        gpu = data.get("gpu")
        if not isinstance(gpu, str):
            self.report(f"{path}.gpu", "wrong-type", wanted="text", got=type_word(gpu))
            gpu = None
        elif gpus is not None and gpu not in gpus:
            near = difflib.get_close_matches(gpu[:80], list(gpus), n=3, cutoff=0.4)
            self.report(f"{path}.gpu", "unknown-gpu", value=shown(gpu), suggestion=", ".join(near))
            gpu = None
        hours = self.number(data.get("hours"), f"{path}.hours", low, high)
        return None if gpu is None or hours is None else {"gpu": gpu, "hours": hours}
