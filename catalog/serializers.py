"""What the catalogue's API takes and gives: decimal strings, the unit in every field's name, sample data marked on every row."""

from typing import Any

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework import serializers

from catalog.cards import card_name
from catalog.forms import DEFAULT_CURRENCY, check_currency
from catalog.models import Gpu, Image, Plan, Price, Region, Sku
from catalog.paging import LIMIT, LIMIT_MOST
from catalog.queries import plan_rules_of
from catalog.specs import SPECS, derivations_by_column, sources_by_column

ORDER = gettext_lazy("By which column; with a minus the largest first.")


class ListQuery(serializers.Serializer[Any]):
    """Parameters every list takes. A parameter it does not know is an error."""

    limit = serializers.IntegerField(
        min_value=1, max_value=LIMIT_MOST, default=LIMIT, help_text=gettext_lazy("Rows per page.")
    )
    after = serializers.CharField(
        default="", allow_blank=True, max_length=400, help_text=gettext_lazy("`next_after` of the page before.")
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        unknown = sorted(set(self.initial_data) - set(self.fields))
        if unknown:
            raise serializers.ValidationError(
                {
                    name[:60]: serializers.ErrorDetail(
                        _("There is no parameter of this name. There are: %(names)s.")
                        % {"names": ", ".join(self.fields)},
                        "unknown_field",
                    )
                    for name in unknown
                }
            )
        return attrs


class CurrencyQuery(ListQuery):
    """A list with prices in one currency."""

    currency = serializers.CharField(default=DEFAULT_CURRENCY, max_length=20, help_text=gettext_lazy("ISO 4217 code."))

    def validate_currency(self, value: str) -> str:
        """In capitals, and a currency that exists."""
        return check_currency(value)


class GpuQuery(ListQuery):
    """Which cards, in which order."""

    order = serializers.ChoiceField(
        choices=["vram_gb", "-vram_gb", "name", "-name", "memory_bandwidth_gb_s", "-memory_bandwidth_gb_s"],
        default="vram_gb",
        help_text=ORDER,
    )
    min_vram_gb = serializers.DecimalField(
        max_digits=12, decimal_places=4, min_value=0, required=False, help_text=gettext_lazy("At least so much memory.")
    )
    architecture = serializers.CharField(
        max_length=40, required=False, help_text=gettext_lazy("Of the chip, for example Ampere.")
    )
    modified = serializers.BooleanField(
        allow_null=True,
        default=None,
        help_text=gettext_lazy("true: only cards rebuilt by a third party; false: only others."),
    )
    rentable = serializers.BooleanField(
        allow_null=True, default=None, help_text=gettext_lazy("true: only cards with a machine on sale.")
    )


class SkuQuery(CurrencyQuery):
    """Which machines, in which order."""

    order = serializers.ChoiceField(choices=["code", "-code", "count", "-count"], default="code", help_text=ORDER)
    gpu = serializers.SlugField(max_length=40, required=False, help_text=gettext_lazy("Slug of a card (GET gpus)."))
    count = serializers.ChoiceField(
        choices=Sku.COUNTS, required=False, help_text=gettext_lazy("Cards in all machines together.")
    )
    region = serializers.SlugField(max_length=40, required=False, help_text=gettext_lazy("Code of a region."))
    stock = serializers.ChoiceField(
        choices=Sku.Stock.choices, required=False, help_text=gettext_lazy("How many are left.")
    )
    link = serializers.ChoiceField(
        choices=Sku.Link.choices, required=False, help_text=gettext_lazy("What joins the cards.")
    )


class PlanQuery(CurrencyQuery):
    """Which plans, in which order."""

    order = serializers.ChoiceField(choices=["name", "-name"], default="name", help_text=ORDER)
    kind = serializers.ChoiceField(
        choices=Plan.Kind.choices,
        required=False,
        help_text=gettext_lazy("How it is paid: by the minute, hour, day ..."),
    )


_DECIMALS = [field.name for field in Gpu._meta.concrete_fields if isinstance(field, models.DecimalField)]


class GpuSerializer(serializers.ModelSerializer[Gpu]):
    """A card's spec sheet. Rates are dense peaks, not the speed of a job; null means not known."""

    name = serializers.SerializerMethodField()
    modified = serializers.BooleanField(
        source="modified_card", help_text=gettext_lazy("Rebuilt by a third party; no official specification exists.")
    )
    sources = serializers.SerializerMethodField(help_text=gettext_lazy("Field -> where its figure comes from."))
    derived = serializers.SerializerMethodField(help_text=gettext_lazy("Field -> how its figure was computed."))

    class Meta:
        model = Gpu
        fields = ["slug", "name", "modified", *(spec.name for spec in SPECS), "sources", "derived", "notes"]
        extra_kwargs = {name: {"normalize_output": True} for name in _DECIMALS} | {
            "compute_capability": {},
            "pcie_gen": {},
        }

    def get_name(self, gpu: Gpu) -> str:
        """The name without the remark that it is modified: that is a field of its own."""
        return card_name({"name": gpu.name})

    def get_sources(self, gpu: Gpu) -> dict[str, list[str]]:
        """Column -> sources."""
        return sources_by_column(gpu.sources)

    def get_derived(self, gpu: Gpu) -> dict[str, str]:
        """Column -> derivation."""
        return derivations_by_column(gpu.derived_cells)


class PriceSerializer(serializers.ModelSerializer[Price]):
    """A price that holds now."""

    plan = serializers.CharField(source="plan.name")
    kind = serializers.CharField(source="plan.kind")
    price_per = serializers.CharField(source="plan.price_per")
    per = serializers.CharField(source="plan.per")
    valid_from = serializers.DateTimeField(source="valid_during.lower")
    valid_until = serializers.DateTimeField(source="valid_during.upper", allow_null=True)

    class Meta:
        model = Price
        fields = [
            "plan",
            "kind",
            "currency",
            "unit_price",
            "price_per",
            "per",
            "valid_from",
            "valid_until",
            "is_sample",
        ]
        extra_kwargs = {
            "unit_price": {
                "normalize_output": True,
                "help_text": gettext_lazy(
                    "In whole units of `currency` (7.5 is seven and a half), for one `per` and one `price_per`."
                ),
            }
        }


class ImageSerializer(serializers.ModelSerializer[Image]):
    """A preinstalled image."""

    class Meta:
        model = Image
        fields = [
            "code",
            "framework",
            "framework_version",
            "cuda_version",
            "min_driver_version",
            "min_compute_capability",
            "max_compute_capability",
        ]


class SkuSerializer(serializers.ModelSerializer[Sku]):
    """What is rented. Host figures are per machine; `count` is the cards in all machines together."""

    gpu: serializers.SlugRelatedField[Gpu] = serializers.SlugRelatedField(slug_field="slug", read_only=True)
    region: serializers.SlugRelatedField[Region] = serializers.SlugRelatedField(slug_field="code", read_only=True)
    images = ImageSerializer(many=True)
    prices = PriceSerializer(
        many=True, source="prices_now", help_text=gettext_lazy("Empty: no price in this currency.")
    )

    class Meta:
        model = Sku
        fields = [
            "code", "gpu", "count", "nodes", "link", "nvlink_group", "network_gbit_s", "region", "stock", "cpu_cores", "ram_gib", "disk_gb",
            "is_sample", "images", "prices",
        ]  # fmt: skip


class PlanSerializer(serializers.ModelSerializer[Plan]):
    """A plan's rules in the words of the plan contract; what is left out of `rules` has the contract's default."""

    rules = serializers.SerializerMethodField(
        help_text=gettext_lazy("Fields of the plan contract that differ from its defaults.")
    )

    class Meta:
        model = Plan
        fields = ["name", "kind", "currency", "price_per", "per", "valid_from", "is_sample", "rules"]

    def get_rules(self, plan: Plan) -> dict[str, Any]:
        """The stored rules."""
        return plan_rules_of(plan)


class Listing(serializers.Serializer[Any]):
    """Around every list."""

    catalogue_version = serializers.IntegerField(help_text=gettext_lazy("Grows with every change of the catalogue."))
    is_sample = serializers.BooleanField(help_text=gettext_lazy("Something in this page is sample data."))
    next_after = serializers.CharField(
        allow_null=True, help_text=gettext_lazy("Give it as `after` for the next page; null on the last.")
    )


class GpuListing(Listing):
    """A page of cards."""

    results = GpuSerializer(many=True)


class SkuListing(Listing):
    """A page of machines with their prices in one currency."""

    currency = serializers.CharField()
    as_of = serializers.DateTimeField()
    results = SkuSerializer(many=True)


class PlanListing(Listing):
    """A page of plans."""

    results = PlanSerializer(many=True)
