"""How deep a discount is and who may give it. Plain values only."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from billing.costing.money import round_to
from billing.offer import Offer, OfferLine

type Pair = tuple[Fraction, Fraction]

HUNDRED = 100


def deepest_discount_percent(offer: Offer) -> Decimal:
    """The largest of: what any line, or the whole offer, gives away against list prices; per cent with 3 decimals.

    Percent, fixed sums and prices set by hand below the list all count, because only what is left is compared: before any
    rounding, so that ten per cent are ten. Where each unit is rounded, that may give away more, and is compared as it is charged.
    """
    pairs = _charged(offer) if offer.rounding == "unit" else _exact(offer)
    pairs = [
        *pairs,
        (sum((left for left, _full in pairs), Fraction(0)), sum((full for _left, full in pairs), Fraction(0))),
    ]
    given = [Fraction(HUNDRED) * (1 - left / full) for left, full in pairs if full > 0]
    return round_to(max([Fraction(0), *given]), 3)


def _exact(offer: Offer) -> list[Pair]:
    """Each line as it is left and at its list price."""
    pairs = []
    for line in offer.lines:
        quantity, part = Fraction(line.quantity), 1 - Fraction(line.discount_percent) / HUNDRED
        left = quantity * Fraction(line.unit_price) * part - Fraction(line.discount_amount)
        listed = quantity * Fraction(line.unit_price if line.list_price is None else line.list_price)
        pairs.append((max(Fraction(0), left), listed))
    return pairs


def _charged(offer: Offer) -> list[Pair]:
    """The same as rounded money without tax."""
    asked, listed = offer.totals(), offer.at_list_prices().totals()
    return [(Fraction(a.net), Fraction(b.net)) for a, b in zip(asked.lines, listed.lines, strict=True)]


@dataclass(frozen=True, slots=True)
class Authority:
    """What somebody may send alone: discounts up to the limit; machines without a list price only where they may approve."""

    limit_percent: Decimal
    may_price_freely: bool = False


def sells_unlisted(lines: Iterable[OfferLine]) -> bool:
    """Whether a machine is offered that had no list price: what was given away on it cannot be measured."""
    return any(line.kind == "gpu" and line.list_price is None for line in lines)


def needs_approval(discount_percent: Decimal, unlisted: bool, authority: Authority) -> bool:
    """Whether somebody with this authority must ask before the offer goes out."""
    return discount_percent > authority.limit_percent or (unlisted and not authority.may_price_freely)
