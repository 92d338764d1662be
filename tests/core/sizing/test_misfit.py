"""A model asked to do what it was not made for is told so first."""

import pytest

from advisor.library import library
from advisor.sizing.estimate import prepare


@pytest.mark.parametrize(
    ("scenario", "task", "model", "home"),
    [
        ("speech", "speech-synthesis", "whisper-large-v3", "transcription"),
        ("speech", "transcription", "xtts-v2", "speech-synthesis"),
        ("aigc", "video-generation", "sdxl-base-1.0", "image-generation"),
        ("speech", "transcription", "whisper-large-v3", None),
        ("speech", "speech-synthesis", "xtts-v2", None),
        ("speech", "training", "whisper-large-v3", None),
        ("aigc", "video-generation", "wan2.1-t2v-14b", None),
        ("aigc", "image-generation", "wan2.1-t2v-14b", None),
        ("vision", "training", "yolov8m", None),
    ],
)
def test_a_model_of_another_task_is_named(scenario: str, task: str, model: str, home: str | None) -> None:
    known = library()
    work = prepare({"scenario": scenario, "task": task, "model": model}, known)
    warnings = work.on(known.gpus["rtx-4090-24g"]).warnings
    told = [note.values["home"] for note in warnings if note.code == "model-of-other-task"]
    assert told == ([home] if home else [])
    if home:
        assert warnings[0].code == "model-of-other-task"
