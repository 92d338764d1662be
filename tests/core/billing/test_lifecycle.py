"""The transition table and the end of an offer's last day."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.lifecycle import TRANSITIONS, State, StepRefused, Verb, end_of_validity, has_expired, local_date, may, move

FINAL = {State.ACCEPTED}
ZONES = ["Asia/Shanghai", "America/Los_Angeles", "Europe/Berlin", "UTC", "Pacific/Kiritimati", "America/Santiago"]


def test_every_verb_is_in_the_table():
    assert set(TRANSITIONS) == set(Verb)


@given(st.sampled_from(State), st.sampled_from(Verb))
def test_only_what_the_table_has_happens(state, verb):
    if state in TRANSITIONS[verb]:
        assert may(state, verb)
        assert move(state, verb) in State
    else:
        assert not may(state, verb)
        with pytest.raises(StepRefused):
            move(state, verb)


@pytest.mark.parametrize("state", FINAL)
def test_nothing_leads_out_of_accepted(state):
    assert not any(may(state, verb) for verb in Verb)


def test_only_a_sent_offer_can_be_answered():
    for verb in (Verb.ACCEPT, Verb.DECLINE, Verb.EXPIRE):
        assert set(TRANSITIONS[verb]) == {State.SENT}


@given(st.lists(st.sampled_from(Verb), max_size=30))
def test_no_road_reaches_accepted_without_being_sent(verbs):
    state = State.DRAFT
    for verb in verbs:
        before = state
        if may(state, verb):
            state = move(state, verb)
        if state is State.ACCEPTED and before is not State.ACCEPTED:
            assert before is State.SENT


def test_last_second_in_the_sellers_zone():
    last = date(2026, 12, 15)
    zone = "Asia/Shanghai"
    assert end_of_validity(last, zone) == datetime(2026, 12, 15, 16, tzinfo=UTC)
    assert not has_expired(last, zone, datetime(2026, 12, 15, 15, 59, 59, tzinfo=UTC))
    assert has_expired(last, zone, datetime(2026, 12, 15, 16, tzinfo=UTC))
    assert not has_expired(last, "America/Los_Angeles", datetime(2026, 12, 15, 16, tzinfo=UTC))


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.sampled_from(ZONES))
def test_the_whole_last_day_is_valid(day, zone):
    end = end_of_validity(day, zone)
    before = (end.astimezone(UTC) - timedelta(seconds=1)).astimezone(ZoneInfo(zone))
    assert before.date() == day
    assert local_date(before, zone) == day
    assert not has_expired(day, zone, before)
    assert has_expired(day, zone, end)
