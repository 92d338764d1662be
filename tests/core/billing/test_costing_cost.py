"""One plan, one usage: every rule of the plan contract, odd calendars, and what must always hold."""

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from billing.costing.cost import cost
from billing.costing.errors import CostingErrors
from billing.costing.usage import parse_usage
from tests.core.billing.costing_help import costed, parse_plan, plan, term, total, usage

DAY = ("2026-03-01T00:00", "2026-03-02T00:00")


# --- steps, pieces, rounding -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seconds", "step", "billed"),
    [(1, 1, 1), (1, 60, 60), (60, 60, 60), (61, 60, 120), (3601, 3600, 7200), (86_401, 86_400, 172_800)],
)
def test_time_is_rounded_up_to_the_step(seconds: int, step: int, billed: int) -> None:
    stop = datetime.fromisoformat(DAY[0]) + timedelta(seconds=seconds)
    found = total(
        plan(unit_price="1", price_per="second", billing_step_seconds=step), usage((DAY[0], stop.isoformat()))
    )
    assert found == f"{billed}.00"


def test_part_of_a_second_is_a_second() -> None:
    assert total(plan(price_per="second"), usage(("2026-03-01T00:00:00", "2026-03-01T00:00:00.2"))) == "1.00"


def test_binary_dust_on_hours_is_no_second() -> None:
    assert total(plan(unit_price="1", price_per="second"), parse_usage({"hours": 0.1 + 0.2})) == "1080.00"
    assert total(plan(unit_price="1", price_per="second"), parse_usage({"hours": 0.3333333333333333})) == "1200.00"


@pytest.mark.parametrize(
    ("price_per", "expected"),
    [("second", "7200.00"), ("minute", "120.00"), ("hour", "2.00"), ("day", "0.08"), ("week", "0.01")],
)
def test_price_per_unit(price_per: str, expected: str) -> None:
    assert total(plan(price_per=price_per), parse_usage({"hours": 2})) == expected


@pytest.mark.parametrize(
    ("means", "hours"), [("30d", 720), ("720h", 720), ("730h", 730), ("365d/12", 730), ("calendar", 744)]
)
def test_price_per_month_by_the_hour(means: str, hours: int) -> None:
    # January 2026, where hours without a date are laid, has 744 hours
    assert (
        total(plan(unit_price="500", price_per="month", month_means=means), parse_usage({"hours": hours})) == "500.00"
    )


def test_price_per_calendar_month_of_743_hours() -> None:
    march = usage(("2026-03-01T00:00", "2026-04-01T00:00"), zone="Europe/Berlin")
    assert march.hours == 743
    assert total(plan(unit_price="500", price_per="month", month_means="calendar"), march) == "500.00"
    assert total(plan(unit_price="1"), march) == "743.00"


def test_price_per_calendar_day_of_23_hours_is_one_day() -> None:
    short = usage(("2026-03-29T00:00", "2026-03-30T00:00"), zone="Europe/Berlin")
    assert total(plan(unit_price="24", price_per="day", day_means="calendar"), short) == "24.00"
    assert total(plan(unit_price="24", price_per="day"), short) == "23.00"


def test_leap_february_by_the_calendar_month() -> None:
    leap = usage(("2028-02-01T00:00", "2028-03-01T00:00"))
    assert leap.hours == 29 * 24
    assert total(plan(unit_price="290", price_per="month", month_means="calendar"), leap) == "290.00"
    one_day = usage(("2028-02-29T00:00", "2028-03-01T00:00"))
    assert total(plan(unit_price="290", price_per="month", month_means="calendar"), one_day) == "10.00"


def test_pieces_are_cut_at_full_hours_of_the_zone() -> None:
    cut = plan(price_per="hour", pieces="clock_hour", billing_step_seconds=3600)
    assert total(cut, usage(("2026-03-02T09:55", "2026-03-02T10:05"))) == "2.00"
    # Kolkata's full hours are half past those of UTC
    half = ("2026-03-02T04:25:00Z", "2026-03-02T04:35:00Z")
    assert total(cut, usage(half, zone="Asia/Kolkata")) == "2.00"
    assert total(cut, usage(half, zone="UTC")) == "1.00"


def test_clock_hours_over_the_clock_change() -> None:
    cut = plan(price_per="hour", pieces="clock_hour", billing_step_seconds=3600)
    spring = usage(("2026-03-29T01:30", "2026-03-29T03:30"), zone="Europe/Berlin")
    assert total(cut, spring) == "2.00"  # 01:30-02:00 = 03:00, 03:00-03:30
    autumn = usage(("2026-10-25T01:30", "2026-10-25T03:30"), zone="Europe/Berlin")
    assert total(cut, autumn) == "4.00"  # half, the hour from 2 twice, half
    half_hour = usage(("2026-04-05T01:00", "2026-04-05T03:00"), zone="Australia/Lord_Howe")
    assert half_hour.hours == Decimal("2.5")


def test_a_long_run_cut_at_hours_costs_its_hours() -> None:
    year = usage(("2026-01-01T00:30", "2027-01-01T00:30"), zone="America/New_York")
    cut = plan(price_per="hour", pieces="clock_hour", billing_step_seconds=3600)
    assert total(cut, year) == f"{365 * 24 + 1}.00"


def test_rounding_per_piece_line_total() -> None:
    three = {"hours": "0.5", "starts": 3}
    price = {"unit_price": "1.01", "price_per": "hour"}  # 0.16833 a piece
    assert total(plan(**price, round_at="piece"), parse_usage(three)) == "0.51"
    assert total(plan(**price, round_at="piece", money_rounding="down"), parse_usage(three)) == "0.48"
    assert total(plan(**price), parse_usage(three)) == "0.51"
    assert total(plan(**price, money_rounding="down"), parse_usage(three)) == "0.50"


def test_tax_is_a_line_and_total_rounding_rounds_once() -> None:
    hour = parse_usage({"hours": 1})
    by_line = costed(plan(unit_price="0.333", tax_percent="6"), hour)
    assert [str(line.amount) for line in by_line.lines] == ["0.33", "0.02"]
    once = costed(plan(unit_price="0.335", tax_percent="6", round_at="total"), hour)
    assert str(once.total) == "0.36"  # 0.3551
    assert str(costed(plan(unit_price="0.335", tax_percent="6"), hour).total) == "0.36"  # 0.34 + 0.0204
    assert str(costed(plan(unit_price="0.333", tax_percent="6", prices_include_tax=True), hour).total) == "0.33"


def test_every_line_is_quantity_times_unit_price() -> None:
    hour = parse_usage({"hours": 1, "gpus": 3})
    for price_per in ("second", "hour", "week", "month"):
        found = costed(plan(unit_price="4321.5", price_per=price_per, tax_percent="5.5"), hour)
        assert [line.what for line in found.lines] == ["on-demand", "tax"]
        for line in found.lines:
            assert abs(Fraction(line.quantity) * Fraction(line.unit_price) - Fraction(line.amount)) < Fraction("0.006")


def test_terms_are_rounded_one_by_one_where_pieces_are() -> None:
    two_days = parse_usage({"hours": 48})
    assert total(term("day", "10.005"), two_days) == "20.01"
    assert total(term("day", "10.005", round_at="piece"), two_days) == "20.02"


def test_currencies_without_and_with_three_decimals() -> None:
    assert total(plan(currency="JPY", unit_price="100.5"), parse_usage({"hours": 1})) == "101"
    assert total(plan(currency="KWD", unit_price="0.1235"), parse_usage({"hours": 1})) == "0.124"


# --- minimums ----------------------------------------------------------------------------------------------------------


def test_minimum_is_per_start_and_the_dearer_holds() -> None:
    three = {"hours": "0.0025", "starts": 3}  # 3 s each
    assert total(plan(unit_price="36", minimum_seconds=60), parse_usage(three)) == "1.80"
    assert total(plan(unit_price="36", minimum_seconds=60, minimum_charge="1"), parse_usage(three)) == "3.00"
    assert total(plan(unit_price="36", minimum_seconds=60, minimum_charge="0.5"), parse_usage(three)) == "1.80"
    assert total(plan(unit_price="36", minimum_charge="0.01"), parse_usage({"hours": 1})) == "36.00"


def test_minimum_with_clock_hours_is_per_start_not_per_piece() -> None:
    short = usage(("2026-03-02T09:59:50", "2026-03-02T10:00:10"))
    assert total(plan(unit_price="36", pieces="clock_hour", minimum_seconds=60), short) == "0.60"
    assert total(plan(unit_price="36", pieces="clock_hour", minimum_charge="1"), short) == "1.00"


def test_a_run_of_no_length_costs_nothing_and_buys_nothing() -> None:
    for nothing in (usage(("2026-03-01T10:00", "2026-03-01T10:00")), parse_usage({"hours": 0})):
        assert [note.code for note in nothing.warnings] == ["zero-length"]
        for one in (plan(minimum_charge="5", minimum_seconds=60), term("month", "500"), plan(cap_hours_per_month=100)):
            found = costed(one, nothing)
            assert (str(found.total), found.effective_per_hour, found.purchases) == ("0.00", None, ())


@pytest.mark.parametrize(
    ("price", "rounding", "expected"),
    [("0", "up", "0.00"), ("0.000001", "half_up", "0.00"), ("0.000001", "up", "0.01")],
)
def test_tiny_prices(price: str, rounding: str, expected: str) -> None:
    assert total(plan(unit_price=price, money_rounding=rounding), parse_usage({"hours": 1})) == expected
    assert total(plan(unit_price="0.000001"), parse_usage({"hours": 10_000})) == "0.01"


# --- cap ---------------------------------------------------------------------------------------------------------------


def test_cap_starts_anew_each_calendar_month() -> None:
    capped = plan(cap_hours_per_month=672)
    assert total(capped, usage(("2026-01-01T00:00", "2026-03-01T00:00"))) == "1344.00"  # February 2026 has 672 hours
    assert total(capped, usage(("2026-03-15T00:00", "2026-04-15T00:00"))) == f"{17 * 24 + 14 * 24}.00"


def test_cap_is_per_machine_and_counts_all_starts_of_the_month() -> None:
    capped = plan(cap_hours_per_month=10)
    days = [(f"2026-03-{day:02}T08:00", f"2026-03-{day:02}T12:00") for day in range(1, 6)]
    assert total(capped, usage(*days)) == "10.00"
    assert total(capped, usage(*days, machines=3, gpus=2)) == "60.00"


def test_pieces_rounded_to_nothing_stay_nothing_over_the_month_under_a_cap() -> None:
    tiny = plan(unit_price="0.000001", price_per="second", pieces="clock_hour", round_at="piece", cap_hours_per_month=1)
    assert total(tiny, usage(("2026-03-20T00:30", "2026-04-01T01:24"))) == "0.00"


def test_cap_months_are_those_of_the_zone() -> None:
    capped = plan(cap_hours_per_month=1)
    across = ("2026-03-31T15:00:00Z", "2026-03-31T17:00:00Z")  # 23:00 to 01:00 in Shanghai
    assert total(capped, usage(across, zone="Asia/Shanghai")) == "2.00"
    assert total(capped, usage(across, zone="UTC")) == "1.00"


def test_nothing_grows_beyond_the_cap_not_even_minimums() -> None:
    capped = plan(cap_hours_per_month=2, minimum_seconds=3600, minimum_charge="1")
    starts = [(f"2026-03-01T{hour:02}:00", f"2026-03-01T{hour:02}:05") for hour in range(6)]
    assert total(capped, usage(*starts)) == "2.00"


# --- terms -------------------------------------------------------------------------------------------------------------


def ends(a_plan, first: str, stop: str, zone: str) -> list[str]:
    return [
        bought.end.strftime("%Y-%m-%dT%H:%M") for bought in costed(a_plan, usage((first, stop), zone=zone)).purchases
    ]


def test_calendar_months_keep_their_anchor() -> None:
    month = term("month", "500", month_means="calendar")
    assert ends(month, "2026-01-31T10:00", "2026-05-01T00:00", "Asia/Shanghai") == [
        "2026-02-28T10:00",
        "2026-03-31T10:00",
        "2026-04-30T10:00",
        "2026-05-31T10:00",
    ]
    assert ends(month, "2028-01-31T10:00", "2028-02-29T09:59", "Asia/Shanghai") == ["2028-02-29T10:00"]


def test_three_months_from_new_york_end_on_28_may() -> None:
    # 22:47 on 28 February is 1 March in UTC already
    quarter = term("month", "500", count=3, month_means="calendar")
    assert ends(quarter, "2023-02-28T22:47", "2023-05-28T22:47", "America/New_York") == ["2023-05-28T22:47"]


def test_thirty_days_over_the_clock_change_end_on_day_31() -> None:
    for thirty in (
        term("day", "9", count=30, day_means="calendar"),
        term("month", "9", month_means="30d", day_means="calendar"),
    ):
        assert ends(thirty, "2017-03-01T23:30", "2017-03-05T00:00", "America/Los_Angeles") == ["2017-03-31T23:30"]
    hours = term("month", "9", month_means="720h")
    assert ends(hours, "2017-03-01T23:30", "2017-03-05T00:00", "America/Los_Angeles") == ["2017-04-01T00:30"]


@pytest.mark.parametrize(("means", "end"), [("24h", "2026-03-30T13:00"), ("calendar", "2026-03-30T12:00")])
def test_what_a_day_means(means: str, end: str) -> None:
    found = ends(term("day", "9", day_means=means), "2026-03-28T12:00", "2026-03-29T20:00", "Europe/Berlin")
    assert found[-1] == end


@pytest.mark.parametrize(("means", "end"), [("168h", "2026-04-01T13:00"), ("calendar", "2026-04-01T12:00")])
def test_what_a_week_means(means: str, end: str) -> None:
    assert ends(term("week", "9", week_means=means), "2026-03-25T12:00", "2026-03-26T00:00", "Europe/Berlin") == [end]


@pytest.mark.parametrize(
    ("means", "end"),
    [
        ("30d", "2026-03-31T00:00"),
        ("720h", "2026-03-31T00:00"),
        ("730h", "2026-03-31T10:00"),
        ("365d/12", "2026-03-31T10:00"),
        ("calendar", "2026-04-01T00:00"),
    ],
)
def test_what_a_month_means(means: str, end: str) -> None:
    assert ends(term("month", "9", month_means=means), "2026-03-01T00:00", "2026-03-02T00:00", "Asia/Shanghai") == [end]


def test_a_term_is_bought_when_use_begins() -> None:
    days = [(f"2026-03-{day:02}T09:00", f"2026-03-{day:02}T17:00") for day in (2, 4, 20)]
    found = costed(term("day", "30"), usage(*days))
    assert [bought.start.day for bought in found.purchases] == [2, 4, 20]
    assert str(found.total) == "90.00"


def test_after_the_term_on_demand() -> None:
    hourly = plan(name="hourly", unit_price="2", billing_step_seconds=3600)
    day = term("day", "30", after_term="on_demand", on_demand_plan="hourly")
    found = costed(
        day, usage(("2026-03-02T08:00", "2026-03-03T08:10"), ("2026-03-05T00:00", "2026-03-05T01:30")), hourly
    )
    assert str(found.total) == "36.00"  # 30, one hour begun at the end of the term, two hours begun later
    assert found.uncovered_hours == 0
    assert {line.params["plan"] for line in found.lines} == {"day", "hourly"}


def test_after_the_term_stop() -> None:
    found = costed(term("day", "30", after_term="stop"), usage(("2026-03-02T08:00", "2026-03-03T09:30"), DAY))
    assert (str(found.total), str(found.uncovered_hours)) == ("30.00", "25.5")


def test_terms_of_several_units_are_priced_per_term() -> None:
    assert total(term("month", "1500", count=3), parse_usage({"hours": 1})) == "1500.00"
    assert total(term("day", "50", count=2), parse_usage({"hours": 49})) == "100.00"


# --- refunds -----------------------------------------------------------------------------------------------------------

HALF_MONTH = usage(("2026-03-01T00:00", "2026-03-16T00:00"))


def test_refund_pro_rata_to_the_second() -> None:
    month = term("month", "720", month_means="720h", unused="refund_pro_rata")
    assert total(month, HALF_MONTH) == "360.00"
    assert total(month, usage(("2026-03-01T00:00", "2026-03-01T00:00:36"))) == "0.01"
    assert total(month, usage(("2026-03-01T00:00", "2026-03-02T00:00"), keep_until="2026-03-16T00:00")) == "360.00"


def test_refund_clawback() -> None:
    base = {"month_means": "720h", "unused": "refund_clawback", "refund_fee_percent": "5"}
    assert total(term("month", "576", list_price_per_hour="1", **base), HALF_MONTH) == "363.60"
    # without any discount nothing is clawed back, and a list price below the plan's claws nothing back either
    assert total(term("month", "720", list_price_per_hour="1", **base), HALF_MONTH) == "360.00"
    assert total(term("month", "720", list_price_per_hour="0.5", **base), HALF_MONTH) == "360.00"
    # never more is kept than was paid
    assert total(term("month", "576", list_price_per_hour="9", **base), HALF_MONTH) == "576.00"
    assert (
        total(term("month", "576", list_price_per_hour="1", **base), usage(*[HALF_PAIR], gpus=2, machines=3))
        == "2181.60"
    )


HALF_PAIR = ("2026-03-01T00:00", "2026-03-16T00:00")


def test_free_days() -> None:
    month = term("month", "720", refund_free_days=5)
    assert total(month, usage(("2026-03-01T00:00", "2026-03-06T00:00"))) == "0.00"
    assert total(month, usage(("2026-03-01T00:00", "2026-03-06T00:01"))) == "720.00"
    # a renewal is no new purchase, and a term used up is not ended early
    assert total(month, usage(("2026-03-01T00:00", "2026-04-01T00:00"))) == "1440.00"
    assert total(term("day", "30", refund_free_days=5), usage(DAY)) == "30.00"


def test_only_the_last_term_is_refunded() -> None:
    day = term("day", "24", unused="refund_pro_rata")
    assert total(day, usage(("2026-03-01T00:00", "2026-03-02T12:00"))) == "36.00"


# --- stopped machines and disk -----------------------------------------------------------------------------------------


def test_a_stopped_card_may_cost() -> None:
    two = usage(
        ("2026-03-01T00:00", "2026-03-01T01:00"),
        ("2026-03-01T02:00", "2026-03-01T03:00"),
        keep_until="2026-03-01T05:00",
    )
    assert total(plan(), two) == "2.00"
    assert total(plan(stopped_gpu_billed=True), two) == "5.00"


def test_disk_running_and_stopped_of_all_machines_beyond_the_free_quota() -> None:
    priced = {"disk_price_per_gb_day_running": "0.01", "disk_price_per_gb_day_stopped": "0.02", "free_disk_gb": 50}
    kept = {"keep_until": "2026-03-04T00:00"}
    assert total(plan(**priced), usage(DAY, disk_gb=150, **kept)) == "29.00"
    assert total(plan(**priced), usage(DAY, disk_gb=150, machines=2, **kept)) == "58.00"
    assert total(plan(**priced), usage(DAY, disk_gb=50, **kept)) == "24.00"
    assert total(plan(**priced), usage(DAY, disk_gb=150)) == "25.00"
    assert total(term("day", "30", **priced), usage(DAY, disk_gb=150, **kept)) == "35.00"
    gap = usage(("2026-03-01T00:00", "2026-03-01T12:00"), ("2026-03-02T12:00", "2026-03-03T00:00"), disk_gb=150)
    assert total(plan(**priced), gap) == "27.00"


def test_per_machine_counts_machines_only() -> None:
    assert total(plan(per="machine", unit_price="8"), parse_usage({"hours": 1, "gpus": 4, "machines": 2})) == "16.00"
    assert total(plan(unit_price="8"), parse_usage({"hours": 1, "gpus": 4, "machines": 2})) == "64.00"
    assert total(term("month", "8", per="machine"), parse_usage({"hours": 1, "gpus": 4, "machines": 2})) == "16.00"


# --- long and far ------------------------------------------------------------------------------------------------------


def test_ten_years() -> None:
    ten = usage(("2026-01-01T00:00", "2036-01-01T00:00"))
    hours = (date(2036, 1, 1) - date(2026, 1, 1)).days * 24
    assert total(plan(), ten) == f"{hours}.00"
    assert len(costed(term("month", "1", month_means="calendar"), ten).purchases) == 120
    assert len(costed(term("day", "1"), ten).purchases) == hours // 24


def test_a_run_in_the_future() -> None:
    assert total(plan(), usage(("2150-03-01T00:00", "2150-03-02T00:00"))) == "24.00"


def test_missing_follow_on_plan_is_a_named_error() -> None:
    day = term("day", "30", after_term="on_demand", on_demand_plan="hourly")
    with pytest.raises(CostingErrors) as caught:
        costed(day, usage(DAY))
    assert caught.value.errors[0].code == "on-demand-plan-unknown"


# --- what must always hold -----------------------------------------------------------------------------------------------

prices = st.decimals(min_value=0, max_value=1000, places=6).map(str)
open_plans = st.fixed_dictionaries(
    {
        "name": st.just("open"),
        "currency": st.sampled_from(["CNY", "JPY", "KWD"]),
        "unit_price": prices,
        "price_per": st.sampled_from(["second", "minute", "hour", "day", "week", "month"]),
    },
    optional={
        "per": st.sampled_from(["gpu", "machine"]),
        "billing_step_seconds": st.sampled_from([1, 60, 3600, 86_400]),
        "pieces": st.sampled_from(["start", "clock_hour"]),
        "money_rounding": st.sampled_from(["up", "half_up", "half_even", "down"]),
        "round_at": st.sampled_from(["piece", "line", "total"]),
        "minimum_seconds": st.integers(0, 5000),
        "minimum_charge": prices,
        "cap_hours_per_month": st.integers(1, 700),
        "day_means": st.sampled_from(["24h", "calendar"]),
        "week_means": st.sampled_from(["168h", "calendar"]),
        "month_means": st.sampled_from(["30d", "730h", "calendar"]),
        "stopped_gpu_billed": st.booleans(),
        "disk_price_per_gb_day_running": prices,
        "disk_price_per_gb_day_stopped": prices,
        "free_disk_gb": st.integers(0, 100),
        "tax_percent": st.sampled_from(["0", "6", "13", "5.5"]),
        "prices_include_tax": st.booleans(),
    },
)
refunds = st.sampled_from(
    [
        {},
        {"unused": "refund_pro_rata"},
        {"unused": "refund_clawback", "list_price_per_hour": "3", "refund_fee_percent": "5"},
        {"refund_free_days": 3},
        {"after_term": "stop"},
    ]
)
term_plans = st.tuples(open_plans, st.sampled_from(["day", "week", "month"]), st.integers(1, 3), refunds).map(
    lambda made: {**made[0], "price_per": made[1], "term": {"unit": made[1], "count": made[2]}, **made[3]}
)
START = datetime(2026, 3, 20, tzinfo=UTC)


@st.composite
def usages(draw: st.DrawFn) -> dict:
    minutes = sorted(draw(st.lists(st.integers(0, 20 * 1440), min_size=2, max_size=10, unique=True)))
    times = [(START + timedelta(minutes=minute)).isoformat() for minute in minutes[: len(minutes) // 2 * 2]]
    return {
        "intervals": list(zip(times[::2], times[1::2], strict=True)),
        "timezone": draw(
            st.sampled_from(["Asia/Shanghai", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
        ),
        "gpus": draw(st.integers(1, 8)),
        "machines": draw(st.integers(1, 3)),
        "disk_gb": draw(st.integers(0, 300)),
    }


@given(given_plan=open_plans | term_plans, given_usage=usages())
def test_lines_add_up_and_nothing_is_negative(given_plan: dict, given_usage: dict) -> None:
    found = costed(parse_plan(given_plan), parse_usage(given_usage))
    assert found.uncovered_hours >= 0
    assert all(line.amount >= 0 or line.what == "refund" for line in found.lines)


@given(given_plan=open_plans | term_plans, given_usage=usages())
def test_the_decimal_context_does_not_matter(given_plan: dict, given_usage: dict) -> None:
    read_plan, read_usage = parse_plan(given_plan), parse_usage(given_usage)
    want = costed(read_plan, read_usage)
    with localcontext(prec=3):
        from_poor = parse_plan(given_plan)
        assert from_poor == read_plan
        low = cost(from_poor, parse_usage(given_usage))
    assert low == want


@given(given_plan=open_plans | term_plans, given_usage=usages(), more=st.decimals(min_value=0, max_value=10, places=6))
def test_a_dearer_price_is_never_cheaper(given_plan: dict, given_usage: dict, more: Decimal) -> None:
    dearer = {**given_plan, "unit_price": str(Decimal(given_plan["unit_price"]) + more)}
    assume(given_plan.get("unused") != "refund_clawback")  # a higher price leaves less discount to claw back
    read = parse_usage(given_usage)
    assert costed(parse_plan(dearer), read).total >= costed(parse_plan(given_plan), read).total


@given(given_plan=open_plans, given_usage=usages(), minutes=st.integers(1, 3000))
def test_using_less_never_costs_more_as_you_go(given_plan: dict, given_usage: dict, minutes: int) -> None:
    start, stop = given_usage["intervals"][-1]
    earlier = max(datetime.fromisoformat(start), datetime.fromisoformat(stop) - timedelta(minutes=minutes)).isoformat()
    less = {**given_usage, "intervals": [*given_usage["intervals"][:-1], (start, earlier)]}
    read = parse_plan(given_plan)
    assume(start != earlier)
    assert costed(read, parse_usage(less)).total <= costed(read, parse_usage(given_usage)).total


@given(given_plan=open_plans, given_usage=usages(), cards=st.integers(1, 50))
def test_rounded_per_card_n_cards_cost_n_times(given_plan: dict, given_usage: dict, cards: int) -> None:
    read = parse_plan({**given_plan, "round_at": "piece", "per": "gpu", "tax_percent": "0"})
    one = {**given_usage, "gpus": 1, "machines": 1, "disk_gb": 0}
    alone, all_cards = costed(read, parse_usage(one)), costed(read, parse_usage({**one, "gpus": cards}))
    if read.cap_hours_per_month is None and read.price_unit_seconds:
        assert Fraction(all_cards.total) == cards * Fraction(alone.total)


@given(given_plan=open_plans | term_plans, given_usage=usages())
def test_order_of_intervals_does_not_matter(given_plan: dict, given_usage: dict) -> None:
    turned = {**given_usage, "intervals": given_usage["intervals"][::-1]}
    read = parse_plan(given_plan)
    assert costed(read, parse_usage(turned)) == costed(read, parse_usage(given_usage))
