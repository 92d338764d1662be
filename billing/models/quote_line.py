"""One line of a revision. Everything is copied in: no line follows the catalogue after it was written."""

from decimal import Decimal

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.revision import Revision

LEAST = Decimal("0.0001")


class QuoteLine(models.Model):
    """quantity = count x units_each x periods; amount = quantity x unit_price, less percent, less the fixed sum, never below zero."""

    class Kind(models.TextChoices):
        GPU = "gpu", _("Machine")
        STORAGE = "storage", _("Storage")
        TRAFFIC = "traffic", _("Traffic")
        TEXT = "text", _("Other")

    class Unit(models.TextChoices):
        SECOND = "second", _("second")
        MINUTE = "minute", _("minute")
        HOUR = "hour", _("hour")
        DAY = "day", _("day")
        WEEK = "week", _("week")
        MONTH = "month", _("month")
        PIECE = "piece", _("piece")

    revision = models.ForeignKey(Revision, on_delete=models.CASCADE, related_name="lines")
    position = models.PositiveSmallIntegerField()
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.GPU)
    sku = models.CharField(_("machine"), max_length=80, blank=True)
    gpu = models.CharField(max_length=80, blank=True)
    plan_kind = models.CharField(_("plan"), max_length=8, blank=True)
    plan = models.JSONField(null=True, blank=True)
    title = models.CharField(_("what"), max_length=200, blank=True)
    detail = models.CharField(_("detail"), max_length=300, blank=True)
    count = models.DecimalField(
        _("count"), max_digits=14, decimal_places=4, default=Decimal(1), validators=[MinValueValidator(LEAST)]
    )
    units_each = models.PositiveSmallIntegerField(
        _("priced units in each"), default=1, help_text=_("Cards in one machine where the price is per card.")
    )
    periods = models.DecimalField(
        _("periods"), max_digits=14, decimal_places=4, default=Decimal(1), validators=[MinValueValidator(LEAST)]
    )
    unit = models.CharField(_("unit"), max_length=6, choices=Unit, default=Unit.PIECE)
    unit_price = models.DecimalField(
        _("unit price"), max_digits=20, decimal_places=8, validators=[MinValueValidator(0)]
    )
    list_price = models.DecimalField(_("list price"), max_digits=20, decimal_places=8, null=True, blank=True)
    hand_set = models.BooleanField(_("price set by hand"), default=False)
    is_sample = models.BooleanField(_("sample price"), default=False)
    discount_percent = models.DecimalField(
        _("discount %"),
        max_digits=7,
        decimal_places=4,
        default=Decimal(0),
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    discount_amount = models.DecimalField(
        _("fixed discount"), max_digits=18, decimal_places=3, default=Decimal(0), validators=[MinValueValidator(0)]
    )

    class Meta:
        verbose_name = _("line")
        verbose_name_plural = _("lines")
        ordering = ["revision", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["revision", "position"], name="line_position_once", deferrable=models.Deferrable.DEFERRED
            ),
            models.CheckConstraint(
                condition=models.Q(count__gt=0, periods__gt=0, units_each__gt=0), name="line_counts_something"
            ),
            models.CheckConstraint(
                condition=models.Q(
                    discount_amount__lte=models.F("count")
                    * models.F("units_each")
                    * models.F("periods")
                    * models.F("unit_price")
                    * (1 - models.F("discount_percent") / 100)
                ),
                name="line_discount_within_sum",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.position}. {self.title}"
