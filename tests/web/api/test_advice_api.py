"""Recommendations, estimates, presets, models by API: answers, languages, mistakes, the table's freshness."""

import json
import re
from html import unescape
from typing import Any

import pytest
from django.utils import timezone

from advisor.actions import preset_answer_store
from advisor.library import library
from advisor.models import PresetAnswer
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, stale_presets
from advisor.questions import MOST_WORK, pieces_of_work
from advisor.tasks import build_table, refresh_table
from catalog.models import Price, Sku, recorded
from config.celery import app

pytestmark = pytest.mark.django_db
QLORA = {"scenario": "llm", "task": "training", "model": "qwen2.5-7b", "method": "qlora", "sequence_tokens": 1024}
WHISPER = {"scenario": "speech", "task": "transcription", "model": "whisper-large-v3", "engine": "faster-whisper"}
PROBLEM = "application/problem+json"


def post(client, what: str, body: Any, language: str = "en", **more: Any):
    data = body if isinstance(body, str | bytes) else json.dumps(body)
    return client.post(
        f"/api/v1/{what}", data=data, content_type="application/json", headers={"accept-language": language}, **more
    )


def test_a_recommendation_in_the_asked_language(client, example):
    body = {"id": "mine", "workload": QLORA}
    english, chinese = post(client, "recommendations", body), post(client, "recommendations", body, "zh-hans")
    assert english.status_code == chinese.status_code == 200
    one, other = english.json(), chinese.json()
    assert one["id"] == "mine"
    first = one["recommendation"]["choices"][0]
    assert {
        "gpu",
        "count",
        "fit",
        "memory",
        "speed",
        "sku",
        "costs",
        "cheapest_plan",
        "mix",
        "roles",
        "reasons",
    } <= set(first)
    assert {cost["plan"] for cost in first["costs"]} == {"minute", "hour", "day", "week", "month"}
    assert all(isinstance(cost["total"], str) for cost in first["costs"])
    assert one["recommendation"]["catalogue_version"] >= 1
    assert one["recommendation"]["is_sample"] is True
    assert first["reasons"][0]["text"] != other["recommendation"]["choices"][0]["reasons"][0]["text"]
    assert first["reasons"][0]["code"] == other["recommendation"]["choices"][0]["reasons"][0]["code"]
    assert "Accept-Language" in english["Vary"]


def descriptions(value: Any) -> list[str]:
    """Every description and summary of a schema."""
    if isinstance(value, dict):
        own = [value[name] for name in ("description", "summary") if isinstance(value.get(name), str)]
        return own + [text for part in value.values() for text in descriptions(part)]
    return [text for part in value for text in descriptions(part)] if isinstance(value, list) else []


def test_the_reference_speaks_the_readers_language(client):
    """Names stay; what is said about them is translated, in the schema and on the page alike."""
    schema = {
        language: client.get("/api/v1/schema", headers={"accept-language": language}).json()
        for language in ("en", "zh-hans")
    }
    told = {language: one["paths"] for language, one in schema.items()}
    assert told["en"].keys() == told["zh-hans"].keys()
    for path, methods in told["zh-hans"].items():
        for text in filter(None, descriptions(methods)):
            assert re.search(r"[\u4e00-\u9fff]", text) or text in ("[height, width]", "HH:MM"), text
        parameters = [one for method in methods.values() for one in method.get("parameters", ())]
        assert all(one.get("description") for one in parameters), path
        names = [sorted(one["name"] for one in parameters)]
        assert names == [
            sorted(one["name"] for method in told["en"][path].values() for one in method.get("parameters", ()))
        ]
    page = client.get("/api/v1/docs", headers={"accept-language": "zh-hans"}).content.decode()
    assert "租哪张卡" in page
    assert "Which card to rent" not in page


def test_a_list_answers_each_item_by_itself(client, example):
    items = [{"id": 1, "workload": QLORA}, {"id": 2, "workload": {**QLORA, "model": "qwen2.5-7bb"}}, 7]
    answer = post(client, "recommendations", items)
    assert answer.status_code == 200
    good, bad, worse = answer.json()
    assert good["recommendation"]["choices"]
    assert bad["id"] == 2
    assert bad["error"]["errors"][0]["path"] == "model"
    assert "qwen2.5-7b" in bad["error"]["errors"][0]["suggestion"]
    assert worse["error"]["errors"][0]["code"] == "not-an-object"


def test_too_much_work_in_one_request_is_refused_with_the_way_out(client, example):
    plain = {"workload": WHISPER}
    long = {"workload": {**WHISPER, "schedule": {"hours_per_day": 8, "days_per_week": 7, "weeks": 500}}}
    answer = post(client, "recommendations", [plain, *[long] * 12])
    assert answer.status_code == 422
    assert answer["Content-Type"] == PROBLEM
    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("[1].workload.schedule", "too-much-work")
    assert "133" in problem["message"]
    assert "smaller" in problem["message"]
    assert "smaller" not in post(client, "recommendations", [plain, *[long] * 12], "zh-hans").json()["detail"]


def test_a_hundred_ordinary_questions_are_no_too_much_work(example):
    known = library()
    assert sum(pieces_of_work({"workload": PRESETS[slug].workload}, known) for slug in PRESETS) <= MOST_WORK
    assert pieces_of_work({"workload": {**WHISPER, "schedule": {"hours_per_day": 8, "weeks": 4}}}, known) == 1
    assert pieces_of_work({"workload": {}}, known) == 0


@pytest.mark.parametrize("what", ["recommendations", "estimates"])
@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"contxt_tokens": 4096}, "contxt_tokens", "unknown-field"),
        ({"model": "lama-3-8b"}, "model", "unknown-model-near"),
        ({"micro_batch": -1}, "micro_batch", "too-small"),
        ({"demand": {"amount": 1e300, "unit": "tokens"}}, "demand.amount", "too-large"),
        ({"model": {"hf_config": {"a": 1}}}, "model.hf_config", "not-a-config"),
        ({"controlnets": 2}, "controlnets", "field-of-other-task"),
        ({"precision": True}, "precision", "wrong-type"),
    ],
)
def test_every_mistake_names_its_field(client, example, what, change, path, code):
    answer = post(client, what, {"workload": {**QLORA, **change}, "gpu": "rtx-3090-24g"})
    assert answer.status_code == 422
    assert answer["Content-Type"] == PROBLEM
    body = answer.json()
    assert body["status"] == 422
    problem = next(one for one in body["errors"] if one["path"] == path)
    assert problem["code"].startswith(code)
    assert path.split(".")[-1] in problem["message"] or problem["message"]


def test_estimates_name_wrong_cards_and_counts(client, example):
    answer = post(client, "estimates", {"workload": QLORA, "gpu": "rtx-3090", "count": 0})
    problems = {one["path"]: one for one in answer.json()["errors"]}
    assert "rtx-3090-24g" in problems["gpu"]["suggestion"]
    assert problems["count"]["code"] == "too-small"
    good = post(client, "estimates", {"workload": QLORA, "gpu": "rtx-3090-24g", "count": 1})
    assert good.json()["estimate"]["fit"] in ("fits", "tight")


def test_what_is_missing_is_said_to_be_so(client, example):
    for what, wanted in (("estimates", {"workload", "gpu"}), ("recommendations", {"workload"})):
        answer = post(client, what, {"id": 1})
        assert answer.status_code == 422
        problems = {one["path"]: one for one in answer.json()["errors"]}
        assert problems.keys() == wanted
        assert all(one["code"] == "missing" for one in problems.values())
        assert all("null" not in one["message"] for one in problems.values())


@pytest.mark.parametrize(
    ("change", "path"),
    [
        ({"constraints": {"region": "cn\x00east"}}, "constraints.region"),
        ({"model": {"hf_config": {"model_type": "llama\x00"}}}, "model.hf_config"),
        ({"model": "llama\x00"}, "model"),
        ({"fra\x00me": 1}, "frame"),
        ({"framework": "trl\x00"}, "framework"),
    ],
)
def test_nul_is_refused_in_words_and_never_given_back(client, example, change, path):
    for language in ("en", "zh-hans"):
        answer = post(client, "recommendations", {"workload": {**QLORA, **change}}, language)
        assert answer.status_code == 422
        assert path in [one["path"] for one in answer.json()["errors"]]
        assert "\\u0000" not in answer.content.decode()


@pytest.mark.parametrize("body", ["{", '{"workload": NaN}', "[" * 100_000, '"text"', "null", "[]"])
def test_what_is_no_question_gets_a_polite_answer(client, example, body):
    answer = post(client, "recommendations", body)
    assert answer.status_code in (400, 422)
    assert answer["Content-Type"] == PROBLEM
    assert answer.json()["title"]


CARD = {"workload": {"scenario": "llm", "task": "inference", "model": "llama-3-8b"}, "gpu": "rtx-4090-24g"}
REST = json.dumps(CARD)[1:]


@pytest.mark.parametrize(
    "body",
    [
        '{"id": "\\ud800", ' + REST,
        '{"id": 1e999, ' + REST,
        '{"id": NaN, ' + REST,
        '{"gpu": "rtx-3090-24g", ' + REST,
        "[" * 50_000,
        '{"id": ' * 20_000,
        '{"id": %s}' % ("9" * 5_000),
        b"\xff\xfe{}",
    ],
)
@pytest.mark.parametrize("what", ["estimates", "recommendations", "plan-comparisons", "diagnoses"])
def test_what_is_no_sound_json_is_refused_in_the_asked_language(client, example, what, body):
    english, chinese = post(client, what, body), post(client, what, body, "zh-hans")
    assert english.status_code == chinese.status_code == 400
    assert english["content-type"] == PROBLEM
    assert "JSON" in english.json()["detail"]
    assert chinese.json()["detail"] != english.json()["detail"]


def test_whole_pairs_and_other_alphabets_come_back_as_they_were(client, example):
    assert post(client, "estimates", {"id": "卡 \U0001f600", **CARD}).json()["id"] == "卡 \U0001f600"


@pytest.mark.parametrize("what", ["estimates", "recommendations", "plan-comparisons"])
def test_no_type_is_named_in_the_other_language(client, example, what):
    body = [1, None, "x", [1], True]
    for item in post(client, what, body, "zh-hans").json():
        for problem in item["error"]["errors"]:
            said = problem["message"]
            assert not any(word in said for word in ("a number", "a list", "text", " or ")), said
            assert said == said.strip()


def test_a_list_has_a_limit_and_a_body_too(client, example):
    assert post(client, "recommendations", [{"workload": QLORA}] * 101).status_code == 422
    huge = post(client, "recommendations", json.dumps({"workload": {**QLORA, "note": "x" * 10_000_000}}))
    assert huge.status_code == 413
    assert huge["Content-Type"] == PROBLEM


def test_an_empty_catalogue_and_a_currency_without_prices(client, example):
    dollars = post(client, "recommendations?currency=USD", {"workload": QLORA})
    assert dollars.status_code == 422
    assert dollars.json()["errors"][0]["allowed"] == ["CNY"]
    Price.objects.all().delete()
    Sku.objects.all().delete()
    answer = post(client, "recommendations", {"workload": QLORA})
    assert answer.status_code == 200
    assert answer.json()["recommendation"]["choices"] == []
    assert answer.json()["recommendation"]["warnings"][0]["code"] == "catalogue-empty"


def test_no_price_for_a_card(client, example):
    with recorded(by=None, why="a card loses its prices"):
        Price.objects.filter(sku__gpu__slug="rtx-3060-12g").delete()
    answer = post(client, "recommendations", {"workload": WHISPER}).json()["recommendation"]
    rejected = {one["gpu"]: one["reason"]["code"] for one in answer["rejected"]}
    assert rejected["rtx-3060-12g"] == "no-price"


def test_the_table_is_built_once_and_is_safe_to_build_twice(example):
    slugs = ["transcribe-500h", "sdxl-images"]
    assert build_table(slugs, "CNY") == 2
    assert build_table(slugs, "CNY") == 2
    assert PresetAnswer.objects.count() == 2
    catalogue = catalogue_now("CNY")
    assert set(PRESETS) - set(stale_presets(catalogue)) == set(slugs)
    assert build_table(["no-such-preset"], "CNY") == 0


def test_an_older_catalogue_never_replaces_a_newer_answer(example):
    old = catalogue_now("CNY")
    sku = Sku.objects.filter(code="rtx-3060-12g-x1").get()
    with recorded(by=None, why="the stock changes"):
        sku.stock = "out"
        sku.save()
    assert build_table(["transcribe-500h"], "CNY") == 1
    newer = PresetAnswer.objects.get()
    assert newer.catalogue_version > old.version
    assert not preset_answer_store(preset="transcribe-500h", catalogue=old, library=library(), now=timezone.now())
    assert PresetAnswer.objects.get().catalogue_version == newer.catalogue_version


def test_presets_answer_from_the_table_and_never_from_an_older_one(client, example):
    build_table(["transcribe-500h"], "CNY")
    current = client.get("/api/v1/recommendations/transcribe-500h")
    assert current["X-Recommendation-Table"] == "current"
    first = current.json()["recommendation"]["choices"][0]["gpu"]
    with recorded(by=None, why="the card is gone"):
        for sku in Sku.objects.filter(gpu__slug=first):
            sku.stock = "out"
            sku.save()
    again = client.get("/api/v1/recommendations/transcribe-500h")
    assert again["X-Recommendation-Table"] == "recomputed"
    body = again.json()
    assert body["recommendation"]["choices"][0]["gpu"] != first
    assert (
        body["catalogue_version"] == body["recommendation"]["catalogue_version"] > current.json()["catalogue_version"]
    )
    build_table(["transcribe-500h"], "CNY")
    assert client.get("/api/v1/recommendations/transcribe-500h")["X-Recommendation-Table"] == "current"


@pytest.fixture
def eager():
    before = app.conf.task_always_eager
    app.conf.task_always_eager = True
    yield
    app.conf.task_always_eager = before


def test_only_what_is_stale_is_asked_for(example, eager):
    build_table(list(PRESETS)[2:], "CNY")
    assert refresh_table() == 2
    assert refresh_table() == 0
    assert PresetAnswer.objects.count() == len(PRESETS)


def test_unknown_presets_and_models_name_the_nearest(client, example):
    preset = client.get("/api/v1/recommendations/transcribe-500")
    assert preset.status_code == 404
    assert "transcribe-500h" in preset.json()["detail"]
    model = client.get("/api/v1/models/lama-3-8b")
    assert model.status_code == 404
    assert "llama-3-8b" in model.json()["detail"]


def test_models_are_listed_searched_and_shown(client, db):
    every = client.get("/api/v1/models").json()
    assert every["count"] == len(every["results"]) > 100
    speech = client.get("/api/v1/models?scenario=speech&search=whisper").json()["results"]
    assert speech
    assert all(one["scenario"] == "speech" and "whisper" in one["slug"] for one in speech)
    one = client.get("/api/v1/models/llama-3-8b").json()
    assert one["parameters_b"] == 8.03
    assert one["shape"]["layers"] == 32
    assert one["source"]


def test_presets_are_listed(client, db):
    answer = client.get("/api/v1/presets", headers={"accept-language": "zh-hans"}).json()
    assert answer["count"] == len(PRESETS) >= 60
    assert answer["results"][0]["title"] == "微调 7B，LoRA"


def test_the_reference_documents_every_field(client, db):
    schema = json.dumps(client.get("/api/v1/schema", headers={"accept": "application/json"}).json())
    for name in (
        "sequence_tokens",
        "kv_cache_format",
        "controlnets",
        "beam_size",
        "min_tokens_per_second_per_sequence",
        "gpu_hours_on",
    ):
        assert f'"{name}"' in schema, name


def test_plans_are_compared(client, db):
    question = {
        "id": 5,
        "plans": [
            {
                "name": "hourly",
                "currency": "CNY",
                "unit_price": "1.32",
                "price_per": "hour",
                "billing_step_seconds": 3600,
            },
            {
                "name": "daily",
                "currency": "CNY",
                "unit_price": "27.7",
                "price_per": "day",
                "term": {"unit": "day", "count": 1},
            },
        ],
        "usage": {"hours": "26.5"},
    }
    answer = post(client, "plan-comparisons", question).json()
    assert answer["id"] == 5
    assert {plan["name"]: plan["total"] for plan in answer["comparison"]["plans"]} == {
        "hourly": "35.64",
        "daily": "55.40",
    }
    assert answer["comparison"]["mix"]["total"] == "31.66"
    chinese = post(client, "plan-comparisons", question, "zh-hans").json()
    assert chinese["comparison"]["assumptions"] != answer["comparison"]["assumptions"]
    wrong = post(client, "plan-comparisons", {**question, "usage": {"hors": 3}})
    assert wrong.status_code == 422
    assert wrong["Content-Type"] == PROBLEM
    assert "usage" in wrong.json()["errors"][0]["path"]
    both = post(client, "plan-comparisons", [question, {"plans": []}]).json()
    assert "comparison" in both[0]
    assert both[1]["error"]["errors"]
    assert post(client, "plan-comparisons", "x" * 3_000_000).status_code == 413


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_reference_page_shows_each_field_of_each_call(client, language):
    headers = {"accept-language": language}
    page = unescape(client.get("/api/v1/docs", headers=headers).content.decode())
    for path in (
        "plans[].price_per",
        "usage.weekly.from",
        "workload.sequence_tokens",
        "workload.demand.amount",
        "count",
        "text",
    ):
        assert f"<code>{path}</code>" in page, path
    assert "second, minute, hour, day, week, month" in page
    assert "1–4,096" in page
    assert "`" not in re.sub(r"<pre.*?</pre>", "", page, flags=re.S)
    for example in re.findall(r"<pre[^>]*>(.*?)</pre>", page, re.S):
        json.loads(example)
    sections = re.findall(r'<section class="sec" id="(\w+)".*?</section>', page, re.S)
    schema = client.get("/api/v1/schema", headers=headers).json()
    assert sections == [one["operationId"] for methods in schema["paths"].values() for one in methods.values()]


def test_the_examples_of_the_reference_are_answered(client):
    schema = client.get("/api/v1/schema", headers={"accept-language": "en"}).json()
    asked = 0
    for path, methods in schema["paths"].items():
        for operation in methods.values():
            examples = (
                operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
            )
            for example in examples.values():
                answer = client.post(path, json.dumps(example["value"]), "application/json")
                assert answer.status_code == 200, answer.content
                asked += 1
    assert asked >= 2


def test_a_scenario_without_models_is_told_with_those_that_have_some(client):
    answer = client.get("/api/v1/models?scenario=zzz", headers={"accept-language": "en"})
    assert answer.status_code == 400
    (error,) = answer.json()["errors"]
    assert error["path"] == "scenario"
    assert all(name in error["message"] for name in ("zzz", "llm", "aigc", "speech", "vision"))


def test_an_api_of_json_alone_needs_no_format(client):
    assert client.get("/api/v1/schema?format=x").json()["openapi"]
    assert client.get("/api/v1/models?format=xml").json()["count"]
