"""How deep a discount is and who may give it. Plain values only."""

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from billing.costing.money import round_to
from billing.offer import Offer, OfferLine

HUNDRED = 100


def deepest_discount_percent(offer: Offer) -> Decimal:
    """The largest of: what any line, or the whole offer, gives away against list prices; per cent with 3 decimals.

    Percent, fixed sums and prices set by hand below the list all count, because only what is left is compared.
    """
    asked, listed = offer.totals(), offer.at_list_prices().totals()
    pairs = [
        (asked.total.net, listed.total.net),
        *((a.net, b.net) for a, b in zip(asked.lines, listed.lines, strict=True)),
    ]
    given = [Fraction(HUNDRED) * (1 - Fraction(net) / Fraction(full)) for net, full in pairs if full > 0]
    return round_to(max([Fraction(0), *given]), 3)


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
