"""What is too much to reckon is refused before it is begun."""

import pytest

from billing.costing.compare import compare
from billing.costing.errors import CostingErrors
from billing.costing.plans import Plan
from billing.costing.work import MOST_PIECES, pieces
from tests.core.billing.costing_help import parse_usage, plan, term

YEARS = {"hours": 262_900, "from": "2026-01-31"}


def test_starts_count_under_each_plan() -> None:
    used = parse_usage({"hours": 1000, "starts": 500})
    one = pieces([plan(name="a")], used)
    assert one == 500
    assert pieces([plan(name="a"), plan(name="b")], used) - 2 * one < 50


def test_terms_and_single_clock_hours_count() -> None:
    used = parse_usage(YEARS)
    assert pieces([term("day", "40")], used) >= 10_954
    assert pieces([plan(pieces="clock_hour")], used) == 1
    assert pieces([plan(pieces="clock_hour", price_per="month", month_means="calendar")], used) > 262_900


@pytest.mark.parametrize(
    "plans",
    [
        [plan(pieces="clock_hour", price_per="day", day_means="calendar")],
        [plan(pieces="clock_hour", round_at="piece", cap_hours_per_month=300)],
        [term("day", "40", name=str(n)) for n in range(40)],
        [term("month", "50000", 120), *(term("day", "40", name=str(n), day_means="calendar") for n in range(39))],
    ],
)
def test_what_took_seconds_to_minutes_is_refused_with_the_way_out(plans: list[Plan]) -> None:
    hours = 27 if len(plans) == 40 and plans[0].name == "month" else YEARS["hours"]
    with pytest.raises(CostingErrors) as caught:
        compare(plans, parse_usage({**YEARS, "hours": hours}))
    (error,) = caught.value.errors
    assert (error.path, error.code) == ("usage", "too-much-work")
    assert error.params["maximum"] == MOST_PIECES
    assert "fewer plans, starts or weeks" in error.sentence


def test_a_page_full_of_starts_is_answered() -> None:
    """As many starts as the form takes, under as many plans as a machine has."""
    assert pieces([plan(name=str(n)) for n in range(6)], parse_usage({"hours": 87_600, "starts": 10_000})) < MOST_PIECES
