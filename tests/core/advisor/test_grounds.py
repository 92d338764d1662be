"""The sum behind a cost adds up to the cent."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from advisor.library import library
from advisor.pages.grounds import cost_lines
from advisor.presets import PRESETS
from advisor.recommend import recommend
from advisor.sizing.parsing.workload import parse_workload
from catalog.example import example_catalogue

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


@pytest.mark.parametrize("slug", PRESETS)
def test_the_lines_as_shown_make_the_total(slug):
    known = library()
    answer = recommend(
        parse_workload(PRESETS[slug].workload, known.models, known.gpus), example_catalogue(), known, NOW
    )
    for choice in answer.choices:
        lines = cost_lines(choice, answer.basis.kind)
        assert all(line.amount == line.amount.quantize(Decimal("0.01")) != 0 for line in lines)
        if lines:
            assert sum(line.amount for line in lines) == choice.total, (choice.gpu, lines)
