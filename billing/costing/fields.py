"""Strict reading of one JSON object: every field is known, of the right type and within its limits, or it is an error with its path."""

import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import NoReturn

from billing.costing.errors import CostingErrors, FieldError, nearest, shown, type_word

_NUMBER = re.compile(r"[+-]?[0-9]{1,40}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,3})?", re.ASCII)

MOST_DECIMALS = 20
"""Decimals of a price; more is a slip, and a bound on the work."""


def read_decimal(value: object, path: str, *, minimum: int = 0, maximum: int, decimals: int = MOST_DECIMALS) -> Decimal:
    """An exact number from a decimal string, an int, a Decimal or a float (its shortest spelling).

    Raises FieldError: wrong-type, not-a-number, too-small, too-large, too-many-decimals.
    """
    number = _exact(value, path)
    if number < minimum:
        raise FieldError(path, "too-small", {"minimum": minimum, "value": shown(value)})
    if number > maximum:
        raise FieldError(path, "too-large", {"maximum": maximum, "value": shown(value)})
    exponent = number.as_tuple().exponent
    if isinstance(exponent, int) and -exponent > decimals and number != 0:
        raise FieldError(path, "too-many-decimals", {"maximum": decimals})
    return number if number else Decimal(0)  # no minus zero, no zero of a thousand digits


def _exact(value: object, path: str) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise FieldError(path, "wrong-type", {"wanted": "a number", "got": type_word(value)})
    if isinstance(value, int):
        if value.bit_length() > 400:
            raise FieldError(path, "not-a-number", {"value": shown(value)})
        return Decimal(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise FieldError(path, "not-a-number", {"value": shown(value)})
        return Decimal(repr(value))
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int) or abs(exponent) > 1000 or len(value.as_tuple().digits) > 80:
            raise FieldError(path, "not-a-number", {"value": shown(value)})
        return value
    if len(value) > 90 or not _NUMBER.fullmatch(value):
        raise FieldError(path, "not-a-number", {"value": shown(value)})
    return Decimal(value)


def read_whole(value: object, path: str, *, minimum: int = 0, maximum: int, text: bool = False) -> int:
    """A whole number; 60.0 is one, "60" only where `text` allows it, true is none."""
    if isinstance(value, str) and not text:
        raise FieldError(path, "wrong-type", {"wanted": "a whole number", "got": "text"})
    number = read_decimal(value, path, minimum=minimum, maximum=maximum)
    if number != int(number):
        raise FieldError(path, "not-whole", {"value": shown(value)})
    return int(number)


def read_list(value: object, path: str, *, maximum: int) -> Sequence[object]:
    """A list with 1 to `maximum` entries."""
    if not isinstance(value, list | tuple):
        raise FieldError(path, "not-a-list", {"got": type_word(value)})
    if not value:
        raise FieldError(path, "empty")
    if len(value) > maximum:
        raise FieldError(path, "too-many", {"count": len(value), "maximum": maximum})
    return value


class Fields:
    """One object being read. Each reader notes an error in `errors` and answers the default, so that all errors are told at once."""

    def __init__(self, value: object, path: str, known: Sequence[str], errors: list[FieldError]) -> None:
        self.path = path
        self.errors = errors
        self._values: dict[str, object] = {}
        if not isinstance(value, Mapping):
            raise_all([*errors, FieldError(path, "not-an-object", {"got": type_word(value)})])
        if len(value) > 200:
            raise_all([*errors, FieldError(path, "too-many", {"count": len(value), "maximum": 200})])
        for key, held in value.items():
            if key in known:
                self._values[key] = held
            else:
                name = shown(key)
                errors.append(
                    FieldError(self.at(name), "unknown-field", {"value": name, "suggestion": nearest(name, known)})
                )

    def at(self, name: str) -> str:
        """The path of a field of this object."""
        return f"{self.path}.{name}" if self.path else name

    def has(self, name: str) -> bool:
        """Whether the field is there and not null."""
        return self._values.get(name) is not None

    def raw(self, name: str) -> object:
        """The field as it came (None when absent)."""
        return self._values.get(name)

    def note(self, name: str, code: str, **params: object) -> None:
        """Note an error at a field of this object."""
        self.errors.append(FieldError(self.at(name), code, params))

    def decimal(
        self,
        name: str,
        default: str | None = None,
        *,
        minimum: int = 0,
        maximum: int = 10**9,
        decimals: int = MOST_DECIMALS,
    ) -> Decimal:
        """An exact number; required where there is no default."""
        if name not in self._values:
            if default is None:
                self.note(name, "missing")
            return Decimal(default or 0)
        try:
            return read_decimal(self._values[name], self.at(name), minimum=minimum, maximum=maximum, decimals=decimals)
        except FieldError as error:
            self.errors.append(error)
            return Decimal(default or 0)

    def optional_decimal(self, name: str, *, minimum: int = 0, maximum: int = 10**9) -> Decimal | None:
        """An exact number, or None where it is absent or null."""
        return self.decimal(name, "0", minimum=minimum, maximum=maximum) if self.has(name) else None

    def whole(
        self, name: str, default: int | None = None, *, minimum: int = 0, maximum: int, text: bool = False
    ) -> int:
        """A whole number; required where there is no default."""
        fallback = minimum if default is None else default
        if name not in self._values:
            if default is None:
                self.note(name, "missing")
            return fallback
        try:
            return read_whole(self._values[name], self.at(name), minimum=minimum, maximum=maximum, text=text)
        except FieldError as error:
            self.errors.append(error)
            return fallback

    def choice(self, name: str, allowed: Sequence[str], default: str | None = None) -> str:
        """One of a few words; required where there is no default."""
        fallback = allowed[0] if default is None else default
        if name not in self._values:
            if default is None:
                self.note(name, "missing")
            return fallback
        value = self._values[name]
        if not isinstance(value, str):
            self.note(name, "wrong-type", wanted=f"one of {', '.join(allowed)}", got=type_word(value))
            return fallback
        if value not in allowed:
            self.note(
                name,
                "unknown-value",
                value=shown(value),
                allowed=", ".join(allowed),
                suggestion=nearest(shown(value), allowed),
            )
            return fallback
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self._values.get(name, default)
        if not isinstance(value, bool):
            self.note(name, "wrong-type", wanted="true or false", got=type_word(value))
            return default
        return value

    def text(self, name: str, default: str | None = None, *, maximum: int = 200) -> str:
        """Text on one line; required, and not empty, where there is no default."""
        if name not in self._values:
            if default is None:
                self.note(name, "missing")
            return default or ""
        value = self._values[name]
        if not isinstance(value, str):
            self.note(name, "wrong-type", wanted="text", got=type_word(value))
        elif len(value) > maximum:
            self.note(name, "too-long", maximum=maximum)
        elif default is None and not value.strip():
            self.note(name, "empty")
        elif not value.isprintable():
            self.note(name, "bad-text")
        else:
            return value
        return default or ""

    def finish(self) -> None:
        """Raise what was noted."""
        if self.errors:
            raise_all(self.errors)


def raise_all(errors: Sequence[FieldError]) -> NoReturn:
    """Raise everything noted so far as one exception."""
    raise CostingErrors(errors)
