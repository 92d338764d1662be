"""Names and words that are printed as proof: what is stored is what is seen."""

from typing import Any
from unicodedata import category

from django import forms

UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp"})
"""Controls, marks that turn or join letters (U+202E, U+200B, U+2066, ...), separators of lines and paragraphs."""
KEPT = frozenset("\t\n\r\x00")
"""White space that is typed; and NUL, which Django refuses with a sentence of its own."""


def seen(text: str) -> str:
    """The text without characters that nobody sees and that change how others are read."""
    return "".join(letter for letter in text if letter in KEPT or category(letter) not in UNSEEN)


class PrintedField(forms.CharField):
    """Text that is printed. Marks that come along when a number or a name is pasted are left out; alone they are no text."""

    def to_python(self, value: Any) -> Any:
        """As Django's, of what is seen."""
        return super().to_python(seen(value) if isinstance(value, str) else value)
