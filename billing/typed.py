"""What arrives as text where no form checks it: in an address, in a hidden field."""

from uuid import UUID

MOST_DIGITS = 18
"""More than any row or version has, and fewer than a column of PostgreSQL holds."""


def whole_number(text: str) -> int:
    """The whole number a text of decimal digits says; 0, which is nobody's number, for any other text."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0


def form_key(text: str) -> UUID | None:
    """The key a form was made with; None for any other text."""
    try:
        return UUID(text)
    except ValueError:
        return None
