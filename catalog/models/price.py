"""What a machine costs under a plan, and from when to when."""

from datetime import datetime
from decimal import Decimal
from typing import Any, ClassVar

from django.contrib.postgres.constraints import ExclusionConstraint
from django.contrib.postgres.fields import DateTimeRangeField, RangeOperators
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from catalog.models.plan import CURRENCY, Plan, limit_errors
from catalog.models.recorded import RecordedModel, RecordedQuerySet


def digits_text(value: Decimal, least: int) -> str:
    """A number as one types it: at least so many places, no further zeros, no exponent, no grouping."""
    whole, _point, places = f"{value:f}".partition(".")
    places = places.rstrip("0").ljust(least, "0")
    return f"{whole}.{places}" if places else whole


class PriceQuerySet(RecordedQuerySet["Price"]):
    """Words about prices."""

    def on_sale(self, currency: str, at: datetime) -> "PriceQuerySet":
        """Prices in this currency that hold at this moment, under plans on sale then."""
        return self.filter(
            currency=currency,
            plan__currency=currency,
            valid_during__contains=at,
            plan__is_active=True,
            plan__valid_from__lte=at,
        )


class Price(RecordedModel):
    """`unit_price` for one card (or machine: the plan's `per`) and one `price_per` of the plan, to 8 decimals.

    Two prices of one machine, plan and currency never hold at the same moment: the database sees to it.
    """

    sku = models.ForeignKey("Sku", models.PROTECT, related_name="prices", verbose_name=_("machine"))
    plan = models.ForeignKey(Plan, models.PROTECT, related_name="prices", verbose_name=_("plan"))
    currency = models.CharField(_("currency"), max_length=3, validators=[CURRENCY])
    unit_price = models.DecimalField(
        _("unit price"), max_digits=18, decimal_places=8, validators=[MinValueValidator(0)]
    )
    list_price_per_hour = models.DecimalField(
        _("list price per hour"),
        max_digits=18,
        decimal_places=8,
        null=True,
        blank=True,
        help_text=_("Only for plans that pay back unused time less the discount enjoyed."),
    )
    valid_during = DateTimeRangeField(
        _("valid from, until"), help_text=_("The end is not included; empty means until further notice.")
    )
    is_sample = models.BooleanField(_("sample data"), default=False)

    objects = PriceQuerySet.as_manager()

    class Meta:
        ordering = ["sku", "plan", "currency", "valid_during"]
        verbose_name = _("price")
        verbose_name_plural = _("prices")
        constraints: ClassVar[list[Any]] = [
            models.CheckConstraint(
                condition=Q(unit_price__gt=0),
                name="price_above_zero",
                violation_error_message=_("A price is more than zero."),
            ),
            models.CheckConstraint(condition=Q(currency__regex=r"^[A-Z]{3}$"), name="price_currency"),
            models.CheckConstraint(
                condition=Q(list_price_per_hour__isnull=True) | Q(list_price_per_hour__gt=0),
                name="price_list_price_above_zero",
            ),
            models.CheckConstraint(
                condition=Q(valid_during__isempty=False) & Q(valid_during__startswith__isnull=False),
                name="price_begins",
                violation_error_message=_(
                    "A price needs a moment from which it holds, before the one at which it ends."
                ),
            ),
            ExclusionConstraint(
                name="price_no_overlap",
                expressions=[
                    ("sku", RangeOperators.EQUAL),
                    ("plan", RangeOperators.EQUAL),
                    ("currency", RangeOperators.EQUAL),
                    ("valid_during", RangeOperators.OVERLAPS),
                ],
                violation_error_message=_(
                    "Another price of this machine, plan and currency holds at the same time. End it first."
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.sku}, {self.plan.name}: {digits_text(self.unit_price, 2)} {self.currency}"

    def clean(self) -> None:
        """The plan's own sums (disk, least charge) are in its currency: a price in another would mix them."""
        super().clean()
        if errors := limit_errors(vars(self)):
            raise ValidationError(errors)
        if not self.plan_id:
            return
        if self.plan.currency != self.currency:
            raise ValidationError({"currency": _("The plan is in %(currency)s.") % {"currency": self.plan.currency}})
        needs_list = self.plan.unused == Plan.Unused.CLAWBACK
        if needs_list != (self.list_price_per_hour is not None):
            raise ValidationError(
                {
                    "list_price_per_hour": _(
                        "This plan pays back less the discount enjoyed: say the list price per hour."
                    )
                    if needs_list
                    else _("Only plans that pay back less the discount enjoyed have a list price.")
                }
            )
