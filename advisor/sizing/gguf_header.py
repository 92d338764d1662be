"""A GGUF file by its header alone: metadata and the exact bytes of its tensors, then the model as the contract takes it.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (versions 2 and 3, little endian). Only bytes come in: who reads the
file decides how much of it.
"""

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

MOST_ENTRIES = 10_000
KEPT_VALUES = 1024
"""Up to so many numbers a list is kept whole: figures given layer by layer. Longer ones belong to the vocabulary."""
MOST_TENSORS = 100_000
LONGEST_STRING = 1 << 20
LONGEST_ARRAY = 4_000_000

BLOCKS: Mapping[int, tuple[str, int, int]] = {
    # ggml type -> name, weights per block, bytes per block (ggml-common.h)
    0: ("fp32", 1, 4),
    1: ("fp16", 1, 2),
    2: ("q4_0", 32, 18),
    3: ("q4_1", 32, 20),
    6: ("q5_0", 32, 22),
    7: ("q5_1", 32, 24),
    8: ("q8_0", 32, 34),
    9: ("q8_1", 32, 36),
    10: ("q2_k", 256, 84),
    11: ("q3_k", 256, 110),
    12: ("q4_k", 256, 144),
    13: ("q5_k", 256, 176),
    14: ("q6_k", 256, 210),
    15: ("q8_k", 256, 292),
    16: ("iq2_xxs", 256, 66),
    17: ("iq2_xs", 256, 74),
    18: ("iq3_xxs", 256, 98),
    19: ("iq1_s", 256, 50),
    20: ("iq4_nl", 32, 18),
    21: ("iq3_s", 256, 110),
    22: ("iq2_s", 256, 82),
    23: ("iq4_xs", 256, 136),
    24: ("int8", 1, 1),
    25: ("int16", 1, 2),
    26: ("int32", 1, 4),
    28: ("fp64", 1, 8),
    29: ("iq1_m", 256, 56),
    30: ("bf16", 1, 2),
    39: ("mxfp4", 32, 17),
}

FILE_TYPES: Mapping[int, str] = {
    0: "fp32",
    1: "fp16",
    2: "q4_0",
    3: "q4_1",
    7: "q8_0",
    8: "q5_0",
    9: "q5_1",
    10: "q2_k",
    11: "q3_k_s",
    12: "q3_k_m",
    13: "q3_k_l",
    14: "q4_k_s",
    15: "q4_k_m",
    16: "q5_k_s",
    17: "q5_k_m",
    18: "q6_k",
    19: "iq2_xxs",
    20: "iq2_xs",
    23: "iq3_xxs",
    24: "iq1_s",
    25: "iq4_nl",
    26: "iq3_s",
    28: "iq2_s",
    30: "iq4_xs",
    32: "bf16",
}
"""`general.file_type` -> weight format of the contract."""

_SCALARS: Mapping[int, tuple[str, int]] = {
    0: ("<B", 1),
    1: ("<b", 1),
    2: ("<H", 2),
    3: ("<h", 2),
    4: ("<I", 4),
    5: ("<i", 4),
    6: ("<f", 4),
    7: ("<?", 1),
    10: ("<Q", 8),
    11: ("<q", 8),
    12: ("<d", 8),
}
_STRING, _ARRAY = 8, 9


class GgufError(ValueError):
    """Bytes that are no GGUF header, or not enough of one; the text says which."""


class GgufCut(GgufError):
    """The header goes on past the bytes that are here. `entries`: in the list that was being read, if it was one."""

    def __init__(self, message: str, entries: int | None = None) -> None:
        super().__init__(message)
        self.entries = entries


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What the header says. Lists of numbers are kept up to `KEPT_VALUES`, others as their length.

    `has_head`: the output table is stored of its own; None, and no tensors counted, where the bytes end before the list of tensors.
    """

    metadata: Mapping[str, Any]
    tensor_bytes: int
    tensor_params: int
    bytes_by_type: Mapping[str, int]
    has_head: bool | None

    @property
    def is_whole(self) -> bool:
        """Whether the list of tensors was read."""
        return self.has_head is not None

    @property
    def weight_format(self) -> str | None:
        """The contract's name of the file's mix, or None where it has none."""
        return FILE_TYPES.get(self.metadata.get("general.file_type", -1))


@dataclass(slots=True)
class _Cursor:
    data: bytes
    place: int = 0

    def take(self, size: int) -> int:
        """Moves on by `size` bytes and answers where they start."""
        start = self.place
        if size < 0 or start + size > len(self.data):
            raise GgufCut(f"the header goes on past the {len(self.data)} bytes that are here")
        self.place = start + size
        return start

    def scalar(self, kind: int) -> Any:
        if kind not in _SCALARS:
            raise GgufError(f"a value of unknown type {kind}")
        code, size = _SCALARS[kind]
        return struct.unpack_from(code, self.data, self.take(size))[0]

    def text(self) -> str:
        length = self.scalar(10)
        if length > LONGEST_STRING:
            raise GgufError("a name longer than any name")
        start = self.take(length)
        return self.data[start : start + length].decode("utf-8", "replace")

    def value(self, kind: int) -> Any:
        if kind == _STRING:
            return self.text()
        return self.array() if kind == _ARRAY else self.scalar(kind)

    def array(self) -> int | tuple[Any, ...]:
        """The numbers of a short list; of any other its length, passing over what is in it."""
        kind, length = self.scalar(4), int(self.scalar(10))
        if length > LONGEST_ARRAY:
            raise GgufError("a list longer than any vocabulary")
        try:
            if kind in _SCALARS and length <= KEPT_VALUES:
                return tuple(self.scalar(kind) for _ in range(length))
            if kind in _SCALARS:
                self.take(_SCALARS[kind][1] * length)
            elif kind == _STRING:
                for _ in range(length):
                    self.take(self.scalar(10))
            else:
                raise GgufError("a list of lists")
        except GgufCut as cut:
            raise GgufCut(str(cut), length) from cut
        return length


def read_header(data: bytes, *, cut_off: bool = False) -> GgufHeader:
    """Reads the header at the start of `data`.

    `cut_off`: the first bytes of a longer header will do (a vocabulary alone takes megabytes), as long as they say the model's layers.
    Raises GgufError where it is none or of a version not known, GgufCut where it is cut off (too early).
    """
    if data[:4] != b"GGUF":
        raise GgufError("it does not begin with GGUF")
    cursor = _Cursor(data, 4)
    version = cursor.scalar(4)
    if version not in (2, 3):
        raise GgufError(f"version {version} is not known")
    tensors, entries = cursor.scalar(10), cursor.scalar(10)
    if tensors > MOST_TENSORS or entries > MOST_ENTRIES:
        raise GgufError("more entries than any model has")
    metadata: dict[str, Any] = {}
    try:
        _read_metadata(cursor, entries, metadata)
        return _with_tensors(cursor, tensors, metadata)
    except GgufCut:
        if cut_off and f"{metadata.get('general.architecture')}.block_count" in metadata:
            return GgufHeader(metadata, 0, 0, {}, None)
        raise


def _read_metadata(cursor: _Cursor, entries: int, metadata: dict[str, Any]) -> None:
    """Fills `metadata`; of a list that is cut off its length."""
    for _ in range(entries):
        name = cursor.text()
        try:
            metadata[name] = cursor.value(cursor.scalar(4))
        except GgufCut as cut:
            if cut.entries is not None:
                metadata[name] = cut.entries
            raise


def _with_tensors(cursor: _Cursor, tensors: int, metadata: Mapping[str, Any]) -> GgufHeader:
    by_type: dict[str, int] = {}
    params = 0
    has_head = False
    for _ in range(tensors):
        has_head |= cursor.text() == "output.weight"
        sides = cursor.scalar(4)
        if sides > 8:
            raise GgufError("a tensor of more than eight dimensions")
        count = 1
        for _ in range(sides):
            count *= cursor.scalar(10)
        kind = cursor.scalar(4)
        cursor.take(8)
        if kind not in BLOCKS:
            raise GgufError(f"a tensor of unknown type {kind}")
        word, block, size = BLOCKS[kind]
        by_type[word] = by_type.get(word, 0) + -(-count // block) * size
        params += count
    return GgufHeader(metadata, sum(by_type.values()), params, by_type, has_head)


_KEYS: Mapping[str, str] = {
    "num_hidden_layers": "block_count",
    "hidden_size": "embedding_length",
    "intermediate_size": "feed_forward_length",
    "num_attention_heads": "attention.head_count",
    "num_key_value_heads": "attention.head_count_kv",
    "head_dim": "attention.key_length",
    "max_position_embeddings": "context_length",
    "vocab_size": "vocab_size",
    "num_local_experts": "expert_count",
    "num_experts_per_tok": "expert_used_count",
    "moe_intermediate_size": "expert_feed_forward_length",
    "shared_expert_intermediate_size": "expert_shared_feed_forward_length",
    "first_k_dense_replace": "leading_dense_block_count",
    "sliding_window": "attention.sliding_window",
    "kv_lora_rank": "attention.kv_lora_rank",
    "q_lora_rank": "attention.q_lora_rank",
    "full_attention_interval": "full_attention_interval",
}
_FAMILIES: Mapping[str, str] = {
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "gpt-oss": "gpt_oss",
    "deepseek2": "deepseek_v3",
}


def config_from_gguf(header: GgufHeader) -> dict[str, Any]:
    """The header as the `hf_config` of a workload.

    Raises GgufError where it names no architecture.
    """
    family = header.metadata.get("general.architecture")
    if not isinstance(family, str):
        raise GgufError("it names no architecture")
    config: dict[str, Any] = {"model_type": _FAMILIES.get(family, family)}
    for name, key in _KEYS.items():
        value = header.metadata.get(f"{family}.{key}")
        if isinstance(value, tuple):  # layer by layer: the widest counts for all
            value = max((one for one in value if isinstance(one, int | float) and isfinite(one)), default=0)
        if isinstance(value, int | float) and isfinite(value) and value > 0:
            config[name] = int(value)
    if "vocab_size" not in config and isinstance(words := header.metadata.get("tokenizer.ggml.tokens"), int):
        config["vocab_size"] = words
    title = header.metadata.get("general.name")
    if isinstance(title, str):
        config["_name_or_path"] = title
    if header.has_head is not None:
        config["tie_word_embeddings"] = not header.has_head
    return config
