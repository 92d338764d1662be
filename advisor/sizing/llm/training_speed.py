"""Speed of training: matrix products at the card's sustained rate, element-wise work at its bandwidth, the host, the link.

Time of a micro-step = FLOPs / (peak x share of the card class) + tokens x layers x hidden x bytes / bandwidth + a fixed time per layer and
pass. The element-wise term explains why small models and CNN-like BERT reach a third of an A100 where a 70B reaches 60 %, and why a card
with a higher tensor rate but the same bandwidth gains less than its peak says. FLOPs per token and parameter: 2 forward, 2 for the
gradient of the inputs, 2 for that of the weights where they are trained, 2 more where checkpointing runs the forward again.
"""

from dataclasses import dataclass

from advisor.sizing.answer import Limit
from advisor.sizing.gpu import Gpu
from advisor.sizing.llm.cards import bandwidth, card_class, clock_factor, tensor_tflops
from advisor.sizing.llm.frameworks import Framework
from advisor.sizing.llm.training_memory import FULL_METHODS, Recipe, trained_params, ways_of
from advisor.sizing.parallel import allreduce_seconds, gather_seconds, link_of
from advisor.sizing.shape import Shape

MATRIX_SHARE = {
    "sm_80": 0.75,
    "sm_90": 0.6,
    "sm_70": 0.57,
    "sm_75": 0.6,
    "sm_100": 0.5,
    "geforce": 1.0,
    "geforce-ada": 0.9,
    "workstation": 0.9,
    "other": 0.5,
}
"""Share of the dense FP32-accumulate peak that a training step's matrix products reach."""
ELEMENT_BYTES = {"decoder": 1320.0, "encoder": 750.0}
"""Bytes moved per token, layer and hidden element by everything that is no matrix product, over forward and backward."""
COMPILED_ELEMENTS = 0.25
HOST_SECONDS = 0.9e-3
"""Launching one layer once, from Python, at the reference clock of a host of its time."""
EXPOSED = 0.4
"""Share of a gradient all-reduce that does not hide behind the backward pass."""
DEQUANTISE_PASSES = {"gptq": 5.0, "other": 1.0}
RECURRENT = "transformer-xl"
RECURRENT_ELEMENTS = 1.9
RECURRENT_MATRIX = 2.4
"""Transformer-XL against a plain block: relative positions over a memory of earlier segments, an adaptive softmax of 268k words."""
LARGE_CACHE = 1.6
"""Element-wise work on cards with 48 MB of L2 and more on GDDR (Ada, Blackwell): part of it never reaches memory."""
OFFLOAD_GB_S = 12.0
"""What host memory and PCIe bring an offloaded optimizer or offloaded weights, GB/s and card."""


@dataclass(frozen=True, slots=True)
class StepTime:
    """Seconds of one optimizer step, tokens it trains over all cards, and what limits it."""

    seconds: float
    tokens: float
    limited_by: Limit


def step_time(shape: Shape, recipe: Recipe, framework: Framework, gpu: Gpu, cards: int, accumulation: int) -> StepTime:
    """One optimizer step of `accumulation` micro-steps on `cards` cards."""
    ways = ways_of(recipe.sharding, cards)
    split = ways.tensor * ways.pipeline
    matrix = (
        flops(shape, recipe) / (tensor_tflops(gpu) * 1e12 * MATRIX_SHARE[card_class(gpu)] * _precision(recipe)) / split
    )
    if shape.name.startswith(RECURRENT):
        matrix *= RECURRENT_MATRIX
    cached = LARGE_CACHE if gpu.compute_capability == 8.9 or gpu.compute_capability >= 12.0 else 1.0
    element = _element_bytes(shape, recipe) / (bandwidth(gpu) * cached) / split
    passes = 4 if recipe.checkpointing else 3
    host = (
        shape.layers
        * passes
        / 4
        * 3
        * HOST_SECONDS
        * clock_factor(gpu)
        * (0.5 if recipe.compiled else 1.0)
        / ways.pipeline
    )
    unpack = _unpack(shape, recipe, passes) / bandwidth(gpu)
    link = _link_micro(shape, recipe, gpu, cards)
    micro = (matrix + element + host + unpack) / framework.pace + link
    trained = trained_params(shape, recipe)
    sync = _sync(recipe, gpu, cards, trained)
    update = 30.0 * trained / ways.optimizer / bandwidth(gpu)
    offload = _offload(shape, recipe, trained, ways.optimizer)
    seconds = accumulation * micro + sync + update + offload
    data = cards // split
    limit = _limit(matrix, element, host, (link + sync / accumulation), offload / accumulation)
    return StepTime(seconds, recipe.tokens * accumulation * data, limit)


def flops(shape: Shape, recipe: Recipe) -> float:
    """FLOPs of one micro-step on one card: forward, backward, recomputation."""
    full = recipe.method in FULL_METHODS
    each = (6.0 if full else 4.0) + (2.0 if recipe.checkpointing else 0.0)
    head = shape.head_params or (shape.embedding_params if shape.family == "decoder" else 0.0)
    per_token = each * shape.active_linear_params + (each - (2.0 if recipe.checkpointing else 0.0)) * head
    scores = 2.0 * recipe.sequence * shape.heads * shape.head_dim * (1.0 if shape.family == "decoder" else 2.0)
    attention = shape.layers * scores * (3.0 + (1.0 if recipe.checkpointing else 0.0))
    return recipe.tokens * (per_token + attention)


def _precision(recipe: Recipe) -> float:
    return {"fp32": 0.12, "tf32": 0.5}.get(recipe.precision, 1.0)


def _element_bytes(shape: Shape, recipe: Recipe) -> float:
    each = ELEMENT_BYTES["encoder" if shape.family == "encoder" else "decoder"]
    if shape.name.startswith(RECURRENT):
        each *= RECURRENT_ELEMENTS
    if recipe.compiled:
        each *= COMPILED_ELEMENTS
    if recipe.precision in ("fp32", "tf32"):
        each *= 2
    return recipe.tokens * shape.layers * shape.hidden * each


def _unpack(shape: Shape, recipe: Recipe, passes: int) -> float:
    if not recipe.base.quantised:
        return 0.0
    each = DEQUANTISE_PASSES["gptq" if recipe.base.group_buffer else "other"]
    return (passes - 1) * each * 4.0 * shape.linear_params


def _link_micro(shape: Shape, recipe: Recipe, gpu: Gpu, cards: int) -> float:
    """Transfers of every micro-step: gathered weights under ZeRO-3, partial sums under tensor parallelism."""
    if cards == 1:
        return 0.0
    if recipe.sharding == "zero3":
        size = recipe.base.linear * shape.linear_params if recipe.method not in FULL_METHODS else 2.0 * shape.params
        times = (3 if recipe.checkpointing else 2) + (1 if recipe.method in FULL_METHODS else 0)
        return times * gather_seconds(gpu, cards, size)
    if recipe.sharding == "tensor":
        inside = min(cards, 8)
        size = recipe.tokens * shape.hidden * 2.0
        return (6 if recipe.checkpointing else 4) * shape.layers * (allreduce_seconds(gpu, inside, size) + 20e-6)
    return 0.0


def _sync(recipe: Recipe, gpu: Gpu, cards: int, trained: float) -> float:
    """The all-reduce of gradients once a step, the part that does not hide."""
    if cards == 1 or recipe.sharding in ("tensor", "pipeline", "zero3"):
        return 0.0
    size = trained * (2.0 if recipe.precision in ("bf16", "fp16") else 4.0)
    return EXPOSED * allreduce_seconds(gpu, cards, size)


def _offload(shape: Shape, recipe: Recipe, trained: float, ways: int) -> float:
    if recipe.offload == "none" and not (recipe.optimizer.startswith("paged") and recipe.method in FULL_METHODS):
        return 0.0
    moved = 16.0 * trained / ways
    if recipe.offload == "all":
        moved += 4.0 * shape.params / ways
    return moved / (OFFLOAD_GB_S * 1e9)


def _limit(matrix: float, element: float, host: float, link: float, offload: float) -> Limit:
    parts: tuple[tuple[float, Limit], ...] = (
        (matrix, "compute"),
        (element, "memory-bandwidth"),
        (host, "host"),
        (link, "interconnect"),
        (offload, "host"),
    )
    return max(parts, key=lambda part: part[0])[1]


def shared_link(gpu: Gpu, cards: int) -> str:
    """The link of the notes."""
    return link_of(gpu, cards)
