"""Reads the answers a workload gives and keeps a note of every default taken in their place."""

from typing import Any

from advisor.sizing.answer import Note, Value
from advisor.sizing.workload import Workload


class Taken:
    """A workload's answers. Asking for one that was not given takes the default and remembers it as an assumption."""

    __slots__ = ("_notes", "workload")

    def __init__(self, workload: Workload) -> None:
        self.workload = workload
        self._notes: dict[str, Note] = {}

    def said(self, name: str) -> Any:
        """The answer as given, or None: no default is taken."""
        return self.workload.get(name)

    def number(self, name: str, default: float) -> float:
        """A number, noted where it is the default."""
        value = self.workload.get(name)
        return self._default(name, default) if value is None else float(value)

    def whole(self, name: str, default: int) -> int:
        """A whole number, noted where it is the default."""
        value = self.workload.get(name)
        return self._default(name, default) if value is None else int(value)

    def word(self, name: str, default: str) -> str:
        """A word, noted where it is the default."""
        value = self.workload.get(name)
        return self._default(name, default) if value is None else str(value)

    def flag(self, name: str, default: bool, *, noted: bool = False) -> bool:
        """Yes or no; the default is noted only where it matters."""
        value = self.workload.get(name)
        if value is None:
            return self._default(name, default) if noted else default
        return bool(value)

    def assume(self, code: str, field: str | None, **values: Value) -> None:
        """Any other assumption."""
        self._notes[f"{code} {field}"] = Note(code, field, values)

    def _default[T: (int, float, str, bool)](self, name: str, value: T) -> T:
        self._notes[name] = Note("assumed", name, {"value": value})
        return value

    @property
    def notes(self) -> tuple[Note, ...]:
        """The assumptions so far."""
        return tuple(self._notes.values())


def figure(row: dict[str, str] | Any, name: str, default: float = 0.0) -> float:
    """A number of a library row; parts joined by `+` or `-` (layers of two stacks) are added up."""
    text = row.get(name) or ""
    if not text:
        return default
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return float(sum(float(part) for part in text.replace("-", "+").split("+")))
    except ValueError:
        return default
