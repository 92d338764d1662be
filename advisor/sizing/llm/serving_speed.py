"""Speed of serving: prompt and generation apart, several sequences at once, several cards.

Time of one generated token = reading the weights + reading the cache + a fixed time per layer (kernel launches, norms; scales with the
clock), or, for engines driven from Python, the larger of the card's time and the host's. With several sequences the weights are read
once for all until the matrix products take longer than the reading.
"""

import math
from dataclasses import dataclass
from typing import Literal

from advisor.sizing.answer import Limit
from advisor.sizing.gpu import Gpu
from advisor.sizing.llm.cards import bandwidth, clock_factor, is_hbm, sustained_flops
from advisor.sizing.llm.serving_memory import Serving
from advisor.sizing.llm.stacks import Engine
from advisor.sizing.llm.weights import Format, Weights
from advisor.sizing.parallel import link_of, p2p
from advisor.sizing.shape import Shape

REDUCE_SECONDS = {"nvlink": 8e-6, "p2p": 20e-6, "host": 45e-6, "network": 60e-6, "none": 0.0}
"""Latency of one small all-reduce in tensor parallelism, by the road it takes."""
LAYER_SPLIT_SECONDS = 0.15e-3
"""What each further card of a layer split adds to a token (llama.cpp, 70B on 2, 4 and 8 cards)."""
OVERLAP_PER_DOUBLING = 0.18
"""llama.cpp lets micro-batches of a prompt follow each other through the cards: gain per doubling (8B on 2, 4, 6, 8 cards)."""
LOW_BIT_COMPUTE = 0.6
"""Share of the 16-bit rate that packed 4-bit kernels reach in large batches (128 requests: 1,146 tokens/s with AWQ, 1,724 in 16 bit)."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: of the prompts of all sequences, of one prompt, of one generation step at average length; and what limits it."""

    prompt_seconds: float
    first_prompt_seconds: float
    step_seconds: float
    limited_by: Limit


@dataclass(frozen=True, slots=True)
class ServingWork:
    """What does not depend on the card: bytes and FLOPs of one request shape."""

    shape: Shape
    form: Format
    engine: Engine
    serving: Serving
    weights: Weights
    read_bytes: float
    cache_bytes: float
    prompt_flops: float
    step_flops: float
    pace: tuple[float, float, float]


def serving_work(
    shape: Shape, form_name: str, form: Format, engine: Engine, serving: Serving, weights: Weights
) -> ServingWork:
    """Precomputes the card-independent part."""
    middle = serving.prompt + serving.output / 2
    read = weights.read_bytes
    if shape.is_moe:
        touched = experts_touched(shape, serving.sequences)
        idle = shape.linear_params - shape.active_linear_params
        busy = shape.active_linear_params + idle * touched
        read = weights.linear_bytes * busy / shape.linear_params + (weights.head_bytes or weights.table_bytes)
    head = shape.head_params or shape.embedding_params
    prompt_flops = serving.sequences * (
        2 * shape.active_linear_params * serving.prompt
        + 2.0 * shape.kv_layers * shape.heads * shape.head_dim * serving.prompt**2
    )
    return ServingWork(
        shape,
        form,
        engine,
        serving,
        weights,
        read,
        shape.kv_elements(middle) * serving.sequences * serving.cache_bytes_each,
        prompt_flops,
        serving.sequences * 2 * (shape.active_linear_params + head),
        _pace(engine, form_name, form),
    )


def experts_touched(shape: Shape, sequences: int) -> float:
    """Share of the idle experts that some sequence of a batch wakes."""
    if not shape.experts or shape.experts <= shape.experts_per_token:
        return 0.0
    spared = (1 - shape.experts_per_token / shape.experts) ** max(0, sequences - 1)
    return 1 - float(spared)


def pace_of(work: ServingWork, gpu: Gpu, cards: int, tensor: bool) -> Pace:
    """How fast the work runs on `cards` cards of this kind."""
    shape, engine, form = work.shape, work.engine, work.form
    ways = cards if tensor else 1
    factor, layer_us, card_us = work.pace
    hbm = is_hbm(gpu)
    factor *= engine.hbm_read if hbm else 1.0
    bytes_per_second = bandwidth(gpu)
    rate = sustained_flops(gpu) * ways
    read = factor * work.read_bytes / ways / bytes_per_second
    compute_rate = rate * (LOW_BIT_COMPUTE if form.bits <= 4 else 1.0)
    compute = work.step_flops / compute_rate
    grouped = shape.heads / max(1, shape.kv_heads)
    expand = 1.0 + (engine.head_copies * grouped if grouped > 1 else 0.0)
    cache_ways = ways if shape.attention != "MLA" else 1
    cache = work.cache_bytes * expand / min(cache_ways, max(1, shape.kv_heads)) / bytes_per_second
    length = work.serving.prompt + work.serving.output / 2
    cache = max(cache, engine.context_ns * 1e-9 * length * shape.kv_layers * clock_factor(gpu))
    card = max(read, compute) + cache
    link = (reduce_seconds(gpu, cards) + engine.reduce_us * 1e-6) * 2 * shape.layers if tensor and cards > 1 else 0.0
    hops = LAYER_SPLIT_SECONDS * (cards - 1) if not tensor else 0.0
    fixed = layer_us * 1e-6 * shape.layers
    if engine.host_bound:
        host = fixed
        step = max(host, card + card_us * 1e-6 * shape.layers) + link + hops
    else:
        host = fixed * clock_factor(gpu)
        step = host + card + link + hops
    limit: Limit = _limit(host, read, compute, cache, link)
    share = engine.prefill * (engine.prefill_hbm if hbm else 1.0) * (engine.prefill_packed if form.quantised else 1.0)
    if cards > 1 and not tensor and engine.workspace == "graph":
        share *= 1 + OVERLAP_PER_DOUBLING * math.log2(cards)
    prompt = work.prompt_flops / (rate * share)
    if shape.is_moe:  # a prompt of some length wakes every expert
        prompt = max(prompt, factor * work.weights.linear_bytes / ways / bytes_per_second)
    first = prompt / work.serving.sequences
    return Pace(prompt + step, first + step, step, limit)


def _pace(engine: Engine, form_name: str, form: Format) -> tuple[float, float, float]:
    if form_name in engine.paces:
        return engine.paces[form_name]
    return engine.paces["16" if form.bits >= 16 else "8" if form.bits >= 8 else "4"]


def _limit(host: float, read: float, compute: float, cache: float, link: float) -> Limit:
    card = max(read, compute) + cache
    if link > card and link > host:
        return "interconnect"
    if host > card:
        return "host"
    return "compute" if compute > read + cache else "memory-bandwidth"


def reduce_seconds(gpu: Gpu, cards: int) -> float:
    """Latency of one small all-reduce over these cards."""
    link: Literal["none", "nvlink", "pcie", "network"] = link_of(gpu, cards)
    if link == "pcie":
        return REDUCE_SECONDS["p2p" if p2p(gpu) else "host"]
    return REDUCE_SECONDS[link]
