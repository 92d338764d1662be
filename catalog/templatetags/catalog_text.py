"""Money, figures and addresses in templates."""

from decimal import ROUND_HALF_UP, Decimal

from django import template
from django.conf import settings
from django.urls import translate_url
from django.utils.translation import get_language, get_language_from_path, override

from catalog.formats import currency_symbol, figure_text, money_text

register = template.Library()


@register.filter
def money(amount: Decimal | str | None, currency: str) -> str:
    """An exact price without its sign; a dash where there is none."""
    return "—" if amount is None or amount == "" else money_text(Decimal(amount), currency)


@register.filter
def symbol(currency: str) -> str:
    """The currency's sign."""
    return currency_symbol(currency)


@register.filter
def figure(value: Decimal | int | str | None, places: int | None = None) -> str:
    """A technical figure; a dash where it is not known."""
    return "—" if value is None or value == "" else figure_text(Decimal(value), places)


@register.filter
def short(value: Decimal | None) -> str:
    """A measured figure with at most one decimal."""
    if value is None:
        return "—"
    tenth = value.quantize(Decimal("0.1"), ROUND_HALF_UP)
    return figure_text(tenth)


@register.filter
def in_language(address: str) -> str:
    """A page's address kept from a visit in any language, as the current reader's."""
    here = get_language() or settings.LANGUAGE_CODE
    with override(get_language_from_path(address) or here):
        return translate_url(address, here)
