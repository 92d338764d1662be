"""Memory of training: states exactly, activations and logits by token, what the framework adds; the peak over the phases of a step.

States in bytes per trained parameter: mixed precision AdamW 4 weight + 4 gradient + 8 moments (or 2 + 2 + 12 in DeepSpeed), pure 16-bit
2 + 2 + 4. Activations of one layer without checkpointing: tokens x (9 hidden + 4.5 ffn) x 2 bytes (gated; 9 hidden + 2 ffn else), with
checkpointing tokens x hidden x 2 per layer and the work of about one layer. Logits: tokens x vocabulary x 14 bytes (2 + 4 + 4 + 4) unless
fused. Sources: peers' comparison section 5.3-5.5; Korthikanti et al. 2022; fitted factors in `frameworks.py`.
"""

from dataclasses import dataclass

from advisor.sizing.llm.frameworks import Framework
from advisor.sizing.llm.weights import Format, weights_of
from advisor.sizing.shape import Shape
from advisor.sizing.units import GIB

OPTIMIZER_BYTES = {
    # moments per trained parameter: (kept in fp32, kept in the parameter's 16 bit)
    "adamw": (8.0, 4.0),
    "adamw-8bit": (2.0, 2.0),
    "paged-adamw-8bit": (2.0, 2.0),
    "paged-adamw": (8.0, 4.0),
    "adafactor": (0.05, 0.05),
    "sgd": (4.0, 2.0),
    "lion": (4.0, 2.0),
    "lion-8bit": (1.0, 1.0),
    "galore": (2.0, 1.0),
    "galore-quantized": (1.0, 0.4),
    "muon": (4.0, 2.0),
    "prodigy": (16.0, 8.0),
    "came": (4.1, 2.1),
}
PAGED = ("paged-adamw", "paged-adamw-8bit")
"""Optimizers whose state moves to host memory when the card is full."""

EXACT = frozenset(("weights", "gradients", "optimizer", "adapters", "reference"))
FULL_METHODS = ("full", "freeze", "lisa", "llamapro")
SUB_GROUP = 1e9
"""Parameters ZeRO-3 steps at once (DeepSpeed sub_group_size; FSDP steps shard by shard)."""
TRAINED_LAYERS = {"freeze": 2, "lisa": 2}
ADDED_LAYERS_SHARE = 1 / 8
"""LLaMA Pro adds one block per eight and trains only those."""
ADAPTER_ACTIVATIONS = {"adapter": 0.8, "adapter-v2": 1.45}
"""Activations against LoRA's: no gradients into most layers; a scale and a bias saved on every linear (litgpt, 24 rows)."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """A training set-up, defaults filled in. `tokens` per card and micro-step; `sequence` of one sample."""

    method: str
    precision: str
    base: Format
    optimizer: str
    tokens: float
    sequence: int
    batch: int
    checkpointing: bool
    flash: bool
    fused: bool
    compiled: bool
    activation_offload: bool
    in_backward: bool
    trains_embeddings: bool
    rank: int
    targets: str
    sharding: str
    offload: str
    copies: float = 0.0


@dataclass(frozen=True, slots=True)
class Ways:
    """How many cards share what: gradients, optimizer, weights, layers (pipeline), matrices (tensor)."""

    optimizer: int = 1
    gradients: int = 1
    weights: int = 1
    tensor: int = 1
    pipeline: int = 1
    data: int = 1


def ways_of(sharding: str, cards: int) -> Ways:
    """The shares of each sharding over that many cards."""
    if cards == 1:
        return Ways()
    match sharding:
        case "zero1":
            return Ways(optimizer=cards, data=cards)
        case "zero2":
            return Ways(optimizer=cards, gradients=cards, data=cards)
        case "zero3":
            return Ways(optimizer=cards, gradients=cards, weights=cards, data=cards)
        case "tensor":
            inside = min(cards, 8)
            outside = cards // inside
            return Ways(optimizer=cards, gradients=inside, weights=inside, tensor=inside, data=outside)
        case "pipeline":
            return Ways(optimizer=cards, gradients=cards, weights=cards, pipeline=cards)
        case _:
            return Ways(data=cards)


def trained_params(shape: Shape, recipe: Recipe) -> float:
    """Parameters that get gradients."""
    match recipe.method:
        case "full":
            return shape.params - shape.tower_params
        case "freeze" | "lisa":
            tables = shape.embedding_params + shape.head_params if recipe.method == "lisa" else 0.0
            return TRAINED_LAYERS[recipe.method] * shape.layer_params + tables
        case "llamapro":
            return max(1, round(shape.layers * ADDED_LAYERS_SHARE)) * shape.layer_params
        case "adapter":
            return shape.layers * shape.hidden * 10.0
        case "adapter-v2":
            return shape.layers * (2.0 * (shape.hidden * 5 + shape.intermediate * 3))
        case _:
            return lora_params(shape, recipe.rank, recipe.targets)


def lora_params(shape: Shape, rank: int, targets: str) -> float:
    """Adapter parameters: rank x (in + out) of each matrix they sit on (every expert's where experts are)."""
    query, key = shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    sides = [shape.hidden + query, shape.hidden + key]
    if targets != "attention-qv":
        sides += [shape.hidden + key, query + shape.hidden]
    total = float(sum(sides))
    if targets == "all-linear":
        blocks = (3 if shape.gated else 2) * max(1, shape.experts)
        total += blocks * (shape.hidden + shape.intermediate)
    return rank * total * shape.layers


def training_parts(shape: Shape, recipe: Recipe, framework: Framework, cards: int) -> dict[str, float]:
    """GiB by part on the fullest card, at the worst phase of a step."""
    ways = ways_of(recipe.sharding, cards)
    trained = trained_params(shape, recipe)
    parts = _states(shape, recipe, framework, ways, trained)
    activations = _activations(shape, recipe, framework, ways)
    logits = _logits(shape, recipe, framework, ways)
    step = _step(recipe, framework, ways, trained)
    dequantise = framework.dequantise * 4.0 * shape.hidden * shape.intermediate if recipe.base.quantised else 0.0
    if activations + logits + dequantise >= step:
        parts["activations"] = activations + dequantise
        parts["logits"] = logits
    else:
        parts["optimizer_step"] = step
    exact = sum(size for name, size in parts.items() if name in EXACT)
    parts["fragmentation"] = framework.slack * exact
    parts["framework"] = framework.constant_gib * GIB
    return {name: size / GIB for name, size in parts.items() if size > 0}


def _pure(recipe: Recipe) -> bool:
    return recipe.precision in ("bf16", "fp16")


def _states(shape: Shape, recipe: Recipe, framework: Framework, ways: Ways, trained: float) -> dict[str, float]:
    lora = recipe.method not in FULL_METHODS
    if lora:
        weights = weights_of(shape, recipe.base)
        base = weights.total_bytes
        if framework.upcasts and recipe.base.bitsandbytes:
            base += weights.table_bytes + weights.head_bytes
        parts = {"weights": base / ways.weights + _live(shape, recipe, framework, ways)}
        moments = 0.0 if recipe.offload != "none" else OPTIMIZER_BYTES[recipe.optimizer][1 if _pure(recipe) else 0]
        each = (4.0 if _pure(recipe) else 8.0) + moments
        parts["adapters"] = trained * each / (ways.weights if recipe.sharding == "zero3" else ways.tensor)
        if recipe.trains_embeddings:
            parts["optimizer"] = (
                framework.embedding_states * (shape.embedding_params + shape.head_params) / ways.optimizer
            )
        parts["load"] = framework.load_copy * base if ways.weights > 1 else 0.0
        return parts
    frozen = max(0.0, shape.params - trained) if recipe.method != "llamapro" else shape.params
    pure = _pure(recipe) and not framework.always_mixed
    weight = 2.0 if pure else 4.0 + (2.0 if framework.always_mixed else 0.0)
    gradient = 2.0 if pure else 4.0
    moments = OPTIMIZER_BYTES[recipe.optimizer][1 if pure else 0]
    if recipe.in_backward:
        gradient = 0.0
    if recipe.optimizer in PAGED:
        moments *= 0.0
    if recipe.offload in ("optimizer", "all"):
        moments = 0.0
        weight = 2.0
        gradient = min(gradient, 2.0)
    parts = {
        "weights": (weight * trained + 2.0 * frozen) / ways.weights + _live(shape, recipe, framework, ways),
        "gradients": gradient * trained / ways.gradients,
        "optimizer": moments * trained / ways.optimizer,
    }
    if framework.autocast_cache and not pure:
        output_table = (
            shape.embedding_params if shape.tied else shape.head_params
        )  # tied or not, it multiplies as a linear layer
        cast = min(trained, shape.linear_params + output_table)
        parts["autocast_cache"] = framework.autocast_cache * cast / ways.weights
    if recipe.copies:
        parts["reference"] = 2.0 * shape.params * recipe.copies / ways.weights
    if recipe.offload == "all" and ways.weights >= 1:
        parts["weights"] = _live(shape, recipe, framework, ways) or 2.0 * shape.params / ways.weights
        parts["gradients"] = 0.0
    return parts


def _live(shape: Shape, recipe: Recipe, framework: Framework, ways: Ways) -> float:
    """Layers gathered whole while they run, under ZeRO-3."""
    if recipe.sharding != "zero3" or ways.weights == 1:
        return 0.0
    rate = min(2.0, recipe.base.linear) if recipe.method not in FULL_METHODS else 2.0
    gathered = 1.0 if recipe.offload == "all" else 1 - 1 / ways.weights
    return framework.live_layers * rate * shape.layer_params * gathered


def layer_bytes(shape: Shape, tokens: float) -> float:
    """What one layer saves for the backward pass, 16 bit."""
    width = shape.intermediate * max(1, shape.experts_per_token) if shape.is_moe else shape.intermediate
    return tokens * 2.0 * (9 * shape.hidden + (4.5 if shape.gated else 2.0) * width)


def _activations(shape: Shape, recipe: Recipe, framework: Framework, ways: Ways) -> float:
    one = layer_bytes(shape, recipe.tokens) * (framework.compiled if recipe.compiled else 1.0) * framework.activations
    one *= ADAPTER_ACTIVATIONS.get(recipe.method, 1.0)
    if not recipe.flash:
        one += 2.6 * 2 * recipe.batch * shape.heads * recipe.sequence**2
    if recipe.precision in ("fp32", "tf32"):
        one *= 2
    if not recipe.checkpointing:
        saved = shape.layers * one
    else:
        kept = recipe.tokens * shape.hidden * 2.0 * shape.layers
        saved = kept * (0.2 if recipe.activation_offload else 1.0) + framework.layer_work * one
    if ways.tensor > 1:
        saved /= ways.tensor
    return saved


def _logits(shape: Shape, recipe: Recipe, framework: Framework, ways: Ways) -> float:
    if shape.family != "decoder":
        return 0.0
    each = framework.fused_logits_bytes if recipe.fused else framework.logits_bytes
    return recipe.tokens * shape.vocab * each / ways.tensor


def _step(recipe: Recipe, framework: Framework, ways: Ways, trained: float) -> float:
    if recipe.in_backward or recipe.method not in FULL_METHODS or recipe.offload != "none":
        return 0.0
    if recipe.optimizer.startswith("galore"):
        return 0.0
    each = framework.step_bytes / 2 if _pure(recipe) else framework.step_bytes
    own = trained / ways.optimizer
    return each * (min(own, SUB_GROUP) if recipe.sharding == "zero3" and ways.weights > 1 else own)
