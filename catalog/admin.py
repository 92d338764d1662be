"""Staff's hands on the catalogue. Every form that is saved is one catalogue version, made by the signed-in user."""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalog.admin_figures import PlainDecimal, change_text, plain, span_text
from catalog.models import CatalogueChange, CatalogueVersion, Gpu, Image, Plan, Price, Region, Sku, SkuImage, recorded
from catalog.plan_limits import Fault
from catalog.printed_text import PrintedField
from catalog.queries import currencies_on_sale, current_catalogue
from catalog.specs import SPECS

if TYPE_CHECKING:
    ModelForm = forms.ModelForm[Any]
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    ModelForm, ModelAdmin, TabularInline = forms.ModelForm, admin.ModelAdmin, admin.TabularInline


KEY = re.compile(r"[0-9]{1,18}")
NO_ROW = "0"


class Chosen(AutocompleteSelect):
    """A choice of a row. What can be no row's key is none: Django would ask the database for it and break."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> Any:
        """The key as it came, or one that no row has."""
        value = super().value_from_datadict(data, files, name)
        return value if not value or KEY.fullmatch(value) else NO_ROW


class Choosing:
    """Rows are chosen with `Chosen`."""

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        """As Django's, with our own choice."""
        site: Any = self
        if db_field.name in site.get_autocomplete_fields(request):
            kwargs["widget"] = Chosen(db_field, site.admin_site, using=kwargs.get("using"))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)  # type: ignore[misc]


class RecordedForm(ModelForm):
    """A row's form. What a row says about a field that is only shown stands above the form."""

    def add_error(self, field: Any, error: Any) -> None:
        """As Django's, which knows no errors of fields without an input."""
        if isinstance(error, ValidationError) and hasattr(error, "error_dict"):
            told: dict[str, list[Any]] = {}
            for name, found in error.error_dict.items():
                told.setdefault(name if name in self.fields else NON_FIELD_ERRORS, []).extend(found)
            error = ValidationError(told)
        super().add_error(field, error)


class RecordedAdmin(Choosing, ModelAdmin):
    """Wraps whatever the admin writes, bulk edits of a list and inlines included, into one recorded version."""

    form = RecordedForm
    list_per_page = 50
    save_on_top = True
    formfield_overrides = {models.DecimalField: {"form_class": PlainDecimal}}

    def _recorded(self, request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
        if request.method != "POST":
            return view()
        name = self.opts.verbose_name
        with recorded(by=request.user if request.user.is_authenticated else None, why=f"Edited in the admin: {name}"):
            return view()

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        """One row with its inlines."""
        return self._recorded(
            request, lambda: super(RecordedAdmin, self).changeform_view(request, object_id, form_url, extra_context)
        )

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, its editable columns and actions."""
        return self._recorded(request, lambda: super(RecordedAdmin, self).changelist_view(request, extra_context))

    def delete_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """One row gone."""
        return self._recorded(
            request, lambda: super(RecordedAdmin, self).delete_view(request, object_id, extra_context)
        )


class GpuForm(RecordedForm):
    """A card: its name is printed in quotations."""

    class Meta:
        field_classes = {"name": PrintedField}


@admin.register(Gpu)
class GpuAdmin(RecordedAdmin):
    """Spec sheets."""

    form = GpuForm
    list_display = (
        "name",
        "architecture",
        plain(Gpu, "vram_gb"),
        plain(Gpu, "memory_bandwidth_gb_s"),
        plain(Gpu, "fp16_tensor_dense_fp32acc_tflops"),
        "modified_card",
        "is_visible",
    )
    list_filter = ("architecture", "modified_card", "is_visible")
    search_fields = ("name", "slug", "chip", "notes", "sources")
    ordering = ("vram_gb", "name")
    fieldsets = (
        (None, {"fields": ("name", "slug", "is_visible", "modified_card")}),
        (gettext_lazy("Figures"), {"fields": tuple(spec.name for spec in SPECS)}),
        (gettext_lazy("Where they come from"), {"fields": ("sources", "derived_cells", "notes")}),
    )

    def get_readonly_fields(self, request: HttpRequest, obj: Gpu | None = None) -> tuple[str, ...]:
        """A slug is an address: it does not change."""
        return ("slug",) if obj else ()


class SkuImageInline(Choosing, TabularInline):
    """Images of a machine."""

    model = SkuImage
    extra = 1
    autocomplete_fields = ("image",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SkuImage]:
        """With what its rows are called after."""
        return super().get_queryset(request).select_related("sku", "image")


class PriceInline(TabularInline):
    """Prices of a machine, to look at: they are changed on their own page, where the running one is ended."""

    model = Price
    extra = 0
    can_delete = False
    show_change_link = True
    fields = ("plan", plain(Price, "unit_price"), "currency", "holds", "is_sample")
    readonly_fields = fields

    @admin.display(description=gettext_lazy("holds"))
    def holds(self, price: Price) -> str:
        """From when until when."""
        return span_text(price.valid_during.lower, price.valid_during.upper)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Not here."""
        return False

    def get_queryset(self, request: HttpRequest) -> QuerySet[Price]:
        """With their plans."""
        return super().get_queryset(request).select_related("sku", "plan")


@admin.register(Sku)
class SkuAdmin(RecordedAdmin):
    """Machines."""

    list_display = ("code", "stock", "is_active", "gpu", "count", "nodes", "link", "region", "is_sample")
    list_editable = ("stock", "is_active")
    list_filter = ("stock", "is_active", "is_sample", "region", "link", "count", "gpu")
    list_select_related = ("gpu", "region")
    search_fields = ("code", "gpu__name", "gpu__slug", "region__code")
    autocomplete_fields = ("gpu", "region")
    inlines = (SkuImageInline, PriceInline)


FAULTS: dict[Fault, Any] = {
    "limit": gettext_lazy("a figure of it or of its price is beyond its limits"),
    "currency": gettext_lazy("there is no such currency"),
    "list-price": gettext_lazy("its price does not say the list price per hour"),
    "twice": gettext_lazy("newer rules of the same name are sold; end the old price"),
    "follow-on": gettext_lazy("the plan after its term is not sold there"),
    "too-many": gettext_lazy("the machine has too many plans"),
}
"""Why a plan with a price is not sold, for staff."""


class NotSold(RecordedAdmin):
    """A list that says above it which plans are not sold although they have a price, and why."""

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """The list, with a warning for each such plan."""
        if request.method == "GET":
            for currency in currencies_on_sale():
                for left in current_catalogue(currency).left_out:
                    text = _("Not sold on %(machines)d machines: %(plan)s (%(currency)s): %(why)s.")
                    said = {
                        "machines": left.machines,
                        "plan": left.plan,
                        "currency": currency,
                        "why": FAULTS[left.fault],
                    }
                    messages.warning(request, text % said)
        return super().changelist_view(request, extra_context)


@admin.register(Plan)
class PlanAdmin(NotSold):
    """Rental plans with all their rules."""

    list_display = (
        "name",
        "currency",
        "kind",
        "price_per",
        "billing_step_seconds",
        "term_count",
        "after_term",
        "valid_from",
        "is_active",
        "is_sample",
    )
    list_filter = ("kind", "currency", "is_active", "is_sample")
    search_fields = ("name", "currency")
    autocomplete_fields = ("on_demand_plan",)
    date_hierarchy = "valid_from"
    fieldsets = (
        (None, {"fields": ("name", "kind", "currency", "price_per", "per", "valid_from", "is_active", "is_sample")}),
        (
            gettext_lazy("Counting time"),
            {
                "fields": (
                    "billing_step_seconds",
                    "pieces",
                    "minimum_seconds",
                    "minimum_charge",
                    "cap_hours_per_month",
                    "stopped_gpu_billed",
                )
            },
        ),
        (
            gettext_lazy("Rounding and tax"),
            {"fields": ("money_rounding", "round_at", "tax_percent", "prices_include_tax")},
        ),
        (
            gettext_lazy("Term"),
            {
                "fields": (
                    "term_unit",
                    "term_count",
                    "day_means",
                    "week_means",
                    "month_means",
                    "after_term",
                    "on_demand_plan",
                    "unused",
                    "refund_fee_percent",
                    "refund_free_days",
                )
            },
        ),
        (
            gettext_lazy("Disk"),
            {"fields": ("free_disk_gb", "disk_price_per_gb_day_running", "disk_price_per_gb_day_stopped")},
        ),
    )


class HoldsFilter(admin.SimpleListFilter):
    """Prices by when they hold."""

    title = gettext_lazy("holds")
    parameter_name = "holds"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        """Now, later, before."""
        return [("now", _("now")), ("later", _("later")), ("over", _("no longer"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Price]) -> QuerySet[Price]:
        """Rows of the chosen time."""
        now = timezone.now()
        lookup = {
            "now": "valid_during__contains",
            "later": "valid_during__startswith__gt",
            "over": "valid_during__endswith__lte",
        }.get(self.value() or "")
        return queryset.filter(**{lookup: now}) if lookup else queryset


UNIT_PRICE, LIST_PRICE = (plain(Price, name) for name in ("unit_price", "list_price_per_hour"))


def _has_begun(price: Price | None) -> bool:
    return price is not None and price.valid_during.lower <= timezone.now()


@admin.register(Price)
class PriceAdmin(NotSold):
    """Prices. A price that has begun to hold keeps its sum and its beginning: end it and add a new one, so that history stays true."""

    list_display = ("sku", "plan", UNIT_PRICE, "currency", "holds", "is_sample")
    list_filter = (HoldsFilter, "currency", "plan", "is_sample", "sku__region", "sku__gpu")
    list_select_related = ("sku", "plan")
    search_fields = ("sku__code", "sku__gpu__name", "plan__name")
    autocomplete_fields = ("sku", "plan")

    @admin.display(description=gettext_lazy("holds"), ordering="valid_during")
    def holds(self, price: Price) -> str:
        """From when until when."""
        return span_text(price.valid_during.lower, price.valid_during.upper)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Price]:
        """With what a price is called after."""
        return super().get_queryset(request).select_related("sku", "plan")

    def get_fields(self, request: HttpRequest, obj: Price | None = None) -> Any:
        """Machine and plan first; the sums of a price that has begun are only shown."""
        first, last = ["sku", "plan", "currency"], ["valid_during", "is_sample"]
        sums = [UNIT_PRICE, LIST_PRICE] if _has_begun(obj) else ["unit_price", "list_price_per_hour"]
        return [*first, *sums, *last]

    def get_readonly_fields(self, request: HttpRequest, obj: Price | None = None) -> Any:
        """What a price that has begun may no longer change."""
        return ("sku", "plan", "currency", UNIT_PRICE, LIST_PRICE) if _has_begun(obj) else ()

    def has_delete_permission(self, request: HttpRequest, obj: Price | None = None) -> bool:
        """A price that has begun is history."""
        allowed = super().has_delete_permission(request, obj)
        return allowed and obj is not None and not _has_begun(obj)


@admin.register(Region)
class RegionAdmin(RecordedAdmin):
    """Regions."""

    list_display = ("code", "name", "name_zh", "timezone", "is_active")
    list_filter = ("is_active",)
    search_fields = ("code", "name", "name_zh")


@admin.register(Image)
class ImageAdmin(RecordedAdmin):
    """Images."""

    list_display = (
        "code",
        "framework",
        "framework_version",
        "cuda_version",
        "min_driver_version",
        "min_compute_capability",
        "max_compute_capability",
        "is_active",
    )
    list_filter = ("framework", "is_active")
    search_fields = ("code", "name", "framework")


class What:
    """What a change did, in one line."""

    @admin.display(description=gettext_lazy("what changed"))
    def what(self, change: CatalogueChange) -> str:
        """Field by field, old and new."""
        return change_text(change.before, change.after)


class ReadOnly:
    """History is looked at, never edited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False


class ChangeInline(What, ReadOnly, TabularInline):
    """What a version changed."""

    model = CatalogueChange
    extra = 0
    fields = ("model", "label", "action", "what")
    readonly_fields = ("what",)
    max_num = 0


@admin.register(CatalogueVersion)
class CatalogueVersionAdmin(ReadOnly, ModelAdmin):
    """Who changed the catalogue, when and why."""

    list_display = ("number", "created_at", "by", "why")
    list_select_related = ("by",)
    search_fields = ("why", "by__username", "changes__label")
    date_hierarchy = "created_at"
    inlines = (ChangeInline,)


@admin.register(CatalogueChange)
class CatalogueChangeAdmin(What, ReadOnly, ModelAdmin):
    """The changes of every version, to search."""

    list_display = ("version", "model", "label", "action", "what")
    fields = ("version", "model", "label", "action", "what")
    readonly_fields = ("what",)
    list_filter = ("model", "action")
    search_fields = ("label", "=row_id")
