"""Intervals: what the fit promises and what a reader of the data gets."""

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.fitting.intervals import TAILS, bounds
from advisor.library import calibration
from advisor.sizing.calibration import BASES, intervals_of

residuals = st.lists(st.floats(-2, 2, allow_nan=False), min_size=1, max_size=200)


@given(residuals)
def test_bounds_hold_about_the_promised_share(values):
    tails = TAILS["memory"]
    low, high = bounds(values, tails)
    inside = sum(low - 1e-12 <= value <= high + 1e-12 for value in values)
    assert inside >= (1 - sum(tails)) * len(values) - 2
    assert min(values) <= low <= high <= max(values)


def test_bounds_of_many_hold_nine_in_ten():
    values = [index / 1000 for index in range(1001)]
    for tails in TAILS.values():
        low, high = bounds(values, tails)
        assert 0.91 <= sum(low <= value <= high for value in values) / len(values) <= 0.95


def row(low, high, facts=50):
    return {"low_log": math.log(low), "high_log": math.log(high), "facts": facts}


def test_no_basis_is_narrower_than_a_better_known_one():
    data = {
        "intervals": {
            "memory": {
                "all": {},
                "kinds": {
                    "x": {"anchored": row(0.8, 1.3), "known-stack": row(0.95, 1.05), "unknown-stack": row(0.9, 2.0)}
                },
            }
        }
    }
    found = intervals_of(data)
    spans = [found.of("memory", "x", tier) for tier in BASES]
    for better, worse in itertools.pairwise(spans):
        assert worse.low <= better.low
        assert worse.high >= better.high
    assert spans[0].low == pytest.approx(0.8)


def test_a_handful_that_agree_prove_nothing():
    """Three residuals within 4 % of each other: the interval is the pooled one, not 4 %."""
    pooled = {"all": {basis: row(0.7, 1.4) for basis in BASES}}
    few = {"unknown-stack": {**row(0.98, 1.02), "facts": 3}}
    many = {basis: {**row(0.98, 1.02), "facts": 30} for basis in BASES}
    found = intervals_of({"intervals": {"speed": {**pooled, "kinds": {"few": few, "many": many}}}})
    assert found.of("speed", "many", "unknown-stack").high == pytest.approx(1.02)
    assert found.of("speed", "few", "unknown-stack").low == pytest.approx(0.7)
    assert found.of("speed", "few", "unknown-stack").high == pytest.approx(1.4)


def test_a_kind_nobody_fitted_gets_the_pooled_interval():
    found = intervals_of({})
    assert found.of("memory", "anything", "anchored").high > 1
    assert found.of("speed", "anything", "unknown-stack").low < found.of("speed", "anything", "anchored").low


def test_the_shipped_intervals_hold_the_figure_itself():

    data = calibration().get("intervals", {})
    for metric in ("memory", "speed"):
        for kind, tiers in data.get(metric, {}).get("kinds", {}).items():
            for tier, span in tiers.items():
                assert span["low_log"] <= 0 <= span["high_log"], (metric, kind, tier)
                assert span["facts"] >= 0
