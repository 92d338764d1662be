"""The catalogue's API: one view per operation, all public and read-only."""

from typing import Any

from django.db.models import Exists, OuterRef, Prefetch
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.models import Gpu, Image, Plan, Price, Sku
from catalog.paging import read_page
from catalog.queries import current_version
from catalog.serializers import (
    GpuListing,
    GpuQuery,
    GpuSerializer,
    ListQuery,
    PlanListing,
    PlanQuery,
    SkuListing,
    SkuQuery,
)

GPU = OpenApiParameter(
    "slug", str, OpenApiParameter.PATH, description=gettext_lazy("Slug of a card, for example rtx-4090-24g.")
)


def _asked(query: type[ListQuery], request: Request) -> dict[str, Any]:
    said = query(data={name: request.query_params[name] for name in request.query_params})
    said.is_valid(raise_exception=True)
    checked: dict[str, Any] = said.validated_data
    return checked


class GpuList(APIView):
    """Cards with their spec sheets."""

    permission_classes = [AllowAny]

    @extend_schema(
        parameters=[GpuQuery],
        responses=GpuListing,
        tags=["catalogue"],
        operation_id="gpus_list",
        description=gettext_lazy(
            "Cards with their spec sheets. Their figures are public facts with sources, never sample data."
        ),
    )
    def get(self, request: Request) -> Response:
        """List cards. Their figures are public facts with sources, never sample data."""
        asked = _asked(GpuQuery, request)
        version = current_version()
        rows = Gpu.objects.visible()
        if "min_vram_gb" in asked:
            rows = rows.filter(vram_gb__gte=asked["min_vram_gb"])
        if "architecture" in asked:
            rows = rows.filter(architecture__iexact=asked["architecture"])
        if asked["modified"] is not None:
            rows = rows.filter(modified_card=asked["modified"])
        if asked["rentable"] is not None:
            on_sale = Exists(Sku.objects.visible().filter(gpu=OuterRef("pk")))
            rows = rows.filter(on_sale) if asked["rentable"] else rows.exclude(on_sale)
        page = read_page(rows, order=asked["order"], limit=asked["limit"], after=asked["after"])
        listing = {"catalogue_version": version, "is_sample": False, "next_after": page.after, "results": page.rows}
        return Response(GpuListing(listing).data)


class GpuDetail(APIView):
    """One card."""

    permission_classes = [AllowAny]

    @extend_schema(
        parameters=[GPU],
        responses=GpuSerializer,
        tags=["catalogue"],
        operation_id="gpus_read",
        description=gettext_lazy("One card's spec sheet."),
    )
    def get(self, request: Request, slug: str) -> Response:
        """One card's spec sheet."""
        return Response(GpuSerializer(get_object_or_404(Gpu.objects.visible(), slug=slug)).data)


class SkuList(APIView):
    """Machines and their prices."""

    permission_classes = [AllowAny]

    @extend_schema(
        parameters=[SkuQuery],
        responses=SkuListing,
        tags=["catalogue"],
        operation_id="skus_list",
        description=gettext_lazy(
            "Machines with the prices that hold now in one currency. Prices are per card unless a price says otherwise."
        ),
    )
    def get(self, request: Request) -> Response:
        """List machines with the prices that hold now in one currency. Prices are per card unless a price says otherwise."""
        asked = _asked(SkuQuery, request)
        version, now = current_version(), timezone.now()
        rows = Sku.objects.visible().select_related("gpu", "region")
        for name, column in (
            ("gpu", "gpu__slug"),
            ("region", "region__code"),
            ("count", "count"),
            ("stock", "stock"),
            ("link", "link"),
        ):
            if name in asked:
                rows = rows.filter(**{column: asked[name]})
        prices = Price.objects.on_sale(asked["currency"], now).select_related("plan").order_by("plan__name", "pk")
        rows = rows.prefetch_related(Prefetch("prices", prices, to_attr="prices_now"))
        rows = rows.prefetch_related(Prefetch("images", Image.objects.visible().order_by("code")))
        page = read_page(rows, order=asked["order"], limit=asked["limit"], after=asked["after"])
        sample = any(sku.is_sample or any(price.is_sample for price in sku.prices_now) for sku in page.rows)  # type: ignore[attr-defined]
        listing = {
            "catalogue_version": version,
            "is_sample": sample,
            "next_after": page.after,
            "currency": asked["currency"],
            "as_of": now,
            "results": page.rows,
        }
        return Response(SkuListing(listing).data)


class PlanList(APIView):
    """Rental plans."""

    permission_classes = [AllowAny]

    @extend_schema(
        parameters=[PlanQuery],
        responses=PlanListing,
        tags=["catalogue"],
        operation_id="plans_list",
        description=gettext_lazy("The plans on sale in one currency with their rules. Prices stand with the machines."),
    )
    def get(self, request: Request) -> Response:
        """List the plans on sale in one currency with their rules. Prices stand with the machines."""
        asked = _asked(PlanQuery, request)
        version = current_version()
        rows = (
            Plan.objects.visible()
            .filter(currency=asked["currency"], valid_from__lte=timezone.now())
            .select_related("on_demand_plan")
        )
        if "kind" in asked:
            rows = rows.filter(kind=asked["kind"])
        page = read_page(rows, order=asked["order"], limit=asked["limit"], after=asked["after"])
        listing = {
            "catalogue_version": version,
            "is_sample": any(plan.is_sample for plan in page.rows),
            "next_after": page.after,
            "results": page.rows,
        }
        return Response(PlanListing(listing).data)
