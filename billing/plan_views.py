"""Comparing rental plans for one machine and one pattern of use. The address holds the question."""

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.views.decorators.http import require_safe

from billing.plan_forms import DEFAULTS, PlanForm
from catalog.example import example_catalogue


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


@require_safe
def plans(request: HttpRequest) -> HttpResponse:
    """What every plan costs for one pattern of use; 422 where the question cannot be read."""
    catalogue = example_catalogue()
    form = PlanForm(_asked(request.GET, catalogue.priced_offers[0].sku), catalogue=catalogue)
    valid = form.is_valid()
    context = {"nav": "plans", "form": form, "offer": catalogue.offer(form.cleaned_data["sku"]) if valid else None}
    return render(request, "billing/plans.html", context, status=200 if valid else 422)
