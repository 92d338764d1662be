"""Who sells: name, zone, defaults of a new quotation, and how much discount each role may give."""

from decimal import Decimal
from zoneinfo import available_timezones

from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.choices import Currency, Language, Rounding
from billing.models.revision import TERMS_LENGTH


def validate_timezone(name: str) -> None:
    """Only zones of the tz database."""
    if name not in available_timezones():
        raise ValidationError(_("“%(name)s” is no time zone; write one like Asia/Shanghai."), params={"name": name})


class SellerManager(models.Manager["Seller"]):
    def current(self) -> "Seller":
        """The one row; made with its defaults where nobody has written it yet."""
        return self.get_or_create(pk=1)[0]


class Seller(models.Model):
    """One row (pk 1): what the head of every quotation says and what a new one starts from."""

    name = models.CharField(_("name"), max_length=200, default="Cardwise Sample Cloud Ltd (sample)")
    name_zh = models.CharField(_("Chinese name"), max_length=200, default="示例云算力有限公司（示例）")
    email = models.EmailField(_("sales address"), default="sales@example.com")
    language = models.CharField(_("language of mails to staff"), max_length=10, choices=Language, default=Language.ZH)
    timezone = models.CharField(
        _("time zone"),
        max_length=64,
        default="Asia/Shanghai",
        validators=[validate_timezone],
        help_text=_("A quotation is valid to the end of its last day in this zone."),
    )
    currency = models.CharField(_("currency"), max_length=3, choices=Currency, default=Currency.CNY)
    tax_percent = models.DecimalField(
        _("VAT %"),
        max_digits=6,
        decimal_places=3,
        default=Decimal(6),
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    prices_include_tax = models.BooleanField(_("prices include VAT"), default=True)
    rounding = models.CharField(_("rounding"), max_length=5, choices=Rounding, default=Rounding.LINE)
    validity_days = models.PositiveSmallIntegerField(
        _("validity in days"), default=15, validators=[MinValueValidator(1), MaxValueValidator(366)]
    )
    payment = models.CharField(_("payment"), max_length=200, default="In full within 7 days of acceptance")
    payment_zh = models.CharField(_("payment (Chinese)"), max_length=200, default="接受后 7 天内，一次付清")
    start = models.CharField(_("start of rental"), max_length=200, default="Ready within 2 hours of payment")
    start_zh = models.CharField(_("start of rental (Chinese)"), max_length=200, default="付款后 2 小时内开通")
    terms = models.TextField(
        _("terms"),
        max_length=TERMS_LENGTH,
        blank=True,
        help_text=_("One per line."),
        default="Unused time of day, week and month cards is not refunded.\nA stopped machine costs nothing for its cards; its data disk is still charged.\nUse beyond the quoted quantities is charged at the list price of the day.\nIf a node is down for more than 4 hours within 7 days, the term is extended by as many hours.",
    )
    terms_zh = models.TextField(
        _("terms (Chinese)"),
        max_length=TERMS_LENGTH,
        blank=True,
        help_text=_("One per line."),
        default="日卡、周卡、月卡未用完的时间不退。\n关机不收显卡费，数据盘照收。\n超出部分按当日价目收费。\n7 天内节点故障超过 4 小时，按小时数顺延。",
    )

    objects = SellerManager()

    class Meta:
        verbose_name = _("seller")
        verbose_name_plural = _("seller")
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="seller_is_one_row")]

    def __str__(self) -> str:
        return self.name

    def said(self, field: str, language: str) -> str:
        """One of name, payment, start, terms in the language of a quotation."""
        return str(getattr(self, f"{field}_zh" if language.startswith("zh") else field))


class DiscountLimit(models.Model):
    """The deepest discount a role may send without asking, against list prices, in per cent."""

    group = models.OneToOneField(Group, on_delete=models.CASCADE, verbose_name=_("role"), related_name="discount_limit")
    max_percent = models.DecimalField(
        _("largest discount %"),
        max_digits=6,
        decimal_places=3,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )

    class Meta:
        verbose_name = _("discount limit")
        verbose_name_plural = _("discount limits")

    def __str__(self) -> str:
        return f"{self.group}: {self.max_percent} %"
