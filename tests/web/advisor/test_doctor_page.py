"""The doctor as people meet it: page and API give one answer, in both languages, to errors and to nonsense alike."""

import re

import pytest
from django.test import Client
from django.utils.translation import activate

from advisor.doctor.sentences import ACTIONS, CAUSES, FIGURES, QUESTIONS
from catalog.models import Price, Sku

pytestmark = pytest.mark.django_db
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB. GPU 0 has a total capacity of 23.64 GiB of which 41.75 MiB is free. "
    "Including non-PyTorch memory, this process has 23.60 GiB memory in use. Of the allocated memory 23.19 GiB is allocated by PyTorch, "
    "and 5.97 MiB is reserved by PyTorch but unallocated."
)
CACHE = "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (39024)."


@pytest.mark.parametrize(("language", "cause"), [("en", "too little memory"), ("zh-hans", "显存")])
def test_an_error_is_read_and_a_rentable_card_named(client: Client, example: None, language: str, cause: str) -> None:
    page = client.post(f"/{language}/doctor/", {"paste": OOM}).content.decode()
    assert cause in page
    assert "23.64" in page
    assert f"/{language}/cards/rtx-4080-super-32g/" in page
    assert f"/{language}/cards/rtx-3090-24g/" not in page


def test_what_was_pasted_is_escaped(client: Client, example: None) -> None:
    page = client.post("/en/doctor/", {"paste": "<script>alert(1)</script> " + OOM}).content.decode()
    assert "<script>alert" not in page


def test_nothing_pasted_is_an_error_at_the_field(client: Client, example: None) -> None:
    answer = client.post("/en/doctor/", {"paste": "  "})
    assert answer.status_code == 422
    assert 'aria-invalid="true"' in answer.content.decode()


@pytest.mark.parametrize("text", ["hello", "x" * 1_000_000, "\x00\x01", "🙂" * 1000])
def test_nonsense_gets_a_polite_answer(client: Client, example: None, text: str) -> None:
    answer = client.post("/zh-hans/doctor/", {"paste": text})
    assert answer.status_code == 200
    activate("zh-hans")
    assert str(FIGURES["not-an-error-we-know"]) in answer.content.decode()


def test_the_api_names_the_cap_and_the_cache(client: Client, example: None) -> None:
    answer = client.post("/api/v1/diagnoses", {"text": CACHE, "model": "llama-3.1-8b"}, content_type="application/json")
    body = answer.json()
    assert answer.status_code == 200
    assert body["cause"] == "kv-cache-too-large"
    assert body["figures"]["cache_tokens"] == 39024
    assert any("39024" in action["text"] for action in body["actions"])


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({}, "text"),
        ({"text": "x", "txt": "y"}, "txt"),
        ({"text": "x", "model": "lama"}, "model"),
        ({"text": "x", "model": 7}, "model"),
        ({"text": None}, "text"),
        ({"text": "x", "currency": "yuan"}, "currency"),
    ],
)
def test_the_api_names_the_wrong_field(client: Client, example: None, body: dict[str, str], path: str) -> None:
    answer = client.post("/api/v1/diagnoses", body, content_type="application/json")
    assert answer.status_code == 422
    assert answer["Content-Type"].startswith("application/problem+json")
    assert [error["path"] for error in answer.json()["errors"]] == [path]


def test_a_missing_text_is_said_with_what_is_expected(client: Client, example: None) -> None:
    for language, words in (("en", "text is missing: give the pasted message."), ("zh-hans", "缺少 text")):
        headers = {"accept-language": language}
        answer = client.post("/api/v1/diagnoses", {}, content_type="application/json", headers=headers)
        assert words in answer.json()["errors"][0]["message"]


def test_nul_is_never_shown_again(client: Client, example: None) -> None:
    page = client.post("/zh-hans/doctor/", {"paste": "CUDA out of\x00 memory", "model": "llama\x00-3"}).content
    assert b"\x00" not in page
    body = {"text": "CUDA\x00 out of memory", "model": "lla\x00ma"}
    answer = client.post("/api/v1/diagnoses", body, content_type="application/json")
    assert answer.status_code == 422
    assert "\\u0000" not in answer.content.decode()


def test_prices_missing_is_said_not_hidden(client: Client) -> None:
    Price.objects.all().delete()
    Sku.objects.all().delete()
    page = client.post("/en/doctor/", {"paste": OOM}).content.decode()
    assert "No single card we rent holds that" in page


def test_every_figure_named_in_a_sentence_is_given() -> None:
    """The placeholders of the doctor's sentences are only names that its notes carry."""
    known = {
        "tried",
        "allocated",
        "total",
        "free",
        "unallocated",
        "others",
        "asked",
        "held",
        "needed_gib",
        "share",
        "have",
        "states",
        "file",
        "need",
        "used",
        "devices",
        "processes",
        "cap",
        "now",
        "most",
    }
    for table in (CAUSES, FIGURES, ACTIONS, QUESTIONS):
        for text in table.values():
            assert set(re.findall(r"%\((\w+)\)s", str(text))) <= known
