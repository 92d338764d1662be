"""What is rented: some cards of one kind in one or more machines."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Mod, NullIf
from django.db.models.lookups import Exact
from django.utils.translation import gettext_lazy as _

from catalog.models.gpu import Gpu
from catalog.models.image import Image
from catalog.models.price import Price
from catalog.models.recorded import RecordedModel, RecordedQuerySet
from catalog.models.region import Region


class SkuQuerySet(RecordedQuerySet["Sku"]):
    """Words about what is rented."""

    def visible(self) -> "SkuQuerySet":
        """On the public list: active, of a visible card, in a region on sale."""
        return self.filter(is_active=True, gpu__is_visible=True, region__is_active=True)

    def rentable(self) -> "SkuQuerySet":
        """Visible and not out of stock."""
        return self.visible().exclude(stock=Sku.Stock.OUT)

    def priced(self, currency: str, at: datetime) -> "SkuQuerySet":
        """With at least one price in this currency at this moment."""
        return self.filter(Exists(Price.objects.on_sale(currency, at).filter(sku=OuterRef("pk"))))


class Sku(RecordedModel):
    """`count` cards in all, spread evenly over `nodes` machines; host figures are per machine.

    `link` joins the cards inside a machine; `nvlink_group` says how many cards one NVLink domain joins there (a bridged pair: 2, an
    SXM board: 8). Sixteen cards are two machines over a network, not one NVLink domain.
    """

    class Link(models.TextChoices):
        NONE = "none", _("one card")
        PCIE = "pcie", "PCIe"
        NVLINK = "nvlink", "NVLink"

    class Stock(models.TextChoices):
        AVAILABLE = "available", _("In stock")
        SCARCE = "scarce", _("Scarce")
        OUT = "out", _("Out of stock")

    COUNTS = (1, 2, 4, 8, 16)

    code = models.SlugField(_("code"), max_length=60, unique=True)
    gpu = models.ForeignKey(Gpu, models.PROTECT, related_name="skus", verbose_name=_("card"))
    count = models.PositiveSmallIntegerField(_("cards in all"), choices=[(count, str(count)) for count in COUNTS])
    nodes = models.PositiveSmallIntegerField(_("machines"), default=1, validators=[MinValueValidator(1)])
    link = models.CharField(_("link inside a machine"), max_length=8, choices=Link)
    nvlink_group = models.PositiveSmallIntegerField(
        _("cards in one NVLink domain"), default=1, validators=[MinValueValidator(1)]
    )
    network_gbit_s = models.PositiveIntegerField(_("network between machines, Gbit/s"), null=True, blank=True)
    region = models.ForeignKey(Region, models.PROTECT, related_name="skus", verbose_name=_("region"))
    stock = models.CharField(_("stock"), max_length=10, choices=Stock, default=Stock.AVAILABLE)
    cpu_cores = models.PositiveIntegerField(_("CPU cores per machine"))
    ram_gib = models.PositiveIntegerField(_("RAM per machine, GiB"))
    disk_gb = models.PositiveIntegerField(_("disk per machine, GB"))
    images = models.ManyToManyField(
        Image, through="SkuImage", related_name="skus", verbose_name=_("images"), blank=True
    )
    is_active = models.BooleanField(_("on sale"), default=True)
    is_sample = models.BooleanField(_("sample data"), default=False)

    objects = SkuQuerySet.as_manager()

    class Meta:
        ordering = ["gpu", "count", "code"]
        verbose_name = _("rentable machine")
        verbose_name_plural = _("rentable machines")
        constraints = [
            models.CheckConstraint(condition=Q(count__in=(1, 2, 4, 8, 16)), name="sku_count"),
            models.CheckConstraint(
                condition=Q(nodes__gte=1) & Q(nodes__lte=F("count")),
                name="sku_nodes",
                violation_error_message=_("A machine holds at least one card."),
            ),
            models.CheckConstraint(
                condition=Exact(Mod(F("count"), NullIf(F("nodes"), 0)), 0),
                name="sku_even_spread",
                violation_error_message=_("The cards must spread evenly over the machines."),
            ),
            models.CheckConstraint(
                condition=(Q(link="none") & Q(count=F("nodes"))) | (~Q(link="none") & Q(count__gt=F("nodes"))),
                name="sku_link_joins_cards",
                violation_error_message=_(
                    "A machine with one card has no link; one with several needs PCIe or NVLink."
                ),
            ),
            models.CheckConstraint(
                condition=Q(nodes=1, network_gbit_s__isnull=True)
                | Q(nodes__gt=1, network_gbit_s__isnull=False, network_gbit_s__gt=0),
                name="sku_network_joins_nodes",
                violation_error_message=_("Several machines need a network speed; a single one has none."),
            ),
            models.CheckConstraint(
                condition=Q(nvlink_group__gte=1) & (~Q(link="nvlink") | Q(nvlink_group__gte=2)),
                name="sku_nvlink_group",
                violation_error_message=_("NVLink joins at least two cards."),
            ),
            models.CheckConstraint(condition=Q(cpu_cores__gt=0, ram_gib__gt=0), name="sku_has_a_host"),
        ]

    def __str__(self) -> str:
        return self.code

    @property
    def gpus_per_node(self) -> int:
        """Cards in one machine."""
        return self.count // self.nodes

    def clean(self) -> None:
        """Refuse NVLink on cards that have none, and domains wider than a machine."""
        super().clean()
        if not self.gpu_id or not self.nodes or not self.count:
            return
        if (self.link == self.Link.NVLINK or self.nvlink_group > 1) and not self.gpu.nvlink_gb_s:
            raise ValidationError({"link": _("%(card)s has no NVLink.") % {"card": self.gpu.name}})
        if self.link == self.Link.NVLINK and self.nvlink_group > self.gpus_per_node:
            raise ValidationError({"nvlink_group": _("An NVLink domain lies inside one machine.")})


class SkuImageQuerySet(RecordedQuerySet["SkuImage"]):
    """Rows that join machines and images."""


class SkuImage(RecordedModel):
    """An image that can be started on a machine."""

    sku = models.ForeignKey(Sku, models.CASCADE, related_name="sku_images", verbose_name=_("machine"))
    image = models.ForeignKey(Image, models.PROTECT, related_name="sku_images", verbose_name=_("image"))

    objects = SkuImageQuerySet.as_manager()

    class Meta:
        verbose_name = _("image on a machine")
        verbose_name_plural = _("images on a machine")
        constraints = [models.UniqueConstraint(fields=["sku", "image"], name="sku_image_once")]

    def __str__(self) -> str:
        return f"{self.sku}: {self.image}"
