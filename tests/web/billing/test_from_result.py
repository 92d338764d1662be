"""The result's button carries the whole answer into the sales inbox."""

import re
from decimal import Decimal

import pytest

from billing.asking import ADVICE_FIELDS, read_advice, signed_advice
from billing.forms import new_head
from billing.line_pricing import lines_of_advice
from billing.models import QuoteRequest, Seller
from billing.queries import catalogue_of

ADDRESSES = [
    "scenario=llm&task=training&model=llama-3-8b&method=qlora&amount=3&unit=epochs&samples=52000&sequence_tokens=512",
    "scenario=llm&task=training&model=qwen-14b&amount=20000000&unit=tokens",
    "scenario=vision&task=training&model=yolov8x&image_size=640&batch=16&amount=100&unit=epochs&samples=100000",
    "scenario=speech&task=transcription&model=whisper-large-v3&amount=500&unit=audio_hours",
    "scenario=llm&task=inference&model=llama-3-8b&hours_per_day=8&days_per_week=5&weeks=4",
]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("query", ADDRESSES)
def test_the_button_carries_the_answer(client, example, language, query):
    page = client.get(f"/{language}/advise/result/?{query}")
    assert page.status_code == 200
    field = re.search(r'name="advice" value="([^"]+)"', page.content.decode())[1]
    assert len(field) < 16_000
    advice = read_advice(field)
    assert set(advice) <= set(ADVICE_FIELDS)
    assert advice["workload"]["scenario"] == advice["scenario"]
    assert advice["lines"][0]["sku"]
    assert "<" not in advice["summary"]
    best = advice["answer"]["choices"][0]
    head = new_head(Seller.objects.current(), language)
    lines = lines_of_advice(advice["lines"], catalogue_of("CNY"), head)
    assert page.context["basis"].kind != "hour"
    assert head.offer(lines).totals().total.gross == Decimal(best["total"])  # the draft costs what the customer saw
    shown = client.post(f"/{language}/ask/", {"advice": field})
    assert shown.status_code == 200
    assert advice["summary"] in shown.content.decode()


def test_another_language_keeps_what_was_typed_and_the_answer(client, example):
    field = signed_advice({"summary": "Take a 3090", "address": "/zh-hans/advise/result/?preset=yolo-100k"})
    page = client.post("/zh-hans/ask/", {"advice": field}).content.decode()
    assert re.search(r'<button [^>]*form="ask" name="switch" value="1" formaction="/en/ask/" formnovalidate', page)
    typed = {
        "advice": field,
        "contact": "Wang",
        "email": "w@",
        "message": "Before Friday",
        "consent": "on",
        "switch": "1",
    }
    answer = client.post("/en/ask/", typed)
    page = answer.content.decode()
    assert answer.status_code == 200
    assert not QuoteRequest.objects.exists()
    assert "Request a quotation" in page
    assert "Take a 3090" in page
    assert f'name="advice" value="{field}"' in page
    assert 'value="Wang"' in page
    assert "Before Friday" in page
    assert re.search(r'name="consent"[^>]* checked', page)
    assert "Error:" not in page
    assert 'href="/en/advise/result/?preset=yolo-100k"' in page
