"""The filter of the card list: answers live in the address."""

from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.cards import REQUIREMENTS, SORTS, Wanted
from catalog.formats import is_currency

DEFAULT_CURRENCY = "CNY"

SORT_LABELS = {
    "vram": _("Memory, smallest first"),
    "-vram": _("Memory, largest first"),
    "hour": _("Hourly price, lowest first"),
    "-hour": _("Hourly price, highest first"),
    "per_gb": _("Hourly price per GB of memory"),
    "-bandwidth": _("Bandwidth, highest first"),
    "-fp16": _("FP16, highest first"),
    "-fp64": _("FP64, highest first"),
}
REQUIRE_LABELS = {"ecc": "ECC", "nvlink": "NVLink", "fp8": "FP8", "mig": "MIG", "fp64": _("Full FP64")}


def check_currency(code: str) -> str:
    """The code in capitals. Raises ValidationError where no such currency exists."""
    code = code.strip().upper()
    if not is_currency(code):
        raise ValidationError(
            _("There is no currency “%(code)s”. Write its three letters, for instance CNY or USD."),
            "unknown_currency",
            {"code": code[:20]},
        )
    return code


class CurrencyForm(forms.Form):
    """`?currency=` of any page with prices."""

    currency = forms.CharField(required=False, max_length=20, label=_("Currency"))

    def clean_currency(self) -> str:
        """The asked currency, or the shop's own."""
        return check_currency(self.cleaned_data["currency"] or DEFAULT_CURRENCY)


class CardFilter(CurrencyForm):
    """What the list shows and in which order."""

    min_vram = forms.DecimalField(required=False, min_value=0, max_value=10_000, label=_("Memory at least, GB"))
    max_hour = forms.DecimalField(
        required=False, min_value=0, max_digits=18, decimal_places=8, label=_("Hourly price at most")
    )
    region = forms.CharField(required=False, max_length=40, label=_("Region"))
    require = forms.MultipleChoiceField(
        required=False, choices=[(name, name) for name in REQUIREMENTS], label=_("Must have")
    )
    stock = forms.BooleanField(required=False, label=_("In stock"))
    stock_card = forms.BooleanField(required=False, label=_("No modified cards"))
    sort = forms.ChoiceField(
        required=False,
        choices=[(sign + name, name) for name in SORTS for sign in ("", "-")],
        label=pgettext_lazy("cards", "Order"),
    )

    def __init__(self, *args: Any, regions: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.regions = regions

    def clean_region(self) -> str:
        """A region on sale, or "" for all."""
        region: str = self.cleaned_data["region"]
        if region and region not in self.regions:
            raise ValidationError(
                _("There is no region “%(region)s”. There are: %(regions)s."),
                "unknown_region",
                {"region": region, "regions": ", ".join(self.regions) or "—"},
            )
        return region

    def wanted(self) -> Wanted:
        """The checked answers; where one is wrong, as if it had not been given."""
        said: dict[str, Any] = getattr(self, "cleaned_data", {})
        least: Decimal | None = said.get("min_vram")
        return Wanted(
            min_vram_gb=least,
            max_hour=said.get("max_hour"),
            require=tuple(said.get("require") or ()),
            in_stock=bool(said.get("stock")),
            no_modified=bool(said.get("stock_card")),
            sort=said.get("sort") or "vram",
        )
