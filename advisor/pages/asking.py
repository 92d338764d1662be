"""A result on its way to a quotation: the whole answer as plain values, signed by billing, which knows nothing of the advisor."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import strip_tags

from advisor.pages.ranking import Row
from advisor.pages.result import ResultPage
from advisor.recommendation import choice_dict
from advisor.sizing.workload import Workload
from billing.asking import signed_advice
from billing.costing.money import text

CHOICES_KEPT = 5
"""Of the ranking, the first so many go along whole; the address works all of them out again."""


def _reasons(row: Row) -> list[dict[str, str]]:
    found = [{"tone": "pro", "text": text} for text in row.pros]
    found += [{"tone": "con", "text": text} for text in row.cons]
    return found + ([{"tone": "how", "text": row.remedy}] if row.remedy else [])


def _lines(row: Row, scheduled_hours: float | None) -> list[dict[str, Any]]:
    """What is bought for the least cost: one line for each plan of the mix, or the cheapest plan alone."""
    choice = row.choice
    hours = choice.estimate.hours if choice.estimate.hours is not None else scheduled_hours
    cost = choice.cost(choice.cheapest_plan)
    bought = [(part.kind, part.quantity) for part in choice.mix.parts] if choice.mix else []
    if not bought:
        bought = [(choice.cheapest_plan, cost.quantity if cost else Decimal(1))]
    return [
        {
            "sku": choice.offer.sku,
            "gpu": row.name,
            "count": choice.count,
            "plan": kind,
            "periods": text(quantity),
            "hours": round(hours, 2) or 0.01 if hours is not None else None,
        }
        for kind, quantity in bought
    ]


def ask_advice(page: ResultPage, workload: Workload, context: Mapping[str, Any]) -> str:
    """The hidden field of the form that asks for a quotation; empty where nothing can be recommended. `context`: the page's."""
    best = page.best
    if best is None:
        return ""
    return signed_advice(
        {
            "scenario": workload.scenario,
            "summary": strip_tags(render_to_string("advisor/_sentence.html", dict(context))).strip(),
            "workload": workload.to_dict(),
            "lines": _lines(best, page.advice.basis.scheduled_hours),
            "reasons": _reasons(best),
            "answer": {"choices": [choice_dict(row.choice) for row in page.rows[:CHOICES_KEPT]]},
            "address": f"{reverse('advisor:result')}?{page.query}",
            "catalogue_version": page.advice.catalogue_version,
            "model_version": page.advice.sizing_version,
        }
    )
