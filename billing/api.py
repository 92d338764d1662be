"""Partners compare rental plans: one question or a list of up to 100."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.text import format_lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from billing.api_schema import COMPARISON_ANSWER, COMPARISON_REQUEST, EXAMPLE
from billing.costing.compare import Comparison, compare, read_question
from billing.costing.errors import CostingErrors, FieldError
from billing.costing.mix_search import MOST_DECISIONS, Effort
from billing.costing.plans import Plan
from billing.costing.usage import Usage
from billing.costing.work import MOST_PIECES, pieces
from billing.parsers import LimitedJSONParser
from billing.problems import Problems
from billing.sentences import error_sentence, note_sentence

MOST_QUESTIONS = 100
MOST_PIECES_IN_A_LIST = 300_000
MOST_DECISIONS_IN_A_LIST = 4 * MOST_DECISIONS
LIMITS = format_lazy(
    gettext_lazy(
        "What a usage costs under each of several plans, the cheapest of them, the cheapest mix, and where plans overtake each other.\n\n"
        "How much one request may ask. A comparison is counted in pieces before it is reckoned: each start of use under each plan (five under a "
        "monthly cap), each term a plan buys, four for each clock hour where a plan prices clock hours one by one, and, for the break-evens, the "
        "terms of each plan within two of the longest terms (at least 62 days) times the other plans. One comparison holds at most {pieces} pieces; "
        "a list holds 1 to {questions} questions of together at most {list_pieces}. What goes beyond is refused before anything is reckoned: "
        "problem `too-much-work` at `usage`, or at the question of the list from which on it is too much. Send that one and those after it in "
        "another request.\n\nThe search of the cheapest mix weighs at most {decisions} decisions for one comparison and {list_decisions} for a list. "
        "Where that is not enough, `mix` is null and `warnings` say so; everything else is answered."
    ),
    pieces=f"{MOST_PIECES:,}",
    questions=MOST_QUESTIONS,
    list_pieces=f"{MOST_PIECES_IN_A_LIST:,}",
    decisions=f"{MOST_DECISIONS:,}",
    list_decisions=f"{MOST_DECISIONS_IN_A_LIST:,}",
)


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


type Read = tuple[Sequence[Plan], Usage] | CostingErrors


def _read(body: object) -> Read:
    try:
        return read_question(body)
    except CostingErrors as errors:
        return errors


def _answer(body: object, read: Read, shared: Effort | None = None) -> dict[str, object]:
    """The comparison under the question's own id. Raises Problems."""
    if isinstance(read, CostingErrors):
        raise Problems([problem_of(error) for error in read.errors]) from read
    told: dict[str, object] = {"id": body["id"]} if isinstance(body, Mapping) and "id" in body else {}
    try:
        return {**told, "comparison": comparison_in_words(compare(*read, shared))}
    except CostingErrors as errors:
        raise Problems([problem_of(error) for error in errors.errors]) from errors


class PlanComparisons(APIView):
    """`POST plan-comparisons`: what a usage costs under each of several plans, the cheapest and the cheapest mix."""

    permission_classes = [AllowAny]
    parser_classes = [LimitedJSONParser]

    @extend_schema(
        operation_id="plan_comparisons",
        summary=gettext_lazy("Compare rental plans for a usage"),
        description=LIMITS,
        request={"application/json": COMPARISON_REQUEST},
        responses={(200, "application/json"): COMPARISON_ANSWER},
        examples=[
            OpenApiExample(
                "hourly-and-daily", summary=gettext_lazy("Hourly against a day card"), value=EXAMPLE, request_only=True
            )
        ],
        auth=[],
    )
    def post(self, request: Request) -> Response:
        """One object, or a list of which each item is answered or refused by itself."""
        body: Any = request.data
        if isinstance(body, list):
            return Response(self._many(body))
        return Response(_answer(body, _read(body)))

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
        shared = Effort(MOST_DECISIONS_IN_A_LIST)
        return [self._one(item, read, shared) for item, read in zip(items, self._all_read(items), strict=True)]

    def _all_read(self, items: list[Any]) -> list[Read]:
        """Every question read. Raises Problems at the first with which the list is more work than one request takes."""
        questions, count = [], 0
        for index, item in enumerate(items):
            read = _read(item)
            if not isinstance(read, CostingErrors) and (own := pieces(*read)) <= MOST_PIECES:
                count += own
            if count > MOST_PIECES_IN_A_LIST:
                raise Problems([_too_much_work(index)])
            questions.append(read)
        return questions

    def _one(self, item: object, read: Read, shared: Effort) -> dict[str, object]:
        try:
            return _answer(item, read, shared)
        except Problems as problems:
            return {"id": item.get("id") if isinstance(item, Mapping) else None, "error": problems.body}


def _too_much_work(index: int) -> dict[str, Any]:
    return {
        "path": f"[{index}]",
        "code": "too-much-work",
        "message": _(
            "With this question the list has more than %(maximum)s pieces to reckon (each start and each term under each plan). "
            "Send it and those after it in another request."
        )
        % {"maximum": f"{MOST_PIECES_IN_A_LIST:,}"},
        "maximum": MOST_PIECES_IN_A_LIST,
    }
