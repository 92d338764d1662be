"""Comparing rental plans for one machine and one pattern of use. The address holds the question."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from billing.costing.compare import Comparison, compare_mapping
from billing.costing.cost import PlanCost
from billing.costing.errors import CostingErrors
from billing.costing.mix import Mix
from billing.costing.money import round_money
from billing.hours_curve import hours_curves
from billing.idle import OVERNIGHT_HOURS, SHORT_MINUTES, SHORT_STARTS, WEEKEND_HOURS, idle_money
from billing.plan_chart import plan_chart
from billing.plan_forms import DEFAULTS, PlanForm
from billing.plan_words import cost_words, made_of_words, note_words
from billing.queries import catalogue_of
from billing.sentences import error_sentence
from billing.wording import money_text, number_text, plan_text, unit_price_text
from catalog.formats import card_words, currency_symbol
from catalog.snapshot import Offer, plan_rules

CURRENCY = "CNY"
MOST_RUNS_SHOWN = 8


@dataclass(frozen=True, slots=True)
class PlanRow:
    """One plan of the comparison as the page shows it."""

    kind: str
    label: str
    made_of: str
    price: str
    total: str
    per_hour: str
    more_than_cheapest: str
    saved_by_mix: str
    cheapest: bool
    uncovered_hours: str
    lines: tuple[Mapping[str, str], ...]


def _asked(query: QueryDict, first_sku: str) -> QueryDict:
    """The question of the address; without one, a first example so that nobody meets an empty page."""
    asked = query.copy()
    if "sku" in asked and "pattern" in asked:
        return asked
    for name, value in DEFAULTS.items():
        if name not in asked:
            asked.setlist(name, value if isinstance(value, list) else [value])
    asked.setdefault("sku", first_sku)
    return asked


def _rows(offer: Offer, comparison: Comparison, kinds: Mapping[str, str], language: str) -> list[PlanRow]:
    by_name = {str(plan["name"]): plan for plan in offer.plans}
    saves = comparison.saves()
    least = min((found.total for found in comparison.plans if not found.uncovered_hours), default=Decimal(0))
    return [
        _row(found, by_name[found.name], saves.get(found.name), least, comparison.cheapest, kinds, language)
        for found in comparison.plans
    ]


def _row(
    found: PlanCost,
    plan: Mapping[str, object],
    saved: Decimal | None,
    least: Decimal,
    cheapest: str | None,
    kinds: Mapping[str, str],
    language: str,
) -> PlanRow:
    def money(amount: Decimal | None) -> str:
        return "—" if amount is None else money_text(amount, found.currency, language)

    return PlanRow(
        kind=str(plan["kind"]),
        label=plan_text(str(plan["kind"])),
        made_of=made_of_words(found.lines, kinds),
        price=unit_price_text(Decimal(str(plan["unit_price"])), found.currency, language),
        total=money(found.total),
        per_hour=money(found.effective_per_hour and round_money(found.effective_per_hour, found.currency, "half_up")),
        more_than_cheapest="" if found.name == cheapest or found.uncovered_hours else f"+{money(found.total - least)}",
        saved_by_mix=money(saved),
        cheapest=found.name == cheapest,
        uncovered_hours=number_text(found.uncovered_hours, language) if found.uncovered_hours else "",
        lines=tuple(
            {
                "what": cost_words(line, kinds),
                "quantity": number_text(line.quantity, language),
                "unit_price": unit_price_text(line.unit_price, found.currency, language),
                "amount": money(line.amount),
            }
            for line in found.lines
        ),
    )


def _compared(form: PlanForm, language: str) -> dict[str, Any]:
    """The context of the answer. Errors of the costing core become the form's."""
    offer = form.catalogue.offer(form.cleaned_data["sku"])
    assert offer is not None
    question = {
        "plans": [plan_rules(plan) for plan in offer.plans],
        "usage": form.usage(settings.TIME_ZONE, timezone.localdate().isoformat()),
    }
    try:
        comparison = compare_mapping(question)
    except CostingErrors as errors:
        for error in errors.errors:
            form.add_error(form.field_at(error.path), error_sentence(error))
        return {}
    kinds = {str(plan["name"]): plan_text(str(plan["kind"])) for plan in offer.plans}
    mix = comparison.mix
    return {
        "offer": offer,
        "card": card_words(form.catalogue.gpus[offer.gpu]),
        "symbol": currency_symbol(form.catalogue.currency),
        "rows": _rows(offer, comparison, kinds, language),
        "mix": mix
        and {
            "total": money_text(mix.total, mix.currency, language),
            "hours": number_text(mix.on_demand_hours, language) if mix.on_demand_hours else "",
            **_purchases(mix, kinds),
        },
        "break_even": [
            {
                "cheaper": kinds[pair.cheaper],
                "other": kinds[next(name for name in pair.between if name != pair.cheaper)],
                "hours": number_text(Decimal(pair.from_hour), language),
            }
            for pair in comparison.break_even
            if pair.from_hour is not None
        ],
        **_pictured(offer, form.cleaned_data, language),
        "assumptions": [note_words(note, kinds) for note in (*comparison.warnings, *comparison.assumptions)],
    }


def _purchases(mix: Mix, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Terms of the same plan bought one after the other as one entry; the first few, and how many terms are `more`."""
    runs = [list(run) for _plan, run in groupby(mix.purchases, key=lambda bought: bought.plan)]
    shown = [
        {"label": kinds[run[0].plan], "count": len(run), "from": run[0].start, "to": run[-1].end}
        for run in runs[:MOST_RUNS_SHOWN]
    ]
    return {"purchases": shown, "more": sum(map(len, runs[MOST_RUNS_SHOWN:]))}


def _pictured(offer: Offer, given: Mapping[str, Any], language: str) -> dict[str, Any]:
    """The chart of one run with the own hours marked, and what idling costs on this machine."""
    own = float(given["hours"]) if given["pattern"] == "hours" and given["hours"] else None
    curves = hours_curves(offer, own)
    label = _("your %(hours)s h") % {"hours": number_text(given["hours"], language)} if own is not None else ""
    idle = idle_money(offer)

    def money(amount: Decimal | None) -> str:
        return "" if amount is None else money_text(amount, str(offer.plans[0]["currency"]), language)

    return {
        "figure": curves and plan_chart(curves, own, label),
        "one_run": own is not None,
        "idle": {
            "overnight": money(idle.overnight),
            "weekend": money(idle.weekend),
            "by_hour": money(idle.short_by_hour),
            "by_minute": money(idle.short_by_minute),
            "saved": money(idle.saved) if idle.saved is not None and idle.saved > 0 else "",
            "overnight_hours": OVERNIGHT_HOURS,
            "weekend_hours": WEEKEND_HOURS,
            "starts": SHORT_STARTS,
            "minutes": SHORT_MINUTES,
        },
    }


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    """What every plan costs for one pattern of use; 422 where the question cannot be read."""
    catalogue = catalogue_of(CURRENCY)
    if not catalogue.priced_offers:
        return render(request, "billing/plans.html", {"nav": "plans", "nothing_priced": True})
    form = PlanForm(_asked(request.GET, catalogue.priced_offers[0].sku), catalogue=catalogue)
    answer = _compared(form, request.LANGUAGE_CODE) if form.is_valid() else {}
    context = {"nav": "plans", "form": form, "catalogue": catalogue, **answer}
    return render(request, "billing/plans.html", context, status=200 if answer else 422)
