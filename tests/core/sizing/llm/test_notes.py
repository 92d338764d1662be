"""The usual mistakes, caught: each with its figures where it applies, and not where it does not."""

from advisor.sizing.answer import Note
from tests.core.sizing.llm.asking import codes, gpu, job


def note(code: str, slug: str, count: int = 1, **fields: object) -> Note:
    asked = job(**fields)
    return next(one for one in (*asked.notes(gpu(slug), count), *asked.assumptions) if one.code == code)


SERVE = {"model": "qwen2.5-7b", "prompt_tokens": 1024, "output_tokens": 256}
TRAIN = {"model": "llama-3-8b", "method": "lora", "sequence_tokens": 2048}


def test_precision_the_card_lacks():
    assert "no-fp8" in codes("a100-sxm-80g", **SERVE, weight_format="fp8")
    assert "no-fp8" in codes("a800-sxm-80g", **SERVE, weight_format="fp8")
    assert "no-fp8" not in codes("rtx-4090-24g", **SERVE, weight_format="fp8")
    assert "no-bf16" in codes("v100-sxm-32g", **SERVE, weight_format="bf16")
    assert "no-bf16" in codes("v100-sxm-32g", **TRAIN, precision="bf16-mixed")
    assert "no-bf16" not in codes("rtx-3090-24g", **TRAIN, precision="bf16-mixed")
    assert "no-tf32" in codes("v100-sxm-32g", **TRAIN, precision="tf32")


def test_what_vllm_takes_is_not_what_the_work_needs():
    taken = note("engine-preallocates", "a100-sxm-80g", **SERVE, engine="vllm")
    assert taken.values["takes_gib"] > 70
    assert taken.values["needs_gib"] < 20


def test_the_engine_is_asked_for_where_it_decides():
    assert "ask-engine" in codes(**SERVE, weight_format="bf16")
    assert "ask-engine" not in codes(**SERVE, weight_format="q4_k_m")
    assert "ask-engine" not in codes(**SERVE, engine="vllm")
    assert note("engine-implied", "rtx-4090-24g", **SERVE, weight_format="q4_k_m").values["value"] == "llama.cpp"
    assert "ask-framework" in codes(**TRAIN)
    assert "ask-framework" not in codes(**TRAIN, framework="torchtune")
    assert "ask-sequence" in codes(model="llama-3-8b", method="lora", framework="torchtune")


def test_the_cap_is_named_where_the_default_context_would_not_fit():
    cap = note(
        "context-cap", "rtx-4090-24g", model="llama-3.1-8b", engine="vllm", prompt_tokens=2048, output_tokens=512
    )
    assert cap.values["max_context"] == 131072
    assert cap.values["cache_gib_at_max"] > 15
    assert "context-cap" not in codes("a100-sxm-80g", model="llama-3.1-8b", engine="vllm", prompt_tokens=2048)
    assert "context-over-model" in codes(model="llama-2-7b", engine="vllm", prompt_tokens=8000)


def test_room_for_more_sequences_is_counted():
    room = note("room-for-sequences", "rtx-4090-24g", **SERVE, engine="vllm", weight_format="bf16")
    each_gib = 28 * 2 * 4 * 128 * 2 * 1280 / 2**30
    assert 0 < room.values["sequences"] * each_gib < 23.1 - 14.2


def test_what_a_second_card_buys():
    nvlink = note("more-cards-buy", "a100-sxm-80g", 2, **TRAIN, framework="torchtune").values["factor"]
    assert 1.8 < nvlink <= 2.0
    work = {
        "model": "llama-3-70b",
        "weight_format": "q4_k_m",
        "engine": "llama.cpp",
        "prompt_tokens": 64,
        "output_tokens": 256,
    }
    assert "layer-split-no-speed" in codes("rtx-4090-24g", 2, **work)
    assert note("more-cards-buy", "rtx-4090-24g", 4, **work).values["factor"] <= 1.05
    assert "no-p2p" in codes("rtx-4090-24g", 2, **work)
    assert "no-p2p" not in codes("a100-sxm-80g", 2, **work)


def test_large_vocabularies_and_how_to_be_rid_of_their_logits():
    work = {"model": "qwen2.5-7b", "method": "lora", "sequence_tokens": 4096, "framework": "transformers"}
    assert note("logits-large", "rtx-4090-24g", **work).values["gib"] > 7
    assert note("fuse-cross-entropy", "rtx-4090-24g", **work).values["saves_gib"] > 5
    assert "logits-large" not in codes("rtx-4090-24g", **{**work, "framework": "torchtune"})


def test_levers_only_where_the_card_is_full():
    full = {"model": "llama-3-8b", "method": "full", "sequence_tokens": 2048, "framework": "transformers"}
    assert "optimizer-8bit" in codes("rtx-4090-24g", **full)
    open_lora = {**TRAIN, "gradient_checkpointing": False, "framework": "transformers"}
    assert "checkpoint" in codes("rtx-4090-24g", **open_lora)
    assert "quantise" in codes("rtx-3080-10g", **TRAIN)
    assert not {"quantise", "checkpoint"} & codes("a100-sxm-80g", **TRAIN, framework="torchtune")


def test_software_versions_and_quality_are_said():
    assert "version-range" in codes(**{**SERVE, "prompt_tokens": 16_000}, engine="transformers", weight_format="bf16")
    assert "quantise-quality" in codes(**SERVE, engine="vllm", weight_format="awq")
    assert "offload-slow" in codes(**{**TRAIN, "method": "full"}, offload="all")
    assert "no-vision-tower" in codes(**SERVE, engine="vllm", images=2)
    assert "no-vision-tower" not in codes(model="qwen2.5-vl-7b", engine="vllm", images=2, image_size=[1080, 1920])


def test_every_default_is_stated():
    fields = {one.field for one in job(model="llama-3-8b").assumptions}
    assert {"weight_format", "engine", "prompt_tokens", "output_tokens", "concurrency", "kv_cache_format"} <= fields
    fields = {one.field for one in job(model="llama-3-8b", method="lora").assumptions}
    assert {
        "framework",
        "precision",
        "optimizer",
        "sequence_tokens",
        "micro_batch",
        "lora_rank",
        "lora_targets",
    } <= fields
    assert any(one.code == "typical-shape" for one in job(model={"parameters_b": 13}).assumptions)
