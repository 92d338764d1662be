"""Numbers as price lists write them: which sign is the decimal one is proved by the file or asked, never guessed."""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal

type DecimalSign = Literal["point", "comma"]

_MONEY_MARKS = re.compile(r"[\s\u00a0\u202f'’]|[¥￥$€£]|CNY|RMB|USD|EUR|元")
_SHAPE = re.compile(r"\d+(?:[.,]\d+)*\Z")
_POINT = re.compile(r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\Z")
_COMMA = re.compile(r"(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?\Z")


def bare(text: str) -> str:
    """The digits and signs of a money text."""
    return _MONEY_MARKS.sub("", text)


def possible_signs(text: str) -> set[DecimalSign]:
    """Under which decimal sign this is a number: {"point"} for 1,355.90, {"comma"} for 1.355,90 and 9,99, both for 12 and for 1,234."""
    digits = bare(text)
    found: set[DecimalSign] = set()
    if not _SHAPE.match(digits):
        return found
    if _POINT.match(digits):
        found.add("point")
    if _COMMA.match(digits):
        found.add("comma")
    return found


def proved_sign(texts: Iterable[str], *, delimiter: str = "") -> DecimalSign | None:
    """The one decimal sign under which every number of the list reads, None where it stays open or the list contradicts itself.

    Numbers that read alike under both (12) prove nothing. In a list where only points occur, and none that could be a thousands mark,
    the point is the decimal sign.
    """
    numbers = [bare(text) for text in texts if possible_signs(text)]
    if not numbers:
        return "point"
    signs: set[DecimalSign] = {"point", "comma"}
    for text in numbers:
        signs &= possible_signs(text)
    if len(signs) == 1:
        return signs.pop()
    if not signs:
        return None
    differing = [text for text in numbers if read_number(text, "point") != read_number(text, "comma")]
    if not differing:
        return "point"
    if delimiter != ";" and all("," not in text for text in numbers) and any(_plain_point(text) for text in differing):
        return "point"
    return None


def _plain_point(text: str) -> bool:
    """0.123: a number below one is no group of thousands."""
    return text.startswith("0.")


def read_number(text: str, sign: DecimalSign) -> Decimal | None:
    """The number, None where the text is none under this sign."""
    if sign not in possible_signs(text):
        return None
    digits = bare(text)
    if sign == "comma":
        digits = digits.replace(".", "").replace(",", ".")
    return Decimal(digits.replace(",", ""))
