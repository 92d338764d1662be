"""One numbered version of what a quotation says. Frozen when it is sent: the snapshot is then the only source of every page and file."""

from decimal import Decimal

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from billing.models.choices import Currency, Language, Rounding
from billing.models.quote import Quote

TERMS_LENGTH = 6_000
"""Two pages of an offer."""


class Revision(models.Model):
    """Head of the offer; its lines are QuoteLine rows. A trigger in the database refuses changes once `snapshot` is set."""

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="revisions")
    number = models.PositiveSmallIntegerField(_("revision"))
    issued_on = models.DateField(_("date"))
    valid_until = models.DateField(_("valid until"))
    language = models.CharField(_("language"), max_length=10, choices=Language, default=Language.ZH)
    currency = models.CharField(_("currency"), max_length=3, choices=Currency, default=Currency.CNY)
    rounding = models.CharField(_("rounding"), max_length=5, choices=Rounding, default=Rounding.LINE)
    tax_percent = models.DecimalField(
        _("VAT %"),
        max_digits=6,
        decimal_places=3,
        default=Decimal(0),
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    prices_include_tax = models.BooleanField(_("prices include VAT"), default=False)
    purpose = models.CharField(_("purpose"), max_length=200, blank=True)
    payment = models.CharField(_("payment"), max_length=200, blank=True)
    start = models.CharField(_("start of rental"), max_length=200, blank=True)
    terms = models.TextField(_("terms"), max_length=TERMS_LENGTH, blank=True)
    advice = models.JSONField(_("advice"), null=True, blank=True)
    catalogue_version = models.PositiveIntegerField(_("catalogue version"), default=0)
    net = models.DecimalField(_("net"), max_digits=20, decimal_places=3, default=Decimal(0))
    tax = models.DecimalField(_("VAT"), max_digits=20, decimal_places=3, default=Decimal(0))
    gross = models.DecimalField(_("total"), max_digits=20, decimal_places=3, default=Decimal(0))
    discount_percent = models.DecimalField(_("deepest discount %"), max_digits=7, decimal_places=3, default=Decimal(0))
    snapshot = models.JSONField(_("snapshot"), null=True, blank=True)
    frozen_at = models.DateTimeField(_("frozen"), null=True, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("revision")
        verbose_name_plural = _("revisions")
        ordering = ["quote", "number"]
        constraints = [
            models.UniqueConstraint(fields=["quote", "number"], name="revision_number_once"),
            models.CheckConstraint(
                condition=models.Q(snapshot__isnull=True, frozen_at__isnull=True)
                | models.Q(snapshot__isnull=False, frozen_at__isnull=False),
                name="revision_frozen_with_snapshot",
            ),
            models.CheckConstraint(
                condition=models.Q(gross=models.F("net") + models.F("tax")), name="revision_adds_up"
            ),
            models.CheckConstraint(condition=LessThanOrEqual(Length("terms"), TERMS_LENGTH), name="revision_terms_fit"),
        ]

    def __str__(self) -> str:
        return f"{self.quote.number}, {self.number}"
