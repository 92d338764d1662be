"""Figures in the admin as people write them: a price keeps at least two places, anything else none that are zero; times are local."""

import re
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from django import forms
from django.contrib import admin
from django.db import models
from django.utils.formats import date_format
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from catalog.models.price import digits_text

ISO_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}")
MONEY_PLACES = 8
"""Sums are kept to eight places in this catalogue, and nothing else is."""


def least_places(places: int) -> int:
    """How many places a field of so many is shown with at least."""
    return 2 if places == MONEY_PLACES else 0


class PlainDecimal(forms.DecimalField):
    """A number field that is filled in without trailing zeros, and never as 0E-8."""

    def prepare_value(self, value: Any) -> Any:
        """The stored number as one would type it."""
        return digits_text(value, least_places(self.decimal_places or 0)) if isinstance(value, Decimal) else value


def plain(model: type[models.Model], name: str) -> Any:
    """A column that shows a decimal field without trailing zeros."""
    field: Any = model._meta.get_field(name)
    places = least_places(field.decimal_places)

    @admin.display(description=field.verbose_name, ordering=field.name)
    def shown(row: models.Model) -> str:
        value = getattr(row, field.name)
        return "-" if value is None else digits_text(value, places)

    return shown


def span_text(start: datetime, end: datetime | None) -> str:
    """`since 2026-01-01 08:00`, or from when until when, on the shop's clock."""
    told = _moment(start)
    if end is None:
        return _("since %(start)s") % {"start": told}
    return _("%(start)s to %(end)s") % {"start": told, "end": _moment(end)}


def _moment(moment: datetime) -> str:
    return date_format(localtime(moment), "SHORT_DATETIME_FORMAT")


def change_text(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """What changed of a row: `stock: in-stock → low; ram_gib: 24 → 32`; of a new or deleted one what it holds."""
    if not before or not after:
        before, after = (
            {name: value for name, value in side.items() if value not in (None, "")} for side in (before, after)
        )
    names = [*before, *(name for name in after if name not in before)]
    return "; ".join(
        f"{name}: {' → '.join(_value(side[name]) for side in (before, after) if name in side)}" for name in names
    )


def _value(value: Any) -> str:
    """A recorded value: a pair of moments is a span of time, a number of eight places a sum."""
    if isinstance(value, list) and len(value) == 2 and value[0]:
        return span_text(datetime.fromisoformat(value[0]), datetime.fromisoformat(value[1]) if value[1] else None)
    if value is None or value == "":
        return "∅"
    text = str(value)
    if isinstance(value, str) and ISO_MOMENT.match(text):
        return _moment(datetime.fromisoformat(text))
    whole, _point, places = text.partition(".")
    if whole.lstrip("-").isdecimal() and places.isdecimal():
        return digits_text(Decimal(text), least_places(len(places)))
    return text
