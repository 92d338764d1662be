"""A rental plan: the stored form of the plan contract's rules. Prices hang on it, one per machine and currency."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.models.recorded import RecordedModel, RecordedQuerySet
from catalog.plan_limits import CURRENCIES, beyond_limits

CURRENCY = RegexValidator(r"^[A-Z]{3}\Z", _("A currency is its three-letter ISO 4217 code, for instance CNY."))


class PlanQuerySet(RecordedQuerySet["Plan"]):
    """Words about plans."""

    def visible(self) -> "PlanQuerySet":
        """Plans on sale."""
        return self.filter(is_active=True)


def _money(label: Any, help_text: Any = "") -> Any:
    return models.DecimalField(
        label, max_digits=18, decimal_places=8, default=0, validators=[MinValueValidator(0)], help_text=help_text
    )


class Plan(RecordedModel):
    """One set of rules in one currency. Field names and meanings are those of the plan contract.

    Changed rules are a new row with the same name and a later `valid_from`; the prices of the old row end where it begins.
    """

    class Kind(models.TextChoices):
        MINUTE = "minute", _("Minute")
        HOUR = "hour", _("Hourly")
        DAY = "day", _("Day")
        WEEK = "week", _("Week")
        MONTH = "month", _("Month")

    class PricePer(models.TextChoices):
        SECOND = "second", _("second")
        MINUTE = "minute", _("minute")
        HOUR = "hour", _("hour")
        DAY = "day", _("day")
        WEEK = "week", _("week")
        MONTH = "month", _("month")

    class Per(models.TextChoices):
        GPU = "gpu", _("card")
        MACHINE = "machine", _("machine")

    class Pieces(models.TextChoices):
        START = "start", _("each start to stop")
        CLOCK_HOUR = "clock_hour", _("also cut at each full hour")

    class Rounding(models.TextChoices):
        UP = "up", pgettext_lazy("rounding", "up")
        HALF_UP = "half_up", _("half up")
        HALF_EVEN = "half_even", _("half to even")
        DOWN = "down", pgettext_lazy("rounding", "down")

    class RoundAt(models.TextChoices):
        PIECE = "piece", _("each piece")
        LINE = "line", _("each line")
        TOTAL = "total", _("the total")

    class TermUnit(models.TextChoices):
        DAY = "day", _("day")
        WEEK = "week", _("week")
        MONTH = "month", _("month")

    class DayMeans(models.TextChoices):
        HOURS = "24h", _("24 hours")
        CALENDAR = "calendar", _("calendar day")

    class WeekMeans(models.TextChoices):
        HOURS = "168h", _("168 hours")
        CALENDAR = "calendar", _("calendar week")

    class MonthMeans(models.TextChoices):
        DAYS = "30d", _("30 days")
        HOURS_720 = "720h", _("720 hours")
        HOURS_730 = "730h", _("730 hours")
        YEAR_12TH = "365d/12", _("a twelfth of 365 days")
        CALENDAR = "calendar", _("calendar month")

    class Unused(models.TextChoices):
        LOST = "lost", _("lost")
        PRO_RATA = "refund_pro_rata", _("refunded to the second")
        CLAWBACK = "refund_clawback", _("refunded less the discount enjoyed")

    class AfterTerm(models.TextChoices):
        RENEW = "renew", _("renews")
        ON_DEMAND = "on_demand", _("goes on as pay as you go")
        STOP = "stop", _("stops")

    name = models.SlugField(_("name"), max_length=40, help_text=_("Stands in answers, for instance hourly."))
    kind = models.CharField(pgettext_lazy("plan", "kind"), max_length=8, choices=Kind)
    currency = models.CharField(_("currency"), max_length=3, validators=[CURRENCY])
    price_per = models.CharField(
        _("price per"),
        max_length=8,
        choices=PricePer,
        help_text=_("Of a prepaid plan the price is for one whole term."),
    )
    per = models.CharField(_("per card or machine"), max_length=8, choices=Per, default=Per.GPU)
    billing_step_seconds = models.PositiveIntegerField(
        _("billing step, seconds"),
        default=1,
        choices=[(1, "1"), (60, "60"), (3600, "3600"), (86400, "86400")],
        help_text=_("The time of each piece is rounded up to it."),
    )
    pieces = models.CharField(_("pieces"), max_length=12, choices=Pieces, default=Pieces.START)
    money_rounding = models.CharField(_("money is rounded"), max_length=10, choices=Rounding, default=Rounding.HALF_UP)
    round_at = models.CharField(_("rounded at"), max_length=6, choices=RoundAt, default=RoundAt.LINE)
    minimum_seconds = models.PositiveIntegerField(_("least time per start, seconds"), default=0)
    minimum_charge = _money(_("least charge per start"), _("The dearer of least time and least charge holds."))
    cap_hours_per_month = models.PositiveIntegerField(
        _("cap, hours per month"),
        null=True,
        blank=True,
        help_text=_("After so many hours of a calendar month pay as you go costs no more, per machine."),
    )
    term_unit = models.CharField(
        _("term"), max_length=8, choices=TermUnit, blank=True, help_text=_("Empty: pay as you go.")
    )
    term_count = models.PositiveSmallIntegerField(_("number of units in a term"), null=True, blank=True)
    day_means = models.CharField(_("a day means"), max_length=10, choices=DayMeans, blank=True)
    week_means = models.CharField(_("a week means"), max_length=10, choices=WeekMeans, blank=True)
    month_means = models.CharField(_("a month means"), max_length=10, choices=MonthMeans, blank=True)
    unused = models.CharField(_("unused time"), max_length=16, choices=Unused, default=Unused.LOST)
    refund_fee_percent = models.DecimalField(
        _("refund fee, percent"), max_digits=7, decimal_places=4, default=0, validators=[MinValueValidator(0)]
    )
    refund_free_days = models.PositiveSmallIntegerField(
        _("days with full refund"), default=0, help_text=_("Ended within so many days: all is paid back.")
    )
    after_term = models.CharField(_("after the term"), max_length=10, choices=AfterTerm, default=AfterTerm.RENEW)
    on_demand_plan = models.ForeignKey(
        "self",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("pay-as-you-go plan after the term"),
    )
    stopped_gpu_billed = models.BooleanField(_("a stopped machine's card is billed"), default=False)
    disk_price_per_gb_day_running = _money(_("disk, per GB and day, running"))
    disk_price_per_gb_day_stopped = _money(_("disk, per GB and day, stopped"))
    free_disk_gb = models.PositiveIntegerField(_("free disk, GB"), default=0)
    tax_percent = models.DecimalField(
        _("tax, percent"),
        max_digits=7,
        decimal_places=4,
        default=0,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    prices_include_tax = models.BooleanField(_("prices include tax"), default=False)
    valid_from = models.DateTimeField(_("valid from"))
    is_active = models.BooleanField(_("on sale"), default=True)
    is_sample = models.BooleanField(_("sample data"), default=False)

    objects = PlanQuerySet.as_manager()

    class Meta:
        ordering = ["currency", "name", "-valid_from"]
        verbose_name = _("rental plan")
        verbose_name_plural = _("rental plans")
        constraints = [
            models.UniqueConstraint(fields=["name", "currency", "valid_from"], name="plan_once"),
            models.CheckConstraint(condition=Q(currency__regex=r"^[A-Z]{3}$"), name="plan_currency"),
            models.CheckConstraint(
                condition=Q(kind__in=("minute", "hour"), term_unit="", term_count__isnull=True)
                | Q(
                    kind__in=("day", "week", "month"),
                    term_unit=F("kind"),
                    price_per=F("kind"),
                    term_count__isnull=False,
                    term_count__gte=1,
                ),
                name="plan_term_fits_kind",
                violation_error_message=_(
                    "Minute and hourly plans have no term; day, week and month plans have one of that unit and are priced per term."
                ),
            ),
            models.CheckConstraint(
                condition=~Q(price_per="month") | ~Q(term_unit=""),
                name="plan_month_price_has_term",
                violation_error_message=_("A price per month needs a term that says how long a month is."),
            ),
            models.CheckConstraint(
                condition=(~Q(term_unit="day") | ~Q(day_means=""))
                & (~Q(term_unit="week") | ~Q(week_means=""))
                & (~Q(term_unit="month") | ~Q(month_means="")),
                name="plan_term_has_a_length",
                violation_error_message=_("Say what a day, week or month of the term means."),
            ),
            models.CheckConstraint(
                condition=Q(after_term="on_demand", on_demand_plan__isnull=False)
                | (~Q(after_term="on_demand") & Q(on_demand_plan__isnull=True)),
                name="plan_on_demand_named",
                violation_error_message=_(
                    "Name the pay-as-you-go plan exactly where the term goes on as pay as you go."
                ),
            ),
            models.CheckConstraint(
                condition=~Q(term_unit="") | Q(after_term="renew", unused="lost", refund_free_days=0),
                name="plan_only_terms_end",
                violation_error_message=_("Without a term nothing is left unused and nothing comes after it."),
            ),
            models.CheckConstraint(
                condition=Q(
                    minimum_charge__gte=0, disk_price_per_gb_day_running__gte=0, disk_price_per_gb_day_stopped__gte=0
                )
                & Q(tax_percent__gte=0, tax_percent__lte=100, refund_fee_percent__gte=0),
                name="plan_no_negative_money",
            ),
            models.CheckConstraint(
                condition=Q(billing_step_seconds__in=(1, 60, 3600, 86400)), name="plan_billing_step"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.currency})"

    def clean(self) -> None:
        """Only what money can be counted by, and nothing that would take another plan, or a price, off sale.

        Raises ValidationError with a sentence at each field.
        """
        super().clean()
        errors: dict[str, Any] = limit_errors(vars(self))
        if self.currency and self.currency not in CURRENCIES:
            errors.setdefault(
                "currency", _("There is no such currency. Write its three letters, for instance CNY or USD.")
            )
        after = self.on_demand_plan
        if after is not None and (after.term_unit or after.currency != self.currency):
            errors["on_demand_plan"] = _("The plan after the term must be pay as you go in the same currency.")
        elif after is not None and self.is_active and not after.is_active:
            errors["on_demand_plan"] = _("The plan after the term must be on sale.")
        if self.pk:
            errors = self._needed_by_others() | self._needed_by_prices() | errors
        if errors:
            raise ValidationError(errors)

    def _needed_by_others(self) -> dict[str, Any]:
        """What plans on sale that go on as this one after their term forbid."""
        others = [plan for plan in Plan.objects.visible().filter(on_demand_plan=self.pk) if plan.pk != self.pk]
        names = {"plans": ", ".join(sorted(plan.name for plan in others))}
        if not others:
            return {}
        errors: dict[str, Any] = {}
        if self.term_unit:
            errors["term_unit"] = (
                _("After their term these plans go on as this one, so it has none: %(plans)s.") % names
            )
        if any(plan.currency != self.currency for plan in others):
            errors["currency"] = (
                _("After their term these plans go on as this one, so it keeps its currency: %(plans)s.") % names
            )
        if not self.is_active:
            errors["is_active"] = (
                _("After their term these plans go on as this one. Take them off sale first: %(plans)s.") % names
            )
        if self._begins_after(others):
            errors["valid_from"] = (
                _("After their term these plans go on as this one, so it cannot begin later than they: %(plans)s.")
                % names
            )
        return errors

    def _begins_after(self, others: list["Plan"]) -> bool:
        begins: datetime | None = self.valid_from
        return begins is not None and begins > timezone.now() and any(plan.valid_from < begins for plan in others)

    def _needed_by_prices(self) -> dict[str, Any]:
        """What the prices under this plan forbid."""
        prices = self.prices.order_by()
        if prices.exclude(currency=self.currency).exists():
            return {"currency": _("There are prices under this plan in another currency. Make a new plan instead.")}
        if self.unused == self.Unused.CLAWBACK and prices.filter(list_price_per_hour=None).exists():
            return {
                "unused": _("Not every price under this plan says its list price per hour. Make a new plan instead.")
            }
        return {}


def limit_errors(columns: dict[str, Any]) -> dict[str, Any]:
    """A sentence for each figure of a plan or price beyond its limits, by field."""
    return {
        name: _("Not beyond %(least)d to %(most)d.") % {"least": least, "most": most}
        for name, (least, most) in beyond_limits(columns).items()
    }
