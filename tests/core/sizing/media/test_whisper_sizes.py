"""Whisper in its sizes: which is faster, and by how much, on the same card and engine."""

import itertools
from typing import Any

import pytest

from advisor.sizing.estimate import estimate
from tests.core.sizing.media.published import LIBRARY, speed

SIZES = ["whisper-tiny", "whisper-base", "whisper-small", "whisper-medium", "whisper-large-v3"]
GPUS = ["t4-16g", "rtx-3060-12g", "rtx-3090-24g", "rtx-4090-24g", "a100-sxm-80g"]


def body(model: str, **more: Any) -> dict[str, Any]:
    return {"scenario": "speech", "task": "transcription", "model": model, **more}


@pytest.mark.parametrize("engine", [None, "openai-whisper", "faster-whisper", "transformers", "whisper.cpp"])
@pytest.mark.parametrize("gpu", GPUS)
def test_a_larger_whisper_is_hardly_ever_the_faster_one(engine: str | None, gpu: str) -> None:
    """Measurements of one size correct that size alone: so much it may come before the next smaller one, and no more."""
    told = {} if engine is None else {"engine": engine}
    speeds = []
    for model in SIZES:
        found = estimate(body(model, **told), LIBRARY.gpus[gpu], 1, LIBRARY).speed
        assert found is not None
        speeds.append(found.value)
    told_of = dict(zip(SIZES, speeds, strict=True))
    assert all(larger < 1.2 * smaller for smaller, larger in itertools.pairwise(speeds)), told_of
    assert speeds[2] > 1.5 * speeds[4], told_of


@pytest.mark.parametrize(
    ("model", "times"), [("whisper-tiny", 10), ("whisper-base", 7), ("whisper-small", 4), ("whisper-medium", 2)]
)
def test_the_sizes_keep_the_ratios_their_maker_names(model: str, times: float) -> None:
    """openai/whisper, README, table of models: speed on an A100 against large, in round numbers."""
    one, large = (speed(body(name, engine="openai-whisper"), "a100-sxm-80g") for name in (model, "whisper-large-v2"))
    assert 0.6 * times < one / large < 1.3 * times


@pytest.mark.parametrize(("gpu", "small", "medium"), [("rtx-3090-24g", 4.0, 1.96), ("rtx-4090-24g", 3.48, 1.86)])
def test_the_sizes_keep_the_ratios_of_one_recording(gpu: str, small: float, medium: float) -> None:
    """Gist vphill/e1716a166cf7fbe15e3371b0f67cd6e7: 950 s of sound; facts S0049 to S0054."""
    speeds = [speed(body(f"whisper-{size}", engine="openai-whisper"), gpu) for size in ("small", "medium", "large-v2")]
    assert speeds[0] / speeds[2] == pytest.approx(small, rel=0.35)
    assert speeds[1] / speeds[2] == pytest.approx(medium, rel=0.35)
