"""Cards, notes and figures as the pages say them."""

import math
from decimal import Decimal

from django.utils.translation import ngettext

from advisor.library import library
from advisor.sentences import note_sentence
from advisor.sizing.answer import Note
from advisor.sizing.gpu import Gpu
from advisor.templatetags.figures import card_name, number


def card_of(slug: str) -> Gpu | None:
    """The card's figures."""
    return library().gpus.get(slug)


def told(note: Note) -> str:
    """A note's sentence; that a card is a modified one is told by its tag, in the reader's language."""
    return note_sentence(note).replace(" (modified)", "")


def named(slug: str, count: int) -> str:
    """`2 × RTX 4090 24G`, number and sign never apart; one card without a number."""
    name = card_name(slug)
    return name if count == 1 else f"{count}\u00a0× {name}"


def three_digits(value: float) -> str:
    """A figure with three significant digits and separators."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return number(round(value, digits), min(digits, 6)) if digits else number(float(f"{value:.3g}"), 0)


def quantity_text(kind: str, quantity: Decimal) -> str:
    """`2 day cards`, `27 hours`, `725 minutes`."""
    count = int(quantity) if quantity == int(quantity) else None
    shown = number(quantity)
    words = {
        "minute": ngettext("%(n)s minute", "%(n)s minutes", count or 2),
        "hour": ngettext("%(n)s hour", "%(n)s hours", count or 2),
        "day": ngettext("%(n)s day card", "%(n)s day cards", count or 2),
        "week": ngettext("%(n)s week card", "%(n)s week cards", count or 2),
        "month": ngettext("%(n)s month card", "%(n)s month cards", count or 2),
    }
    return words[kind] % {"n": shown}
