"""A library model asked to do what it was not made for: said first, since no figure means much then. Pure."""

from collections.abc import Mapping

from advisor.sizing.answer import Note

HEARS = frozenset({"whisper", "encoder", "conv", "llm-audio"})
"""Families of speech models that write down what they hear."""
SPEAKS = frozenset({"tts", "tts-fused", "tts-parallel", "rnn", "flow"})
"""Families of speech models that speak."""


def home_of(row: Mapping[str, str], task: str) -> str | None:
    """The task a library model is for, where it cannot do `task`; None where it can, or nothing says."""
    family = row.get("family", "")
    if task == "speech-synthesis" and family in HEARS:
        return "transcription"
    if task == "transcription" and family in SPEAKS:
        return "speech-synthesis"
    if task in ("video-generation", "video-training") and row.get("scenario") == "aigc image":
        return "image-generation"
    return None


def misfit_notes(slug: str | None, row: Mapping[str, str] | None, task: str) -> tuple[Note, ...]:
    """The warning, if one is due."""
    home = home_of(row, task) if row else None
    return (Note("model-of-other-task", "model", {"value": slug or "", "home": home}),) if home else ()
