"""One honest line for each card, made from its spec sheet and today's prices: what it is best at here, and what to know before."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from advisor.templatetags.figures import number
from catalog.cards import REQUIREMENTS, Card

MOST_REMARKS = 2
"""Drawbacks told in one line; the card's page has all of them."""


@dataclass(frozen=True, slots=True)
class CardLine:
    """A card, what speaks for it, what against it."""

    card: Card
    good: str
    bad: tuple[str, ...]


def _leads(card: Card, sold: Sequence[Card], key: Callable[[Card], Decimal | None], *, least: bool = False) -> bool:
    """Whether no other card on sale is better or as good."""
    own = key(card)
    others = [value for other in sold if other.slug != card.slug and (value := key(other)) is not None]
    if own is None or not others:
        return False
    return own < min(others) if least else own > max(others)


def _good(card: Card, sold: Sequence[Card]) -> str:
    """The first thing the card leads in, else what its sheet says."""
    size = {"gb": number(card.vram_gb), "rate": number(card.bandwidth or 0)}
    leads: tuple[tuple[bool, Callable[[], str]], ...] = (
        (_leads(card, sold, lambda one: one.hour, least=True), lambda: _("The lowest hourly price on sale here.")),
        (
            _leads(card, sold, lambda one: one.bandwidth),
            lambda: _("The highest memory bandwidth on sale here, %(rate)s GB/s: fast at generating text.") % size,
        ),
        (
            _leads(card, sold, lambda one: one.fp16),
            lambda: (
                _("The highest FP16 peak on sale here, %(tflops)s TFLOPS: made for training.")
                % {"tflops": number(card.fp16 or 0)}
            ),
        ),
        (
            _leads(card, sold, lambda one: one.hour_per_gb, least=True),
            lambda: _("The lowest price per GB of memory on sale here: %(gb)s GB.") % size,
        ),
        (
            _leads(card, [one for one in sold if not one.nvlink], lambda one: one.vram_gb) and not card.nvlink,
            lambda: _("The most memory among the cards without NVLink: %(gb)s GB.") % size,
        ),
        (
            _leads(card, [one for one in sold if one.vram_gb >= card.vram_gb], lambda one: one.hour, least=True),
            lambda: _("The lowest hourly price here for %(gb)s GB or more, at %(rate)s GB/s.") % size,
        ),
        (
            REQUIREMENTS["fp64"](card),
            lambda: (
                _("Real double precision: %(tflops)s TFLOPS of FP64, with %(gb)s GB at %(rate)s GB/s.")
                % {**size, "tflops": number(card.fp64 or 0)}
            ),
        ),
        (
            bool(card.fp8),
            lambda: (
                _("FP8 at %(tflops)s TFLOPS where the software uses it, with %(gb)s GB at %(rate)s GB/s.")
                % {**size, "tflops": number(card.fp8 or 0)}
            ),
        ),
    )
    found = next((words for holds, words in leads if holds), None)
    return found() if found else _("%(gb)s GB at %(rate)s GB/s.") % size


def _bad(card: Card, sold: Sequence[Card]) -> tuple[str, ...]:
    """Drawbacks, the one that surprises most first."""
    fp32, fp64 = card.number("fp32_tflops"), card.fp64
    cheapest = min((one.hour for one in sold if one.hour is not None), default=None)
    remarks: tuple[tuple[bool, Callable[[], str]], ...] = (
        (card.modified, lambda: _("a modified card without a maker's specification")),
        (
            bool(fp32 and fp64 and not REQUIREMENTS["fp64"](card)),
            lambda: (
                _("double precision at 1/%(part)s of single precision")
                % {"part": number(round((fp32 or 0) / (fp64 or 1)))}
            ),
        ),
        (card.ecc == "no", lambda: _("no ECC")),
        (card.ecc == "optional", lambda: _("ECC off unless the host turns it on")),
        (not card.fp8, lambda: _("no FP8")),
        (
            bool(card.hour and cheapest and card.hour > 3 * cheapest),
            lambda: (
                _("%(times)s times the hourly price of the cheapest card")
                % {"times": number(round((card.hour or 0) / (cheapest or 1), 1))}
            ),
        ),
    )
    return tuple(words() for holds, words in remarks if holds)[:MOST_REMARKS]


def card_lines(cards: Iterable[Card]) -> list[CardLine]:
    """A line for every card with a price, smallest memory first, then the cheaper."""
    sold = sorted((card for card in cards if card.prices), key=lambda card: (card.vram_gb, card.hour or 0, card.name))
    return [CardLine(card, _good(card, sold), _bad(card, sold)) for card in sold]
