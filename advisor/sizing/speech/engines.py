"""Engines that turn sound into text: what each keeps beside the weights, and its pace."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Engine:
    """An inference engine: GiB beside the weights (fixed, decoder's share, per further batch item) and how it paces."""

    fixed_gib: float
    decoder_gib: float
    item_gib: float
    pace: float
    item_pace: float = 1.0
    weight_bytes: float | None = None


ENGINES: Mapping[str, Engine] = {
    "faster-whisper": Engine(0.95, 0.50, 0.22, 1.0),
    "whisperx": Engine(1.90, 0.50, 0.22, 1.0),
    "whispers2t": Engine(0.95, 0.50, 0.20, 0.8),
    "openai-whisper": Engine(0.42, 1.30, 0.45, 2.3),
    "whisper.cpp": Engine(0.45, 0.70, 0.45, 1.03),
    "transformers": Engine(0.80, 1.15, 1.05, 1.8),
    "whisper-jax": Engine(1.50, 1.15, 0.30, 1.5),
    "funasr": Engine(0.80, 0.30, 0.08, 0.5),
    "tensorrt": Engine(0.90, 0.40, 0.15, 0.35, 0.35),
}
"""Read off the faster-whisper READMEs of 2024 and 2025 and issue 1030 (large-v2 4.4 GiB at batch 1, 5.9 at batch 8)."""
LIKELY_ENGINE = "faster-whisper"
FUSED_ATTENTION = ("faster-whisper", "whisperx", "whispers2t", "tensorrt", "funasr")
