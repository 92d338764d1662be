"""Geometry and figures of the chart of cost against hours: points stand where the costing core says, on linear and logarithmic axes."""

import re
from decimal import Decimal
from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.charts import BOTTOM, LEFT, RIGHT, TEXT_HEIGHT, TOP, LogAxis, hours_chart, log_ticks, nice_ticks
from billing.costing.cost import cost
from billing.costing.plans import parse_plans
from billing.hours_curve import LOG_LAST, WEEK, hours_curves, span_of
from billing.idle import usage_of
from catalog.example import example_catalogue
from catalog.snapshot import plan_rules

OFFER = next(offer for offer in example_catalogue().offers if offer.sku == "rtx-3090-24g-x1")
HOUR = 3_600_000_000


def number(percent: str) -> float:
    assert re.fullmatch(r"\d{1,3}(\.\d{1,2})?%", percent)
    return float(percent[:-1])


@given(low=st.floats(0, 1e6), room=st.floats(1e-3, 1e6))
def test_ticks_span_the_data(low: float, room: float) -> None:
    ticks = nice_ticks(low, low + room)
    assert ticks[0] <= low + 1e-6 * max(1, low)
    assert ticks[-1] >= (low + room) * (1 - 1e-9)
    assert 2 <= len(ticks) <= 9


@given(low=st.floats(1e-3, 1e4), factor=st.floats(1.5, 1e6))
def test_logarithmic_ticks_span_the_data(low: float, factor: float) -> None:
    ticks = log_ticks(low, low * factor)
    assert ticks[0] <= low * (1 + 1e-6)
    assert ticks[-1] >= low * factor * (1 - 1e-6)
    assert ticks == sorted(set(ticks))
    assert 2 <= len(ticks) <= 13


@given(low=st.floats(0.01, 100), factor=st.floats(1.5, 1e5), at=st.floats(0, 1))
def test_on_a_logarithmic_axis_equal_ratios_are_equal_lengths(low: float, factor: float, at: float) -> None:
    axis = LogAxis(low, low * factor)
    assert axis.x(low * factor**at) == pytest.approx(LEFT + at * (RIGHT - LEFT), abs=1e-6)
    assert axis.x(low / 10) == LEFT
    assert (axis.y(low), axis.y(low * factor)) == (BOTTOM, TOP)


def test_the_chart_puts_own_use_and_marks() -> None:
    plans = {"hour": [(0.0, 0.0), (720.0, 979.2)], "month": [(0.0, 588.0), (720.0, 588.0)]}
    ticks = [(0.0, "0"), (168.0, "1 w"), (720.0, "")]
    chart = hours_chart(plans, [(0, 0), (432, 588), (720, 588)], [(432.4, 588)], 26.9, ticks, str)
    assert number(chart.own_x or "") == pytest.approx(9 + 26.9 / 720 * 89, abs=0.01)
    assert chart.marks[0].number == 1
    assert chart.y_ticks[0].at == str(BOTTOM)
    gaps = sorted(line.label_y for line in chart.plans)
    assert gaps[1] - gaps[0] >= TEXT_HEIGHT


def test_on_logarithmic_axes_own_use_stands_at_its_ratio() -> None:
    plans = {"hour": [(1.0, 1.32), (720.0, 950.4)]}
    chart = hours_chart(plans, [(1, 1.32), (720, 570)], [], 27, [(1, "1 h"), (720, "1 mo")], str, logarithmic=True)
    assert number(chart.own_x or "") == pytest.approx(LEFT + log(27) / log(720) * (RIGHT - LEFT), abs=0.01)
    assert float(chart.y_ticks[0].label) <= 1.32


@pytest.mark.parametrize(
    ("own", "span", "logarithmic"),
    [(None, 720, False), (0.5, 720, True), (27, 720, True), (168, 720, True), (169, 336, False), (400, 720, False)],
)
def test_under_a_week_the_axes_are_logarithmic(own: float | None, span: int, logarithmic: bool) -> None:
    assert span_of(own) == (span, logarithmic)
    assert (own is not None and own <= WEEK) == logarithmic


def test_a_use_longer_than_a_year_is_not_drawn() -> None:
    assert span_of(9000) is None
    assert hours_curves(OFFER, 9000) is None


@pytest.mark.parametrize("own", [27.0, 500.0])
def test_every_drawn_point_is_what_the_plan_costs(own: float) -> None:
    curves = hours_curves(OFFER, own)
    assert curves is not None
    plans = dict(zip(curves.kinds, parse_plans([plan_rules(plan) for plan in OFFER.plans]), strict=True))
    known = {plan.name: plan for plan in plans.values()}
    checked = 0
    for kind, points in curves.plans.items():
        assert [hours for hours, _cost in points] == sorted(hours for hours, _cost in points)
        for hours, drawn in points:
            if hours and hours == int(hours) and [h for h, _c in points].count(hours) == 1:
                exact = cost(plans[kind], usage_of(OFFER, int(hours) * HOUR), known).total
                if kind == "hour" or curves.logarithmic:
                    assert drawn == pytest.approx(float(exact), abs=0.011), (kind, hours)
                    checked += 1
    assert checked > 20


def test_prepaid_terms_are_steps() -> None:
    curves = hours_curves(OFFER, 27)
    assert curves is not None
    week = dict(curves.plans)["week"]
    assert {cost for hours, cost in week if hours <= 168} == {164.0}, "flat for the whole term"
    assert next(cost for hours, cost in week if hours > 168) > 164.0


def test_the_mix_is_never_dearer_than_a_plan_and_the_table_says_the_least() -> None:
    curves = hours_curves(OFFER, 27)
    assert curves is not None
    for row in curves.rows:
        assert row.totals[-1] == min(row.totals)
    for hours, mixed in curves.mix:
        hourly = Decimal("1.32") * int(hours)
        assert Decimal(repr(mixed)) <= hourly
    assert curves.span == LOG_LAST


def test_break_evens_stand_on_the_hourly_line() -> None:
    curves = hours_curves(OFFER, 27)
    assert curves is not None
    assert [one.kind for one in curves.breaks] == ["day", "week", "month"]
    for one in curves.breaks:
        assert one.cost is not None
        assert one.cost == pytest.approx(1.32 * -(-float(one.hours) // 1), abs=1.33)
