"""Answers in an address <-> workload: nothing lost on the way, nothing ignored."""

import base64
import json
import zlib
from urllib.parse import parse_qs

import pytest
from django.http import QueryDict
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor import answers as address
from advisor.library import library
from advisor.sizing.fields import (
    CONSTRAINT_FIELDS,
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    REQUIREMENTS,
    SCHEDULE_FIELDS,
    STAGES,
    Field,
)
from advisor.sizing.parsing.workload import parse_workload

MODELS = {"llm": "llama-3-8b", "aigc": "sdxl-base-1.0", "speech": "whisper-large-v2", "vision": "resnet-50"}


def numbers(field: Field) -> st.SearchStrategy[object]:
    low, high = field.minimum or 0, min(field.maximum or 1e9, 1e9)
    if field.kind == "int":
        return st.integers(int(low), int(high))
    return st.floats(low, high, allow_nan=False)


def values(field: Field) -> st.SearchStrategy[object]:
    match field.kind:
        case "choice" | "open-choice":
            return st.sampled_from(field.choices)
        case "bool":
            return st.booleans()
        case "size":
            side = st.integers(16, 16_384)
            return side | st.tuples(side, side).map(list)
        case "gpu-hours":
            return st.fixed_dictionaries(
                {"gpu": st.sampled_from(sorted(library().gpus)), "hours": st.floats(0.001, 1e6)}
            )
        case _:
            return numbers(field)


@st.composite
def workloads(draw: st.DrawFn) -> dict[str, object]:
    scenario, task = draw(st.sampled_from(sorted(FIELDS)))
    body: dict[str, object] = {"scenario": scenario, "task": task}
    if scenario != "science":
        body["model"] = draw(
            st.just(MODELS[scenario])
            | st.fixed_dictionaries({"parameters_b": st.floats(0.001, 1000) | st.integers(1, 1000)})
        )
    for field in FIELDS[scenario, task]:
        if field.required or draw(st.booleans()):
            body[field.name] = draw(values(field))
    if draw(st.booleans()):
        unit = draw(st.sampled_from(DEMAND_UNITS[scenario, task]))
        body["demand"] = {"amount": draw(st.floats(1e-3, 1e15) | st.integers(1, 10**15)), "unit": unit}
        if unit == "epochs":
            body["demand"]["samples"] = draw(st.integers(1, 10**9))
    if draw(st.booleans()):
        body["schedule"] = draw(st.fixed_dictionaries({}, optional={f.name: numbers(f) for f in SCHEDULE_FIELDS}))
    limits = draw(
        st.fixed_dictionaries(
            {},
            optional={
                **{f.name: numbers(f) for f in CONSTRAINT_FIELDS},
                "budget": st.decimals(1, 1_000_000, places=2).map(str),
                "currency": st.just("CNY"),
                "region": st.sampled_from(["cn-east", "华东"]),
                "require": st.lists(st.sampled_from(REQUIREMENTS), unique=True, min_size=1),
            },
        )
    )
    if limits:
        body["constraints"] = limits
    body["priority"], body["stage"] = draw(st.sampled_from(PRIORITIES)), draw(st.sampled_from(STAGES))
    return body


@given(body=workloads())
@settings(max_examples=200, deadline=None)
def test_a_workload_survives_its_address(body: dict[str, object]) -> None:
    workload = parse_workload(body, library().models, library().gpus)
    reading = address.read(QueryDict(address.query_of(workload)))
    assert reading.problems == ()
    assert reading.workload == parse_workload(workload.to_dict(), library().models)
    assert address.query_of(reading.workload) == address.query_of(workload)


CONFIG = {"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000,
          "num_attention_heads": 32, "intermediate_size": 11008, "model_type": "llama"}  # fmt: skip


@pytest.mark.parametrize(
    "more", [{}, {"quantization_config": {"modules_to_not_convert": [f"layer.{i}.mlp" for i in range(300)]}}]
)
def test_a_config_travels_in_the_address(more: dict[str, object]) -> None:
    config = {**CONFIG, **more}
    workload = parse_workload(
        {"scenario": "llm", "task": "inference", "model": {"hf_config": config}}, library().models
    )
    query = address.query_of(workload)
    assert len(query) < 3 * address.MAX_ADDRESS
    assert address.read(QueryDict(query)).body["model"] == {"hf_config": config}


def test_a_config_too_long_for_an_address_is_told() -> None:
    noise = {f"k{i}": f"{i * 7919 % 104729:x}{i * 104729 % 1299709:x}" for i in range(2000)}
    with pytest.raises(address.ConfigTextError, match="too-long-for-address"):
        address.pack_config(noise)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "not-json"),
        ("z:!!", "not-json"),
        ("z:AAAA", "not-json"),
        ("{" + '"a":' * 50_000, "not-json"),
        ('{"a":"' + "x" * 2_000_001 + '"}', "too-large"),
    ],
)
def test_broken_configs_are_refused(text: str, code: str) -> None:
    with pytest.raises(address.ConfigTextError, match=code):
        address.unpack_config(text)


def test_a_packed_bomb_stays_small() -> None:
    bomb = "z:" + base64.urlsafe_b64encode(zlib.compress(b"[" * 50_000_000, 9)).decode()
    with pytest.raises(address.ConfigTextError, match="too-large"):
        address.unpack_config(bomb)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("20M", 20_000_000),
        ("1.5B", 1_500_000_000),
        ("2千万", 20_000_000),
        ("3 亿", 300_000_000),
        ("1,000", 1000),
        ("1e9", 1e9),
        ("500k", 500_000),
    ],
)
def test_amounts_as_people_write_them(text: str, number: float) -> None:
    query = QueryDict(mutable=True)
    query.update({"scenario": "llm", "task": "training", "model": "llama-3-8b", "amount": text, "unit": "tokens"})
    workload = address.read(query).workload
    assert workload is not None
    assert workload.demand is not None
    assert workload.demand.amount == number


def test_nothing_is_ignored() -> None:
    reading = address.read(
        QueryDict("scenario=llm&task=training&model=llama-3-8b&sequense_tokens=2048&budget=much&require=eec")
    )
    assert {address.input_of(one.path) for one in reading.problems} == {"sequense_tokens", "budget", "require"}


def test_the_last_value_counts_and_empties_do_not() -> None:
    reading = address.read(
        QueryDict(
            "scenario=llm&task=training&model=llama-3-8b&sequence_tokens=2048&sequence_tokens=3000&sequence_tokens="
        )
    )
    assert reading.body["sequence_tokens"] == 3000


def test_a_clean_address() -> None:
    answers = QueryDict("scenario=llm&a=&b=1&b=2&require=ecc&require=mig&go=check&require=ecc")
    assert parse_qs(address.clean_query(answers, task="training")) == {
        "task": ["training"], "scenario": ["llm"], "b": ["2"], "require": ["ecc", "mig"]}  # fmt: skip


def test_the_model_may_be_a_size_or_a_config() -> None:
    assert address.model_json("13B") == {"parameters_b": 13}
    assert address.model_json("350m") == {"parameters_b": 0.35}
    assert address.model_json(json.dumps(CONFIG)) == {"hf_config": CONFIG}
    assert address.model_json("Qwen/Qwen2.5-7B") == "Qwen/Qwen2.5-7B"


def test_nul_does_not_travel() -> None:
    answers = QueryDict("scenario=llm&task=inference&model=llama-3%00-8b&require=e%00cc&require=%00&engine=%00vllm")
    assert address.last(answers, "model") == "llama-3-8b"
    assert "%00" not in address.clean_query(answers)
    workload = address.read(answers).workload
    assert workload is not None
    assert workload.constraints.require == ("ecc",)
