"""The workload contract: strict, complete in its complaints, canonical in its answer."""

import json
import math
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.library import models
from advisor.sizing.fields import DEMAND_UNITS, FIELDS, GENERAL_SOFTWARE, SCENARIOS, TASKS, Field
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import PROBLEM_SENTENCES, Problem, WorkloadError
from advisor.sizing.workload import Workload

MODELS = models()
FIRST_MODEL = {"llm": "llama-3-8b", "aigc": "sdxl-base-1.0", "speech": "whisper-large-v3", "vision": "resnet-50"}


def problems(data: object) -> list[tuple[str, str]]:
    with pytest.raises(WorkloadError) as caught:
        parse_workload(data, MODELS)
    for problem in caught.value.problems:
        assert problem.sentence  # every figure of the sentence is there
        assert len(problem.sentence) < 1500
    return [(problem.path, problem.code) for problem in caught.value.problems]


def read(data: object) -> tuple[Workload | None, tuple[Problem, ...]]:
    try:
        return parse_workload(data, MODELS), ()
    except WorkloadError as error:
        return None, error.problems


def llm(**fields: object) -> dict[str, object]:
    return {"scenario": "llm", "task": "inference", "model": "llama-3-8b", **fields}


def test_every_task_of_the_contract_is_there():
    assert SCENARIOS == ("llm", "aigc", "speech", "vision", "science")
    assert TASKS["aigc"] == (
        "image-generation",
        "image-editing",
        "video-generation",
        "image-training",
        "video-training",
    )
    assert TASKS["science"] == ("simulation", "structure-prediction")


def test_every_fact_is_a_workload(shared):
    unknown = set()
    with (shared / "facts" / "measured.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            workload = json.loads(line)["workload"]
            parsed, found = read(workload)
            if parsed is None:
                assert {problem.path for problem in found} == {"model"}, found
                unknown.add(workload["model"])
            else:
                assert parse_workload(json.loads(json.dumps(parsed.to_dict())), MODELS) == parsed
    assert not {model for model in unknown if model in {"qwen-7b", "bert-large", "llama-2-7b"}}
    assert len(unknown) <= 12, unknown


def test_the_handed_cases(shared):
    with (shared / "cases" / "workloads.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            case = json.loads(line)
            where = case["expect"].get("error_at")
            if where is None:
                parse_workload(case["workload"], MODELS)
            else:
                assert where in dict(problems(case["workload"])), case["id"]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (None, ("workload", "not-an-object")),
        ([], ("workload", "not-an-object")),
        ({}, ("scenario", "missing-field")),
        ({"scenario": "lllm"}, ("scenario", "unknown-scenario")),
        ({"scenario": "llm"}, ("task", "missing-field")),
        ({"scenario": "llm", "task": "train"}, ("task", "unknown-task")),
        ({"scenario": "llm", "task": "inference"}, ("model", "missing-model")),
        (llm(model="lama-3-8b"), ("model", "unknown-model-near")),
        (llm(model="resnet-50"), ("model", "model-of-other-scenario")),
        (llm(model=5), ("model", "wrong-type")),
        (llm(model={"parameters_b": -1}), ("model.parameters_b", "too-small")),
        (llm(model={"parameters_b": True}), ("model.parameters_b", "wrong-type")),
        (llm(model={"hf_config": {"a": 1}}), ("model.hf_config", "not-a-config")),
        (llm(model={"hf_config": "x"}), ("model.hf_config", "not-an-object")),
        (llm(model={"params": 7}), ("model.params", "unknown-field-near")),
        (llm(contxt_tokens=4096), ("contxt_tokens", "unknown-field-near")),
        (llm(controlnets=2), ("controlnets", "field-of-other-task")),
        (llm(weight_format="q4_k_n"), ("weight_format", "unknown-value-near")),
        (llm(weight_format="exl2-99bpw"), ("weight_format", "unknown-value-near")),
        (llm(engine="vlm"), ("engine", "unknown-value-near")),
        (llm(concurrency=-1), ("concurrency", "too-small")),
        (llm(concurrency=True), ("concurrency", "wrong-type")),
        (llm(concurrency="4"), ("concurrency", "wrong-type")),
        (llm(concurrency=1.5), ("concurrency", "wrong-type")),
        (llm(prompt_tokens=1e300), ("prompt_tokens", "too-large")),
        (llm(prompt_tokens=10**5000), ("prompt_tokens", "too-large")),
        (llm(prompt_tokens=math.nan), ("prompt_tokens", "not-finite")),
        (llm(flash_attention=1), ("flash_attention", "wrong-type")),
        (llm(image_size=[224]), ("image_size", "wrong-type")),
        (llm(image_size=[224, -1]), ("image_size[1]", "too-small")),
        (llm(demand={"amount": 1, "unit": "token"}), ("demand.unit", "unknown-value-near")),
        (llm(demand={"unit": "tokens"}), ("demand.amount", "missing-number")),
        (llm(task="training", demand={"amount": 3, "unit": "epochs"}), ("demand.samples", "missing-number")),
        (llm(demand={"amount": 3, "unit": "epochs", "samples": 9}), ("demand.unit", "unknown-value")),
        (llm(demand=3), ("demand", "not-an-object")),
        (llm(schedule={"hours_per_day": 25}), ("schedule.hours_per_day", "too-large")),
        (llm(constraints={"require": ["ecx"]}), ("constraints.require[0]", "unknown-value-near")),
        (llm(constraints={"budget": "1e5"}), ("constraints.budget", "wrong-type")),
        (llm(constraints={"budget": "-5"}), ("constraints.budget", "wrong-type")),
        (llm(constraints={"currency": "RMB"}), ("constraints.currency", "unknown-value")),
        (llm(constraints={"max_gpu": 2}), ("constraints.max_gpu", "unknown-field-near")),
        (llm(priority="fast"), ("priority", "unknown-value-near")),
        (llm(stage=[]), ("stage", "wrong-type")),
        ({"scenario": "science", "task": "simulation"}, ("application", "missing-field")),
    ],
)
def test_each_wrong_thing_is_named_by_its_path(data, expected):
    assert expected in problems(data)


def test_all_problems_at_once_and_in_words():
    found = dict(
        problems(llm(weight_format="q4", concurrency=0, nonsense=1, priority="x", demand={"amount": -1, "unit": "x"}))
    )
    assert set(found) == {"weight_format", "concurrency", "nonsense", "priority", "demand.amount", "demand.unit"}


def test_the_nearest_spelling_is_offered():
    with pytest.raises(WorkloadError) as caught:
        parse_workload(llm(model="lama-3-8b", contxt_tokens=1), MODELS)
    by_path = {problem.path: problem for problem in caught.value.problems}
    assert by_path["model"].values["suggestion"].startswith("llama-3-8b")
    assert by_path["contxt_tokens"].values["suggestion"] == "context_tokens"


def test_other_software_is_taken_a_misspelling_is_not():
    assert parse_workload(llm(engine="mlc-llm"), MODELS).get("engine") == "mlc-llm"
    assert ("engine", "unknown-value-near") in problems(llm(engine="tensorrt-lm"))


def foreign_values() -> list[tuple[str, str, str, str]]:
    """Every choice field of every task, with every value any other task has for a field of that name."""
    listed: dict[str, dict[str, None]] = {}
    for fields in FIELDS.values():
        for field in fields:
            listed.setdefault(field.name, {}).update(dict.fromkeys(field.choices))
    return [
        (scenario, task, field.name, value)
        for (scenario, task), fields in FIELDS.items()
        for field in fields
        for value in listed[field.name]
    ]


def test_what_is_meant_for_another_task_is_refused_with_what_is_permitted():
    refused = 0
    for scenario, task, name, value in foreign_values():
        field = next(field for field in FIELDS[scenario, task] if field.name == name)
        workload, found = read({**minimal(scenario, task), name: value})
        if field.allows(value) or value in field.also or (field.kind == "open-choice" and value in GENERAL_SOFTWARE):
            assert workload is not None, (scenario, task, name, value)
            continue
        refused += 1
        assert [one.path for one in found] == [name], (scenario, task, name, value)
        assert str(found[0].values["allowed"]).split(", ") == list(field.allowed_words)
        assert name in found[0].sentence
    assert refused > 500


@pytest.mark.parametrize(
    ("task", "application"),
    [
        ("structure-prediction", "gromacs"),
        ("structure-prediction", "cfd"),
        ("simulation", "alphafold3"),
        ("simulation", "llama-3-8b"),
    ],
)
def test_an_application_matches_the_task(task, application):
    found = problems({"scenario": "science", "task": task, "application": application})
    assert [path for path, _code in found] == ["application"]


def test_large_and_deep_bodies_are_answered():
    many = llm(**{f"field{i}": 1 for i in range(100_000)})
    assert len(problems(many)) < 30
    assert problems(llm(model="x" * 10_000_000)) == [("model", "unknown-model")]
    deep: object = 1
    for _ in range(3000):
        deep = [deep]
    assert problems(llm(model={"hf_config": {"a": deep}}))
    wide = {str(i): i for i in range(50_000)}
    assert problems(llm(model={"hf_config": wide})) == [("model.hf_config", "config-too-large")]
    assert problems(llm(weight_format="q" * 1_000_000))


def test_fsdp_is_zero3_and_names_are_canonical():
    workload = parse_workload(
        {"scenario": "llm", "task": "training", "model": "Llama-3-8B", "sharding": "fsdp", "sequence_tokens": 2048.0},
        MODELS,
    )
    assert workload.get("sharding") == "zero3"
    assert workload.model is not None
    assert workload.model.slug == "llama-3-8b"
    assert workload.to_dict()["sequence_tokens"] == 2048


def test_every_code_has_a_sentence_and_every_default_is_allowed():
    assert all(sentence.endswith(".") for sentence in PROBLEM_SENTENCES.values())
    for (scenario, task), fields in FIELDS.items():
        assert len({field.name for field in fields}) == len(fields)
        for field in fields:
            if field.default is not None:
                parse_workload({**minimal(scenario, task), field.name: field.default}, MODELS)


def minimal(scenario: str, task: str) -> dict[str, object]:
    out: dict[str, object] = {"scenario": scenario, "task": task}
    if scenario == "science":
        out["application"] = "openmm" if task == "simulation" else "alphafold3"
    else:
        out["model"] = FIRST_MODEL[scenario]
    return out


def value_of(field: Field) -> st.SearchStrategy[object]:
    low, high = field.minimum or 0, field.maximum or 1
    match field.kind:
        case "bool":
            return st.booleans()
        case "int":
            return st.integers(math.ceil(low), int(high))
        case "number":
            return st.floats(low, high)
        case "size":
            side = st.integers(math.ceil(low), int(high))
            return st.one_of(side, st.lists(side, min_size=2, max_size=2))
        case "gpu-hours":
            return st.fixed_dictionaries({"gpu": st.just("rtx-4090-24g"), "hours": st.floats(low, high)})
        case _:
            return st.sampled_from(field.choices)


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, object]:
    scenario, task = draw(st.sampled_from(sorted(FIELDS)))
    data = minimal(scenario, task)
    for field in FIELDS[scenario, task]:
        if draw(st.booleans()):
            data[field.name] = draw(value_of(field))
    if draw(st.booleans()):
        unit = draw(st.sampled_from(DEMAND_UNITS[scenario, task]))
        data["demand"] = {"amount": draw(st.floats(1e-6, 1e15)), "unit": unit}
        if unit == "epochs":
            data["demand"]["samples"] = draw(st.integers(1, 10**9))  # type: ignore[index]
    if draw(st.booleans()):
        data["constraints"] = {
            "budget": draw(st.decimals(1, 10**9, places=2).map(str)),
            "currency": "CNY",
            "require": ["ecc"],
        }
    if draw(st.booleans()):
        data["schedule"] = {"hours_per_day": draw(st.floats(0.1, 24)), "weeks": draw(st.floats(0.1, 52))}
    data["priority"] = draw(st.sampled_from(["balanced", "cheapest", "fastest"]))
    return data


@given(workloads())
@settings(max_examples=150, deadline=None)
def test_what_is_valid_round_trips(data):
    parsed = parse_workload(data, MODELS)
    assert isinstance(parsed, Workload)
    assert parse_workload(json.loads(json.dumps(parsed.to_dict())), MODELS) == parsed


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(string.printable, max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(string.ascii_lowercase + "_", max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(
    st.dictionaries(
        st.sampled_from(
            ["scenario", "task", "model", "demand", "schedule", "constraints", "engine", "batch", "weight_format", "x"]
        ),
        JSON | st.sampled_from(["llm", "inference", "llama-3-8b", "bf16"]),
    )
)
@settings(max_examples=200, deadline=None)
def test_anything_else_is_answered_with_problems_never_a_traceback(data):
    parsed, found = read(data)
    assert (parsed is None) == bool(found)
    assert all(problem.sentence and problem.path for problem in found)
