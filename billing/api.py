"""Partners compare rental plans: one question or a list of up to 100."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import status
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing.api_schema import COMPARISON_ANSWER, COMPARISON_REQUEST, EXAMPLE
from billing.costing.compare import Comparison, compare_mapping
from billing.costing.errors import CostingErrors, FieldError
from billing.parsers import LimitedJSONParser
from billing.problems import Problems
from billing.sentences import error_sentence, note_sentence

MOST_QUESTIONS = 100


def problem_of(error: FieldError) -> dict[str, Any]:
    """One thing wrong, in the reader's language, with the way out where there is one."""
    told: dict[str, Any] = {"path": error.path, "code": error.code, "message": error_sentence(error)}
    hints = {key: error.params[key] for key in ("allowed", "suggestion") if key in error.params}
    return {**told, **hints}


def comparison_in_words(comparison: Comparison) -> dict[str, object]:
    """The contract's form with its assumptions and warnings in the reader's language."""
    return {
        **comparison.to_dict(),
        "assumptions": [note_sentence(note) for note in comparison.assumptions],
        "warnings": [note_sentence(note) for note in comparison.warnings],
    }


def _answer(body: object) -> dict[str, object]:
    told: dict[str, object] = {"id": body["id"]} if isinstance(body, Mapping) and "id" in body else {}
    return {**told, "comparison": comparison_in_words(compare_mapping(body))}


class PlanComparisons(APIView):
    """`POST plan-comparisons`: what a usage costs under each of several plans, the cheapest and the cheapest mix."""

    permission_classes = [AllowAny]
    parser_classes = [LimitedJSONParser]

    @extend_schema(
        operation_id="plan_comparisons",
        summary="Compare rental plans for a usage",
        request={"application/json": COMPARISON_REQUEST},
        responses={(200, "application/json"): COMPARISON_ANSWER},
        examples=[OpenApiExample("Hourly against a day card", value=EXAMPLE, request_only=True)],
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """One object, or a list of which each item is answered or refused by itself."""
        body: Any = request.data
        if isinstance(body, list):
            return Response(self._many(body))
        try:
            return Response(_answer(body))
        except CostingErrors as errors:
            raise Problems([problem_of(error) for error in errors.errors]) from errors

    def _many(self, items: list[Any]) -> list[dict[str, object]]:
        if not 0 < len(items) <= MOST_QUESTIONS:
            raise Problems(
                [
                    {
                        "path": "",
                        "code": "too-many" if items else "empty",
                        "message": _("A list holds 1 to %(most)d questions.") % {"most": MOST_QUESTIONS},
                    }
                ]
            )
        return [self._one(item) for item in items]

    def _one(self, item: object) -> dict[str, object]:
        try:
            return _answer(item)
        except CostingErrors as errors:
            name = item.get("id") if isinstance(item, Mapping) else None
            problems = [problem_of(error) for error in errors.errors]
            return {"id": name, "error": {"status": status.HTTP_422_UNPROCESSABLE_ENTITY, "errors": problems}}
