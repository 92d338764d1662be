"""The common workloads: enough of them, spread, valid, named in both languages."""

from collections import Counter

import pytest
from django.utils import translation

from advisor.library import library
from advisor.presets import PRESETS
from advisor.sizing.parsing.workload import parse_workload


def test_at_least_sixty_over_five_scenarios():
    assert len(PRESETS) >= 60
    spread = Counter(preset.scenario for preset in PRESETS.values())
    assert set(spread) == {"llm", "aigc", "speech", "vision", "science"}
    assert min(spread.values()) >= 8


@pytest.mark.parametrize("slug", PRESETS)
def test_each_is_a_workload_of_the_contract(slug):
    known = library()
    workload = parse_workload(PRESETS[slug].workload, known.models, known.gpus)
    assert parse_workload(workload.to_dict(), known.models, known.gpus) == workload


def test_titles_differ_and_are_in_both_languages():
    told = {}
    for language in ("en", "zh-hans"):
        with translation.override(language):
            told[language] = [str(preset.title) for preset in PRESETS.values()]
        assert len(set(told[language])) == len(PRESETS)
    same = [one for one, other in zip(told["en"], told["zh-hans"], strict=True) if one == other]
    assert len(same) < 3, same


@pytest.mark.parametrize(
    "slug",
    [
        "finetune-7b-lora",
        "sdxl-controlnet-2",
        "transcribe-500h",
        "yolo-100k",
        "md-double",
        "finetune-14b-qlora",
        "serve-70b-4bit",
        "serve-8b-16",
        "flux-images",
        "sdxl-lora",
        "wan22-720p",
        "live-captions-8",
        "whisper-finetune",
        "segmentation-high-resolution",
        "resnet50",
        "cfd-100m",
        "alphafold3",
    ],
)
def test_the_jobs_named_at_the_door_are_there(slug):
    assert slug in PRESETS
