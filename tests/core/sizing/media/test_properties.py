"""What must hold for any job: more never needs less, parts add up, better cards are not slower."""

import dataclasses
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.sizing.anchor import better_card
from advisor.sizing.transfer import LAW, LBM_BYTES, relative_time
from tests.core.sizing.media.published import LIBRARY, job_for, memory_gib, speed

GPUS = LIBRARY.gpus
MEDIA = {
    scenario: sorted(slug for slug, row in LIBRARY.models.items() if (row.get("scenario") or "").startswith(scenario))
    for scenario in ("aigc image", "aigc video", "speech", "vision")
}
CARDS = ("rtx-3060-12g", "rtx-4090-24g", "a100-sxm-80g", "v100-pcie-32g", "h20-96g")

image = st.fixed_dictionaries(
    {"scenario": st.just("aigc"), "task": st.just("image-generation"), "model": st.sampled_from(MEDIA["aigc image"])},
    optional={
        "weight_format": st.sampled_from(["fp16", "bf16", "fp8", "nf4", "q4_k_m"]),
        "offload": st.sampled_from(["none", "model", "sequential", "group"]),
        "vae_tiling": st.booleans(),
        "attention": st.sampled_from(["flash", "eager"]),
        "loras": st.integers(0, 3),
    },
)
video = st.fixed_dictionaries(
    {"scenario": st.just("aigc"), "task": st.just("video-generation"), "model": st.sampled_from(MEDIA["aigc video"])},
    optional={
        "weight_format": st.sampled_from(["bf16", "fp8", "int8", "nf4"]),
        "offload": st.sampled_from(["none", "model", "sequential", "group"]),
        "vae_tiling": st.booleans(),
        "sharding": st.just("fsdp"),
    },
)
diffusion_training = st.fixed_dictionaries(
    {
        "scenario": st.just("aigc"),
        "task": st.just("image-training"),
        "model": st.sampled_from(MEDIA["aigc image"]),
        "method": st.sampled_from(["full", "lora", "controlnet", "dreambooth", "textual-inversion"]),
    },
    optional={
        "optimizer": st.sampled_from(["adamw", "adamw-8bit", "adafactor", "sgd"]),
        "gradient_checkpointing": st.booleans(),
        "cached_text": st.booleans(),
        "cached_latents": st.booleans(),
        "sharding": st.sampled_from(["ddp", "zero1", "zero2", "zero3"]),
        "offload": st.sampled_from(["none", "optimizer", "all"]),
        "precision": st.sampled_from(["fp16-mixed", "bf16-mixed", "bf16", "fp32"]),
    },
)
vision = st.fixed_dictionaries(
    {
        "scenario": st.just("vision"),
        "task": st.sampled_from(["training", "inference"]),
        "model": st.sampled_from(MEDIA["vision"]),
    },
    optional={
        "precision": st.sampled_from(["amp", "fp32", "tf32", "bf16"]),
        "kind": st.sampled_from(["classification", "detection", "instance-segmentation", "segmentation", "pose"]),
        "compile": st.booleans(),
    },
)
transcription = st.fixed_dictionaries(
    {"scenario": st.just("speech"), "task": st.just("transcription"), "model": st.sampled_from(MEDIA["speech"])},
    optional={
        "engine": st.sampled_from(
            ["faster-whisper", "openai-whisper", "transformers", "whisper.cpp", "funasr", "mine"]
        ),
        "weight_format": st.sampled_from(["fp32", "fp16", "int8"]),
        "diarization": st.booleans(),
        "flash_attention": st.booleans(),
    },
)


@given(
    body=image,
    width=st.integers(256, 2048),
    height=st.integers(256, 2048),
    batch=st.integers(1, 8),
    card=st.sampled_from(CARDS),
)
@settings(max_examples=80, deadline=None)
def test_a_larger_picture_never_needs_less(
    body: dict[str, Any], width: int, height: int, batch: int, card: str
) -> None:
    base = memory_gib({**body, "width": width, "height": height, "batch": batch}, card)
    for more in ({"width": width + 128}, {"height": height + 64}, {"batch": batch + 1}, {"controlnets": 1}):
        asked = {**body, "width": width, "height": height, "batch": batch, **more}
        assert memory_gib(asked, card) >= base * (1 - 1e-9)


@given(body=video, frames=st.integers(5, 200), more=st.integers(1, 60), count=st.sampled_from([1, 2, 4, 8]))
@settings(max_examples=80, deadline=None)
def test_more_frames_never_need_less(body: dict[str, Any], frames: int, more: int, count: int) -> None:
    assert memory_gib({**body, "frames": frames + more}, "a100-sxm-80g", count) >= memory_gib(
        {**body, "frames": frames}, "a100-sxm-80g", count
    ) * (1 - 1e-9)


@given(body=video)
@settings(max_examples=60, deadline=None)
def test_more_cards_never_need_more_each(body: dict[str, Any]) -> None:
    needs = [memory_gib({**body, "sharding": "fsdp"}, "a100-sxm-80g", count) for count in (1, 2, 4, 8)]
    assert needs == sorted(needs, reverse=True)


@given(body=diffusion_training, batch=st.integers(1, 8), side=st.integers(256, 1024))
@settings(max_examples=80, deadline=None)
def test_a_larger_training_step_never_needs_less(body: dict[str, Any], batch: int, side: int) -> None:
    base = memory_gib({**body, "micro_batch": batch, "width": side, "height": side})
    assert memory_gib({**body, "micro_batch": batch + 1, "width": side, "height": side}) >= base
    assert memory_gib({**body, "micro_batch": batch, "width": side + 64, "height": side}) >= base


@given(body=vision, side=st.integers(64, 1024), batch=st.integers(1, 64))
@settings(max_examples=80, deadline=None)
def test_more_pixels_never_need_less(body: dict[str, Any], side: int, batch: int) -> None:
    base = memory_gib({**body, "image_size": side, "batch": batch})
    assert memory_gib({**body, "image_size": side + 32, "batch": batch}) >= base
    assert memory_gib({**body, "image_size": [side, side + 32], "batch": batch}) >= base
    assert memory_gib({**body, "image_size": side, "batch": batch + 1}) >= base


@given(body=transcription, batch=st.integers(1, 64), beams=st.integers(1, 8), streams=st.integers(1, 64))
@settings(max_examples=80, deadline=None)
def test_more_sound_at_once_never_needs_less(body: dict[str, Any], batch: int, beams: int, streams: int) -> None:
    base = memory_gib({**body, "batch": batch, "beam_size": beams, "streams": streams})
    for more in ({"batch": batch + 1}, {"beam_size": beams + 1}, {"streams": streams + 1}):
        assert memory_gib({**body, "batch": batch, "beam_size": beams, "streams": streams, **more}) >= base


@pytest.mark.parametrize(
    ("scenario", "task"),
    [
        ("aigc", "image-generation"),
        ("aigc", "video-generation"),
        ("aigc", "image-training"),
        ("aigc", "video-training"),
        ("speech", "transcription"),
        ("speech", "speech-synthesis"),
        ("speech", "training"),
        ("vision", "training"),
        ("vision", "inference"),
    ],
)
@given(size=st.floats(0.001, 60), factor=st.floats(1.0, 4.0))
@settings(max_examples=25, deadline=None)
def test_more_parameters_never_need_less(scenario: str, task: str, size: float, factor: float) -> None:
    body = {"scenario": scenario, "task": task}
    small = memory_gib({**body, "model": {"parameters_b": size}})
    assert memory_gib({**body, "model": {"parameters_b": size * factor}}) >= small * 0.97  # layers and width are whole


@given(
    body=st.one_of(image, video, diffusion_training, vision, transcription),
    card=st.sampled_from(sorted(GPUS)),
    count=st.sampled_from([1, 2, 8]),
)
@settings(max_examples=150, deadline=None)
def test_every_answer_is_whole(body: dict[str, Any], card: str, count: int) -> None:
    job, gpu = job_for(body), GPUS[card]
    load, rate = job.load(gpu, count), job.rate(gpu, count)
    assert load is not None
    assert rate is not None
    assert all(size > 0 for size in load.parts.values())
    assert 0 < rate.value < 1e12
    spread = job.spread(gpu, count)
    assert spread.data * spread.tensor * spread.pipeline * spread.sharded == count
    host = job.host(gpu, count)
    assert host.ram_gib > 0
    assert host.cpu_cores > 0
    assert host.disk_gib > 0
    assert all(note.field and "value" in note.values for note in job.assumptions if note.code == "assumed")
    job.notes(gpu, count)


@pytest.mark.parametrize("kind", [*LAW.mixes, *LBM_BYTES])
def test_a_card_better_in_every_figure_is_never_slower(kind: str) -> None:
    for better in GPUS.values():
        for worse in GPUS.values():
            if better is not worse and better_card(better, worse):
                for form in ("fp16", "bf16", "tf32", "fp32"):
                    assert relative_time(kind, better, form) <= relative_time(kind, worse, form) * 1.0005  # type: ignore[arg-type]


@given(
    card=st.sampled_from(sorted(GPUS)),
    kind=st.sampled_from(sorted(LAW.mixes)),
    more=st.floats(1.0, 3.0),
    figure=st.sampled_from(
        [
            "memory_bandwidth_gb_s",
            "boost_clock_mhz",
            "sm_count",
            "fp16_tensor_fp32acc_tflops",
            "fp32_tflops",
            "tf32_tensor_tflops",
        ]
    ),
)
@settings(max_examples=200, deadline=None)
def test_more_of_any_figure_is_never_slower(card: str, kind: str, more: float, figure: str) -> None:
    gpu = GPUS[card]
    value = getattr(gpu, figure)
    if value is None:
        return
    grown = {figure: int(value * more) if figure == "sm_count" else value * more}
    if figure == "sm_count":
        grown["cuda_cores"] = gpu.cuda_cores * grown["sm_count"] // gpu.sm_count + gpu.cuda_cores
    if figure == "boost_clock_mhz":
        grown["fp16_tensor_fp32acc_tflops"] = (gpu.fp16_tensor_fp32acc_tflops or 0) * more or None
    better = dataclasses.replace(gpu, **grown)
    assert relative_time(kind, better) <= relative_time(kind, gpu) * 1.0001


@given(body=st.one_of(image, vision, transcription))
@settings(max_examples=40, deadline=None)
def test_more_cards_are_never_slower(body: dict[str, Any]) -> None:
    speeds = [speed(body, "a100-sxm-80g", count) for count in (1, 2, 4, 8)]
    assert speeds == sorted(speeds)
