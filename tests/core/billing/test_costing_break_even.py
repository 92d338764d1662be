"""Break-even hours and the curve of cost against hours, against the engine that costs single runs."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from billing.costing.break_even import break_even, break_evens, curve
from billing.costing.cost import cost
from billing.costing.plans import Plan
from billing.costing.run_curve import run_curve
from billing.costing.usage import Usage
from catalog.cards import cheaper_from_hours
from tests.core.billing.costing_help import parse_usage, plan, term

HOURS = parse_usage({"hours": 1})
MONTH = term("month", "576", month_means="720h")


@pytest.mark.parametrize(
    ("one", "other", "hours"),
    [
        (plan(name="hourly"), MONTH, "576"),
        (MONTH, plan(name="hourly"), "576"),
        (plan(name="hourly", unit_price="2"), term("day", "30"), "15"),
        (plan(name="hourly", unit_price="2", billing_step_seconds=3600), term("day", "30"), "15"),
        # the sixteenth hour, once begun, costs 32
        (plan(name="hourly", unit_price="2", billing_step_seconds=3600), term("day", "31"), "15"),
        (plan(name="minute", unit_price="2", billing_step_seconds=60), term("day", "31"), "15.5"),
        (plan(name="second", unit_price="1.88"), term("month", "500"), "265.957447"),
        (plan(name="minute", unit_price="1.88", billing_step_seconds=60), term("month", "500"), "265.95"),
        (term("day", "30"), term("week", "150"), "120"),
        # an hour begun at 1.88 against minutes at 2.00: 57 minutes cost 1.90
        (plan(name="hour", unit_price="1.88", billing_step_seconds=3600), plan(name="minute", unit_price="2", billing_step_seconds=60), "0.933333"),
        # a cap makes the hourly plan flat before the month would overtake it
        (plan(name="capped", cap_hours_per_month=500), MONTH, None),
        (plan(name="cheap", unit_price="1"), plan(name="dear", unit_price="2"), None),
        (plan(name="same"), plan(name="again"), None),
        # a minimum charge is overtaken at once, never again
        (plan(name="minimum", minimum_charge="10"), plan(name="two", unit_price="2"), "5"),
        (plan(name="taxed", tax_percent="20"), replace(MONTH, tax_percent=Decimal(20)), "576"),
        (plan(name="free", unit_price="0"), MONTH, None),
    ],
)  # fmt: skip
def test_known_break_evens(one: Plan, other: Plan, hours: str | None) -> None:
    found = break_even(one, other, HOURS)
    assert (None if found is None else str(found)) == hours


def test_cards_and_disk_are_counted() -> None:
    four = parse_usage({"hours": 1, "gpus": 4})
    assert str(break_even(plan(name="hourly"), term("day", "60", per="machine"), four)) == "15"
    disk = parse_usage({"hours": 1, "disk_gb": 24})
    with_disk = plan(name="hourly", disk_price_per_gb_day_running="1")
    assert str(break_even(with_disk, term("day", "30"), disk)) == "15"


def test_pairs_stand_in_order_of_the_list() -> None:
    pairs = break_evens([MONTH, plan(name="hourly"), term("day", "20")], HOURS)
    assert [(pair.between, str(pair.hours)) for pair in pairs] == [
        (("month", "hourly"), "576"),
        (("month", "day"), "672"),
        (("hourly", "day"), "20"),
    ]


def test_the_first_whole_hour_is_the_first_one_charged_less() -> None:
    """Published figures of the example prices: 431 h of 2.98 are below 1287, 21 h of 2.98 below 62.60."""
    hourly = plan(name="hourly", unit_price="2.98", billing_step_seconds=3600)
    pairs = break_evens([hourly, term("day", "62.60"), term("month", "1287")], HOURS)
    assert [(one.cheaper, one.from_hour) for one in pairs[:2]] == [("day", 22), ("month", 432)]
    equal = break_evens([plan(name="hourly", unit_price="2.3", billing_step_seconds=3600), term("day", "48.30")], HOURS)
    assert [one.from_hour for one in equal] == [22], "at 21 hours both cost 48.30"


@settings(max_examples=150, deadline=None)
@given(
    hourly=st.integers(1, 900), share=st.integers(1, 100), unit=st.sampled_from(["day", "week", "month"]),
    step=st.sampled_from([1, 60, 3600]),
)  # fmt: skip
def test_from_that_hour_on_the_bill_is_less_and_an_hour_before_it_is_not(
    hourly: int, share: int, unit: str, step: int
) -> None:
    hours_of_term = {"day": 24, "week": 168, "month": 720}[unit]
    open_plan = plan(name="hourly", unit_price=str(Decimal(hourly) / 100), billing_step_seconds=step)
    price = (Decimal(hourly) * hours_of_term * share / 10_000).quantize(Decimal("0.01"))
    assume(price > open_plan.unit_price)  # else it leads from the first hour on and overtakes nothing
    prepaid = term(unit, str(price))
    pairs = [one for one in break_evens([open_plan, prepaid], HOURS) if one.cheaper == prepaid.name]
    told = pairs[0].from_hour if pairs else None

    def less(hours: int) -> bool:
        open_total, term_total = (cost(each, parse_usage({"hours": hours})).total for each in (open_plan, prepaid))
        return term_total < open_total

    if told is None:
        assert not less(hours_of_term)
    else:
        assert less(told)
        assert not less(told - 1)
        assert cheaper_from_hours(prepaid.unit_price, open_plan.unit_price, unit) == told


def test_a_plan_that_stops_is_compared_while_it_lasts() -> None:
    short = term("day", "30", after_term="stop")
    assert str(break_even(plan(name="hourly", unit_price="2"), short, HOURS)) == "15"
    assert break_even(plan(name="hourly", unit_price="1"), short, HOURS) is None


def test_on_demand_after_the_term() -> None:
    hourly = plan(name="hourly", unit_price="2")
    over = term("day", "30", name="over", after_term="on_demand", on_demand_plan="hourly")
    renewing = term("day", "30")
    assert str(break_even(renewing, over, HOURS, {"hourly": hourly})) == "39"


# --- the curve is the engine's, unrounded --------------------------------------------------------------------------------

cents = st.integers(1, 5000).map(lambda n: str(Decimal(n) / 100))
open_plans = st.builds(
    lambda price, per, step, least, seconds, cap, pieces, tax, means: plan(
        name="open", unit_price=price, price_per=per, billing_step_seconds=step, minimum_charge=least, minimum_seconds=seconds,
        pieces=pieces, tax_percent=tax, month_means=means, **({"cap_hours_per_month": cap} if cap else {}),
    ),
    cents, st.sampled_from(["hour", "minute", "day", "month"]), st.sampled_from([1, 60, 3600]), st.sampled_from(["0", "0", "7"]),
    st.sampled_from([0, 0, 90, 5000]), st.sampled_from([None, None, 100, 400]), st.sampled_from(["start", "clock_hour"]),
    st.sampled_from(["0", "5.5"]), st.sampled_from(["30d", "calendar"]),
)  # fmt: skip
term_plans = st.builds(
    lambda unit, price, count, more: term(unit, price, count, **more),
    st.sampled_from(["day", "week", "month"]), cents, st.integers(1, 2),
    st.sampled_from([
        {}, {"month_means": "calendar"}, {"unused": "refund_pro_rata"}, {"refund_free_days": 5},
        {"unused": "refund_clawback", "list_price_per_hour": "0.9", "refund_fee_percent": "5"},
        {"unused": "refund_clawback", "list_price_per_hour": "9", "refund_free_days": 2},
    ]),
)  # fmt: skip


def run(seconds: int, **fields: object) -> Usage:
    """One run from a midnight before a clock change."""
    start = datetime(2026, 3, 25, 23, tzinfo=UTC)
    stop = start + timedelta(seconds=seconds)
    return parse_usage({"intervals": [[start.isoformat(), stop.isoformat()]], "timezone": "Europe/Berlin", **fields})


def exact(one: Plan, seconds: int) -> Fraction:
    """The engine's cost, rounded only at the sixth decimal."""
    scaled = {
        "unit_price": one.unit_price,
        "minimum_charge": one.minimum_charge,
        "list_price_per_hour": one.list_price_per_hour,
    }
    dear = replace(one, **{k: None if v is None else v * 1_000_000 for k, v in scaled.items()}, round_at="total")
    return Fraction(cost(dear, run(seconds)).total) / 1_000_000


@settings(max_examples=120, deadline=None)
@given(one=open_plans | term_plans, seconds=st.integers(1, 55 * 86_400))
def test_the_curve_is_what_the_run_costs(one: Plan, seconds: int) -> None:
    assume(not one.cap_hours_per_month or one.minimum_charge <= one.unit_price)  # least charge below a month's cap
    curve_of = run_curve(one, run(60), {}, Fraction(62 * 86_400))
    assert abs(curve_of.at(Fraction(seconds)) - exact(one, seconds)) < Fraction(1, 10_000_000)


@settings(max_examples=60, deadline=None)
@given(one=open_plans, other=open_plans | term_plans)
def test_before_it_the_leader_costs_no_more_and_just_after_it_more(one: Plan, other: Plan) -> None:
    other = replace(other, name="other")
    usage = run(60)
    hours = break_even(one, other, usage)
    a, b = (run_curve(each, usage, {}, Fraction(62 * 86_400)) for each in (one, other))

    def signs(moments: list[Fraction]) -> set[bool]:
        gaps = (b.at(at) - a.at(at) for at in moments)
        return {gap > 0 for gap in gaps if gap}

    if hours is None:
        assert len(signs([Fraction(n * 5400 + 2) for n in range(62 * 16)])) <= 1
        return
    at = Fraction(hours) * 3600
    assume(5 < at < 61 * 86_400)
    before = signs([1 + (at - 1) * part / 97 for part in range(1, 97)])
    assert len(before) <= 1
    after = signs([at + Fraction(1, 100), at + 2, at + 61])
    assert after - before


def test_curve_draws_prepaid_terms_as_steps() -> None:
    points = curve(term("day", "30"), 60, 10, HOURS)
    assert [(str(hours), str(money)) for hours, money in points] == [
        ("0", "30.00"), ("24", "30.00"), ("24", "60.00"), ("48", "60.00"), ("48", "90.00"), ("60", "90.00"),
    ]  # fmt: skip


def test_curve_of_hours_is_straight_and_ends_where_asked() -> None:
    points = curve(plan(unit_price="2"), 10, 5, HOURS)
    assert (points[0], points[-1]) == ((Decimal(0), Decimal("0.00")), (Decimal(10), Decimal("20.00")))
    assert all(Fraction(money) == 2 * Fraction(hours) for hours, money in points)


def test_curve_shows_hour_steps_where_there_is_room() -> None:
    stepped = curve(plan(unit_price="2", billing_step_seconds=3600), 3, 10, HOURS)
    assert [(str(hours), str(money)) for hours, money in stepped] == [
        ("0", "2.00"), ("1", "2.00"), ("1", "4.00"), ("2", "4.00"), ("2", "6.00"), ("3", "6.00"),
    ]  # fmt: skip
    assert len(curve(plan(unit_price="2", billing_step_seconds=60), 720, 40, HOURS)) < 50


@given(one=open_plans | term_plans, hours=st.integers(1, 1000))
def test_curves_never_fall(one: Plan, hours: int) -> None:
    points = curve(one, hours, 50, run(60))
    assume(not one.refund_free_days)
    assert all(b[0] >= a[0] and b[1] >= a[1] for a, b in pairwise(points))
    assert len(points) < 2500
