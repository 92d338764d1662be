"""What would change the answer, held against the answer that the changed work really gets."""

from datetime import UTC, datetime

import pytest

from advisor.library import library
from advisor.presets import PRESETS
from advisor.recommend import recommend
from advisor.sizing.parsing.workload import parse_workload
from advisor.survey import rate_of
from catalog.example import example_catalogue

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("slug", PRESETS)
def test_each_change_leads_to_what_is_recommended_for_the_changed_work(slug):
    known = library()
    workload = parse_workload(PRESETS[slug].workload, known.models, known.gpus)
    first = recommend(workload, example_catalogue(), known, NOW)
    best = first.recommended
    for advice in first.advice:
        if advice.workload is None:
            continue
        other = parse_workload(advice.workload, known.models, known.gpus)
        again = recommend(other, example_catalogue(), known, NOW).recommended
        assert again is not None
        assert (advice.gpu, advice.count, advice.sku) == (again.gpu, again.count, again.offer.sku), advice.note
        assert (advice.total, advice.hours) == (again.total, again.span_hours), advice.note
        assert again.estimate.fit == "fits"
        assert again.meets
        assert best is None or again.total < best.total or _faster(again, best) or best.estimate.fit == "tight"


def _faster(one, other):
    return rate_of(one.estimate.speed) > rate_of(other.estimate.speed)


@pytest.mark.parametrize("slug", PRESETS)
def test_more_cards_are_never_praised_with_a_percentage_that_says_nothing(slug):
    known = library()
    workload = parse_workload(PRESETS[slug].workload, known.models, known.gpus)
    for advice in recommend(workload, example_catalogue(), known, NOW).advice:
        if advice.note.code.startswith("second-card"):
            told = advice.note.values
            assert told.get("cost_percent") != 0
            assert told.get("worth_percent") != 100
            assert bool(advice.total_delta) == any(
                name in told for name in ("cost_percent", "saves_percent", "more", "saves")
            )
