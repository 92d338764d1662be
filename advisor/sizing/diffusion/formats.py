"""Bytes per parameter of the formats the parts of a diffusion pipeline are kept in, scales and unquantised layers included.

torchao rows (int8, fp8, fp6, int4): read off CogVideoX-5B and -2B on one card, `sayakpaul/diffusers-torchao`; GGUF: block sizes of the
format; nf4: 4 bit plus one fp32 scale per 64 (with double quantisation one byte per 64).
"""

from collections.abc import Mapping
from types import MappingProxyType

from advisor.sizing.transfer import Format

BYTES: Mapping[str, float] = MappingProxyType(
    {
        "fp32": 4.0,
        "bf16": 2.0,
        "fp16": 2.0,
        "fp8": 1.02,
        "int8": 1.02,
        "q8_0": 1.0625,
        "fp6": 0.80,
        "q6_k": 0.8203,
        "q5_k_m": 0.71,
        "q4_k_m": 0.606,
        "int4": 0.60,
        "fp4": 0.5625,
        "q4_0": 0.5625,
        "nf4": 0.5625,
        "nf4-dq": 0.5156,
        "q3_k_m": 0.489,
        "q2_k": 0.329,
    }
)
"""Format -> bytes per parameter."""

SLOWER: Mapping[str, float] = MappingProxyType(
    {
        "fp8": 1.03,
        "int8": 1.05,
        "fp6": 1.08,
        "fp4": 1.15,
        "nf4": 1.20,
        "nf4-dq": 1.22,
        "int4": 1.35,
        "q8_0": 1.15,
        "q6_k": 1.30,
        "q5_k_m": 1.35,
        "q4_k_m": 1.30,
        "q4_0": 1.20,
        "q3_k_m": 1.40,
        "q2_k": 1.40,
        "fp32": 1.0,
        "bf16": 1.0,
        "fp16": 1.0,
    }
)
"""What unpacking the weights before each product costs where the arithmetic stays 16 bit."""


def bytes_of(form: str) -> float:
    """Bytes per parameter; an unknown format counts as 16 bit."""
    return BYTES.get(form, 2.0)


def arithmetic_of(form: str, activation: str | None) -> Format:
    """The number format products are summed in: 16 bit unless the activations are 32 bit."""
    if activation == "fp32":
        return "fp32"
    return "fp16" if form == "fp16" else "bf16"


def eight_bit_of(activation: str | None) -> Format | None:
    """The 8-bit format of the activations, None where they are wider."""
    if activation == "int8":
        return "int8"
    return "fp8" if activation in ("fp8", "fp8-row") else None
