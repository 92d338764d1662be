"""The shape of a transformer: what every memory and speed formula of the LLM core works from."""

from dataclasses import dataclass
from typing import Literal

from advisor.sizing.answer import Note

Family = Literal["decoder", "encoder", "encoder-decoder", "vision-encoder"]
Attention = Literal["MHA", "GQA", "MQA", "MLA", "none"]


@dataclass(frozen=True, slots=True)
class KvGroup:
    """Layers that cache alike: how many, elements cached per token and layer (K and V together), tokens kept (None: all)."""

    layers: int
    elements: int
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A model's sizes. Counts in elements and parameters (not billions); `None` window or context means not known or no limit.

    `intermediate` is the width of one feed-forward block (of one expert where `experts` > 0). `embedding_params` is the input
    table; `head_params` the output table (0 where tied). `linear_params` are the layer matrices, the part a quantised format
    packs. `tower_params` belong to a vision or audio tower, kept in 16 bit. `state_elements` is the fixed per-sequence state of
    layers without a growing cache.
    """

    name: str
    family: Family
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    gated: bool
    tied: bool
    attention: Attention
    params: float
    active_params: float
    embedding_params: float
    head_params: float
    kv_groups: tuple[KvGroup, ...]
    tower_params: float = 0.0
    state_elements: float = 0.0
    experts: int = 0
    experts_per_token: int = 0
    expert_intermediate: int = 0
    max_context: int | None = None
    native_format: str | None = None
    notes: tuple[Note, ...] = ()

    @property
    def linear_params(self) -> float:
        """Parameters of the layer matrices (everything but tables and tower)."""
        return max(0.0, self.params - self.embedding_params - self.head_params - self.tower_params)

    @property
    def layer_params(self) -> float:
        """Parameters of one layer, all experts."""
        return self.linear_params / max(1, self.layers)

    @property
    def active_linear_params(self) -> float:
        """Layer parameters one token passes through."""
        tables = self.embedding_params + self.head_params + self.tower_params
        if self.active_params >= self.params:
            return self.linear_params
        return max(self.active_params - tables, 0.1 * self.active_params)

    @property
    def is_moe(self) -> bool:
        """Whether tokens pass through a few of many experts."""
        return self.experts > 1

    @property
    def kv_layers(self) -> int:
        """Layers with a cache that grows with the context (windowed ones included)."""
        return sum(group.layers for group in self.kv_groups)

    def kv_elements(self, tokens: float, window_margin: int = 0) -> float:
        """Cached elements of one sequence of `tokens`; windowed layers keep `window + window_margin` at most."""
        total = 0.0
        for group in self.kv_groups:
            kept = tokens if group.window is None else min(tokens, group.window + window_margin)
            total += group.layers * group.elements * kept
        return total + self.state_elements

    @property
    def kv_elements_per_token(self) -> float:
        """Cached elements each further token adds while every window still has room."""
        return float(sum(group.layers * group.elements for group in self.kv_groups))


def attention_params(hidden: int, heads: int, kv_heads: int, head_dim: int) -> float:
    """Weights of q, k, v and output projections of one layer."""
    return float(hidden * heads * head_dim * 2 + hidden * kv_heads * head_dim * 2)


def ffn_params(hidden: int, intermediate: int, gated: bool) -> float:
    """Weights of one feed-forward block: three matrices where gated (SwiGLU), else two."""
    return float((3 if gated else 2) * hidden * intermediate)
