"""Memory of serving a model: weights, cache, the prompt's workspace, the engine's own, on the fullest card.

Formulas: KV cache = layers x tokens x 2 x kv heads x head size x bytes (MLA: latent rank + rotary part; windowed layers keep their window;
linear layers a fixed state). Peak with the whole prompt at once = max(cache(in) + in x bytes x (3 ffn + 4 hidden), cache(in + out)):
fits 109 rows of the Qwen2.5 speed benchmark within 1 % (peers' comparison, section 5.2).
"""

from dataclasses import dataclass

from advisor.sizing.llm.stacks import Engine
from advisor.sizing.llm.weights import Format, Weights, weights_of
from advisor.sizing.shape import Shape
from advisor.sizing.units import GIB

CACHE_BYTES = {"fp32": 4.0, "fp16": 2.0, "bf16": 2.0, "fp8": 1.0, "int8": 1.0625, "int4": 0.5625}
"""Bytes per cached element; the integer ones carry one 16-bit scale per 32 elements (ggml q8_0, q4_0)."""

GRAPH_BATCH = 512
"""Tokens of one llama.cpp micro-batch: windows of sliding layers are padded by it."""
UNSTATED_GRAPH_CONTEXT = 8192
"""llama.cpp without word on flash attention: its buffer without it up to this context, the flash one beyond (on by default since 2025)."""


@dataclass(frozen=True, slots=True)
class Serving:
    """What a request looks like to the memory model: tokens in and out of one sequence, cache allocated for, sequences at once."""

    prompt: int
    output: int
    context: int
    sequences: int
    cache_bytes_each: float
    flash: bool | None


def cache_bytes(shape: Shape, serving: Serving, tokens: float, margin: int = 0) -> float:
    """Bytes of the cache of all sequences at `tokens` each."""
    return shape.kv_elements(tokens, margin) * serving.sequences * serving.cache_bytes_each


def prompt_workspace_bytes(shape: Shape, tokens: float, tensor: int = 1) -> float:
    """Activations of `tokens` prompt tokens in one layer, 16 bit: 3 ffn + 4 hidden (2 ffn where not gated)."""
    width = shape.intermediate * max(1, min(shape.experts_per_token, 8)) if shape.is_moe else shape.intermediate
    return tokens * 2.0 * ((3 if shape.gated else 2) * width / tensor + 4 * shape.hidden)


def serving_parts(
    shape: Shape,
    form: Format,
    engine: Engine,
    serving: Serving,
    cards: int,
    tensor: bool,
) -> dict[str, float]:
    """GiB by part on the fullest of `cards` cards, split by `tensor` or by layers."""
    weights = weights_of(shape, form, engine.table_on_card, engine.head_packed and form.quantised)
    held = _weights_per_card(weights, cards, tensor) + _second_head(shape, form, engine) / (cards if tensor else 1)
    if form.quantised:  # never more than the same model in 16 bit
        held = min(held, _weights_per_card(weights_of(shape, SIXTEEN_BIT, engine.table_on_card), cards, tensor))
    parts = {
        "weights": held,
        "kv_cache": _cache_per_card(shape, engine, serving, cards, tensor),
    }
    parts["activations"] = _workspace(shape, form, engine, serving, cards, tensor, parts["kv_cache"])
    parts["framework"] = engine.constant_gib * GIB
    return {name: size / GIB for name, size in parts.items() if size > 0}


SIXTEEN_BIT = Format(2.0)


def _second_head(shape: Shape, form: Format, engine: Engine) -> float:
    """A tied head that the engine stores once more: transformers beside FP8 layers, AutoAWQ always."""
    again = (engine.name == "transformers" and form.linear == 1.0) or engine.workspace == "fused"
    return 2.0 * shape.embedding_params if shape.tied and again and not form.gguf else 0.0


def _weights_per_card(weights: Weights, cards: int, tensor: bool) -> float:
    if cards == 1:
        return weights.total_bytes
    if tensor:
        return (weights.linear_bytes + weights.head_bytes + weights.table_bytes) / cards + weights.tower_bytes
    tables = weights.head_bytes + weights.table_bytes
    if not weights.head_bytes or not weights.table_bytes:
        # one table only: the card that holds it takes fewer layers
        return max((weights.linear_bytes + tables) / cards, tables) + weights.tower_bytes
    return (
        max((weights.linear_bytes + tables) / cards, max(weights.head_bytes, weights.table_bytes)) + weights.tower_bytes
    )


def _cache_per_card(shape: Shape, engine: Engine, serving: Serving, cards: int, tensor: bool) -> float:
    margin = GRAPH_BATCH if engine.workspace == "graph" else 0
    tokens = max(serving.context, engine.least_context / serving.sequences)
    whole = cache_bytes(shape, serving, tokens, margin) * engine.cache_factor
    if tensor and shape.attention == "MLA":
        return whole
    if tensor:
        return whole / min(cards, max(1, shape.kv_heads))
    return whole / cards


def _workspace(
    shape: Shape,
    form: Format,
    engine: Engine,
    serving: Serving,
    cards: int,
    tensor: bool,
    cache: float,
) -> float:
    split = cards if tensor else 1
    batch = serving.prompt * serving.sequences
    match engine.workspace:
        case "whole-prompt":
            run = prompt_workspace_bytes(shape, batch, split)
            if serving.flash is False:
                run += 2.0 * serving.sequences * shape.heads * serving.prompt**2 * 2 / split
            if engine.name == "pytorch":  # a plain forward answers with the logits of every position
                run = max(run, 2.0 * batch * shape.vocab)
            whole = cache_bytes(shape, serving, max(serving.context, engine.least_context))
            filled = cache * cache_bytes(shape, serving, serving.prompt + 1) / whole if whole else 0.0
            logits = 4.0 * shape.vocab * serving.sequences
            return max(0.0, filled + run - cache) + logits + _kernel_bytes(shape, form)
        case "graph":
            return _graph_bytes(shape, serving, cards)
        case "dequantise":
            copies = 2 * 2.0 * shape.vocab * shape.hidden if form.quantised else 0.0
            return copies + prompt_workspace_bytes(shape, batch, split)
        case "fused":
            scores = (6.0 if shape.kv_heads < shape.heads else 1.0) * shape.heads * serving.prompt**2
            return serving.sequences * (6.0 * serving.prompt * shape.vocab + scores)
        case _:
            chunk = min(batch, engine.chunk_tokens)
            sampled = min(serving.sequences, 256) * shape.vocab * 4.0
            return prompt_workspace_bytes(shape, chunk, split) + sampled + _kernel_bytes(shape, form)


def _kernel_bytes(shape: Shape, form: Format) -> float:
    """GPTQ kernels keep one layer matrix in 16 bit to run long prompts through (1.02 % of 28 rows of the Qwen2.5 benchmark)."""
    return 2.6 * shape.hidden * shape.intermediate if form.group_buffer else 0.0


def _graph_bytes(shape: Shape, serving: Serving, cards: int) -> float:
    """llama.cpp's compute buffer: attention scores of one micro-batch over the whole context without flash attention, or logits."""
    logits = 4.0 * GRAPH_BATCH * shape.vocab
    flash = logits + 4.0 * GRAPH_BATCH * (shape.intermediate + 4 * shape.hidden)
    context = serving.context if serving.flash is False else min(serving.context, UNSTATED_GRAPH_CONTEXT)
    scores = 4.0 * shape.heads * GRAPH_BATCH * context if not serving.flash else 0.0
    per_card = max(scores, flash)
    return per_card * (1.35 if cards > 1 else 1.0)
