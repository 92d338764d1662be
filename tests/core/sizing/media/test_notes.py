"""The usual mistakes, caught with their figures."""

from typing import Any

import pytest

from tests.core.sizing.media.published import LIBRARY, job_for, memory_gib, speed

GPUS = LIBRARY.gpus
SDXL = {"scenario": "aigc", "task": "image-generation", "model": "stable-diffusion-xl", "weight_format": "fp16"}
FLUX = {"scenario": "aigc", "task": "image-generation", "model": "flux.1-dev", "weight_format": "bf16"}
WHISPER = {
    "scenario": "speech",
    "task": "transcription",
    "model": "whisper-large-v3",
    "engine": "faster-whisper",
    "weight_format": "fp16",
}
RESNET = {"scenario": "vision", "task": "training", "model": "resnet-50", "precision": "amp", "batch": 128}


def notes(body: dict[str, Any], gpu: str, count: int = 1) -> dict[str, dict[str, Any]]:
    return {note.code: dict(note.values) for note in job_for(body).notes(GPUS[gpu], count)}


def test_fp8_is_not_promised_for_convolutions() -> None:
    """C56, C60: the RTX 4090's FP8 does nothing for a CNN's training step."""
    assert "fp8-not-for-cnn" in notes(RESNET, "rtx-4090-24g")
    assert "fp8-not-for-cnn" not in notes(RESNET, "rtx-3090-24g")
    assert "fp8-not-for-cnn" not in notes({**RESNET, "model": "vit-b-16"}, "rtx-4090-24g")


def test_fp8_on_a_card_without_it_is_said() -> None:
    asked = {**FLUX, "weight_format": "fp8", "activation_format": "fp8", "compile": True}
    assert "no-fp8" in notes(asked, "a100-sxm-80g")
    assert "no-fp8" not in notes(asked, "h100-sxm-80g")
    plain = speed({**FLUX, "compile": True}, "a100-sxm-80g")
    assert speed(asked, "a100-sxm-80g") == pytest.approx(plain, rel=0.15)
    assert speed(asked, "h100-sxm-80g") > 1.1 * speed({**FLUX, "compile": True}, "h100-sxm-80g")


def test_bf16_on_volta_is_said() -> None:
    assert "no-bf16" in notes({**RESNET, "precision": "bf16"}, "v100-pcie-32g")
    assert "no-tf32" in notes({**RESNET, "precision": "tf32"}, "v100-pcie-32g")
    assert "no-bf16" in notes(FLUX, "v100-pcie-32g")


def test_offloading_fits_and_is_slow() -> None:
    moved = {**FLUX, "offload": "sequential"}
    assert memory_gib(moved) < 10
    assert speed(moved, "rtx-4090-24g") < 0.6 * speed(FLUX, "rtx-4090-24g")
    assert notes(moved, "rtx-4090-24g")["offload-slow"]["seconds_per_sample"] > 10


def test_the_cap_that_makes_the_cheap_card_do_is_named() -> None:
    video = {
        "scenario": "aigc",
        "task": "video-generation",
        "model": "cogvideox-5b",
        "engine": "diffusers",
        "weight_format": "bf16",
        "frames": 49,
        "text_encoder_offload": True,
    }
    cap = notes(video, "rtx-3080-20g")["cap-vae-tiling"]
    assert cap["saves_gib"] == pytest.approx(12.1 * 0.9, rel=0.05)
    assert memory_gib({**video, "vae_tiling": True}) < GPUS["rtx-3080-20g"].usable_gib
    detection = {
        "scenario": "vision",
        "task": "training",
        "model": "mask-rcnn-r50-fpn",
        "batch": 16,
        "precision": "amp",
    }
    fitting = notes(detection, "rtx-3060-12g")["cap-batch"]["batch"]
    assert memory_gib({**detection, "batch": fitting}) <= GPUS["rtx-3060-12g"].usable_gib
    assert memory_gib({**detection, "batch": fitting + 1}) > GPUS["rtx-3060-12g"].usable_gib


def test_spare_memory_goes_into_batch_before_a_dearer_card() -> None:
    """C49: same card, batch 8 cuts the time to about a quarter."""
    assert notes(WHISPER, "rtx-3060-12g")["batch-more"]["batch"] >= 8
    assert "batch-more" not in notes({**WHISPER, "batch": 8}, "rtx-3060-12g")


def test_one_small_picture_at_a_time_is_limited_by_the_host() -> None:
    one = {**SDXL, "model": "stable-diffusion-1.5", "batch": 1}
    assert "host-limited" in notes(one, "a100-sxm-80g")
    rate = job_for(one).rate(GPUS["a100-sxm-80g"], 1)
    assert rate is not None
    assert rate.limited_by == "host"
    assert "host-limited" not in notes({**one, "batch": 8}, "a100-sxm-80g")


def test_loaders_are_counted_in_cores() -> None:
    host = job_for(RESNET).host(GPUS["a100-sxm-80g"], 8)
    assert host.cpu_cores >= 64
    assert notes(RESNET, "a100-sxm-80g", 8)["loader-cores"]["cores"] == host.cpu_cores


def test_a_second_card_without_a_fast_link_buys_little_in_video() -> None:
    """RTX 4090 over PCIe: 1.39 times with two cards, about 2.2 with four (Wan2.1 on consumer cards)."""
    wan = {"scenario": "aigc", "task": "video-generation", "model": "wan2.1-t2v-1.3b"}
    one = speed(wan, "rtx-4090-24g")
    assert 1.2 < speed(wan, "rtx-4090-24g", 2) / one < 1.6
    assert 1.7 < speed(wan, "rtx-4090-24g", 4) / one < 2.7
    large = {**wan, "model": "wan2.1-t2v-14b"}
    assert speed(large, "a100-sxm-80g", 8) / speed(large, "a100-sxm-80g") > 6


def test_controlnets_cost_what_their_weights_weigh() -> None:
    """C31: 2.5 GB for each SDXL ControlNet in FP16."""
    two, three = (memory_gib({**SDXL, "controlnets": count}) for count in (2, 3))
    assert three - two == pytest.approx(2.5 / 1.0737, rel=0.05)


def test_unknown_models_are_answered_with_the_assumption_said() -> None:
    for scenario, task, code in (
        ("aigc", "image-generation", "typical-diffusion-model"),
        ("aigc", "video-training", "typical-diffusion-model"),
        ("speech", "transcription", "typical-speech-model"),
        ("vision", "training", "typical-vision-model"),
    ):
        job = job_for({"scenario": scenario, "task": task, "model": {"parameters_b": 2.0}})
        assert code in {note.code for note in job.assumptions}


def test_hugging_face_configs_of_vit_and_whisper() -> None:
    vit = {
        "model_type": "vit",
        "hidden_size": 768,
        "num_hidden_layers": 12,
        "num_attention_heads": 12,
        "intermediate_size": 3072,
        "image_size": 224,
        "patch_size": 16,
    }
    known = {"scenario": "vision", "task": "training", "model": "vit-b-16", "precision": "amp", "batch": 64}
    read = memory_gib({**known, "model": {"hf_config": vit}})
    assert read == pytest.approx(memory_gib(known), rel=0.25)
    whisper = {
        "model_type": "whisper",
        "d_model": 1280,
        "encoder_layers": 32,
        "decoder_layers": 32,
        "encoder_ffn_dim": 5120,
        "decoder_ffn_dim": 5120,
        "encoder_attention_heads": 20,
        "decoder_attention_heads": 20,
        "vocab_size": 51866,
    }
    assert memory_gib({**WHISPER, "model": {"hf_config": whisper}}) == pytest.approx(memory_gib(WHISPER), rel=0.05)
