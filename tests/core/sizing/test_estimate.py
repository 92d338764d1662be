"""The assembled answer: contract form, intervals, verdict, known disagreements, memory of what was asked."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.library import library
from advisor.sizing.anchor import better_card
from advisor.sizing.answer import Memory, fit_of
from advisor.sizing.estimate import estimate, prepare, shared_of, to_dict
from advisor.sizing.problems import WorkloadError

LIBRARY = library()
GPUS = LIBRARY.gpus
WHISPER = {"scenario": "speech", "task": "transcription", "model": "whisper-large-v2", "engine": "openai-whisper"}
FLUX = {"scenario": "aigc", "task": "image-generation", "model": "flux.1-dev", "width": 1024, "height": 1024}
WAN = {
    "scenario": "aigc",
    "task": "video-generation",
    "model": "wan2.1-t2v-14b",
    "width": 832,
    "height": 480,
    "frames": 81,
}
RESNET = {"scenario": "vision", "task": "training", "model": "resnet-50", "kind": "classification", "batch": 128}
OPENMM = {"scenario": "science", "task": "simulation", "application": "openmm", "system": "apoa1-pme"}
CHAT = {"scenario": "llm", "task": "inference", "model": "qwen2.5-7b", "engine": "vllm", "weight_format": "bf16"}
QLORA = {"scenario": "llm", "task": "training", "model": "llama-2-7b", "method": "qlora", "sequence_tokens": 1024}
WORKS = [WHISPER, FLUX, WAN, RESNET, OPENMM, CHAT, QLORA]
FORM = {
    "gpu",
    "count",
    "fit",
    "memory",
    "speed",
    "hours",
    "hours_low",
    "hours_high",
    "plan",
    "host",
    "assumptions",
    "evidence",
    "warnings",
}


@pytest.mark.parametrize("work", WORKS, ids=lambda work: work.get("model") or work["application"])
@pytest.mark.parametrize("count", [1, 2, 4])
def test_the_answer_has_the_contracts_form(work, count):
    found = to_dict(estimate(work, GPUS["rtx-4090-24g"], count, LIBRARY))
    assert set(found) == FORM
    memory, speed = found["memory"], found["speed"]
    assert memory["low_gib"] <= memory["per_gpu_gib"] <= memory["high_gib"]
    assert sum(memory["parts"].values()) == pytest.approx(memory["per_gpu_gib"], rel=1e-4)
    assert all(size >= 0 for size in memory["parts"].values())
    assert speed["low"] <= speed["value"] <= speed["high"]
    assert found["fit"] in ("fits", "tight", "does_not_fit")
    assert math.prod(found["plan"][name] for name in ("data", "tensor", "pipeline", "sharded")) == count
    assert len(found["evidence"]) <= 3
    assert all(one["source"] for one in found["evidence"])
    json.dumps(found, allow_nan=False)


def test_the_verdict_follows_the_interval():
    def memory(low, high):
        return Memory(per_gpu_gib=(low + high) / 2, low_gib=low, high_gib=high, usable_gib=20.0, parts={})

    assert fit_of(memory(10, 20)) == "fits"
    assert fit_of(memory(19, 21)) == "tight"
    assert fit_of(memory(20.5, 30)) == "does_not_fit"


def test_the_very_work_on_the_very_card_is_what_was_measured():
    index = shared_of(LIBRARY).index
    checked = 0
    for fact in index.facts:
        if fact.id not in {"G0001", "G0025", "C0030", "V0170", "V0182"} or not fact.exact:
            continue
        found = estimate(fact.workload, GPUS[fact.gpu], fact.count, LIBRARY)
        figure = found.memory.per_gpu_gib if fact.metric == "memory" else found.speed.value
        assert figure == pytest.approx(fact.value, rel=0.25), fact.id
        checked += 1
    assert checked >= 3


def test_software_versions_that_disagree_are_told_with_both_figures():
    found = estimate(WHISPER, GPUS["rtx-4090-24g"], 1, LIBRARY)
    note = next(note for note in found.warnings if note.code == "software-version-range")
    assert {round(note.values["low"], 1), round(note.values["high"], 1)} == {4.6, 11.1}
    assert note.values["low_source"] != note.values["high_source"]
    assert found.memory.low_gib <= 4.6
    assert found.memory.high_gib >= 11.05
    assert found.memory.per_gpu_gib == pytest.approx(4.6, rel=0.1)


def test_old_releases_make_a_small_card_tight_not_safe():
    found = estimate(WHISPER, GPUS["rtx-3080-10g"], 1, LIBRARY) if "rtx-3080-10g" in GPUS else None
    small = found or estimate(WHISPER, min(GPUS.values(), key=lambda gpu: gpu.vram_gb), 1, LIBRARY)
    assert small.fit != "fits"


def test_openmm_versions_are_told():
    found = estimate(OPENMM, GPUS["h100-sxm-80g"], 1, LIBRARY)
    note = next(note for note in found.warnings if note.code == "software-version-range")
    assert note.values["low"] == pytest.approx(609, abs=1)
    assert note.values["high"] == pytest.approx(742, abs=1)
    assert found.speed.low <= 610
    assert found.speed.high >= 742


def test_a_qlora_without_a_framework_is_told_as_a_range_of_frameworks():
    found = estimate(QLORA, GPUS["rtx-3090-24g"], 1, LIBRARY)
    codes = {note.code for note in found.warnings}
    assert "software-version-range" in codes
    assert "software-open" in codes
    assert found.memory.tier == "unknown-stack"


def test_long_prompts_of_a_7b_differ_by_release():
    work = {**CHAT, "engine": "transformers", "prompt_tokens": 30720, "output_tokens": 2048}
    found = estimate(work, GPUS["a100-sxm-80g"], 1, LIBRARY)
    note = next(note for note in found.warnings if note.code == "software-version-range")
    assert (round(note.values["low"]), round(note.values["high"])) == (20, 62)


def test_hours_follow_the_demand():
    work = {**RESNET, "demand": {"amount": 1e7, "unit": "images"}}
    found = estimate(work, GPUS["rtx-3090-24g"], 1, LIBRARY)
    assert found.hours == pytest.approx(1e7 / found.speed.value / 3600)
    assert found.hours_low < found.hours < found.hours_high
    assert estimate(RESNET, GPUS["rtx-3090-24g"], 1, LIBRARY).hours is None


def test_gpu_hours_are_shared_by_the_cards():
    work = {**RESNET, "demand": {"amount": 100, "unit": "gpu_hours"}}
    assert estimate(work, GPUS["rtx-3090-24g"], 4, LIBRARY).hours == 25


def test_a_broken_workload_names_its_problem():
    with pytest.raises(WorkloadError) as caught:
        estimate({**FLUX, "widht": 3}, GPUS["rtx-3090-24g"], 1, LIBRARY)
    assert caught.value.problems[0].path == "widht"
    for nonsense in (None, [], "x", 3, {"scenario": object()}):
        with pytest.raises(WorkloadError):
            estimate(nonsense, GPUS["rtx-3090-24g"], 1, LIBRARY)


def test_asking_again_gives_the_same_answer_and_other_words_another():
    one = estimate(FLUX, GPUS["rtx-4090-24g"], 1, LIBRARY)
    assert estimate(dict(FLUX), GPUS["rtx-4090-24g"], 1, LIBRARY) == one
    assert estimate({**FLUX, "batch": 4}, GPUS["rtx-4090-24g"], 1, LIBRARY) != one
    assert estimate({**FLUX, "batch": 4.0}, GPUS["rtx-4090-24g"], 1, LIBRARY).memory == (
        estimate({**FLUX, "batch": 4}, GPUS["rtx-4090-24g"], 1, LIBRARY).memory
    )


def test_a_fact_left_out_is_seen_nowhere():
    blind = prepare(OPENMM, LIBRARY, exclude=lambda fact: True).on(GPUS["h100-sxm-80g"])
    assert blind.evidence == ()
    assert blind.speed.tier != "anchored"
    assert not [note for note in blind.warnings if note.code == "software-version-range"]


CARDS = sorted(GPUS)
PIXELS = st.sampled_from([256, 512, 768, 1024, 1280, 1536])


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(CARDS), PIXELS, PIXELS, st.integers(1, 8), st.integers(1, 8))
def test_more_pixels_and_more_pictures_never_need_less(card, small, large, few, many):
    small, large = sorted((small, large))
    few, many = sorted((few, many))
    one = estimate({**FLUX, "width": small, "height": small, "batch": few}, GPUS[card], 1, LIBRARY)
    other = estimate({**FLUX, "width": large, "height": large, "batch": many}, GPUS[card], 1, LIBRARY)
    assert one.memory.per_gpu_gib <= other.memory.per_gpu_gib * (1 + 1e-9)


@settings(deadline=None, max_examples=80)
@given(st.sampled_from(WORKS), st.sampled_from(CARDS), st.sampled_from(CARDS))
def test_a_card_better_in_every_figure_is_never_slower(work, one, other):
    better, worse = GPUS[one], GPUS[other]
    if not better_card(better, worse):
        return
    fast, slow = (estimate(work, gpu, 1, LIBRARY).speed for gpu in (better, worse))
    if fast.unit.startswith("seconds"):
        assert fast.value <= slow.value * (1 + 1e-9)
    else:
        assert fast.value >= slow.value * (1 - 1e-9)
