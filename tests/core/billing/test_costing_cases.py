"""Known answers: every handed case of plans and of quotation money, to the last digit."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from billing.costing.compare import compare_line
from billing.costing.quote_totals import quote_totals_line

SHARED = Path(__file__).resolve().parents[4] / "shared" / "cases"


def cases(name: str) -> list[dict]:
    file = SHARED / name
    return [json.loads(line) for line in file.read_text().splitlines() if line.strip()] if file.is_file() else []


@pytest.mark.parametrize("case", cases("plan_cases.jsonl"), ids=lambda case: case["id"])
def test_plan_case(case: dict) -> None:
    answer, expected = compare_line(case), case["expected"]
    assert answer["id"] == case["id"]
    if "error_at" in expected:
        assert answer["error"]["path"] == expected["error_at"]
        return
    comparison = answer["comparison"]
    totals = {plan["name"]: plan["total"] for plan in comparison["plans"]}
    assert {name: totals[name] for name in expected.get("totals", {})} == expected.get("totals", {})
    if "cheapest" in expected:
        assert comparison["cheapest"] == expected["cheapest"]
    if "break_even" in expected:
        assert comparison["break_even"] == expected["break_even"]
    if "mix" in expected:
        assert comparison["mix"]["total"] == expected["mix"]["total"]
    for plan in comparison["plans"]:
        assert sum(Decimal(line["amount"]) for line in plan["lines"]) == Decimal(plan["total"])


@pytest.mark.parametrize("case", cases("money_cases.jsonl"), ids=lambda case: case["id"])
def test_money_case(case: dict) -> None:
    answer, expected = quote_totals_line(case), case["expected"]
    if "error_at" in expected:
        assert answer["error"]["path"] == expected["error_at"]
        return
    totals = answer["totals"]
    assert {name: totals[name] for name in expected} == expected


def test_the_cases_are_there(shared: Path) -> None:
    assert len(cases("plan_cases.jsonl")) >= 24
    assert len(cases("money_cases.jsonl")) >= 13
