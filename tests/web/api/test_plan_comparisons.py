"""Plan comparisons over the API: each item answered or refused by itself, a list with more work than one request takes refused whole."""

import json
from typing import Any

import pytest
from django.test import Client

from billing.api_schema import PLAN, USAGE
from billing.costing.errors import CostingErrors
from billing.costing.plans import FIELDS as PLAN_FIELDS
from billing.costing.plans import parse_plan
from billing.costing.usage import FIELDS as USAGE_FIELDS

PROBLEM = "application/problem+json"
HOURLY = {"name": "hourly", "currency": "CNY", "unit_price": "1.32", "price_per": "hour"}
DAILY = {"name": "daily", "currency": "CNY", "unit_price": "27.7", "price_per": "day", "term": {"unit": "day"}}
ALL_WEEK = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "07:00", "to": "06:53"}


def post(client: Client, body: object, language: str = "en"):
    return client.post(
        "/api/v1/plan-comparisons", json.dumps(body), "application/json", headers={"Accept-Language": language}
    )


def question(**usage: object) -> dict[str, Any]:
    return {"plans": [HOURLY, DAILY], "usage": usage or {"hours": "26.5"}}


def test_a_wrong_item_is_a_problem_like_the_single_answer(client, db):
    wrong = {**question(hours=-1), "id": "w"}
    alone = post(client, wrong)
    assert (alone.status_code, alone["Content-Type"]) == (422, PROBLEM)
    good, bad = post(client, [question(), wrong]).json()
    assert "comparison" in good
    assert bad == {"id": "w", "error": alone.json()}
    assert {"type", "title", "status", "detail", "errors"} == bad["error"].keys()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_list_with_too_much_work_is_refused_whole_at_the_question_that_is_too_much(client, db, language):
    years = question(weekly=ALL_WEEK, weeks=1040)
    answer = post(client, [question(), *[years] * 99], language)
    assert (answer.status_code, answer["Content-Type"]) == (422, PROBLEM)
    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("[14]", "too-much-work")
    assert "300,000" in problem["message"]
    assert problem["maximum"] == 300_000


def test_one_comparison_that_is_too_much_says_so_at_its_usage(client, db):
    plans = [{**DAILY, "name": str(n)} for n in range(39)]
    years = {**HOURLY, "name": "ten years", "price_per": "month", "term": {"unit": "month", "count": 120}}
    answer = post(client, {"plans": [years, *plans], "usage": {"hours": 27}})
    assert answer.status_code == 422
    (problem,) = answer.json()["errors"]
    assert (problem["path"], problem["code"]) == ("usage", "too-much-work")


def test_questions_of_a_list_share_what_the_search_may_weigh(client, db, monkeypatch):
    monkeypatch.setattr("billing.api.MOST_DECISIONS_IN_A_LIST", 1)
    answers = post(client, [question()] * 2).json()
    assert [answer["comparison"]["mix"] for answer in answers] == [None, None]
    assert all("not searched" in " ".join(answer["comparison"]["warnings"]) for answer in answers)
    assert post(client, question()).json()["comparison"]["mix"] is not None


def test_the_limits_are_in_the_reference(client, db):
    schema = client.get("/api/v1/schema", headers={"accept-language": "en"}).content.decode()
    assert "200,000 pieces" in schema
    assert "300,000" in schema


def test_the_reference_names_every_field_of_the_contract():
    assert tuple(PLAN) == PLAN_FIELDS
    assert tuple(USAGE) == USAGE_FIELDS


def test_the_defaults_of_the_reference_are_those_of_the_reader():
    plan = parse_plan({"name": "a", "currency": "CNY", "unit_price": "1", "price_per": "hour"})
    for name, schema in PLAN.items():
        if "default" in schema:
            assert str(getattr(plan, name)) == str(schema["default"]), name


@pytest.mark.parametrize(("name", "schema"), [(name, one) for name, one in PLAN.items() if "enum" in one])
def test_every_choice_of_the_reference_is_taken_and_no_other(name, schema):
    plain = {"name": "a", "currency": "CNY", "unit_price": "1", "price_per": "hour", "list_price_per_hour": "2"}
    if name in ("unused", "after_term"):
        plain |= {"price_per": "day", "term": {"unit": "day", "count": 1}, "on_demand_plan": "b"}
    for value in schema["enum"]:
        body = {**plain, name: value}
        if body.get("after_term") != "on_demand":
            body.pop("on_demand_plan", None)
        if body.get("unused") != "refund_clawback" and name == "unused":
            body.pop("list_price_per_hour", None)
        parse_plan(body)
    with pytest.raises(CostingErrors):
        parse_plan({**plain, name: "nothing"})
