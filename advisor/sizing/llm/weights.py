"""Bytes of a model's weights in every format the contract names.

Float formats store every parameter alike. GPTQ, AWQ, bitsandbytes and FP8 pack the layer matrices only; the input table and the
output head stay 16 bit. GGUF packs the tables too, by its own block sizes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from advisor.sizing.shape import Shape


@dataclass(frozen=True, slots=True)
class Format:
    """Bytes per parameter of the layer matrices, of the head and of the input table; `bits` names the format's class,
    `group_buffer` that its kernels de-quantise into a buffer."""

    linear: float
    head: float = 2.0
    table: float = 2.0
    bits: int = 16
    gguf: bool = False
    group_buffer: bool = False
    bitsandbytes: bool = False

    @property
    def quantised(self) -> bool:
        """Below 16 bit."""
        return self.bits < 16


def _gguf(bits_per_weight: float, head_bits: float = 6.5625, table_bits: float | None = None) -> Format:
    table = bits_per_weight if table_bits is None else table_bits
    return Format(bits_per_weight / 8, head_bits / 8, table / 8, max(1, round(bits_per_weight - 0.49)), gguf=True)


FORMATS: Mapping[str, Format] = MappingProxyType(
    {
        "fp32": Format(4.0, 4.0, 4.0, 32),
        "fp16": Format(2.0),
        "bf16": Format(2.0),
        "fp8": Format(1.0, bits=8),
        "fp6": Format(0.75, bits=6),
        # bitsandbytes: 4 bit + one fp32 scale per 64 weights; double quantisation packs the scales (QLoRA paper: 0.127 bit)
        "nf4": Format(0.5 + 4 / 64, bits=4, bitsandbytes=True),
        "nf4-dq": Format(0.5 + 0.127 / 8, bits=4, bitsandbytes=True),
        "fp4": Format(0.5 + 4 / 64, bits=4, bitsandbytes=True),
        "int4": Format(0.5 + 2.5 / 128, bits=4),
        "int2": Format(0.25 + 2.5 / 64, bits=2),
        "int8": Format(1.0 + 2 / 4096, bits=8, bitsandbytes=True),
        # 4 bit + one 8-bit scale per 32 weights (OCP MX); gpt-oss packs the experts only
        "mxfp4": Format(0.5 + 1 / 32, bits=4),
        # groups of 128: a 16-bit scale and a 4-bit zero point each
        "awq": Format(0.5 + 2.5 / 128, bits=4),
        "gptq-int4": Format(0.5 + 2.5 / 128, bits=4, group_buffer=True),
        "gptq-int8": Format(1.0 + 3 / 128, bits=8, group_buffer=True),
        # GGUF: block sizes of ggml; mixes as the file sizes of Llama-3-70B show them (facts README of guide rule C71)
        "q2_k": _gguf(2.96),
        "q3_k_s": _gguf(3.47),
        "q3_k_m": _gguf(3.87),
        "q3_k_l": _gguf(4.20),
        "q4_0": _gguf(4.5),
        "q4_1": _gguf(5.0),
        "q4_k_s": _gguf(4.55),
        "q4_k_m": _gguf(4.82, table_bits=4.5),
        "q5_0": _gguf(5.5),
        "q5_1": _gguf(6.0),
        "q5_k_s": _gguf(5.52),
        "q5_k_m": _gguf(5.67, table_bits=5.5),
        "q6_k": _gguf(6.5625),
        "q8_0": _gguf(8.5, 8.5),
        "iq1_s": _gguf(1.72, 5.5),
        "iq2_xxs": _gguf(2.15, 5.5),
        "iq2_xs": _gguf(2.38, 5.5),
        "iq2_s": _gguf(2.55, 5.5),
        "iq3_xxs": _gguf(3.12),
        "iq3_s": _gguf(3.48),
        "iq4_xs": _gguf(4.28),
        "iq4_nl": _gguf(4.52),
    }
)
"""Format name -> bytes per parameter."""

EXL2_HEAD_BITS = 6.0


def format_of(name: str) -> Format:
    """The format of that name; `exl2-4.65bpw` carries its own rate (head at 6 bit by default).

    Raises KeyError on a name outside the contract.
    """
    if name.startswith("exl2-"):
        bits = float(name.removeprefix("exl2-").removesuffix("bpw"))
        return Format(bits / 8, max(bits, EXL2_HEAD_BITS) / 8, 2.0, max(2, round(bits)))
    return FORMATS[name]


@dataclass(frozen=True, slots=True)
class Weights:
    """Bytes of the parts of a model on the cards."""

    linear_bytes: float
    head_bytes: float
    table_bytes: float
    tower_bytes: float = 0.0

    @property
    def total_bytes(self) -> float:
        """All of it."""
        return self.linear_bytes + self.head_bytes + self.table_bytes + self.tower_bytes

    @property
    def read_bytes(self) -> float:
        """Read for one generated token: everything but the input table and the tower."""
        return self.linear_bytes + (self.head_bytes or self.table_bytes)


def weights_of(shape: Shape, form: Format, table_on_card: bool = True, head_packed: bool = False) -> Weights:
    """Bytes of `shape` in `form`.

    `table_on_card` False: the input table stays in host memory (llama.cpp). `head_packed`: the engine packs the head too (litgpt).
    A tied table serves as head and lies on the card either way.
    """
    head_rate = form.linear if head_packed else form.head
    if shape.tied:
        table = shape.embedding_params * (form.head if form.gguf else form.table)
        head = 0.0
    else:
        table = shape.embedding_params * form.table if table_on_card else 0.0
        head = shape.head_params * head_rate
    return Weights(shape.linear_params * form.linear, head, table, shape.tower_params * min(2.0, form.head * 2))
