"""Which currency a page counts in: the one asked for, else the one prices are in."""

from advisor.answers import Answers, last
from advisor.sizing.fields import CURRENCIES

HOUSE_CURRENCY = "CNY"


def currency_of(answers: Answers) -> str:
    """The currency of the answers, if it is one we know."""
    asked = last(answers, "currency")
    return asked if asked in CURRENCIES else HOUSE_CURRENCY
