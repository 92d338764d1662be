"""Figures and money as a reader of the current language expects them. Nothing is rounded away that a calculator would miss."""

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from math import ceil

from babel import Locale, UnknownLocaleError
from babel.numbers import format_decimal, get_currency_precision, get_currency_symbol, list_currencies
from django.utils.translation import get_language, ngettext, to_locale
from django.utils.translation import gettext as _

from catalog.cards import card_name

SYMBOLS = {"CNY": "¥"}
"""In a shop that says which currency it shows, the plain sign reads better than CN¥."""


def babel_locale() -> Locale:
    """The reader's language for babel, English where babel does not know it."""
    try:
        return Locale.parse(to_locale(get_language() or "en"))
    except (UnknownLocaleError, ValueError):
        return Locale("en")


def is_currency(code: str) -> bool:
    """Whether this is an ISO 4217 code."""
    return code in list_currencies()


def card_words(row: Mapping[str, str]) -> str:
    """A card's name where no tag beside it says that it is modified: `RTX 4090 48G (modified)`, in the reader's language."""
    name = card_name(row)
    return name if name == row["name"] else _("%(card)s (modified)") % {"card": name}


def currency_symbol(currency: str) -> str:
    """`¥`, `$`, or the code itself."""
    return SYMBOLS.get(currency) or str(get_currency_symbol(currency, locale=babel_locale()))


def money_text(amount: Decimal, currency: str) -> str:
    """An exact price without its sign: at least the currency's digits, all further ones that are not zero (up to 8)."""
    digits = get_currency_precision(currency)
    pattern = f"#,##0.{'0' * digits}{'#' * (8 - digits)}" if digits else "#,##0.########"
    return str(format_decimal(amount, format=pattern, locale=babel_locale()))


def figure_text(value: Decimal | int, places: int | None = None) -> str:
    """A technical figure with thousands marks; with `places` rounded half up to them, without it as it is."""
    number = Decimal(value)
    if places is not None:
        number = number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
        return str(format_decimal(number, format=f"#,##0.{'0' * places}" if places else "#,##0", locale=babel_locale()))
    return str(format_decimal(number, format="#,##0.####", locale=babel_locale()))


def wait_text(seconds: int) -> str:
    """A wait, rounded up so that who comes back then is not early: `40 seconds`, `9 minutes`, `2 hours`."""
    if seconds < 60:
        return ngettext("%(count)d second", "%(count)d seconds", seconds) % {"count": seconds}
    if seconds <= 5400:
        minutes = ceil(seconds / 60)
        return ngettext("%(count)d minute", "%(count)d minutes", minutes) % {"count": minutes}
    hours = ceil(seconds / 3600)
    return ngettext("%(count)d hour", "%(count)d hours", hours) % {"count": hours}
