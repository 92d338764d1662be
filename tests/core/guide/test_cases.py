"""The handed workloads, each with what its answer must hold."""

import json

import pytest

from tests.conftest import ROOT
from tests.core.guide.cases import faults

CASES = ROOT.parent / "shared" / "cases" / "workloads.jsonl"
LINES = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()] if CASES.exists() else []


@pytest.mark.parametrize("case", LINES, ids=lambda case: case["id"])
def test_the_answer_holds_what_the_case_expects(case):
    assert faults(case["workload"], case["expect"]) == []
