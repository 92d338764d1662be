"""Pages of the guide: the list of topics, and one topic."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from advisor.answers import query_of
from advisor.guide.chapters import CHAPTERS
from advisor.guide.figures import Desk, Figure
from advisor.guide.topics import TOPICS, Topic
from advisor.pages.currency import currency_of
from advisor.presets import PRESETS
from advisor.queries import catalogue_now


@require_safe
def guide(request: HttpRequest) -> HttpResponse:
    """All topics."""
    return render(request, "advisor/guide/index.html", {"nav": "guide", "topics": list(TOPICS.values())})


@require_safe
def topic(request: HttpRequest, slug: str) -> HttpResponse:
    """One topic: text with its figures, the jobs it leads on to, and where each figure comes from."""
    found = TOPICS.get(slug)
    if found is None:
        raise Http404
    catalogue = catalogue_now(currency_of(request.GET))
    desk = Desk(catalogue)
    chapter = CHAPTERS[slug]
    tables = chapter.fill(desk)
    context = {
        "nav": "guide",
        "topic": found,
        "topics": list(TOPICS.values()),
        "f": {name: figure.shown for name, figure in desk.figures.items()},
        "origins": [_origin(figure) for figure in desk.figures.values()],
        "go": {each.replace("-", "_"): reverse("advisor:guide-topic", args=[each]) for each in TOPICS},
        "tries": [(PRESETS[preset].title, _address(preset)) for preset in chapter.presets],
        "next": _next(found),
        "catalogue": catalogue,
        "currency": catalogue.currency,
        **tables,
    }
    return render(request, found.template, context)


def _address(preset: str) -> str:
    return f"{reverse('advisor:check')}?{query_of(PRESETS[preset].workload)}"


def _origin(figure: Figure) -> dict[str, Any]:
    kinds = {
        "spec": _("spec sheet"),
        "price": _("price list"),
        "measured": _("measured"),
        "estimate": _("estimate"),
        "computed": _("worked out"),
    }
    return {"figure": figure, "kind": kinds[figure.kind], "foreign": figure.href.startswith("https:")}


def _next(current: Topic) -> Topic | None:
    order = list(TOPICS.values())
    place = order.index(current) + 1
    return order[place] if place < len(order) else None
