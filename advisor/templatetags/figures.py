"""Figures in the reader's language: the number without a break, its unit small beside it."""

import math
from decimal import Decimal
from typing import Any

from babel import Locale
from babel.core import UnknownLocaleError
from babel.numbers import format_currency, format_decimal, get_currency_precision, get_currency_symbol
from django import template
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, ngettext, to_locale
from django.utils.translation import gettext as _

from advisor.answer_labels import FITS, SPEED_UNITS, TIERS
from advisor.library import library
from advisor.sizing.answer import Memory

register = template.Library()

CLEAR_SIGNS = {"CNY": "¥", "JPY": "JP¥"}
"""Where one sign means two currencies: ours is the yuan, in every language."""


def reader_locale() -> Locale:
    """Babel's locale of the active language."""
    try:
        return Locale.parse(to_locale(get_language() or "en"))
    except (ValueError, UnknownLocaleError):
        return Locale("en")


def number(value: Any, digits: int | None = None) -> str:
    """A number with separators; `digits` fixed decimals, or as they come (at most 6)."""
    pattern = "#,##0.######" if digits is None else "#,##0" + ("." + "0" * digits if digits else "")
    return format_decimal(value, pattern, locale=reader_locale())


def sign(currency: str) -> str:
    """The currency's sign."""
    return CLEAR_SIGNS.get(currency) or get_currency_symbol(currency, locale=reader_locale())


def money_text(amount: Decimal, currency: str) -> str:
    """An amount as plain text: `¥32.88`."""
    if currency in CLEAR_SIGNS:
        digits = get_currency_precision(currency)
        return f"{'−' if amount < 0 else ''}{CLEAR_SIGNS[currency]}{number(abs(amount), digits)}"
    return format_currency(amount, currency, locale=reader_locale())


def compact(value: float) -> str:
    """A large count as people write it: 20M or 2,000 万; small ones plainly."""
    size = abs(value)
    if size < 100_000:
        return number(Decimal(repr(value)) if isinstance(value, float) else value)
    if (get_language() or "").startswith("zh"):
        unit, word = (1e8, "亿") if size >= 1e8 else (1e4, "万")
        return f"{number(round(Decimal(repr(value)) / Decimal(unit), 2))} {word}"
    for unit, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if size >= unit:
            return f"{number(round(Decimal(repr(value)) / Decimal(unit), 2))}{letter}"
    return number(value)


def hours_figure(hours: float) -> str:
    """Hours as a table shows them: one decimal below a hundred."""
    return number(hours, 2 if hours < 1 else 1 if hours < 100 else 0)


def about_hours(hours: float) -> str:
    """Hours inside a sentence: `27 hours`, `45 minutes`, `12 days`."""
    if hours < 1:
        minutes = max(1, round(hours * 60))
        return ngettext("%(count)s minute", "%(count)s minutes", minutes) % {"count": number(minutes, 0)}
    if hours < 1000:
        told = number(round(hours, 1)) if hours < 10 else number(round(hours), 0)
        return ngettext("%(count)s hour", "%(count)s hours", 1 if told == "1" else 2) % {"count": told}
    return _("%(count)s days") % {"count": number(round(hours / 24), 0)}


def about_seconds(seconds: float) -> str:
    """A duration of any size in a cell."""
    return f"{number(seconds, 2 if seconds < 1 else 1 if seconds < 100 else 0)} s"


@register.filter
def money(amount: Decimal | None, currency: str) -> SafeString:
    """`<span class="n"><small>¥</small>32.88</span>`; a dash where there is none."""
    if amount is None:
        return mark_safe("—")
    digits = get_currency_precision(currency)
    minus = "−" if amount < 0 else ""
    return format_html(
        '<span class="n">{}<small>{}</small>{}</span>', minus, sign(currency), number(abs(amount), digits)
    )


@register.filter
def more_money(amount: Decimal | None, currency: str) -> SafeString:
    """A difference with its sign: `+¥8.40`."""
    if amount is None:
        return mark_safe("—")
    digits = get_currency_precision(currency)
    mark = "−" if amount < 0 else "+"
    return format_html(
        '<span class="n">{}<small>{}</small>{}</span>', mark, sign(currency), number(abs(amount), digits)
    )


@register.filter
def plain_money(amount: Decimal | None, currency: str) -> str:
    """For titles and attributes."""
    return "—" if amount is None else money_text(amount, currency)


@register.filter
def unit_price(amount: Decimal | str | None) -> str:
    """A unit price with all its digits, at least two."""
    if amount is None or amount == "":
        return "—"
    value = Decimal(amount)
    decimals = max(2, -int(value.normalize().as_tuple().exponent))
    return number(value, min(decimals, 8))


@register.filter
def gib(value: float) -> str:
    """GiB with one decimal."""
    return number(value, 1)


@register.filter
def whole(value: float) -> str:
    """A number without decimals."""
    return number(round(value), 0)


@register.filter
def plain(value: Any) -> str:
    """A number as it is, with separators."""
    return number(value)


@register.filter
def hours(value: float | None) -> str:
    """Hours in a cell, without the unit."""
    return "—" if value is None else hours_figure(value)


@register.filter
def spoken_hours(value: float) -> str:
    """Hours in a sentence."""
    return about_hours(value)


@register.filter
def four_digits(value: float) -> str:
    """A measured figure with four significant digits."""
    return number(round(value, max(0, 3 - math.floor(math.log10(abs(value))))) if value else 0)


@register.filter
def unit_name(unit: str) -> str:
    """A unit of measurements in the reader's language."""
    return str(SPEED_UNITS.get(unit, unit))


@register.filter
def in_words(value: Any) -> str:
    """A large count as people write it."""
    return compact(float(value)) if value is not None else "—"


@register.simple_tag
def icon(name: str) -> SafeString:
    """A decorative icon of the sprite."""
    return format_html('<svg class="i" aria-hidden="true"><use href="{}#{}"/></svg>', static("icons.svg"), name)


FIT_LOOKS = {"fits": ("yes", "fits"), "tight": ("tight", "tight"), "does_not_fit": ("no", "no")}


@register.simple_tag
def fit(verdict: str) -> SafeString:
    """The verdict: icon and word, never colour alone."""
    css, name = FIT_LOOKS[verdict]
    return format_html('<span class="fit {}">{}{}</span>', css, icon(name), FITS[verdict])


@register.simple_tag
def fit_mark(verdict: str) -> SafeString:
    """The verdict where there is room for its shape only; the word is there for who cannot see."""
    css, name = FIT_LOOKS[verdict]
    return format_html('<span class="fit {}">{}<span class="sr">{}</span></span>', css, icon(name), FITS[verdict])


@register.filter
def card_name(slug: str) -> str:
    """Name of a card kind; that it is a modified one is told by a tag beside it, in the reader's language."""
    card = library().gpus.get(slug)
    return card.name.removesuffix(" (modified)") if card else slug


@register.filter
def amount(value: Decimal | None, currency: str) -> str:
    """An amount in a column whose head names the currency."""
    return "—" if value is None else number(value, get_currency_precision(currency))


@register.simple_tag
def memory_tier(memory: Memory) -> SafeString:
    """How sure the memory figure is: meter and words."""
    level, words = TIERS[memory.tier]
    return format_html("{} {}", icon(f"lv{level}"), words)
