"""The result's button carries the whole answer into the sales inbox."""

import re
from decimal import Decimal

import pytest

from billing.asking import ADVICE_FIELDS, read_advice
from billing.forms import new_head
from billing.line_pricing import lines_of_advice
from billing.models import Seller
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
