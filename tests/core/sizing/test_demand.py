"""From an amount of work to hours: every unit of the contract, per scenario."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.library import models
from advisor.sizing.answer import Spread
from advisor.sizing.demand import demand_hours, demand_notes, schedule_hours
from advisor.sizing.fields import DEMAND_UNITS
from advisor.sizing.job import Rate
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import WorkloadError
from advisor.sizing.workload import Schedule, Workload

MODELS = models()


def workload(amount: float, unit: str, samples: float | None = None, **fields: object) -> Workload:
    demand: dict[str, object] = {"amount": amount, "unit": unit}
    if samples is not None:
        demand["samples"] = samples
    return parse_workload({**fields, "demand": demand}, MODELS)


def rate(value: float, unit: str) -> Rate:
    return Rate(value, unit, "compute", "kind")


TRAIN = {
    "scenario": "llm",
    "task": "training",
    "model": "llama-3-8b",
    "method": "lora",
    "sequence_tokens": 2048,
    "micro_batch": 4,
    "gradient_accumulation": 8,
}
SERVE = {"scenario": "llm", "task": "inference", "model": "llama-3-8b", "output_tokens": 200}
DRAW = {"scenario": "aigc", "task": "image-generation", "model": "stable-diffusion-xl", "steps": 25, "batch": 4}
HEAR = {"scenario": "speech", "task": "transcription", "model": "whisper-large-v3"}
FOLD = {"scenario": "science", "task": "structure-prediction", "application": "alphafold3", "tokens": 1024}
MOVE = {"scenario": "science", "task": "simulation", "application": "openmm", "atoms": 90_000}
FLOW = {"scenario": "science", "task": "simulation", "application": "cfd-lbm", "cells": 16_777_216}

CASES = [
    # amount, unit, samples, fields, rate, spread, cards, hours
    (3.6e6, "tokens", None, TRAIN, rate(1000, "tokens_per_second"), Spread(), 1, 1.0),
    (3, "epochs", 52_000, TRAIN, rate(1000, "tokens_per_second"), Spread(), 1, 3 * 52_000 * 2048 / 3.6e6),
    (10, "samples", None, TRAIN, rate(1000, "tokens_per_second"), Spread(), 1, 10 * 2048 / 3.6e6),
    (100, "steps", None, TRAIN, rate(1000, "tokens_per_second"), Spread(data=2), 2, 100 * 4 * 8 * 2 * 2048 / 3.6e6),
    (8, "gpu_hours", None, TRAIN, rate(1000, "tokens_per_second"), Spread(data=4), 4, 2.0),
    (3.6e5, "tokens", None, SERVE, rate(100, "tokens_per_second"), Spread(), 1, 1.0),
    (1800, "requests", None, SERVE, rate(100, "tokens_per_second"), Spread(), 1, 1.0),
    (7200, "images", None, DRAW, rate(2, "images_per_second"), Spread(), 1, 1.0),
    (720, "images", None, DRAW, rate(5, "seconds_per_image"), Spread(), 1, 1.0),
    (576, "images", None, DRAW, rate(1, "steps_per_second"), Spread(), 1, 1.0),
    (40, "audio_hours", None, HEAR, rate(20, "x_realtime"), Spread(), 1, 2.0),
    (240, "requests", None, HEAR, rate(1, "x_realtime"), Spread(), 1, 2.0),
    (10, "requests", None, FOLD, rate(360, "seconds"), Spread(), 1, 1.0),
    (100, "ns", None, MOVE, rate(200, "ns_per_day"), Spread(), 1, 12.0),
    (5e7, "steps", None, MOVE, rate(200, "ns_per_day"), Spread(), 1, 12.0),
    (3600, "steps", None, FLOW, rate(16.777216, "million_cells_per_second"), Spread(), 1, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("amount", "unit", "samples", "fields", "speed", "spread", "cards", "hours"), CASES)
def test_each_unit_becomes_hours(amount, unit, samples, fields, speed, spread, cards, hours):
    asked = workload(amount, unit, samples, **fields)
    assert demand_hours(asked, speed, spread, cards) == pytest.approx(hours)
    assert "demand-unit-unusable" not in {note.code for note in demand_notes(asked, speed)}


def test_what_cannot_be_turned_is_said():
    asked = workload(5, "requests", **FOLD)
    assert demand_hours(asked, rate(1.0, "relative"), Spread(), 1) is None
    assert [note.code for note in demand_notes(asked, rate(1.0, "relative"))] == ["demand-unit-unusable"]
    assert [note.code for note in demand_notes(asked, None)] == ["demand-without-speed"]
    assert demand_hours(parse_workload(SERVE, MODELS), rate(1, "tokens_per_second"), Spread(), 1) is None


@given(st.sampled_from(CASES), st.floats(1.0, 1e6))
def test_hours_grow_with_the_work_and_fall_with_the_speed(case, factor):
    amount, unit, samples, fields, speed, spread, cards, hours = case
    more = demand_hours(workload(min(amount * factor, 1e18), unit, samples, **fields), speed, spread, cards)
    assert more is not None
    assert more >= hours * 0.999


SPEAK = {"scenario": "speech", "task": "speech-synthesis", "model": "xtts-v2"}
FILM = {"scenario": "aigc", "task": "video-generation", "model": "wan2.1-t2v-1.3b"}
LOOK = {"scenario": "vision", "task": "inference", "model": "yolov8x"}


@pytest.mark.parametrize("fields", [TRAIN, SERVE, DRAW, FILM, HEAR, SPEAK, LOOK, MOVE, FOLD])
def test_a_task_takes_its_own_units_and_says_them_of_any_other(fields):
    units = DEMAND_UNITS[fields["scenario"], fields["task"]]
    every = {unit for one in DEMAND_UNITS.values() for unit in one}
    for unit in units:
        workload(1, unit, 10 if unit == "epochs" else None, **fields)
    for unit in every - set(units):
        with pytest.raises(WorkloadError) as refused:
            workload(1, unit, 10 if unit == "epochs" else None, **fields)
        problem = refused.value.problems[0]
        assert problem.path == "demand.unit"
        assert problem.values["allowed"] == ", ".join(units)


def test_no_finished_model_is_asked_for_rounds_of_training():
    for (_scenario, task), units in DEMAND_UNITS.items():
        assert ("epochs" in units) == task.endswith("training")
        assert units[-1] == "gpu_hours"


def test_a_schedule_counts_its_hours():
    assert schedule_hours(None) is None
    assert schedule_hours(Schedule(hours_per_day=8, days_per_week=5, weeks=4)) == 160
    assert schedule_hours(Schedule(hours_per_day=8)) == 8 * 7 * 4
