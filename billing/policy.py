"""How deep a discount is and who may give it. Plain values only."""

from decimal import Decimal
from fractions import Fraction

from billing.costing.money import round_to
from billing.offer import Offer

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


def needs_approval(discount_percent: Decimal, limit_percent: Decimal) -> bool:
    """Whether somebody with this limit must ask before the offer goes out."""
    return discount_percent > limit_percent
