"""Optimizer state per trainable parameter, for models trained with fp32 master weights."""

from collections.abc import Mapping
from types import MappingProxyType

OPTIMIZER_BYTES: Mapping[str, float] = MappingProxyType(
    {
        "adamw": 8.0,
        "adamw-8bit": 2.0,
        "paged-adamw-8bit": 2.0,
        "paged-adamw": 8.0,
        "adafactor": 0.1,
        "sgd": 4.0,
        "lion": 4.0,
        "lion-8bit": 1.0,
        "muon": 4.0,
        "prodigy": 16.0,
        "came": 1.0,
        "galore": 1.0,
        "galore-quantized": 0.5,
    }
)
"""Bytes: two fp32 moments for AdamW, one for SGD with momentum and Lion, rows and columns only for Adafactor."""
