"""What must hold for every model, engine, format and card."""

import dataclasses
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.sizing.llm.frameworks import FRAMEWORKS
from advisor.sizing.llm.stacks import ENGINES
from advisor.sizing.llm.weights import FORMATS, format_of
from tests.core.sizing.llm.asking import BIG, LIBRARY, dense_models, gpu, job, memory, parts, rate

MODELS = st.sampled_from(dense_models())
ANY_MODEL = MODELS | st.sampled_from(
    ["mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v2-lite", "gpt-oss-20b", "qwen3.6-27b", "gemma-4-26b-a4b"]
)
ENGINE = st.sampled_from([*sorted(ENGINES), None])
FORMAT = st.sampled_from([*sorted(FORMATS), "exl2-4.0bpw"])
FRAMEWORK = st.sampled_from([*sorted(FRAMEWORKS), None])
CARDS = st.sampled_from(sorted(LIBRARY.gpus))
FEW = settings(max_examples=60, deadline=None)
SMALL = 1e-9


def without_none(fields: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in fields.items() if value is not None}


@st.composite
def served(draw: st.DrawFn) -> dict[str, object]:
    return without_none(
        {
            "model": draw(ANY_MODEL),
            "engine": draw(ENGINE),
            "weight_format": draw(FORMAT),
            "prompt_tokens": draw(st.integers(1, 20_000)),
            "output_tokens": draw(st.integers(1, 4096)),
            "concurrency": draw(st.integers(1, 64)),
            "kv_cache_format": draw(st.sampled_from([None, "bf16", "fp8", "int8", "int4"])),
            "flash_attention": draw(st.sampled_from([None, True, False])),
        }
    )


@st.composite
def trained(draw: st.DrawFn) -> dict[str, object]:
    return without_none(
        {
            "model": draw(ANY_MODEL),
            "method": draw(
                st.sampled_from(
                    ["full", "lora", "qlora", "freeze", "dora", "lisa", "llamapro", "adapter", "adapter-v2"]
                )
            ),
            "framework": draw(FRAMEWORK),
            "sequence_tokens": draw(st.integers(16, 8192)),
            "micro_batch": draw(st.integers(1, 16)),
            "precision": draw(st.sampled_from([None, "bf16", "bf16-mixed", "fp32"])),
            "optimizer": draw(
                st.sampled_from([None, "adamw", "adamw-8bit", "paged-adamw", "sgd", "adafactor", "galore"])
            ),
            "gradient_checkpointing": draw(st.sampled_from([None, True, False])),
            "flash_attention": draw(st.sampled_from([None, True, False])),
            "compile": draw(st.booleans()),
            "fused_cross_entropy": draw(st.sampled_from([None, True, False])),
            "objective": draw(st.sampled_from([None, "sft", "dpo", "grpo", "ppo"])),
            "offload": draw(st.sampled_from([None, "none", "optimizer", "all"])),
        }
    )


@given(served(), st.sampled_from(["prompt_tokens", "output_tokens", "concurrency"]), st.integers(2, 8))
@FEW
def test_more_tokens_or_sequences_never_need_less(work, name, factor):
    assert memory(**{**work, name: work[name] * factor}) >= memory(**work) - SMALL


@given(served(), st.integers(1, 200_000), st.integers(1, 200_000))
@FEW
def test_a_longer_cache_never_needs_less(work, first, second):
    low, high = sorted((first, second))
    assert memory(**work, context_tokens=high) >= memory(**work, context_tokens=low) - SMALL


@given(st.floats(0.05, 900), st.floats(1.0, 3.0), ENGINE, st.sampled_from([None, "lora", "full", "qlora"]))
@FEW
def test_more_parameters_never_need_less(size, factor, engine, method):
    more: dict[str, object] = {"engine": engine} if method is None else {"method": method}
    more = without_none(more)
    assert (
        memory(model={"parameters_b": size * factor}, **more) >= memory(model={"parameters_b": size}, **more) * 0.9999
    )


@given(served())
@FEW
def test_packing_the_weights_never_needs_more(work):
    if format_of(str(work["weight_format"])).quantised:
        assert memory(**work) <= memory(**{**work, "weight_format": "bf16"}) + 0.51  # a kernel's own buffer
        packed, plain = parts(**work), parts(**{**work, "weight_format": "bf16"})
        assert packed["weights"] <= plain["weights"] + SMALL


@given(served(), st.sampled_from([1, 2, 4]))
@FEW
def test_more_cards_never_need_more_each(work, count):
    work["sharding"] = "tensor"
    assert memory(count=2 * count, **work) <= memory(count=count, **work) + SMALL


@given(trained(), st.sampled_from([1, 2, 4, 8]), st.sampled_from(["zero1", "zero2", "zero3", "tensor"]))
@FEW
def test_more_cards_never_need_more_each_when_training_is_sharded(work, count, sharding):
    work = {**work, "sharding": sharding, "gradient_checkpointing": True}
    if count == 1 and sharding == "zero3":
        return  # gathered layers come on top of the first split: a small model may need them more than the saving
    assert memory(count=2 * count, **work) <= memory(count=count, **work) + SMALL


@given(trained(), st.sampled_from(["sequence_tokens", "micro_batch"]), st.integers(2, 4))
@FEW
def test_longer_and_larger_batches_never_need_less(work, name, factor):
    assert memory(**{**work, name: work[name] * factor}) >= memory(**work) - SMALL


@given(trained())
@FEW
def test_checkpointing_and_fusing_never_need_more(work):
    plain = memory(**{**work, "gradient_checkpointing": False})
    heavy = FRAMEWORKS[str(work["framework"])].layer_work > 4 if work.get("framework") in FRAMEWORKS else False
    if not heavy:
        assert memory(**{**work, "gradient_checkpointing": True}) <= plain + SMALL
    assert memory(**{**work, "fused_cross_entropy": True}) <= memory(**{**work, "fused_cross_entropy": False}) + SMALL


@given(served() | trained(), CARDS, st.sampled_from([1, 2, 4, 8, 16]))
@FEW
def test_every_answer_is_whole(work, slug, count):
    asked = job(**work)
    card = gpu(slug)
    load, speed = asked.load(card, count), asked.rate(card, count)
    assert load is not None
    assert speed is not None
    assert all(size > 0 and math.isfinite(size) for size in load.parts.values())
    assert 0 <= load.floor_gib <= sum(load.parts.values())
    assert speed.value > 0
    assert math.isfinite(speed.value)
    spread = asked.spread(card, count)
    assert spread.data * spread.tensor * spread.pipeline * spread.sharded == count
    assert (spread.link == "none") == (count == 1)
    host = asked.host(card, count)
    assert host.ram_gib > 0
    assert host.cpu_cores > 0
    assert host.disk_gib > 0
    assert all(note.code for note in (*asked.notes(card, count), *asked.assumptions))


@given(
    served() | trained(),
    st.sampled_from(["rtx-3090-24g", "rtx-4090-24g", "a100-pcie-40g", "v100-sxm-32g"]),
    st.floats(1.0, 2.0),
    st.sampled_from([1, 2, 4]),
)
@FEW
def test_a_card_better_in_every_figure_is_never_slower(work, slug, factor, count):
    card = gpu(slug)
    better = dataclasses.replace(
        card,
        slug=f"{slug}-better",
        memory_bandwidth_gb_s=card.memory_bandwidth_gb_s * factor,
        boost_clock_mhz=card.boost_clock_mhz * factor,
        fp32_tflops=card.fp32_tflops * factor,
        fp16_tensor_fp32acc_tflops=(card.fp16_tensor_fp32acc_tflops or 1) * factor,
        nvlink_gb_s=card.nvlink_gb_s * factor,
        vram_gb=card.vram_gb * factor,
    )
    asked = job(**{**work, "sharding": "tensor"})
    slow, fast = asked.rate(card, count), asked.rate(better, count)
    assert slow is not None
    assert fast is not None
    assert fast.value >= slow.value * (1 - SMALL)


@pytest.mark.parametrize("engine", [*sorted(ENGINES)])
def test_longer_prompts_never_come_faster(engine):
    before = math.inf
    for prompt in (1, 64, 1024, 8192, 30_000):
        work = {"model": "qwen2.5-7b", "engine": engine, "prompt_tokens": prompt, "output_tokens": 512}
        found = rate(BIG, **work)
        assert found.value <= before
        assert (found.seconds_to_first_token or 0) > 0
        before = found.value


def test_more_sequences_bring_more_tokens_but_fewer_each():
    rates = [
        rate(BIG, model="qwen2.5-7b", engine="vllm", prompt_tokens=256, output_tokens=256, concurrency=n).value
        for n in (1, 4, 16, 64)
    ]
    assert rates == sorted(rates)
    assert rates[-1] / 64 < rates[0]
    assert rates[-1] > 8 * rates[0]
