"""Numbers that arrive as text where no form checks them: in an address, in a hidden field."""

MOST_DIGITS = 18
"""More than any row or version has, and fewer than a column of PostgreSQL holds."""


def whole_number(text: str) -> int:
    """The whole number a text of decimal digits says; 0, which is nobody's number, for any other text."""
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else 0
