"""The cheapest mix: equal to trying everything on small calendars, never dearer than a single plan, ties as stated."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from billing.costing.compare import compare
from billing.costing.cost import cost
from billing.costing.mix import Mix, cheapest_mix
from billing.costing.mix_search import MOST_DECISIONS, Effort, MixTooLarge, Search
from billing.costing.plans import Plan
from billing.costing.terms import term_end
from billing.costing.usage import Usage
from tests.core.billing.costing_help import parse_usage, plan, term, usage

START = datetime(2026, 3, 28, tzinfo=UTC)


def try_everything(plans: list[Plan], used: Usage) -> tuple[Decimal, int]:
    """(least total, purchases): every legal road is walked and its bill counted by the single-plan engine."""
    best: list[tuple[Decimal, int]] = []

    def walk(
        at: int, terms: list[int], pieces: dict[int, list[tuple[int, int]]], chain: tuple[int, int, int] | None
    ) -> None:
        ahead = [(max(start, at), stop) for start, stop in used.intervals if stop > at]
        if not ahead:
            total = sum((plans[n].unit_price for n in terms), Decimal(0))
            for number, spans in pieces.items():
                total += cost(plans[number], replace(used, intervals=tuple(spans), keep_until=spans[-1][1])).total
            best.append((total, len(terms)))
            return
        begin, stop = ahead[0]
        for number, tried in enumerate(plans):
            if tried.term is None:
                more = {**pieces, number: [*pieces.get(number, []), (begin, stop)]}
                walk(stop, terms, more, None)
            else:
                renews = chain is not None and chain[0] == number and begin == at
                anchor, count = (chain[1], chain[2] + 1) if renews and chain else (begin, 1)
                end = term_end(tried, anchor, count, used.zone)
                walk(end, [*terms, number], pieces, (number, anchor, count))

    walk(used.intervals[0][0] if used.intervals else 0, [], {}, None)
    return min(best)


@st.composite
def small_calendars(draw: st.DrawFn, *, days: int = 6, most: int = 4) -> Usage:
    hours = sorted(draw(st.lists(st.integers(0, days * 24), min_size=2, max_size=2 * most, unique=True)))
    times = [(START + timedelta(hours=hour)).isoformat() for hour in hours[: len(hours) // 2 * 2]]
    zone = draw(st.sampled_from(["Asia/Shanghai", "Europe/Berlin"]))
    return parse_usage({"intervals": list(zip(times[::2], times[1::2], strict=True)), "timezone": zone})


cents = st.integers(0, 4000).map(lambda n: str(Decimal(n) / 100))
hourly = st.builds(
    lambda price, step, least, cap, pieces: plan(
        name="hourly", unit_price=price, billing_step_seconds=step, minimum_charge=least, pieces=pieces,
        **({"cap_hours_per_month": cap} if cap else {}),
    ),
    cents, st.sampled_from([1, 3600]), st.sampled_from(["0", "5"]), st.sampled_from([None, None, 10, 40]), st.sampled_from(["start", "clock_hour"]),
)  # fmt: skip
other = st.builds(lambda price: plan(name="other", unit_price=price, billing_step_seconds=86_400), cents)
days = st.builds(
    lambda price, count, means: term("day", price, count, day_means=means),
    cents, st.integers(1, 3), st.sampled_from(["24h", "calendar"]),
)  # fmt: skip
weeks = st.builds(lambda price: term("week", price), cents)


@settings(max_examples=150)
@given(used=small_calendars(), plans=st.tuples(hourly, days, weeks))
def test_equals_trying_everything(used: Usage, plans: tuple[Plan, ...]) -> None:
    total, purchases = try_everything(list(plans), used)
    found = cheapest_mix(plans, used)
    assert (found.total, len(found.purchases)) == (total, purchases)


@settings(max_examples=60)
@given(used=small_calendars(most=3), plans=st.permutations([1, 2, 3]).flatmap(lambda _: st.tuples(other, days, hourly)))
def test_equals_trying_everything_with_two_open_plans(used: Usage, plans: tuple[Plan, ...]) -> None:
    total, purchases = try_everything(list(plans), used)
    found = cheapest_mix(plans, used)
    assert (found.total, len(found.purchases)) == (total, purchases)


@settings(max_examples=60)
@given(used=small_calendars(days=90, most=3), price=cents, rate=cents)
def test_equals_trying_everything_with_calendar_months(used: Usage, price: str, rate: str) -> None:
    plans = [plan(name="hourly", unit_price=rate), term("month", price, month_means="calendar"), term("week", "200", 2)]
    total, purchases = try_everything(plans, used)
    found = cheapest_mix(plans, used)
    assert (found.total, len(found.purchases)) == (total, purchases)


def checked(plans: list[Plan], used: Usage) -> Mix:
    """The mix, its lines, coverage and purchases checked."""
    found = cheapest_mix(plans, used)
    assert sum(line.amount for line in found.lines) == found.total >= 0
    ends = [bought.end for bought in found.purchases]
    assert all(bought.start >= end for bought, end in zip(found.purchases[1:], ends, strict=False))
    return found


@settings(max_examples=150)
@given(
    used=small_calendars(days=60, most=6),
    hour=hourly,
    day=days,
    week=weeks,
    rounding=st.sampled_from(["up", "half_up", "down"]),
    round_at=st.sampled_from(["piece", "line", "total"]),
    tax=st.sampled_from(["0", "5.5"]),
    gpus=st.integers(1, 3),
    disk=st.booleans(),
    stopped=st.booleans(),
)
def test_never_dearer_than_any_single_plan(
    used: Usage, hour: Plan, day: Plan, week: Plan, rounding, round_at, tax, gpus, disk, stopped
) -> None:
    rules = {"money_rounding": rounding, "round_at": round_at, "tax_percent": Decimal(tax)}
    if disk:
        rules |= {"disk_price_per_gb_day_running": Decimal("0.01"), "disk_price_per_gb_day_stopped": Decimal("0.02")}
    plans = [replace(one, **rules) for one in (hour, day, week)]
    plans[0] = replace(plans[0], stopped_gpu_billed=stopped)
    found = checked(plans, replace(used, gpus=gpus, disk_gb=Decimal(100)))
    for one in plans:
        assert found.total <= cost(one, replace(used, gpus=gpus, disk_gb=Decimal(100))).total


def test_months_from_the_31st_keep_their_anchor_in_the_mix() -> None:
    month = term("month", "500", month_means="calendar")
    used = usage(("2026-01-31T10:00", "2026-03-31T10:00"))
    assert str(checked([month], used).total) == str(cost(month, used).total) == "1000.00"


def test_ties_go_to_fewer_purchases_then_to_the_earlier_plan() -> None:
    used = usage(("2026-03-01T00:00", "2026-03-03T00:00"))
    day, two = term("day", "48"), term("day", "96", 2, name="two days")
    hourly_plan = plan(name="hourly", unit_price="2")
    assert checked([day, two, hourly_plan], used).purchases == ()
    assert [bought.plan for bought in checked([day, two], used).purchases] == ["two days"]
    twin = term("day", "48", name="twin")
    assert {bought.plan for bought in checked([twin, day], used).purchases} == {"twin"}
    assert {bought.plan for bought in checked([day, twin], used).purchases} == {"day"}


def test_unused_time_is_lost_in_a_mix_even_where_the_plan_refunds() -> None:
    month = term("month", "720", month_means="720h", unused="refund_pro_rata")
    used = usage(("2026-03-01T00:00", "2026-03-02T00:00"))
    assert str(cost(month, used).total) == "24.00"
    assert str(cheapest_mix([month], used).total) == "720.00"


def test_saves_against_each_plan() -> None:
    plans = [plan(name="hourly", unit_price="2"), term("day", "30"), term("day", "10", name="short", after_term="stop")]
    found = compare(plans, usage(("2026-03-01T00:00", "2026-03-02T02:00")))
    assert found.mix is not None
    assert str(found.mix.total) == "14.00"
    assert {name: None if saved is None else str(saved) for name, saved in found.saves().items()} == {
        "hourly": "38.00",
        "day": "46.00",
        "short": None,
    }
    assert found.cheapest == "hourly"


def test_without_pay_as_you_go_everything_is_covered_by_terms() -> None:
    found = checked([term("day", "30"), term("week", "150")], usage(("2026-03-01T00:00", "2026-03-06T00:00")))
    assert (str(found.total), len(found.purchases), str(found.on_demand_hours)) == ("150.00", 1, "0")


def test_no_use_no_mix_cost() -> None:
    found = cheapest_mix([plan(), term("day", "30")], parse_usage({"hours": 0}))
    assert (str(found.total), found.purchases) == ("0.00", ())


def test_disk_is_part_of_the_mix() -> None:
    disk = {"disk_price_per_gb_day_running": "0.01", "disk_price_per_gb_day_stopped": "0.02", "free_disk_gb": 50}
    used = usage(("2026-03-01T00:00", "2026-03-02T00:00"), keep_until="2026-03-04T00:00", disk_gb=150)
    assert str(checked([plan(**disk), term("day", "30", **disk)], used).total) == "29.00"


def jagged(count: int) -> Usage:
    """Starts that share no raster, nearly touching: the worst for the number of moments."""
    times = [START + timedelta(minutes=61 * n, seconds=7 * n * n % 1800) for n in range(count + 1)]
    return parse_usage(
        {"intervals": [[a.isoformat(), (b - timedelta(seconds=1)).isoformat()] for a, b in itertools.pairwise(times)]}
    )


def test_a_search_too_large_is_said_and_the_rest_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("billing.costing.mix_search.MOST_DECISIONS", 50)
    plans = [plan(name="hourly", unit_price="2"), term("day", "30"), term("day", "59.7", 2, name="two")]
    with pytest.raises(MixTooLarge):
        cheapest_mix(plans, jagged(400))
    found = compare(plans, jagged(400))
    assert found.mix is None
    assert "mix-skipped" in [note.code for note in found.warnings]
    assert found.to_dict()["mix"] is None


def test_several_searches_share_what_they_may_weigh() -> None:
    plans, shared = [plan(name="hourly", unit_price="2"), term("day", "30")], Effort(1000)
    first = compare(plans, jagged(40), shared)
    assert first.mix is not None
    spent = 1000 - shared.left
    assert 0 < spent < 1000
    nearly = Effort(spent - 1)
    assert compare(plans, jagged(40), nearly).mix is None
    assert compare(plans, jagged(40), Effort(spent)).mix == first.mix


def test_use_on_the_last_days_of_a_month_alone() -> None:
    """There the clock that makes months equally long stands still."""
    used = usage(("2026-03-28T10:00", "2026-03-28T11:00"))
    free = term("month", "0", month_means="calendar")
    assert str(checked([plan(unit_price="0.01"), free], used).total) == "0.00"


@st.composite
def jagged_calendars(draw: st.DrawFn) -> Usage:
    """Many starts around two ends of a month, at any second."""
    dice = draw(st.randoms(use_true_random=False))
    duty, apart = draw(st.sampled_from([(0.95, 6), (0.6, 8), (0.9, 30)])), draw(st.integers(0, 1))
    at, intervals = START - timedelta(days=60 + 3 * apart), []
    for _ in range(draw(st.integers(5, 40))):
        length = duty[1] * 3600 * (0.5 + dice.random())
        stop = at + timedelta(seconds=int(length * duty[0]))
        intervals.append([at.isoformat(), stop.isoformat()])
        at = max(stop, at + timedelta(seconds=int(length)))
    return parse_usage({"intervals": intervals, "timezone": draw(st.sampled_from(["Asia/Shanghai", "Europe/Berlin"]))})


months = st.builds(
    lambda price, means: term("month", price, month_means=means),
    st.integers(1, 40_000).map(lambda n: str(Decimal(n) / 100)),
    st.sampled_from(["calendar", "calendar", "30d"]),
)


@settings(max_examples=60, deadline=None)
@given(
    used=jagged_calendars(),
    plans=st.tuples(hourly, other | hourly.map(lambda p: replace(p, name="second")), days, weeks, months),
)
def test_what_is_not_followed_is_never_missed(used: Usage, plans: tuple[Plan, ...]) -> None:
    search = Search(plans, used)
    everything, worth = search._explore(None)
    road = search.road()
    assert (sum(step.cost for step in road), sum(plans[step.plan].term is not None for step in road)) == worth
    assert [step.plan for step in road] == [step.plan for step in search._walk(everything)]


@settings(max_examples=60, deadline=None)
@given(
    used=jagged_calendars(),
    plans=st.tuples(hourly, other, days, weeks, months, months.map(lambda p: replace(p, name="m2"))),
)
def test_what_is_still_ahead_is_never_told_too_dear(used: Usage, plans: tuple[Plan, ...]) -> None:
    """No decision lowers what is still to pay by more than it costs: the first road found to the end is the cheapest."""
    search = Search(plans, used)
    ahead = search._ahead()
    found, _ = search._explore(bound=False)
    for state, steps in found.items():
        for step in steps:
            assert ahead(state) <= step.cost + (ahead(step.after) if step.after is not None else 0)


CATALOGUE = (
    plan(name="minute", unit_price="2.415", billing_step_seconds=60),
    plan(name="hour", unit_price="2.3", billing_step_seconds=3600),
    term("day", "48.3"),
    term("week", "285"),
)


def large() -> Iterator[tuple[Usage, str]]:
    """Calendars of ten years, and whether their months are calendar months."""
    for means in ("30d", "calendar"):
        for starts in (1, 1000, 10_000):
            yield parse_usage({"hours": 87_600, "starts": starts, "from": "2026-11-30"}), means
        week = {"days": ["mon", "tue", "wed", "thu", "fri", "sat", "sun"], "from": "07:00", "to": "06:53"}
        yield parse_usage({"weekly": week, "weeks": 1152, "from": "2026-11-30"}), means


@pytest.mark.parametrize(("used", "means"), list(large()))
def test_ten_years_are_searched_with_few_decisions(used: Usage, means: str) -> None:
    effort = Effort(MOST_DECISIONS)
    plans = [*CATALOGUE, term("month", "994", month_means=means)]
    assert cheapest_mix(plans, used, effort).total <= min(cost(one, used).total for one in plans)
    assert MOST_DECISIONS - effort.left < 12_000
