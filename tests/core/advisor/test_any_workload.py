"""Whatever the contract lets through is answered: no crash, no unworded code, figures that are JSON."""

import json
from datetime import UTC, datetime
from typing import Any

from django.utils import translation
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.library import library
from advisor.recommend import recommend, to_dict
from advisor.sentences import recommendation_in_words
from advisor.sizing.fields import CONSTRAINT_FIELDS, DEMAND_UNITS, FIELDS, REQUIREMENTS, SCHEDULE_FIELDS, Field
from advisor.sizing.parsing.workload import parse_workload
from catalog.example import example_catalogue

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


def value_of(field: Field) -> st.SearchStrategy[Any]:
    """Any value the field allows, extremes included."""
    low, high = field.minimum or 0, field.maximum or 1e9
    match field.kind:
        case "bool":
            return st.booleans()
        case "int":
            return st.integers(int(low), int(high)) | st.sampled_from([int(low), int(high)])
        case "number":
            return st.floats(low, high)
        case "size":
            side = st.integers(int(low), int(high))
            return side | st.lists(side, min_size=2, max_size=2)
        case "gpu-hours":
            return st.fixed_dictionaries(
                {"gpu": st.sampled_from(sorted(library().gpus)), "hours": st.floats(max(low, 1e-6), high)}
            )
        case _:
            return st.sampled_from(field.choices) | (
                st.just("some-other-tool") if field.kind == "open-choice" else st.nothing()
            )


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, Any]:
    """A workload of any task with any of its fields."""
    scenario, task = draw(st.sampled_from(sorted(FIELDS)))
    body: dict[str, Any] = {"scenario": scenario, "task": task}
    if scenario != "science":
        slugs = sorted(slug for slug, row in library().models.items() if row["scenario"].split()[0] == scenario)
        body["model"] = draw(st.sampled_from(slugs) | st.floats(0.001, 2000).map(lambda size: {"parameters_b": size}))
    for field in FIELDS[scenario, task]:
        if field.required or draw(st.integers(0, 3)) == 0:
            body[field.name] = draw(value_of(field))
    if draw(st.booleans()):
        unit = draw(st.sampled_from(DEMAND_UNITS[scenario, task]))
        body["demand"] = {"amount": draw(st.floats(1e-9, 1e18)), "unit": unit}
        if unit == "epochs":
            body["demand"]["samples"] = draw(st.floats(1, 1e12))
    if draw(st.integers(0, 3)) == 0:
        body["schedule"] = {one.name: draw(value_of(one)) for one in SCHEDULE_FIELDS if draw(st.booleans())}
    if draw(st.integers(0, 2)) == 0:
        limits: dict[str, Any] = {
            one.name: draw(value_of(one)) for one in CONSTRAINT_FIELDS if draw(st.integers(0, 3)) == 0
        }
        limits["require"] = draw(st.lists(st.sampled_from(REQUIREMENTS), max_size=2, unique=True))
        if draw(st.booleans()):
            limits |= {
                "budget": str(draw(st.decimals("0.01", 1_000_000, places=2))),
                "currency": draw(st.sampled_from(["CNY", "USD"])),
            }
        body["constraints"] = limits
    body["priority"] = draw(st.sampled_from(["balanced", "cheapest", "fastest"]))
    body["stage"] = draw(st.sampled_from(["production", "prototype"]))
    return body


def unworded(value: Any) -> list[str]:
    """Codes that got no sentence."""
    if isinstance(value, dict):
        own = [value["code"]] if "code" in value and value.get("text") in (None, value["code"]) else []
        return own + [
            code for name, part in value.items() if name not in ("workload", "changes") for code in unworded(part)
        ]
    return [code for part in value for code in unworded(part)] if isinstance(value, list) else []


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(body=workloads())
def test_it_is_answered_in_words_and_figures(body):
    known = library()
    answer = recommend(parse_workload(body, known.models, known.gpus), example_catalogue(), known, NOW)
    with translation.override("zh-hans"):
        told = recommendation_in_words(to_dict(answer))
    json.dumps(told, allow_nan=False)
    assert unworded(told) == []
    assert answer.choices or {note.code for note in answer.warnings} - {"sample-price"}
    assert {one.gpu for one in answer.choices} | {one.gpu for one in answer.rejected} == set(example_catalogue().gpus)
    for one in answer.choices:
        assert one.reasons_against
        assert one.total >= 0
