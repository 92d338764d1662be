"""The result: one recommendation, everything on one page; the address holds the question."""

import logging
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from advisor.answers import Answers, answers_of, last, read
from advisor.forms.steps import answer_troubles
from advisor.pages import result as page
from advisor.pages.asking import ask_advice
from advisor.pages.currency import currency_of
from advisor.pages.saved import KEY as SAVED
from advisor.pages.what_if import tried
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, current_answer, recommendation_now
from advisor.recommendation import Recommendation
from advisor.sizing.fields import FIELDS
from advisor.sizing.workload import Workload
from advisor.stored import recommendation_from
from advisor.views.wizard import pages_of_steps, wants_partial
from catalog.snapshot import Catalogue

log = logging.getLogger(__name__)


def _advice(query: QueryDict, workload: Workload, catalogue: Catalogue) -> Recommendation:
    """The answer: a common workload's from the table where that is current, else worked out now."""
    preset = last(query, "preset")
    if preset in PRESETS and (row := current_answer(preset, catalogue)) is not None:
        try:
            return recommendation_from(row.answer, catalogue)
        except LookupError:
            log.warning("The stored answer of %s does not fit this program; worked out anew.", preset)
    return recommendation_now(workload, catalogue.currency)


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
    advice = _advice(request.GET, reading.workload, catalogue)
    if wants_partial(request) and (first := read(QueryDict(last(request.GET, "was"))).workload) is not None:
        first_advice = _advice(QueryDict(last(request.GET, "was")), first, catalogue)
        return render(
            request,
            "advisor/_what_if.html",
            {"what_if": tried(reading.workload, advice, first, first_advice), "swapped": True},
        )
    shown = page.result_page(advice, reading.workload, catalogue)
    context: dict[str, Any] = {
        "nav": "choose",
        "page": shown,
        "advice": advice,
        "basis": advice.basis,
        "best": shown.best,
        "catalogue": catalogue,
        "share_url": request.build_absolute_uri(f"{request.path}?{shown.query}"),
        "saved": any(one["query"] == shown.query for one in request.session.get(SAVED, ())),
        "printing": request.GET.get("view") == "print",
    }
    context["ask_advice"] = ask_advice(shown, reading.workload, context)
    return render(request, "advisor/result.html", context)
