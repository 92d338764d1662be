"""Reading the catalogue: what is on sale in one currency at one moment, as plain values."""

import logging
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from itertools import groupby
from typing import Any

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import FilteredRelation, IntegerField, Max, OuterRef, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from catalog.models import CatalogueVersion, Gpu, Plan, Price, Sku, SkuImage
from catalog.models.gpu import SPEC_COLUMNS, spec_row_of
from catalog.plan_limits import Fault, sort_out
from catalog.plan_rules import PLAN_DEFAULTS, contract_form, decimal_text
from catalog.plan_slot import PlanSlot
from catalog.snapshot import PLAN_KINDS, Catalogue, LeftOut, Offer

log = logging.getLogger(__name__)

_PLAN_COLUMNS = (
    "price_per",
    "per",
    "billing_step_seconds",
    "pieces",
    "money_rounding",
    "round_at",
    "minimum_seconds",
    "minimum_charge",
    "cap_hours_per_month",
    "term_unit",
    "term_count",
    "day_means",
    "week_means",
    "month_means",
    "unused",
    "refund_fee_percent",
    "refund_free_days",
    "after_term",
    "stopped_gpu_billed",
    "disk_price_per_gb_day_running",
    "disk_price_per_gb_day_stopped",
    "free_disk_gb",
    "tax_percent",
    "prices_include_tax",
)


def plan_values(columns: Mapping[str, Any]) -> dict[str, Any]:
    """A stored plan's columns as the plan contract's values: decimals as text, the term as one value."""
    said = {name: decimal_text(value) if isinstance(value, Decimal) else value for name, value in columns.items()}
    unit, count = said.pop("term_unit"), said.pop("term_count")
    said["term"] = {"unit": unit, "count": count} if unit else None
    return said


def plan_rules_of(plan: Plan) -> dict[str, object]:
    """A stored plan's rules in the plan contract's words, without a price: only what differs from the contract's defaults.

    Reads `plan.on_demand_plan`: select it with the plans.
    """
    columns = {name: getattr(plan, name) for name in _PLAN_COLUMNS}
    columns["on_demand_plan"] = plan.on_demand_plan.name if plan.on_demand_plan else PLAN_DEFAULTS["on_demand_plan"]
    said = contract_form(plan_values(columns), name=plan.name, kind=plan.kind, currency=plan.currency, unit_price="")
    return {name: value for name, value in said.items() if name not in {"name", "kind", "currency", "unit_price"}}


def current_version() -> int:
    """The newest version of the catalogue; 0 where nothing was ever written."""
    return CatalogueVersion.objects.current_number()


def currencies_on_sale(at: datetime | None = None) -> list[str]:
    """Currencies in which something has a price now, in alphabetical order."""
    found = Price.objects.filter(valid_during__contains=at or timezone.now(), plan__is_active=True).order_by()
    return sorted(found.values_list("currency", flat=True).distinct())


def plan_slots(at: datetime | None = None) -> list[PlanSlot]:
    """Plans on sale at a moment that a price can be set for, pay as you go and hours first; of one name the newest rules."""
    plans = Plan.objects.visible().filter(valid_from__lte=at or timezone.now()).order_by("valid_from")
    newest = {
        (plan.name, plan.currency): PlanSlot(plan.name, plan.kind, plan.currency, plan.price_per, plan.per)
        for plan in plans
    }
    return sorted(newest.values(), key=lambda slot: (slot.kind != "hour", slot.name))


def current_catalogue(currency: str, at: datetime | None = None) -> Catalogue:
    """Every visible card and every machine on sale with its prices in `currency` at the moment `at` (default: now).

    Two queries. The version is read with the first one: a change that commits in between makes the result newer than it says, never
    older, so what is computed from it is replaced, never wrongly kept. A machine whose prices are in other currencies, or over, is
    an offer without plans.

    A plan that money cannot be counted by is not sold: it is named in `left_out` and in the log, and the rest stays on sale.
    """
    moment = at or timezone.now()
    newest = CatalogueVersion.objects.order_by().values(none=Value(1)).annotate(newest=Max("number")).values("newest")
    cards = list(
        Gpu.objects.visible()
        .by_memory()
        .annotate(catalogue_version=Coalesce(Subquery(newest, output_field=IntegerField()), 0))
        .values("catalogue_version", *SPEC_COLUMNS)
    )
    faults: Counter[tuple[str, Fault]] = Counter()
    offers = tuple(_offers(_offer_rows(currency, moment), currency, moment, faults))
    for plan, fault in faults:
        _tell_once(plan, currency, fault)
    return Catalogue(
        version=cards[0]["catalogue_version"] if cards else current_version(),
        as_of=moment,
        currency=currency,
        is_sample=any(offer.is_sample for offer in offers),
        gpus={card["slug"]: spec_row_of(card) for card in cards},
        offers=offers,
        left_out=tuple(LeftOut(plan, fault, machines) for (plan, fault), machines in sorted(faults.items())),
    )


@lru_cache(maxsize=200)
def _tell_once(plan: str, currency: str, fault: Fault) -> None:
    """Once for a process: a catalogue is read with every page."""
    log.warning("Plan %s (%s) is not sold: no money can be counted by it (%s)", plan, currency, fault)


def _offer_rows(currency: str, at: datetime) -> Iterable[dict[str, Any]]:
    holds = FilteredRelation("prices", condition=Q(prices__currency=currency, prices__valid_during__contains=at))
    images = (
        SkuImage.objects.filter(sku=OuterRef("pk"), image__is_active=True)
        .order_by()
        .values("sku")
        .annotate(codes=ArrayAgg("image__code", order_by="image__code"))
        .values("codes")
    )
    rows: Iterable[dict[str, Any]] = (
        Sku.objects.visible()
        .annotate(price=holds, image_codes=Subquery(images))
        .order_by("gpu__vram_gb", "gpu__name", "count", "code")
        .values(
            "code",
            "gpu__slug",
            "count",
            "link",
            "nodes",
            "nvlink_group",
            "network_gbit_s",
            "region__code",
            "stock",
            "cpu_cores",
            "ram_gib",
            "disk_gb",
            "is_sample",
            "image_codes",
            "price__currency",
            "price__unit_price",
            "price__list_price_per_hour",
            "price__is_sample",
            "price__plan__is_active",
            "price__plan__currency",
            "price__plan__valid_from",
            "price__plan__name",
            "price__plan__kind",
            "price__plan__on_demand_plan__name",
            *(f"price__plan__{column}" for column in _PLAN_COLUMNS),
        )
    )
    return rows


def _on_sale(row: Mapping[str, Any], currency: str, at: datetime) -> bool:
    """As `Price.objects.on_sale`: a filtered join cannot look at the plan behind the price."""
    return bool(
        row["price__unit_price"] is not None
        and row["price__plan__is_active"]
        and row["price__plan__currency"] == currency
        and row["price__plan__valid_from"] <= at
    )


def _offers(
    rows: Iterable[dict[str, Any]], currency: str, at: datetime, faults: Counter[tuple[str, Fault]]
) -> Iterable[Offer]:
    for code, of_one in groupby(rows, key=lambda row: row["code"]):
        group = list(of_one)
        row = group[0]
        priced = [price for price in group if _on_sale(price, currency, at)]
        priced.sort(key=lambda price: price["price__plan__valid_from"], reverse=True)  # of one name the newest is sold
        plans, wrong = sort_out([_plan(price) for price in priced])
        faults.update(wrong)
        yield Offer(
            sku=code,
            gpu=row["gpu__slug"],
            count=row["count"],
            link=row["link"],
            nodes=row["nodes"],
            region=row["region__code"],
            stock=row["stock"],
            cpu_cores=row["cpu_cores"],
            ram_gib=row["ram_gib"],
            disk_gb=row["disk_gb"],
            images=tuple(row["image_codes"] or ()),
            plans=tuple(sorted(plans, key=lambda plan: (PLAN_KINDS.index(plan["kind"]), str(plan["name"])))),
            nvlink_group=row["nvlink_group"],
            network_gbit_s=row["network_gbit_s"],
            is_sample=row["is_sample"] or any(price["price__is_sample"] for price in priced),
        )


def _plan(row: Mapping[str, Any]) -> dict[str, object]:
    columns = {column: row[f"price__plan__{column}"] for column in _PLAN_COLUMNS}
    columns |= {
        "on_demand_plan": row["price__plan__on_demand_plan__name"] or PLAN_DEFAULTS["on_demand_plan"],
        "list_price_per_hour": row["price__list_price_per_hour"],
    }
    return contract_form(
        plan_values(columns),
        name=row["price__plan__name"],
        kind=row["price__plan__kind"],
        currency=row["price__currency"],
        unit_price=decimal_text(row["price__unit_price"]),
    )
