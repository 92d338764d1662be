"""Lists of quotations, their export, and the figures."""

import csv
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from billing.forms import ListFilterForm
from billing.lifecycle import local_date
from billing.models import Quote, QuoteLine, Seller
from billing.models.choices import QuoteState, Scenario
from billing.queries import (
    OPEN_STATES,
    SORTS,
    QuoteFilter,
    ageing,
    catalogue_of,
    conversion_by_gpu,
    conversion_by_scenario,
    quotes_listed,
)
from billing.views.access import staff, staff_only
from billing.wording import money_text
from catalog.formats import card_words

PAGE_SIZE = 25
COLUMNS = ("number", "customer", "state", "total", "until")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def gpu_names() -> list[tuple[str, str]]:
    """Card kinds that stand in quotations, named in the reader's language; one that left the catalogue as its lines name it."""
    rows = QuoteLine.objects.exclude(gpu="").order_by("gpu", "title").values_list("gpu", "title")
    known = catalogue_of(Seller.objects.current().currency).gpus
    named = {gpu: card_words(known[gpu]) if gpu in known else title for gpu, title in rows}
    return sorted(named.items(), key=lambda pair: pair[1])


def _chosen(request: HttpRequest) -> tuple[ListFilterForm, QuoteFilter]:
    form = ListFilterForm(request.GET, gpus=gpu_names())
    form.is_valid()
    given = {name: value for name, value in form.cleaned_data.items() if value}
    sort = request.GET.get("sort", "-number")
    if sort.removeprefix("-") not in SORTS:
        sort = "-number"
    return form, QuoteFilter(**given, sort=sort)


def _row(quote: Quote, language: str, now: datetime, timezone_name: str) -> dict[str, Any]:
    """One quotation as the list shows it, and as the export writes it."""
    state = quote.state_at(now, timezone_name)
    revision = quote.revision
    days = (revision.valid_until - local_date(now, timezone_name)).days
    return {
        "quote": quote,
        "number": quote.number,
        "customer": str(quote.customer),
        "state": state.value,
        "state_words": QuoteState(state.value).label,
        "total": money_text(revision.gross, revision.currency, language),
        "currency": revision.currency,
        "owner": quote.owner.get_username(),
        "until": revision.valid_until,
        "days_left": days if state.value == QuoteState.SENT else None,
    }


@require_safe
@staff_only
def quotes(request: HttpRequest) -> HttpResponse:
    """Search, filters, sorting; `?format=csv` exports exactly what is on the screen, on every page of it."""
    form, chosen = _chosen(request)
    now, zone = timezone.now(), Seller.objects.current().timezone
    found = quotes_listed(staff(request), chosen, now, zone)
    if request.GET.get("format") == "csv":
        return _export(_row(quote, request.LANGUAGE_CODE, now, zone) for quote in found)
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    kept = request.GET.copy()
    for name in ("page", "sort", "format"):
        kept.pop(name, None)
    context = {
        "nav": "quotes",
        "at": "mine" if chosen.mine else "approve" if chosen.state == QuoteState.AWAITING_APPROVAL else "quotes",
        "form": form,
        "page": page,
        "rows": [_row(quote, request.LANGUAGE_CODE, now, zone) for quote in page],
        "kept": kept.urlencode(),
        "sort": chosen.sort,
    }
    return render(request, "billing/quotes.html", context)


def _cell(value: object) -> str:
    """Text that no spreadsheet takes for a formula."""
    said = str(value)
    return f"'{said}" if said.startswith(FORMULA_STARTS) else said


def _export(rows: Iterable[dict[str, Any]]) -> HttpResponse:
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="quotes.csv"'
    response.write("\ufeff")
    writer = csv.writer(response)
    writer.writerow(
        [_("Number"), _("Customer"), _("State"), _("Total"), _("Currency"), _("Valid until"), _("Salesperson")]
    )
    for row in rows:
        values = (
            row["number"],
            row["customer"],
            row["state_words"],
            row["total"].replace(",", ""),
            row["currency"],
            row["until"].isoformat(),
            row["owner"],
        )
        writer.writerow([_cell(value) for value in values])
    return response


@require_safe
@staff_only
def figures(request: HttpRequest) -> HttpResponse:
    """Conversion by scenario and by card, and how old the open quotations are."""
    zone = Seller.objects.current().timezone
    now = timezone.now()
    today = local_date(now, zone)
    by_scenario = [
        {"name": Scenario(item.key).label if item.key in Scenario.values else _("Other"), "item": item}
        for item in conversion_by_scenario(staff(request), today)
    ]
    names = dict(gpu_names())
    by_gpu = [
        {"name": names.get(item.key, item.key) or _("Other"), "item": item}
        for item in conversion_by_gpu(staff(request), today)
    ]
    bands = ageing(staff(request), now, zone)
    context = {
        "nav": "quotes",
        "at": "figures",
        "groups": [
            {"id": "scenario", "title": _("Conversion by scenario"), "head": _("Scenario"), "rows": by_scenario},
            {"id": "gpu", "title": _("Conversion by card"), "head": _("Card"), "rows": by_gpu},
        ],
        "bands": bands,
        "states": [QuoteState(state).label for state in OPEN_STATES],
    }
    return render(request, "billing/figures.html", context)
