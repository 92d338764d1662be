"""The advisor's API: what page and command line answer, for partners. Errors are problem+json, words in the asked language."""

import difflib
from collections.abc import Callable, Mapping
from typing import Any

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from advisor import api_schema
from advisor.library import library, models
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, current_answer
from advisor.questions import MOST_WORK, Answer, estimate_answer, pieces_of_work, question, recommendation_answer
from advisor.recommend import recommend, to_dict
from advisor.sentences import recommendation_in_words
from advisor.serializers import (
    MOST_QUESTIONS,
    Problems,
    bad_list,
    model_detail,
    model_line,
    preset_line,
    priced_currency,
    problems_of,
    too_much_work,
)
from advisor.sizing.model_names import nearest_models
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import WorkloadError
from billing.parsers import LimitedJSONParser
from catalog.snapshot import Catalogue

CURRENCY = OpenApiParameter(
    "currency", str, description=gettext_lazy("ISO 4217 code of the prices; CNY where none is named.")
)
PRESET = OpenApiParameter(
    "preset", str, OpenApiParameter.PATH, description=gettext_lazy("A slug of the common workloads (GET presets).")
)
MODEL = OpenApiParameter(
    "slug", str, OpenApiParameter.PATH, description=gettext_lazy("A slug of the model library (GET models).")
)


def asked_catalogue(request: Request) -> Catalogue:
    """The catalogue in the currency of the query string. Raises Problems where nothing is priced in it."""
    return catalogue_now(priced_currency(request.query_params.get("currency", "")))


def answer_all(body: object, answer: Answer, work: Callable[[object], int] | None = None) -> Response:
    """One question, or a list of them of which each is answered or refused by itself.

    `work`: the pieces of work of a question, where a list could hold too much of it for one request.
    """
    if not isinstance(body, list):
        try:
            return Response(_with_id(question(body), answer(question(body))))
        except WorkloadError as error:
            raise Problems(problems_of(error)) from error
    if not 0 < len(body) <= MOST_QUESTIONS:
        raise bad_list(len(body))
    pieces = [work(item) for item in body] if work else []
    if sum(pieces) > MOST_WORK:
        raise too_much_work(pieces)
    return Response([_one(item, answer) for item in body])


def _with_id(body: Mapping[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    return {"id": body["id"], **answer} if "id" in body else answer


def _one(item: object, answer: Answer) -> dict[str, Any]:
    try:
        return _with_id(question(item), answer(question(item)))
    except WorkloadError as error:
        problem = Problems(problems_of(error))
        told = {
            "type": "about:blank",
            "title": str(problem.default_detail),
            "status": status.HTTP_422_UNPROCESSABLE_ENTITY,
            "errors": problem.problems,
        }
        return {"id": item.get("id") if isinstance(item, Mapping) else None, "error": told}


class PublicView(APIView):
    """Open to everybody; bodies are strict JSON of a bounded size."""

    permission_classes = [AllowAny]
    parser_classes = [LimitedJSONParser]


class Recommendations(PublicView):
    """`POST recommendations`: which card to rent."""

    @extend_schema(
        operation_id="recommendations",
        summary=gettext_lazy("Recommend cards for a workload"),
        description=api_schema.RECOMMENDATIONS_TOLD,
        parameters=[CURRENCY],
        request={"application/json": api_schema.RECOMMENDATION_REQUEST},
        responses={(200, "application/json"): api_schema.RECOMMENDATION_ANSWER},
        examples=[
            OpenApiExample(
                "QLoRA of a 7B model",
                summary=gettext_lazy("QLoRA of a 7B model"),
                value=api_schema.EXAMPLE,
                request_only=True,
            )
        ],
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """One object or a list of them."""
        body: object = request.data
        catalogue, known, now = asked_catalogue(request), library(), timezone.now()
        return answer_all(
            body,
            lambda item: recommendation_answer(item, catalogue, known, now),
            lambda item: pieces_of_work(item, known),
        )


class Estimates(PublicView):
    """`POST estimates`: memory, speed and hours of a workload on one card kind and count."""

    @extend_schema(
        operation_id="estimates",
        summary=gettext_lazy("Estimate a workload on a card"),
        description=api_schema.ESTIMATES_TOLD,
        request={"application/json": api_schema.ESTIMATE_REQUEST},
        responses={(200, "application/json"): api_schema.ESTIMATE_ANSWER},
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """One object or a list of them."""
        body: object = request.data
        known = library()
        return answer_all(body, lambda item: estimate_answer(item, known))


class PresetRecommendation(PublicView):
    """`GET recommendations/{preset}`: the answer to a common workload, from the table where that is current."""

    @extend_schema(
        operation_id="preset_recommendation",
        summary=gettext_lazy("The recommendation of a common workload"),
        description=api_schema.PRESET_TOLD,
        parameters=[PRESET, CURRENCY],
        responses={(200, "application/json"): api_schema.PRESET_ANSWER},
        auth=[],
    )
    def get(self, request: Request, preset: str) -> Response:
        """From the table where that is current, else worked out now."""
        if preset not in PRESETS:
            near = difflib.get_close_matches(preset[:80], list(PRESETS), n=3, cutoff=0.3)
            raise Http404(_("No such common workload. Nearest: %(near)s.") % {"near": ", ".join(near) or "-"})
        catalogue, now = asked_catalogue(request), timezone.now()
        row = current_answer(preset, catalogue)
        if row is None:
            known = library()
            workload = parse_workload(PRESETS[preset].workload, known.models, known.gpus)
            answer: dict[str, Any] = to_dict(recommend(workload, catalogue, known, now))
        else:
            answer, now = row.answer, row.computed_at
        told = {
            **preset_line(PRESETS[preset]),
            "catalogue_version": catalogue.version,
            "computed_at": now.isoformat(),
            "recommendation": recommendation_in_words(answer),
        }
        return Response(told, headers={"X-Recommendation-Table": "current" if row else "recomputed"})


class PresetList(PublicView):
    """`GET presets`: the common workloads."""

    @extend_schema(
        operation_id="presets",
        summary=gettext_lazy("Common workloads"),
        description=gettext_lazy("Every common workload, scenario by scenario."),
        responses={(200, "application/json"): api_schema.PRESET_LIST},
        auth=[],
    )
    def get(self, request: Request) -> Response:
        """All of them, scenario by scenario."""
        return Response({"count": len(PRESETS), "results": [preset_line(preset) for preset in PRESETS.values()]})


MODEL_SCENARIOS = ("llm", "aigc", "speech", "vision")
"""Scenarios that have models of their own."""


class ModelList(PublicView):
    """`GET models`: the model library."""

    @extend_schema(
        operation_id="models",
        summary=gettext_lazy("Models of the library"),
        description=gettext_lazy("Every model, or those of a scenario or with a word in their name."),
        parameters=[
            OpenApiParameter(
                "scenario",
                str,
                enum=MODEL_SCENARIOS,
                description=gettext_lazy("Only models of this scenario."),
            ),
            OpenApiParameter("search", str, description=gettext_lazy("Part of a name.")),
        ],
        responses={(200, "application/json"): api_schema.MODEL_LIST},
        auth=[],
    )
    def get(self, request: Request) -> Response:
        """Every model, or those of a scenario or with a word in their name."""
        scenario, word = request.query_params.get("scenario", ""), request.query_params.get("search", "").lower()
        if scenario and scenario not in MODEL_SCENARIOS:
            told = _("“%(scenario)s” has no models of its own. There are: %(known)s.")
            known = ", ".join(MODEL_SCENARIOS)
            raise ValidationError({"scenario": [told % {"scenario": scenario[:40], "known": known}]})
        lines = [model_line(slug, row) for slug, row in models().items()]
        found = [
            line
            for line in lines
            if (not scenario or line["scenario"] == scenario) and (word in line["slug"] or word in line["name"].lower())
        ]
        return Response({"count": len(found), "results": found})


class ModelDetail(PublicView):
    """`GET models/{slug}`: one model with its shape."""

    @extend_schema(
        operation_id="model",
        summary=gettext_lazy("One model with its shape and source"),
        description=gettext_lazy("The model, or a 404 with the nearest names."),
        parameters=[MODEL],
        responses={(200, "application/json"): api_schema.MODEL},
        auth=[],
    )
    def get(self, request: Request, slug: str) -> Response:
        """The model, or a 404 with the nearest names."""
        row = models().get(slug)
        if row is None:
            near = nearest_models(slug, models())
            raise Http404(_("No such model in the library. Nearest: %(near)s.") % {"near": ", ".join(near) or "-"})
        return Response(model_detail(slug, row))
