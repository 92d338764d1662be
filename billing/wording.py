"""Numbers, money, dates and quantities in words, by language. What a quotation says is worded once, when its snapshot is made."""

from datetime import date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

from babel import Locale
from babel.dates import format_date, format_datetime
from babel.numbers import format_decimal
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from billing.costing.money import digits, text

UNIT_PRICE_DECIMALS = 8


def locale_of(language: str) -> Locale:
    """Babel's locale of one of Django's language codes."""
    return Locale.parse(language.replace("-", "_").replace("hans", "Hans").replace("hant", "Hant"))


def money_text(amount: Decimal, currency: str, language: str) -> str:
    """An amount with the currency's digits and grouped thousands, without a symbol: 6,121.55."""
    places = digits(currency)
    pattern = "#,##0" + ("." + "0" * places if places else "")
    return format_decimal(amount, format=pattern, locale=locale_of(language), decimal_quantization=False)


def unit_price_text(amount: Decimal, currency: str, language: str) -> str:
    """A unit price: the currency's digits at least, as many more as it has, at most eight."""
    places = digits(currency)
    pattern = "#,##0." + "0" * places + "#" * (UNIT_PRICE_DECIMALS - places)
    return format_decimal(amount, format=pattern, locale=locale_of(language), decimal_quantization=False)


def number_text(number: Decimal, language: str) -> str:
    """A quantity without trailing zeros."""
    return format_decimal(number, format="#,##0.########", locale=locale_of(language), decimal_quantization=False)


def plain_text(number: Decimal) -> str:
    """A number as one types it into a field: no grouping, no trailing zeros."""
    said = text(number)
    return said.rstrip("0").rstrip(".") if "." in said else said


def date_text(day: date, language: str) -> str:
    """2026 年 11 月 30 日; 30 November 2026."""
    if language.startswith("zh"):
        return f"{day.year} 年 {day.month} 月 {day.day} 日"
    return format_date(day, format="d MMMM y" if language == "en" else "long", locale=locale_of(language))


def moment_text(moment: datetime, timezone: str, language: str) -> str:
    """A moment on the seller's clock."""
    local = moment.astimezone(ZoneInfo(timezone))
    return f"{date_text(local.date(), language)} {format_datetime(local, 'HH:mm', locale=locale_of(language))}"


def timezone_text(timezone: str) -> str:
    """The zone as people call it, for "24:00 Beijing time"."""
    return _("Beijing time") if timezone == "Asia/Shanghai" else timezone


def periods_text(periods: Decimal, unit: str, language: str) -> str:
    """`2 weeks`, in the active language."""
    n = int(periods) if periods == int(periods) else 2
    amount = number_text(periods, language)
    words = {
        "minute": ngettext("%(amount)s minute", "%(amount)s minutes", n),
        "hour": ngettext("%(amount)s hour", "%(amount)s hours", n),
        "day": ngettext("%(amount)s day", "%(amount)s days", n),
        "week": ngettext("%(amount)s week", "%(amount)s weeks", n),
        "month": ngettext("%(amount)s month", "%(amount)s months", n),
    }
    return words[unit] % {"amount": amount} if unit in words else amount


def quantity_text(kind: str, count: Decimal, periods: Decimal, unit: str, language: str) -> str:
    """`4 cards × 1 month`, `450 GB × 30 days`, `3`, in the active language."""
    n = int(count) if count == int(count) else 2
    amount = number_text(count, language)
    if kind == "gpu":
        first = ngettext("%(amount)s card", "%(amount)s cards", n) % {"amount": amount}
    elif kind in ("storage", "traffic"):
        first = f"{amount} GB"
    else:
        first = amount
    if unit == "piece":
        return first if periods == 1 else f"{first} × {number_text(periods, language)}"
    return f"{first} × {periods_text(periods, unit, language)}"


def plan_text(plan_kind: str) -> str:
    """The name of a plan, in the active language."""
    words = {
        "minute": _("Per minute"),
        "hour": _("Hourly"),
        "day": _("Day card"),
        "week": _("Week card"),
        "month": _("Month card"),
    }
    return words.get(plan_kind, plan_kind)


def plan_rule_text(plan_kind: str, rules: dict[str, object]) -> str:
    """What one term or billing step of the plan is, in the active language: `Week card, 168 hours`."""
    name = plan_text(plan_kind)
    step = int(str(rules.get("billing_step_seconds", 1)))
    if plan_kind in ("minute", "hour"):
        steps = {
            1: _("charged by the second"),
            60: _("each start rounded up to the minute"),
            3600: _("each start rounded up to the hour"),
            86400: _("each start rounded up to the day"),
        }
        return comma().join(part for part in (name, steps.get(step, "")) if part)
    means = str(rules.get(f"{plan_kind}_means", ""))
    lengths = {
        "24h": _("24 hours"),
        "168h": _("168 hours"),
        "30d": _("30 days"),
        "720h": _("720 hours"),
        "730h": _("730 hours"),
        "365d/12": _("365/12 days"),
        "calendar": _("by the calendar"),
    }
    return comma().join(part for part in (name, lengths.get(means, "")) if part)


def comma() -> str:
    """What joins short phrases in the active language."""
    return _(", ")
