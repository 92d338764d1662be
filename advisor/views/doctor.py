"""The out-of-memory doctor as a page and as an API call: both answer from `doctor_answer`."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import serializers
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from advisor import api_schema
from advisor.doctor.diagnosis import Diagnosis, cards_that_end_it, diagnose
from advisor.doctor.reading import read
from advisor.doctor.sentences import CAUSES, sentence
from advisor.library import models
from advisor.questions import diagnosis_question
from advisor.serializers import Problems, priced_currency, problems_of
from advisor.sizing.gpu import gpu_from_row
from advisor.sizing.problems import WorkloadError
from billing.parsers import LimitedJSONParser
from catalog.queries import current_catalogue

CARDS_SHOWN = 4


@dataclass(frozen=True, slots=True)
class CardOffer:
    """A card that ends the error, with the lowest hourly price of one card; `price_per_hour` None where it has none now."""

    slug: str
    name: str
    usable_gib: float
    price_per_hour: Decimal | None
    currency: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The diagnosis in the active language, ready for page and API."""

    diagnosis: Diagnosis
    cause: str
    what_happened: str
    actions: tuple[str, ...]
    questions: tuple[str, ...]
    cards: tuple[CardOffer, ...]


def doctor_answer(text: str, model: str = "", currency: str = "CNY") -> Answer:
    """Diagnose a paste; `model` (a library slug) gives the cache its size per token."""
    row = models().get(model, {})
    per_token = row.get("kv_cache_bytes_per_token_16bit") or None
    diagnosis = diagnose(read(text), float(per_token) if per_token else None)
    return Answer(
        diagnosis=diagnosis,
        cause=str(CAUSES[diagnosis.cause]),
        what_happened=sentence(diagnosis.figures),
        actions=tuple(map(sentence, diagnosis.actions)),
        questions=tuple(map(sentence, diagnosis.questions)),
        cards=_cards(diagnosis, currency),
    )


def _cards(diagnosis: Diagnosis, currency: str) -> tuple[CardOffer, ...]:
    catalogue = current_catalogue(currency)
    rentable = {offer.gpu for offer in catalogue.offers}
    gpus = {slug: gpu_from_row(row) for slug, row in catalogue.gpus.items() if slug in rentable}
    ending = cards_that_end_it(diagnosis, gpus)
    cheapest: dict[str, Decimal] = {}
    for offer in catalogue.offers:
        for plan in offer.plans:
            if offer.count == 1 and plan["kind"] == "hour":
                price = Decimal(str(plan["unit_price"]))
                cheapest[offer.gpu] = min(price, cheapest.get(offer.gpu, price))
    offers = [CardOffer(slug, gpus[slug].name, gpus[slug].usable_gib, cheapest.get(slug), currency) for slug in ending]
    offers.sort(key=lambda card: (card.price_per_hour is None, card.price_per_hour or 0, card.usable_gib))
    return tuple(offers[:CARDS_SHOWN])


@require_http_methods(["GET", "HEAD", "POST"])
def doctor(request: HttpRequest) -> HttpResponse:
    """Paste an error, read what it means. The text is read and forgotten: it is neither stored nor put into an address."""
    context: dict[str, Any] = {"nav": "doctor", "paste": "", "models": models()}
    status = 200
    if request.method == "POST":
        text = request.POST.get("paste", "").replace("\x00", "")
        model = request.POST.get("model", "").replace("\x00", "").strip()
        context |= {"paste": text[-20_000:], "model": model}
        if not text.strip():
            context["error"] = _("Paste the error message or the nvidia-smi table first.")
            status = 422
        else:
            if model and model not in models():
                context["model_unknown"] = True
            context["answer"] = doctor_answer(text, model)
    return render(request, "advisor/doctor.html", context, status=status)


class DiagnosisView(APIView):
    """What an out-of-memory error means, what to change, and which rentable card ends it."""

    permission_classes = (AllowAny,)
    parser_classes = (LimitedJSONParser,)

    @extend_schema(
        operation_id="diagnose",
        summary=gettext_lazy("What an out-of-memory error means"),
        description=api_schema.DIAGNOSES_TOLD,
        request={"application/json": api_schema.DIAGNOSIS_REQUEST},
        responses=inline_serializer(
            "Diagnosis",
            {
                "cause": serializers.CharField(),
                "cause_text": serializers.CharField(),
                "what_happened": serializers.CharField(),
                "figures": serializers.DictField(),
                "actions": serializers.ListField(),
                "questions": serializers.ListField(),
                "need_gib": serializers.FloatField(allow_null=True),
                "cards": serializers.ListField(),
            },
        ),
    )
    def post(self, request: Request) -> Response:
        """Read a pasted message. Sizes are GiB (2**30 bytes)."""
        try:
            asked = diagnosis_question(request.data, models())
        except WorkloadError as error:
            raise Problems(problems_of(error)) from error
        answer = doctor_answer(asked.text, asked.model, priced_currency(asked.currency))
        diagnosis = answer.diagnosis
        return Response(
            {
                "kind": diagnosis.reading.kind,
                "cause": diagnosis.cause,
                "cause_text": answer.cause,
                "what_happened": answer.what_happened,
                "figures": {
                    name: value
                    for name in (
                        "card",
                        "device",
                        "total_gib",
                        "free_gib",
                        "allocated_gib",
                        "reserved_unallocated_gib",
                        "tried_gib",
                        "max_tokens",
                        "cache_tokens",
                    )
                    if (value := getattr(diagnosis.reading, name)) is not None
                },
                "actions": [
                    {"code": note.code, "text": text}
                    for note, text in zip(diagnosis.actions, answer.actions, strict=True)
                ],
                "questions": [
                    {"code": note.code, "text": text}
                    for note, text in zip(diagnosis.questions, answer.questions, strict=True)
                ],
                "need_gib": round(diagnosis.need_gib, 2) if diagnosis.need_gib is not None else None,
                "cards": [
                    {
                        "gpu": card.slug,
                        "usable_gib": round(card.usable_gib, 1),
                        "price_per_gpu_hour": str(card.price_per_hour) if card.price_per_hour is not None else None,
                        "currency": card.currency,
                    }
                    for card in answer.cards
                ],
            }
        )
