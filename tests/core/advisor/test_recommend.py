"""The ranking, against a job whose formula one can do in the head and the example price list."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.library import library
from advisor.recommend import Recommendation, recommend, to_dict
from advisor.sizing import scenarios
from advisor.sizing.parsing.workload import parse_workload
from billing.costing.compare import compare_mapping
from billing.hours_curve import hours_curves
from catalog.example import example_catalogue
from catalog.snapshot import Catalogue, plan_rules
from tests.core.advisor.fake_job import fake_prepare

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
TOKENS = {"amount": 1e9, "unit": "tokens"}
A_DAY = {"amount": 1e8, "unit": "tokens"}


@pytest.fixture(autouse=True)
def _fake() -> Iterator[None]:
    with mock.patch.dict(scenarios.PREPARE, {"llm": fake_prepare}):
        yield


def ask(need_gib: float = 18, catalogue: Catalogue | None = None, **fields: Any) -> Recommendation:
    body = {"scenario": "llm", "task": "inference", "model": {"parameters_b": need_gib}, **fields}
    known = library()
    workload = parse_workload(body, known.models, known.gpus)
    return recommend(workload, catalogue or example_catalogue(), known, NOW)


def test_the_hours_from_which_a_card_pays_are_those_of_the_drawn_curves():
    for gib in (9, 18, 60, 200):
        answer = ask(need_gib=gib)
        told = next(one.note.values for one in answer.advice if one.note.code == "plan-break-even")
        curves = hours_curves(answer.choices[0].offer, 27)
        assert curves is not None
        assert {f"{one.kind}_hours": one.from_hour for one in curves.breaks} == told


def codes(notes: Any) -> set[str]:
    return {note.code for note in notes}


def test_the_first_choice_is_recommended_and_roles_are_given_once():
    answer = ask(demand=TOKENS)
    assert answer.choices[0].roles[0] == "recommended"
    for role in ("recommended", "cheapest", "fastest", "most-headroom"):
        assert len([one for one in answer.choices if role in one.roles]) == 1
    cheapest, fastest = answer.with_role("cheapest"), answer.with_role("fastest")
    assert cheapest is not None
    assert fastest is not None
    assert cheapest.total == min(one.total for one in answer.choices)
    assert fastest.estimate.hours == min(one.estimate.hours or 0 for one in answer.choices)


@settings(max_examples=25, deadline=None)
@given(
    need=st.floats(0.5, 3000),
    priority=st.sampled_from(["balanced", "cheapest", "fastest"]),
    amount=st.none() | st.floats(1e5, 1e12),
    limits=st.fixed_dictionaries(
        {},
        optional={
            "deadline_hours": st.floats(0.1, 5000),
            "budget": st.decimals("0.01", 10_000, places=2).map(str),
            "max_gpus": st.integers(1, 16),
            "require": st.lists(st.sampled_from(["ecc", "nvlink", "mig", "fp8", "fp64"]), max_size=3, unique=True),
        },
    ),
)
def test_every_card_is_answered_for_and_nothing_is_promised_falsely(need, priority, amount, limits):
    with mock.patch.dict(scenarios.PREPARE, {"llm": fake_prepare}):
        demand = {} if amount is None else {"demand": {"amount": amount, "unit": "tokens"}}
        answer = ask(need, priority=priority, constraints=limits, **demand)
    chosen, rejected = {one.gpu for one in answer.choices}, {one.gpu for one in answer.rejected}
    assert chosen | rejected == set(example_catalogue().gpus)
    assert not chosen & rejected
    assert all(one.reasons for one in answer.rejected)
    assert [one.rank for one in answer.choices] == list(range(1, len(answer.choices) + 1))
    kept = [one for one in answer.choices if one.meets]
    assert not kept or len(kept) == len(answer.choices), (
        "what breaks a limit is shown only where nothing keeps them all"
    )
    fits = [one.estimate.fit for one in kept]
    assert fits == sorted(fits, key=["fits", "tight"].index), "tight ones come last"
    for one in answer.choices:
        assert one.estimate.fit in ("fits", "tight")
        assert one.count <= limits.get("max_gpus", 16)
        assert one.reasons_against, "no card is best in every way"
        assert one.total == min(
            [cost.total for cost in one.costs if _counts(answer, cost.kind)] + ([one.mix.total] if one.mix else [])
        )
        if one.meets and amount is not None:
            assert "deadline_hours" not in limits or one.span_hours <= limits["deadline_hours"]
            # against the plan it was chosen by: the mix can only be less
            assert "budget" not in limits or one.total <= Decimal(limits["budget"])
    assert answer.choices or answer.warnings, "an empty answer says why"
    assert (
        kept
        or not answer.choices
        or codes(answer.warnings)
        & {
            "deadline-unmet",
            "budget-unmet",
            "deadline-and-budget-unmet",
            "limits-unmet",
        }
    )
    json.dumps(to_dict(answer), allow_nan=False)


def _counts(answer: Recommendation, kind: str) -> bool:
    return answer.basis.kind != "hour" or kind in ("minute", "hour")


def test_costs_are_those_of_the_plan_comparison():
    answer = ask(demand=TOKENS)
    one = answer.choices[0]
    seconds = -(-one.estimate.hours * 3600 // 1)
    question = {
        "plans": [plan_rules(plan) for plan in one.offer.plans],
        "usage": {
            "intervals": [["2026-03-02T10:00:00+00:00", _later(seconds)]],
            "gpus": one.count,
        },
    }
    compared = compare_mapping(question)
    assert {cost.plan: cost.total for cost in one.costs} == {plan.name: plan.total for plan in compared.plans}
    assert one.total == min(compared.mix.total, *(plan.total for plan in compared.plans))


def _later(seconds: float) -> str:
    return datetime.fromtimestamp(NOW.timestamp() + seconds, UTC).isoformat()


def test_the_fewest_cards_that_fit_unless_speed_is_asked_for():
    assert {one.gpu: one.count for one in ask(18).choices}["rtx-3090-24g"] == 1
    assert {one.gpu: one.count for one in ask(40).choices}["rtx-3090-24g"] == 2
    fastest = ask(18, priority="fastest", demand=TOKENS)
    assert fastest.choices[0].count > 1
    assert "fastest" in fastest.choices[0].roles
    limited = ask(18, priority="fastest", demand=TOKENS, constraints={"max_gpus": 1})
    assert {one.count for one in limited.choices} == {1}


def priced(*wanted: tuple[str, int, str]) -> Catalogue:
    """The example catalogue cut down to these offers, at these prices per card and hour."""
    offers = []
    for gpu, count, price in wanted:
        one = next(one for one in example_catalogue().offers if (one.gpu, one.count) == (gpu, count))
        hourly = {**one.plan("hour"), "unit_price": price}
        offers.append(replace(one, plans=(hourly,)))
    return replace(example_catalogue(), offers=tuple(offers))


def fewer_cards_note(answer: Recommendation) -> Any:
    return next((note for note in answer.choices[0].reasons_for if note.code == "fewer-cards"), None)


def test_a_second_card_has_to_pay_for_the_splitting():
    """1,555 GB/s on one card against 2 x 936: 20 % faster, worth 5 % of money; each doubling must bring 8 % more."""
    one, two = ("a100-pcie-40g", 1, "4.00"), ("rtx-3090-24g", 2, "2.35")
    close = ask(22, priced(one, two), demand=A_DAY)
    assert (close.choices[0].gpu, close.choices[0].count) == ("a100-pcie-40g", 1)
    clear = ask(22, priced(one, ("rtx-3090-24g", 2, "3.00")), demand=A_DAY)
    assert fewer_cards_note(clear) is None, "it is cheaper anyway: the number of cards did not decide"
    cheap = ask(22, priced(one, ("rtx-3090-24g", 2, "2.10")), demand=A_DAY)
    assert (cheap.choices[0].gpu, cheap.choices[0].count) == ("rtx-3090-24g", 2)
    for priority in ("cheapest", "fastest"):
        strict = ask(22, priced(one, ("rtx-3090-24g", 2, "1.99")), demand=A_DAY, priority=priority)
        assert strict.choices[0].count == 2
        assert fewer_cards_note(strict) is None


def test_where_the_number_of_cards_decided_that_is_said_with_what_it_costs():
    close = ask(22, priced(("a100-pcie-40g", 1, "4.00"), ("rtx-3090-24g", 2, "2.35")), demand=A_DAY)
    note = fewer_cards_note(close)
    rival = close.choices[1]
    assert note is not None
    assert (note.values["other"], note.values["other_count"]) == ("rtx-3090-24g", 2)
    assert Decimal(note.values["saves"]) == close.choices[0].total - rival.total


def test_a_deadline_takes_more_cards_only_as_far_as_needed():
    alone = ask(18, demand=TOKENS)
    hours = {one.gpu: one.estimate.hours for one in alone.choices}["rtx-3090-24g"]
    hurried = ask(18, demand=TOKENS, constraints={"deadline_hours": hours / 1.5})
    assert {one.gpu: one.count for one in hurried.choices}["rtx-3090-24g"] == 2


def test_deadline_and_budget_that_exclude_each_other_are_said_with_the_nearest_of_each():
    answer = ask(18, demand=TOKENS, constraints={"deadline_hours": 24, "budget": "10", "currency": "CNY"})
    note = answer.warnings[0]
    assert note.code == "deadline-and-budget-unmet"
    totals = [one.total for one in ask(18, demand=TOKENS).choices]
    assert Decimal(str(note.values["cheapest_total"])) <= min(totals)
    assert float(note.values["fastest_hours"]) < 24
    assert answer.choices
    assert not any(one.meets for one in answer.choices)
    assert "over-budget" in codes(answer.choices[0].reasons_against)


@settings(max_examples=25, deadline=None)
@given(
    need=st.floats(5, 300),
    deadline=st.floats(0.1, 400),
    budget=st.decimals("0.01", 300, places=2),
    priority=st.sampled_from(["balanced", "cheapest", "fastest"]),
)
def test_whoever_is_called_cheapest_or_fastest_is_so_among_all_that_were_considered(need, deadline, budget, priority):
    limits = {"deadline_hours": deadline, "budget": str(budget), "currency": "CNY"}
    with mock.patch.dict(scenarios.PREPARE, {"llm": fake_prepare}):
        answer = ask(need, demand=TOKENS, priority=priority, constraints=limits)
        free = [ask(need, demand=TOKENS, priority=one).choices for one in ("cheapest", "fastest")]
    cheapest, fastest = answer.with_role("cheapest"), answer.with_role("fastest")
    if cheapest is None or fastest is None or cheapest.estimate.fit != "fits":
        return
    fitting = [one for one in answer.choices if one.estimate.fit == "fits"]
    assert cheapest.total == min(one.total for one in fitting)
    assert fastest.estimate.hours == min(one.estimate.hours for one in fitting)
    if answer.choices[0].meets:
        return
    everything = [one for choices in free for one in choices if one.estimate.fit == "fits"]
    assert cheapest.total == min(one.total for one in everything)
    assert fastest.estimate.hours == min(one.estimate.hours for one in everything)
    banner = answer.warnings[0].values
    assert banner["cheapest_total"] == str(cheapest.total)
    assert (banner["fastest_total"], banner["fastest_hours"]) == (str(fastest.total), fastest.span_hours)


def test_the_fastest_is_praised_for_its_hours_where_the_time_is_known_and_else_for_its_speed():
    def praised(**fields: Any) -> dict[str, Any]:
        fastest = ask(18, **fields).with_role("fastest")
        assert fastest is not None
        return dict(next(note.values for note in fastest.reasons_for if note.code == "fastest"))

    assert praised(demand=TOKENS).keys() == {"hours", "of"}
    assert praised().keys() == {"speed", "unit", "of"}


def test_asked_for_the_fastest_the_cheapest_is_that_of_every_count():
    fastest = ask(18, demand=TOKENS, priority="fastest").with_role("cheapest")
    cheapest = ask(18, demand=TOKENS, priority="cheapest").with_role("cheapest")
    assert fastest is not None
    assert cheapest is not None
    assert fastest.total == cheapest.total


def test_where_nothing_keeps_the_limits_nobody_is_praised_as_if_he_did():
    answer = ask(18, demand=TOKENS, constraints={"deadline_hours": 24, "budget": "10", "currency": "CNY"})
    told = [codes(one.reasons_for) for one in answer.choices]
    assert not set.union(*told) & {"cheapest", "fastest", "best-value", "only-choice"}
    assert [("nearest" in one) for one in told] == [True] + [False] * (len(told) - 1)
    assert [one.rank for one in answer.choices if "cheapest-limits-aside" in codes(one.reasons_for)]
    alone = ask(18, demand=TOKENS, constraints={"budget": "10", "max_gpus": 1, "require": ["mig"], "region": "cn-east"})
    assert all("only-choice" not in codes(one.reasons_for) for one in alone.choices)


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"deadline_hours": 0.1}, "deadline-unmet"),
        ({"budget": "0.50"}, "budget-unmet"),
        ({"deadline_hours": 24, "budget": "10"}, "deadline-and-budget-unmet"),
        ({"host_ram_gib": 4000, "deadline_hours": 24}, "limits-unmet"),
    ],
)
def test_the_limit_that_nothing_keeps_is_the_one_that_is_named(limits, code):
    answer = ask(18, demand=TOKENS, constraints={"currency": "CNY", **limits})
    assert answer.warnings[0].code == code


@settings(max_examples=25, deadline=None)
@given(deadline=st.floats(5, 400), budget=st.decimals("5", 400, places=2), ram=st.none() | st.just(200.0))
def test_what_would_have_to_be_allowed_is_all_that_is_broken(deadline, budget, ram):
    limits = {"deadline_hours": deadline, "budget": str(budget), "currency": "CNY"}
    limits |= {} if ram is None else {"host_ram_gib": ram}
    with mock.patch.dict(scenarios.PREPARE, {"llm": fake_prepare}):
        answer = ask(18, demand=TOKENS, constraints=limits)
    for one in answer.rejected:
        broken = {note.code for note in one.reasons} & {"deadline-missed", "over-budget", "host-ram-short"}
        allowed = {
            "allow-hours": {"deadline-missed"},
            "allow-budget": {"over-budget"},
            "allow-both": {"deadline-missed", "over-budget"},
        }
        if one.remedy is not None and one.remedy.code in allowed:
            assert broken == allowed[one.remedy.code]


def test_what_does_not_fit_anywhere_is_answered_with_how_far_it_is_and_what_would_do():
    answer = ask(4000)
    assert not answer.choices
    assert codes(answer.warnings) >= {"nothing-fits"}
    assert {one.note.code for one in answer.advice} == {"quantise"}
    best = answer.advice[0]
    assert best.outcome is not None
    assert best.outcome.code == "then-possible"
    assert best.gpu is not None


def test_what_more_cards_buy_is_said():
    assert any(one.note.code == "second-card" for one in ask(18, demand=TOKENS).advice)


def test_a_requirement_turns_cards_away_by_name():
    answer = ask(18, constraints={"require": ["mig", "ecc"]})
    assert all(one.gpu.startswith(("a100", "a800")) for one in answer.choices)
    reasons = {one.gpu: one.reasons[0].code for one in answer.rejected}
    assert reasons["rtx-4090-24g"] in ("no-mig", "no-ecc")


def test_an_empty_catalogue_a_catalogue_without_prices_and_an_empty_shelf():
    empty = replace(example_catalogue(), offers=())
    assert [note.code for note in ask(18, empty).warnings][:1] == ["catalogue-empty"]
    priceless = replace(example_catalogue(), offers=tuple(replace(one, plans=()) for one in example_catalogue().offers))
    answer = ask(18, priceless)
    assert not answer.choices
    assert "no-prices" in codes(answer.warnings)
    assert {one.gpu: one.reasons[0].code for one in answer.rejected}["rtx-3090-24g"] == "no-price"
    out = replace(example_catalogue(), offers=tuple(replace(one, stock="out") for one in example_catalogue().offers))
    answer = ask(18, out)
    assert not answer.choices
    assert {one.gpu: one.reasons[0].code for one in answer.rejected}["rtx-3090-24g"] == "out-of-stock"


def test_one_card_without_a_price_is_rejected_for_that():
    offers = tuple(replace(one, plans=()) if one.gpu == "rtx-3090-24g" else one for one in example_catalogue().offers)
    answer = ask(18, replace(example_catalogue(), offers=offers))
    assert "rtx-3090-24g" not in {one.gpu for one in answer.choices}
    assert {one.gpu: one.reasons[0].code for one in answer.rejected}["rtx-3090-24g"] == "no-price"


def test_a_region_is_kept():
    answer = ask(18, constraints={"region": "cn-north"})
    assert {one.offer.region for one in answer.choices} == {"cn-north"}
    assert "other-region" in {one.reasons[0].code for one in answer.rejected}


def test_without_a_speed_prices_are_by_the_hour_and_that_is_said():
    answer = ask(18, prompt_tokens=1, demand=TOKENS)
    assert answer.basis.kind == "hour"
    assert answer.choices
    assert "paid-by-the-hour" in codes(answer.assumptions)
    assert "speed-unknown" in codes(answer.choices[0].reasons_against)


def test_unknown_length_is_priced_by_hour_day_week_and_month():
    answer = ask(18)
    one = answer.choices[0]
    assert [cost.hours for cost in one.use_costs] == [1, 24, 168, 720]
    totals = [cost.total for cost in one.use_costs]
    assert totals == sorted(totals)
    assert one.total == totals[0]
    assert "how-much-work" in codes(answer.questions)
    hourly = one.cost("hour")
    month = one.cost("month")
    assert hourly is not None
    assert month is not None
    assert month.effective_per_hour < hourly.effective_per_hour


def test_a_schedule_is_priced_as_it_runs():
    answer = ask(18, schedule={"hours_per_day": 8, "days_per_week": 5, "weeks": 4})
    one = answer.choices[0]
    hourly = one.cost("hour")
    assert hourly is not None
    assert hourly.quantity == 160
    assert answer.basis.scheduled_hours == 160
    night = ask(18, schedule={"hours_per_day": 24, "days_per_week": 7, "weeks": 4}).choices[0]
    assert night.cheapest_plan in ("month", "week")
    assert "long-term-plan" in codes(night.reasons_for)


def test_a_job_inside_a_schedule_takes_longer_by_the_clock_but_not_in_hours():
    alone = ask(18, demand=TOKENS).choices[0]
    spread = ask(18, demand=TOKENS, schedule={"hours_per_day": 8, "days_per_week": 5}).choices
    same = next(one for one in spread if one.gpu == alone.gpu)
    assert same.estimate.hours == alone.estimate.hours
    assert same.span_hours > 3 * alone.span_hours
    hourly = same.cost("hour")
    assert hourly is not None
    assert abs(float(hourly.quantity) - same.estimate.hours) <= 1 + same.estimate.hours / 8 * 0.01


def test_a_budget_in_another_currency_is_not_applied_in_silence():
    answer = ask(18, demand=TOKENS, constraints={"budget": "1", "currency": "USD"})
    assert "currency-differs" in codes(answer.warnings)
    assert answer.choices[0].meets


def test_the_same_question_has_the_same_answer():
    assert to_dict(ask(18, demand=TOKENS)) == to_dict(ask(18, demand=TOKENS))
