"""Pages of the catalogue: the list, one card, two to four cards side by side."""

from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from catalog.cards import (
    COMPARE_LEAST,
    COMPARE_MOST,
    Card,
    card_price,
    cards_of,
    job_label,
    measured_lines,
    measured_sources,
    peaks_against_measured,
    price_lines,
    sheet_of,
    spec_lines,
)
from catalog.forms import DEFAULT_CURRENCY, REQUIRE_LABELS, SORT_LABELS, CardFilter, CurrencyForm
from catalog.models import Image, Plan, Region
from catalog.queries import currencies_on_sale, current_catalogue
from catalog.snapshot import PLAN_KINDS, Catalogue, Offer

UNPROCESSABLE = 422
MEMORY_SIZES = ("16", "20", "24", "32", "40", "48", "80")
GROUP_TITLES = {
    "make": gettext_lazy("Make"),
    "memory": gettext_lazy("Memory"),
    "compute": gettext_lazy("Compute, dense peaks"),
    "link": gettext_lazy("Links"),
    "reliability": gettext_lazy("Reliability and sharing"),
    "about": gettext_lazy("Other"),
}


@dataclass(frozen=True, slots=True)
class Head:
    """One column of the list: `next` is the sort its heading leads to ("" = not sortable), `aria` what it is sorted by now."""

    label: str
    unit: str
    next: str = ""
    aria: str = ""
    right: bool = True


@require_safe
def cards(request: HttpRequest) -> HttpResponse:
    """The list: cards with a price in the shown currency, filtered and ordered; below them the cards that are not for rent."""
    regions = list(Region.objects.visible())
    form = CardFilter(request.GET, regions=[region.code for region in regions])
    valid = form.is_valid()
    catalogue = current_catalogue(form.cleaned_data.get("currency", DEFAULT_CURRENCY))
    wanted = form.wanted()
    every = cards_of(catalogue, form.cleaned_data.get("region", ""))
    on_sale = [card for card in every if card.offers]
    shown = wanted.ordered(filter(wanted.takes, on_sale))
    context = {
        **_frame(catalogue),
        "form": form,
        "values": _values(request),
        "memory_sizes": MEMORY_SIZES,
        "regions": regions,
        "sort_labels": SORT_LABELS,
        "require_labels": REQUIRE_LABELS,
        "cards": shown,
        "total": len(on_sale),
        "others": [card for card in every if not card.offers],
        "heads": _heads(wanted.sort),
        "sort": wanted.sort,
        "picked": request.GET.getlist("cmp"),
        "other_currencies": [] if any(card.prices for card in every) else currencies_on_sale(catalogue.as_of),
    }
    partial = request.htmx and not request.htmx.history_restore_request  # type: ignore[attr-defined]
    template = "catalog/cards.html#results" if partial else "catalog/cards.html"
    return render(request, template, context, status=200 if valid else UNPROCESSABLE)


@require_safe
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """One card: what it costs, what it can do, where each figure comes from."""
    form = CurrencyForm(request.GET)
    valid = form.is_valid()
    catalogue = current_catalogue(form.cleaned_data.get("currency", DEFAULT_CURRENCY))
    found = next((card for card in cards_of(catalogue) if card.slug == slug), None)
    if found is None:
        raise Http404(_("There is no card called “%(slug)s”.") % {"slug": slug})
    codes = {code for offer in found.offers for code in offer.images}
    capability = found.number("compute_capability")
    images = Image.objects.visible().filter(code__in=codes)
    regions = {region.code: region.display_name for region in Region.objects.visible()}
    context = {
        **_frame(catalogue),
        "form": form,
        "card": found,
        "machines": [_machine(offer, regions) for offer in found.offers],
        "tax_percent": _tax_included(found),
        "break_even": [(_kind_label(kind), hours) for kind, hours in found.break_even.items()],
        "sheet": [(GROUP_TITLES[group], lines) for group, lines in sheet_of(found.row).items()],
        "images": [(image, capability is not None and image.runs_on(capability)) for image in images],
        "measured": [(job_label(line.job), line.cells[0].value) for line in measured_lines([found])],
        "measured_sources": measured_sources(measured_lines([found])),
        "other_currencies": [] if found.prices or not found.offers else currencies_on_sale(catalogue.as_of),
    }
    return render(request, "catalog/card.html", context, status=200 if valid else UNPROCESSABLE)


@require_safe
def compare(request: HttpRequest) -> HttpResponse:
    """Two to four cards side by side; what is best in each line is marked."""
    form = CurrencyForm(request.GET)
    valid = form.is_valid()
    catalogue = current_catalogue(form.cleaned_data.get("currency", DEFAULT_CURRENCY))
    every = {card.slug: card for card in cards_of(catalogue)}
    asked = list(dict.fromkeys(slug for value in request.GET.getlist("cmp") for slug in value.split(",") if slug))
    problems = _compare_problems(asked, every)
    chosen = [every[slug] for slug in asked if slug in every][:COMPARE_MOST]
    measured = measured_lines(chosen)
    context = {
        **_frame(catalogue),
        "form": form,
        "problems": problems,
        "chosen": [(card, [slug for slug in asked if slug != card.slug and slug in every]) for card in chosen],
        "choices": [card for card in every.values() if card.prices] or list(every.values()),
        "asked": asked,
        "width": len(chosen) + 1,
        "memory": spec_lines(chosen, ("vram_gb", "memory_bandwidth_gb_s")),
        "compute": spec_lines(
            chosen,
            (
                "fp16_tensor_dense_fp32acc_tflops",
                "fp16_tensor_dense_fp16acc_tflops",
                "fp8_tensor_dense_tflops",
                "fp32_tflops",
                "fp64_tflops",
            ),
        ),
        "measured": [(job_label(line.job), line) for line in measured],
        "measured_sources": measured_sources(measured),
        "prices": [(_kind_label(line.kind or ""), line) for line in price_lines(chosen)],
        "ratios": peaks_against_measured(chosen),
        "no_p2p": [card.name for card in chosen if card.p2p == "no"],
        "modified": [card.name for card in chosen if card.modified],
    }
    ready = valid and not problems
    return render(request, "catalog/compare.html", context, status=200 if ready or not request.GET else UNPROCESSABLE)


def _frame(catalogue: Catalogue) -> dict[str, Any]:
    return {
        "nav": "cards",
        "catalogue": catalogue,
        "currency": catalogue.currency,
        "sample": catalogue.is_sample,
    }


def _values(request: HttpRequest) -> dict[str, Any]:
    """The answers as they were typed, so that a form with an error keeps them."""
    single = {
        name: request.GET.get(name, "")
        for name in ("min_vram", "max_hour", "region", "sort", "stock", "stock_card", "currency")
    }
    return {**single, "require": request.GET.getlist("require")}


def _heads(sort: str) -> list[Head]:
    def head(label: str, unit: str, key: str, *, largest_first: bool = False, right: bool = True) -> Head:
        now = {key: "ascending", f"-{key}": "descending"}.get(sort, "")
        first = f"-{key}" if largest_first else key
        other = key if largest_first else f"-{key}"
        return Head(label, unit, other if sort == first else first, now, right)

    return [
        head(_("Memory"), "GB", "vram", right=False),
        head(_("Hourly"), "price", "hour"),
        head(_("Day card"), "price", "day"),
        head(_("Month card"), "price", "month"),
        Head(_("Stock"), "", right=False),
        head(_("Bandwidth"), "GB/s", "bandwidth", largest_first=True),
        head("FP16", "TFLOPS", "fp16", largest_first=True),
        head("FP8", "TFLOPS", "fp8", largest_first=True),
        head("FP64", "TFLOPS", "fp64", largest_first=True),
        head("NVLink", "GB/s", "nvlink", largest_first=True),
        Head("ECC", "", right=False),
    ]


def _kind_label(kind: str) -> str:
    return str(Plan.Kind(kind).label) if kind in PLAN_KINDS else kind


def _machine(offer: Offer, regions: dict[str, str]) -> dict[str, Any]:
    prices = [(kind, offer.plan(kind)) for kind in PLAN_KINDS]
    per_card = {kind: card_price(plan, offer.count) if plan else None for kind, plan in prices}
    hour = per_card["hour"]
    return {
        "offer": offer,
        "region": regions.get(offer.region, offer.region),
        "prices": [per_card[kind] for kind in PLAN_KINDS],
        "machine_hour": hour * offer.count if hour is not None else None,
    }


def _tax_included(card: Card) -> str:
    """The tax rate that the shown prices hold, "" if they hold none."""
    plans = card.shown.plans if card.shown else ()
    rates = {str(plan.get("tax_percent", "0")) for plan in plans if plan.get("prices_include_tax")}
    return ", ".join(sorted(rates))


def _compare_problems(asked: list[str], every: dict[str, Card]) -> list[str]:
    """What is wrong with the asked comparison, each with the way out."""
    problems = []
    for slug in asked:
        if slug not in every:
            near = get_close_matches(slug.lower()[:60], every, n=1, cutoff=0.5)
            text = _("There is no card called “%(slug)s”.") % {"slug": slug[:60]}
            problems.append(f"{text} {_('Did you mean %(near)s?') % {'near': near[0]}}" if near else text)
    known = sum(slug in every for slug in asked)
    if known < COMPARE_LEAST:
        problems.append(_("Choose at least two cards to compare."))
    if known > COMPARE_MOST:
        problems.append(_("At most four cards fit side by side; the first four are shown."))
    return problems
