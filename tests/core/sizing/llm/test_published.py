"""Published figures, each at the stack it was measured on, and wrong answers other tools gave, with the truth."""

import pytest

from tests.core.sizing.llm.asking import memory, parts, rate

GB = 1e9 / 2**30

SERVED = [
    # published GiB, tolerance, the work
    (
        "Qwen2.5-7B bf16 6144+2048, HF + FlashAttention-2",
        15.38,
        0.02,
        {
            "model": "qwen2.5-7b",
            "weight_format": "bf16",
            "prompt_tokens": 6144,
            "output_tokens": 2048,
            "engine": "transformers",
        },
    ),
    (
        "Qwen2.5-32B GPTQ-Int4 30720+2048",
        31.84,
        0.02,
        {
            "model": "qwen2.5-32b",
            "weight_format": "gptq-int4",
            "prompt_tokens": 30720,
            "output_tokens": 2048,
            "engine": "transformers",
        },
    ),
    (
        "Llama-3.1-8B bf16 forward of 2048",
        15.72,
        0.03,
        {
            "model": "llama-3.1-8b",
            "weight_format": "bf16",
            "prompt_tokens": 2048,
            "output_tokens": 1,
            "engine": "transformers",
        },
    ),
    (
        "Llama-2-70B nf4-dq at 4096",
        35.90,
        0.04,
        {
            "model": "llama-2-70b",
            "weight_format": "nf4-dq",
            "prompt_tokens": 4000,
            "output_tokens": 96,
            "engine": "litgpt",
        },
    ),
    (
        "Mixtral-8x7B fp16: all experts",
        87.49,
        0.02,
        {"model": "mixtral-8x7b", "weight_format": "fp16", "prompt_tokens": 4000, "output_tokens": 96},
    ),
    (
        "Llama-3-8B q4_k_m at 8192, llama.cpp's buffers",
        5.847,
        0.03,
        {"model": "llama-3-8b", "weight_format": "q4_k_m", "context_tokens": 8192, "engine": "llama.cpp"},
    ),
    (
        "Qwen2.5-7B-1M q4_k_m, 262144 tokens of 8-bit cache",
        11.5,
        0.06,
        {
            "model": "qwen2.5-7b-1m",
            "weight_format": "q4_k_m",
            "context_tokens": 262144,
            "kv_cache_format": "int8",
            "flash_attention": True,
            "engine": "llama.cpp",
        },
    ),
    (
        "gemma-3-4b at 128k",
        5.2,
        0.10,
        {"model": "gemma-3-4b", "weight_format": "q4_k_m", "context_tokens": 131072, "engine": "llama.cpp"},
    ),
    (
        "Qwen3.6-27B q4_k_m at 65536: 16 of 64 layers hold a cache",
        17.6,
        0.06,
        {
            "model": "qwen3.6-27b",
            "weight_format": "q4_k_m",
            "context_tokens": 65536,
            "kv_cache_format": "int8",
            "flash_attention": True,
            "engine": "llama.cpp",
        },
    ),
    (
        "Qwen3.5-9B Q8_0 at 8k on a 16 GB card",
        8.5 * 1.03,
        0.06,
        {"model": "qwen3.5-9b", "weight_format": "q8_0", "context_tokens": 8192, "engine": "llama.cpp"},
    ),
]

TRAINED = [
    ("Llama-3.2-1B full, AMP, no checkpointing", 28.45, 0.06, {"model": "llama-3.2-1b", "method": "full", "optimizer": "adamw", "precision": "bf16-mixed", "sequence_tokens": 2048, "micro_batch": 1, "gradient_checkpointing": False, "framework": "transformers"}),
    ("Llama-3.1-8B LoRA r16 q,k,v,o, checkpointing", 19.14, 0.06, {"model": "llama-3.1-8b", "method": "lora", "lora_rank": 16, "lora_targets": "attention", "sequence_tokens": 2048, "micro_batch": 1, "gradient_checkpointing": True, "framework": "transformers"}),
    ("Llama-2-7B LoRA r8 q,v, litgpt", 19.84, 0.05, {"model": "llama-2-7b", "method": "lora", "lora_rank": 8, "lora_targets": "attention-qv", "precision": "bf16", "sequence_tokens": 1304, "micro_batch": 1, "framework": "litgpt"}),
    ("Llama-2-7B QLoRA nf4-dq, litgpt", 12.89, 0.10, {"model": "llama-2-7b", "method": "qlora", "base_format": "nf4-dq", "lora_rank": 8, "lora_targets": "attention-qv", "precision": "bf16", "sequence_tokens": 1304, "micro_batch": 1, "framework": "litgpt"}),
    ("CodeLlama-7B LoRA at 2048, about 16", 16.0, 0.10, {"model": "codellama-7b", "method": "lora", "sequence_tokens": 2048, "micro_batch": 1, "framework": "transformers"}),
    ("Qwen2-7B LoRA r8 at 1024 in LLaMA-Factory", 17.9, 0.10, {"model": "qwen2-7b", "method": "lora", "lora_rank": 8, "sequence_tokens": 1024, "micro_batch": 1, "framework": "llama-factory"}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("what", "published_gib", "tolerance", "work"),
    [*SERVED, *TRAINED],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_memory_is_the_published_one(what, published_gib, tolerance, work):
    assert memory(**work) == pytest.approx(published_gib, rel=tolerance), what


def test_no_work_of_the_peers_comparison_is_refused():
    assert memory(model="llama-3-8b", weight_format="bf16", prompt_tokens=8000, output_tokens=192) > 15.9
    full = {
        "model": "llama-2-7b",
        "method": "full",
        "optimizer": "adamw",
        "precision": "bf16-mixed",
        "sequence_tokens": 2048,
    }
    assert memory(**full, gradient_checkpointing=False) > 100.4
    sharded = parts(count=8, **full, sharding="zero3")
    assert sum(sharded[name] for name in ("gradients", "optimizer")) == pytest.approx(12 * 6.738 * GB / 8, rel=0.01)
    assert sum(sharded.values()) > 12.6


def test_sliding_windows_keep_their_window():
    at_128k = parts(model="gemma-4-26b-a4b", weight_format="q4_k_m", context_tokens=131072, engine="llama.cpp")
    at_8k = parts(model="gemma-4-26b-a4b", weight_format="q4_k_m", context_tokens=8192, engine="llama.cpp")
    assert at_128k["kv_cache"] == pytest.approx(3.00 * GB, rel=0.03)  # a tool said 56.37 GB
    assert at_8k["kv_cache"] == pytest.approx(0.48 * GB, rel=0.03)  # 3.52 GB


def test_linear_layers_hold_no_growing_cache():
    short = parts(model="qwen3.6-35b-a3b", weight_format="q4_k_m", context_tokens=8192, engine="llama.cpp")["kv_cache"]
    long = parts(model="qwen3.6-35b-a3b", weight_format="q4_k_m", context_tokens=8192 * 4, engine="llama.cpp")[
        "kv_cache"
    ]
    per_token = (long - short) * 2**30 / (3 * 8192)
    assert per_token == pytest.approx(10 * 2 * 2 * 256 * 2)  # 10 of 40 layers, not 40


def test_grouped_heads_count_and_latent_attention_too():
    assert parts(model="llama-3-8b", prompt_tokens=8000, output_tokens=192, engine="vllm")["kv_cache"] == pytest.approx(
        1.0
    )
    latent = parts(
        "b300-sxm-288g",
        4,
        model="deepseek-v3",
        weight_format="fp8",
        context_tokens=100_000,
        prompt_tokens=1,
        engine="vllm",
    )
    assert latent["kv_cache"] * 2**30 == pytest.approx(100_000 * 61 * (512 + 64) * 2, rel=0.01)


def test_the_cache_is_not_quantised_with_the_weights():
    work = {"model": "qwen2.5-32b", "prompt_tokens": 30720, "output_tokens": 2048, "engine": "transformers"}
    packed, plain = parts(**work, weight_format="gptq-int4"), parts(**work, weight_format="bf16")
    assert packed["kv_cache"] == plain["kv_cache"]


def test_the_overhead_does_not_grow_with_the_card():
    work = {"model": "llama-3.1-8b", "method": "lora", "sequence_tokens": 2048, "framework": "transformers"}
    assert memory("a100-sxm-80g", **work) == memory("rtx-4090-24g", **work)


def test_full_training_of_70b_is_not_300_gb():
    assert memory(model="llama-3-70b", method="full", sequence_tokens=2048, precision="bf16", optimizer="adamw") > 500
    assert (
        8
        * memory(
            count=8, model="llama-3-70b", method="full", sequence_tokens=2048, precision="bf16-mixed", sharding="zero3"
        )
        > 1100
    )


SPOKEN = [
    ("rtx-4090-24g", 1, 54.34, {"model": "llama-3-8b", "weight_format": "fp16"}),
    ("rtx-4090-24g", 1, 127.74, {"model": "llama-3-8b", "weight_format": "q4_k_m"}),
    ("rtx-3090-24g", 1, 46.51, {"model": "llama-3-8b", "weight_format": "fp16"}),
    ("rtx-3090-24g", 1, 111.74, {"model": "llama-3-8b", "weight_format": "q4_k_m"}),
    ("rtx-4090-24g", 2, 19.06, {"model": "llama-3-70b", "weight_format": "q4_k_m"}),
    ("rtx-4090-24g", 4, 18.83, {"model": "llama-3-70b", "weight_format": "q4_k_m"}),
    ("rtx-3090-24g", 2, 16.29, {"model": "llama-3-70b", "weight_format": "q4_k_m"}),
]


@pytest.mark.parametrize(("slug", "count", "tokens_per_second", "work"), SPOKEN)
def test_llama_cpp_generates_at_the_published_speed(slug, count, tokens_per_second, work):
    found = rate(slug, count, **work, engine="llama.cpp", prompt_tokens=1, output_tokens=1024)
    assert found.generation_tokens_per_second == pytest.approx(tokens_per_second, rel=0.10)


@pytest.mark.parametrize(("prompt", "tokens_per_second"), [(1, 84.28), (6144, 80.70), (30720, 70.33)])
def test_vllm_generates_at_the_published_speed(prompt, tokens_per_second):
    found = rate(model="qwen2.5-7b", weight_format="bf16", engine="vllm", prompt_tokens=prompt, output_tokens=2048)
    assert found.value == pytest.approx(tokens_per_second, rel=0.10)


def test_a_layer_split_adds_memory_not_speed():
    work = {
        "model": "llama-3-70b",
        "weight_format": "q4_k_m",
        "engine": "llama.cpp",
        "prompt_tokens": 64,
        "output_tokens": 256,
    }
    two, eight = rate("rtx-4090-24g", 2, **work), rate("rtx-4090-24g", 8, **work)
    assert two.generation_tokens_per_second is not None
    assert (
        two.generation_tokens_per_second * 0.9
        < (eight.generation_tokens_per_second or 0)
        <= two.generation_tokens_per_second
    )
    assert memory("rtx-4090-24g", 8, **work) < memory("rtx-4090-24g", 2, **work) / 3
