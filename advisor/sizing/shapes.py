"""A model reference to its shape: a library row, a Hugging Face config.json, or a bare parameter count."""

import re
from collections.abc import Mapping
from functools import lru_cache

from advisor.sizing.answer import Note
from advisor.sizing.hf_config import shape_from_config
from advisor.sizing.shape import Attention, Family, KvGroup, Shape, attention_params, ffn_params
from advisor.sizing.workload import ModelRef

Models = Mapping[str, Mapping[str, str]]


class NoShape(ValueError):
    """A library row that holds no transformer sizes (a diffusion or vision model)."""


def shape_of(model: ModelRef, models: Models) -> Shape:
    """The shape of the referenced model.

    Raises NoShape where the library row has none, KeyError where the slug is not in `models`.
    """
    if model.slug is not None:
        return _row_shape(model.slug, tuple(models[model.slug].items()))
    if model.hf_config is not None:
        return shape_from_config(model.hf_config)
    assert model.parameters_b is not None
    return typical_shape(model.parameters_b)


@lru_cache(maxsize=1024)
def _row_shape(slug: str, cells: tuple[tuple[str, str], ...]) -> Shape:
    row = dict(cells)

    def number(key: str) -> float:
        text = (row.get(key) or "").strip()
        try:
            return float(text)
        except ValueError:
            return 0.0

    layers, hidden, heads = int(number("layers")), int(number("hidden_size")), int(number("heads"))
    if not layers or not hidden or not heads or not number("params_b"):
        raise NoShape(slug)
    intermediate, vocab = int(number("intermediate_size")), int(number("vocab"))
    kv_heads = int(number("kv_heads")) or heads
    head_dim = int(number("head_dim")) or hidden // heads
    kind = row.get("attention_kind") or ""
    encoder = "bidirectional" in kind
    gated = (row.get("gated") or ("no" if encoder else "yes")) == "yes"
    experts, per_token = _experts(kind)
    params, tower = number("params_b") * 1e9, number("tower_params_b") * 1e9
    table = float(vocab * hidden) if not number("table_params_b") else number("table_params_b") * 1e9
    tied = "MLA" not in kind and _tied(
        row.get("tied"), params - tower, table, layers, hidden, intermediate, heads, kv_heads, head_dim, gated, experts
    )
    attention: Attention = "MLA" if "MLA" in kind else "MQA" if kv_heads == 1 else "GQA" if kv_heads < heads else "MHA"
    family: Family = "encoder" if encoder else "decoder"
    return Shape(
        name=slug,
        family=family,
        layers=layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=vocab,
        gated=gated,
        tied=tied,
        attention=attention,
        params=params,
        active_params=number("active_params_b") * 1e9 or params,
        embedding_params=table,
        head_params=0.0 if tied else table,
        kv_groups=() if encoder else _kv_groups(row, layers, kv_heads, head_dim),
        tower_params=tower,
        state_elements=number("state_elements"),
        experts=experts,
        experts_per_token=per_token,
        expert_intermediate=intermediate if experts else 0,
        max_context=int(number("max_context")) or None,
        native_format=row.get("native_format") or ("mxfp4" if slug.startswith("gpt-oss") else None),
    )


def _experts(kind: str) -> tuple[int, int]:
    found = re.search(r"MoE (\d+) (?:experts|routed) top-(\d+)", kind)
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _tied(
    told: str | None,
    params: float,
    table: float,
    layers: int,
    hidden: int,
    intermediate: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    gated: bool,
    experts: int,
) -> bool:
    """Whether input and output tables are one: as told, else the reading that comes nearer to the parameter count."""
    if told in ("yes", "no"):
        return told == "yes"
    block = attention_params(hidden, heads, kv_heads, head_dim)
    block += ffn_params(hidden, intermediate, gated) * max(1, experts)
    rest = params - layers * block
    return abs(rest - table) < abs(rest - 2 * table)


def _kv_groups(row: Mapping[str, str], layers: int, kv_heads: int, head_dim: int) -> tuple[KvGroup, ...]:
    told = row.get("kv_groups")
    if told:
        return tuple(_kv_group(part) for part in told.split(";"))
    kind = row.get("attention_kind") or ""
    elements = 2 * kv_heads * head_dim
    if "MLA" in kind:
        per_token = float(row.get("kv_cache_bytes_per_token_16bit") or 0)
        return (KvGroup(layers, round(per_token / 2 / layers)),)
    window_text = re.match(r"\d+", row.get("sliding_window") or "")
    window = int(window_text[0]) if window_text else None
    if window is None or "4k variant" in (row.get("sliding_window") or ""):
        return (KvGroup(layers, elements),)
    ratio = re.search(r"(\d+) sliding : (\d+) full", kind)
    if ratio:
        full = layers * int(ratio[2]) // (int(ratio[1]) + int(ratio[2]))
    elif "alternating" in kind:
        full = layers // 2
    else:
        full = 0
    groups = (KvGroup(full, elements), KvGroup(layers - full, elements, window))
    return tuple(group for group in groups if group.layers)


def _kv_group(text: str) -> KvGroup:
    """`5x2048` or `25x4096@1024`: layers x elements per token and layer, at most so many tokens."""
    layers, _, rest = text.partition("x")
    elements, _, window = rest.partition("@")
    return KvGroup(int(layers), int(elements), int(window) if window else None)


TYPICAL: tuple[tuple[float, int, int, int, int], ...] = (
    (0.5, 24, 896, 2, 4864),
    (1.5, 28, 1536, 2, 8960),
    (3.1, 36, 2048, 4, 11008),
    (8.0, 36, 4096, 8, 12288),
    (14.8, 40, 5120, 8, 17408),
    (32.8, 64, 5120, 8, 27648),
    (72.0, 80, 8192, 8, 29568),
    (123.0, 88, 12288, 8, 30000),
    (405.0, 126, 16384, 8, 53248),
    (1000.0, 126, 20480, 8, 53248),
)
"""Parameters (1e9), layers, hidden, kv heads, feed-forward width of dense models as built today (Qwen2.5/3, Llama 3, Mistral
Large: the library's rows, smoothed so that no size shrinks where the parameters grow)."""

TYPICAL_VOCAB = 151_936


def typical_shape(parameters_b: float) -> Shape:
    """A dense model of that size as they are usually built, between the two nearest known sizes, with the assumption stated."""
    upper = next((index for index, point in enumerate(TYPICAL) if point[0] >= parameters_b), len(TYPICAL) - 1)
    small, large = TYPICAL[max(0, upper - 1)], TYPICAL[upper]
    share = 0.0 if large[0] == small[0] else min(1.0, max(0.0, (parameters_b - small[0]) / (large[0] - small[0])))
    scale: float = min(1.0, parameters_b / TYPICAL[0][0]) ** 0.34

    def between(column: int) -> float:
        return (small[column] + share * (large[column] - small[column])) * scale

    layers, hidden = max(2, int(between(1))), max(64, int(between(2)) // 64 * 64)
    kv_heads, intermediate = max(1, int(between(3))), max(128, int(between(4)))
    head_dim = 128 if hidden >= 1536 else 64
    params = parameters_b * 1e9
    table = min(float(TYPICAL_VOCAB * hidden), params / 3)
    tied = parameters_b < 4
    return Shape(
        name=f"{parameters_b:g}B",
        family="decoder",
        layers=layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=max(1, hidden // head_dim),
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=TYPICAL_VOCAB,
        gated=True,
        tied=tied,
        attention="GQA",
        params=params,
        active_params=params,
        embedding_params=table,
        head_params=0.0 if tied else table,
        kv_groups=(KvGroup(layers, 2 * kv_heads * head_dim),),
        notes=(
            Note(
                "typical-shape",
                "model.parameters_b",
                {"parameters_b": parameters_b, "layers": layers, "hidden": hidden, "kv_heads": kv_heads},
            ),
        ),
    )
