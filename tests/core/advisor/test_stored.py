"""A stored answer comes back as the answer it was."""

import json
from datetime import UTC, datetime

import pytest

from advisor.library import library
from advisor.presets import PRESETS
from advisor.recommend import recommend
from advisor.recommendation import to_dict
from advisor.sizing.parsing.workload import parse_workload
from advisor.stored import recommendation_from
from catalog.example import example_catalogue

NOW = datetime(2026, 12, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "slug",
    [
        "finetune-7b-lora",
        "serve-8b-16",
        "sdxl-controlnet-2",
        "transcribe-500h",
        "yolo-100k",
        "md-double",
        "quantum-chemistry",
    ],
)
def test_an_answer_survives_its_storage(slug: str) -> None:
    workload = parse_workload(PRESETS[slug].workload, library().models, library().gpus)
    catalogue = example_catalogue()
    told = json.loads(json.dumps(to_dict(recommend(workload, catalogue, library(), NOW))))
    assert to_dict(recommendation_from(told, catalogue)) == told


def test_an_offer_that_is_gone_is_an_error() -> None:
    workload = parse_workload(PRESETS["yolo-100k"].workload, library().models, library().gpus)
    catalogue = example_catalogue()
    told = to_dict(recommend(workload, catalogue, library(), NOW))
    told["choices"][0]["sku"] = "gone"
    with pytest.raises(LookupError):
        recommendation_from(told, catalogue)
