"""The result: one recommendation, everything on one page; the address holds the question."""

from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from advisor.answers import Answers, answers_of, last, read
from advisor.forms import answer_troubles
from advisor.pages import result as page
from advisor.pages.currency import currency_of
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, recommendation_now
from advisor.sizing.fields import FIELDS
from advisor.views.wizard import pages_of_steps


def _asked(query: QueryDict) -> Answers:
    """The answers of the address; those of a preset where it names one."""
    preset = PRESETS.get(last(query, "preset"))
    return answers_of(preset.workload) if preset else query


@require_safe
def result(request: HttpRequest) -> HttpResponse:
    """The answer to the address. Broken answers are told with the page where each can be put right."""
    answers = _asked(request.GET)
    key = (last(answers, "scenario"), last(answers, "task"))
    if key not in FIELDS and not any(last(answers, name) for name in answers):
        return redirect("advisor:home")
    reading = read(answers)
    if reading.workload is None:
        troubles = answer_troubles(reading, *key, answers, pages_of_steps(answers, *key))
        return render(request, "advisor/unreadable.html", {"nav": "choose", "troubles": troubles}, status=422)
    currency = currency_of(answers)
    catalogue = catalogue_now(currency)
    advice = recommendation_now(reading.workload, currency)
    shown = page.result_page(advice, reading.workload, catalogue)
    context: dict[str, Any] = {
        "nav": "choose",
        "page": shown,
        "advice": advice,
        "basis": advice.basis,
        "best": shown.best,
        "catalogue": catalogue,
        "share_url": request.build_absolute_uri(f"{request.path}?{shown.query}"),
        "printing": request.GET.get("view") == "print",
    }
    return render(request, "advisor/result.html", context)
