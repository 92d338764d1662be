"""Number formats of a speech model's weights."""

from collections.abc import Mapping

BYTES: Mapping[str, float] = {
    "fp32": 4.0,
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.02,
    "int8": 1.08,
    "int4": 0.62,
    "q8_0": 1.0625,
    "q5_1": 0.75,
    "q5_0": 0.6875,
    "q4_0": 0.5625,
}
"""Bytes per parameter. int8 of CTranslate2 keeps norms and scales wider: 1.08 (faster-whisper README)."""
