"""What a use costs: the calendar of a schedule, one piece priced once, and the mix never missed."""

import itertools
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.costs import MOST_WINDOWS, Usages, basis_of, bill_of, completed, floor_of, plans_of, starts_priced
from advisor.library import library
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.workload import Workload
from billing.costing.mix import cheapest_mix
from billing.costing.moments import HOUR, SECOND, zone_named
from billing.costing.usage import Usage
from catalog.example import example_catalogue

NOW = datetime(2026, 3, 2, 10, 17, 3, tzinfo=UTC)
SENSE = {"scenario": "speech", "task": "transcription", "model": "sensevoice-small"}


def work(**more: object) -> Workload:
    known = library()
    return parse_workload({**SENSE, **more}, known.models, known.gpus)


@settings(max_examples=60, deadline=None)
@given(
    hours=st.floats(0.5, 24),
    days=st.floats(0.5, 7),
    weeks=st.floats(0.5, 30),
    starts=st.integers(1, 6),
)
def test_a_schedule_runs_as_many_hours_as_it_says(hours, days, weeks, starts):
    workload = work(schedule={"hours_per_day": hours, "days_per_week": days, "weeks": weeks, "starts_per_day": starts})
    usages = Usages(workload, NOW)
    intervals = usages.of(None)
    seconds = sum(stop - start for start, stop in intervals) / SECOND
    wanted = hours * days * weeks * 3600
    assert abs(seconds - wanted) <= 1 + 1e-6 * wanted
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(intervals))
    assert usages.basis.scheduled_hours == hours * days * weeks


def test_a_piece_lasts_a_second_at_least_so_that_every_schedule_comes_to_an_end():
    usages = Usages(work(schedule={"hours_per_day": 0.01, "days_per_week": 1, "weeks": 1, "starts_per_day": 1440}), NOW)
    intervals = usages.of(None)
    assert sum(stop - start for start, stop in intervals) == 36 * SECOND
    assert len(intervals) == 36


@given(
    hours=st.floats(0.01, 24),
    days=st.floats(0.1, 7),
    weeks=st.floats(0.1, 60),
    starts=st.integers(1, 1440),
)
def test_what_a_schedule_takes_to_reckon_is_known_beforehand(hours, days, weeks, starts):
    schedule = {"hours_per_day": hours, "days_per_week": days, "weeks": weeks, "starts_per_day": starts}
    workload = work(schedule=schedule)
    told = starts_priced(workload)
    assert 1 <= told <= MOST_WINDOWS
    assert len(Usages(workload, NOW).of(None)) <= told + 0.2 * told + 2 * starts


@settings(max_examples=30, deadline=None)
@given(hours=st.floats(0.01, 2000), index=st.integers(0, 43))
def test_the_mix_is_never_missed_and_never_below_its_floor(hours, index):
    offer = example_catalogue().offers[index % len(example_catalogue().offers)]
    workload = work(demand={"amount": 1, "unit": "audio_hours"})
    usages = Usages(workload, NOW)
    intervals = usages.of(hours)
    plain = bill_of(offer, intervals, usages.basis)
    bill = completed(plain, offer, intervals, usages.basis)
    usage = Usage(
        intervals=intervals,
        zone=zone_named("Asia/Shanghai", ""),
        keep_until=intervals[-1][1],
        gpus=offer.gpus_per_node,
        machines=offer.nodes,
    )
    exact = cheapest_mix([plan for _, plan in plans_of(offer)], usage)
    assert bill.least == min(exact.total, bill.cheapest.total)
    assert floor_of(plain, offer, intervals, usages.basis) <= bill.least
    assert bill.least <= min(cost.total for cost in bill.costs)


def test_the_hour_begins_on_the_hour_so_that_prices_are_shared():
    first = Usages(work(), NOW).of(None)
    later = Usages(work(), NOW.replace(minute=59)).of(None)
    assert first == later
    assert first[0][1] - first[0][0] == HOUR


def test_what_the_costs_are_for():
    demand, schedule = {"amount": 10, "unit": "audio_hours"}, {"hours_per_day": 8}
    assert basis_of(work()).kind == "hour"
    assert basis_of(work(demand=demand)).kind == "job"
    assert basis_of(work(schedule=schedule)).kind == "schedule"
    assert basis_of(work(demand=demand, schedule=schedule)).kind == "job-in-schedule"


def test_a_schedule_longer_than_can_be_laid_out_is_priced_whole_and_said():
    usages = Usages(work(schedule={"hours_per_day": 1, "days_per_week": 7, "weeks": 1040, "starts_per_day": 4}), NOW)
    intervals = usages.of(None)
    assert len(intervals) == 1
    assert "schedule-shortened" in {note.code for note in usages.warnings("CNY")}
    assert abs((intervals[0][1] - intervals[0][0]) / HOUR - 7280) < 0.01


def test_of_equal_totals_the_prepaid_plan_is_taken_which_also_covers_hours_more():
    """21 hours of an RTX 4090 at 2.30 are as dear as its day card of 48.30."""
    offer = next(one for one in example_catalogue().priced_offers if one.gpu == "rtx-4090-24g" and one.count == 1)
    usages = Usages(work(demand={"amount": 100, "unit": "audio_hours"}), NOW)
    bill = bill_of(offer, usages.of(20.5), usages.basis)
    totals = {one.kind: one.total for one in bill.costs}
    assert totals["hour"] == totals["day"] == min(totals.values())
    assert bill.cheapest.kind == "day"
