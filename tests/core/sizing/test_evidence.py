"""Measurements found near a work, and how near."""

from advisor.library import library
from advisor.sizing.estimate import shared_of
from advisor.sizing.evidence import Around, Nearby, build_index, fact_of, repository_of, work_distance, work_of
from advisor.sources import address_of

WORK = {
    "model": "llama-3-8b",
    "engine": "llama.cpp",
    "weight_format": "q4_k_m",
    "concurrency": 1,
}


def near(index, task, work, size_b, exclude=None):
    return Nearby(index, Around("llm", task, work, size_b, exclude), library().gpus)


def test_one_publication_is_one_source():
    assert repository_of("pytorch/torchtune@bd2a0fc README.md") == "pytorch/torchtune"
    assert repository_of("SYSTRAN/faster-whisper issue #1030, https://github.com/x") == "SYSTRAN/faster-whisper"
    assert repository_of("huggingface/diffusers docs/source/en/a.md @54cddc1e") == "huggingface/diffusers"
    assert repository_of("https://gigagpu.com/whisper-large-v3-rtf-by-gpu/").startswith("https://gigagpu.com")


def test_sources_link_to_what_they_name():
    assert (
        address_of("pytorch/torchtune@bd2a0fc README.md")
        == "https://github.com/pytorch/torchtune/blob/bd2a0fc/README.md"
    )
    assert address_of("vladmandic/sd-data@7e13025 input/benchmark-raw-2025-*.json") == (
        "https://github.com/vladmandic/sd-data/tree/7e13025"
    )
    assert (
        address_of("shashikg/WhisperS2T issue #37 (user report)") == "https://github.com/shashikg/WhisperS2T/issues/37"
    )
    assert address_of("gist vphill/e17, https://gist.github.com/vphill/e17") == "https://gist.github.com/vphill/e17"
    assert address_of("javascript:alert(1)") is None


def test_every_fact_reads_and_names_a_source():
    for row in library().facts:
        fact = fact_of(row)
        assert fact.value > 0, fact.id
        assert fact.source, fact.id
        assert fact.count >= 1, fact.id


def test_distance_is_zero_for_the_same_work_and_grows_with_what_differs():
    near = {**WORK, "prompt_tokens": 1024}
    assert work_distance(WORK, WORK) == 0
    assert (
        0 < work_distance(near, {**near, "prompt_tokens": 2048}) < work_distance(near, {**near, "prompt_tokens": 8192})
    )
    assert work_distance(WORK, {**WORK, "engine": "vllm"}) > work_distance(WORK, {**WORK, "flash_attention": True})


def test_the_same_work_on_the_same_card_comes_first():
    known = library()
    found = near(shared_of(known).index, "inference", work_of(WORK), 8.0)
    first = found.on(known.gpus["rtx-4090-24g"], 1)
    assert len(first) == 3
    assert first[0].gpu == "rtx-4090-24g"
    assert "llama-3-8b" in first[0].what
    assert [one.distance for one in first] == sorted(one.distance for one in first)


def test_an_unmeasured_model_shows_models_of_like_size():
    known = library()
    found = near(shared_of(known).index, "inference", {"weight_format": "bf16"}, 7.5).on(known.gpus["a100-sxm-80g"], 1)
    assert found
    assert all(one.distance >= 2 for one in found)


def test_doubtful_rows_are_shown_to_nobody_and_excluded_ones_are_unseen():
    known = library()
    index = build_index(known)
    barred = {fact.id for fact in index.facts if not fact.usable_for}
    assert barred
    for model in ("llama-3.1-8b", "qwen2.5-7b", "llama-3-8b"):
        found = near(index, "training", {"model": model}, 8.0)
        assert not barred & {fact.id for _, fact in found.found}
    everything = near(index, "inference", work_of(WORK), 8.0, lambda fact: True)
    assert everything.found == ()
