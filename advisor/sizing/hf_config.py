"""Reads a Hugging Face config.json as it is, of any family, into a `Shape`.

Families read: LLaMA-like (Llama, Qwen2/3, Mistral, Yi, Phi-3, GLM, Baichuan, InternLM ...), mixtures of experts (Mixtral, Qwen-MoE,
DeepSeek with MLA, gpt-oss), sliding windows (Gemma 2/3/4, gpt-oss), hybrids whose linear-attention layers hold no growing cache
(Qwen3-Next, Qwen3.5/3.6, Jamba-like `layer_types`), GPT-2/NeoX/Falcon, T5, BERT-like encoders, ViT, Whisper; a nested
`text_config` is followed. Unknown keys are passed over; what is missing is assumed and said in `Shape.notes`.
"""

from collections.abc import Mapping
from typing import Any, cast

from advisor.sizing.answer import Note, Value
from advisor.sizing.shape import Attention, Family, KvGroup, Shape, attention_params, ffn_params

LARGEST = 10_000_000
"""No size of a model is larger than this; a larger number is a damaged file."""


class ConfigError(ValueError):
    """A mapping that is no usable model configuration: `code` of the problem table and the reason in words."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def check_config(config: Mapping[str, Any]) -> None:
    """Raises ConfigError where `config` is not a model's configuration."""
    shape_from_config(config)


ENCODER_TYPES = frozenset(
    [
        "bert",
        "roberta",
        "xlm-roberta",
        "distilbert",
        "electra",
        "deberta",
        "deberta-v2",
        "camembert",
        "albert",
        "mpnet",
        "modernbert",
        "nomic_bert",
    ]
)
UNGATED_TYPES = frozenset(
    [
        "gpt2",
        "gpt_neo",
        "gpt_neox",
        "gptj",
        "opt",
        "bloom",
        "falcon",
        "RefinedWeb",
        "RefinedWebModel",
        "phi",
        "codegen",
        "mpt",
        "gpt_bigcode",
        "starcoder2",
        "stablelm_alpha",
        "transfo-xl",
        "persimmon",
    ]
)
TIED_TYPES = frozenset(
    [
        "gpt2",
        "gemma",
        "gemma2",
        "gemma3",
        "gemma3_text",
        "gemma4",
        "gemma4_text",
        "opt",
        "bloom",
        "falcon",
        "t5",
        "whisper",
        "gpt_bigcode",
    ]
)
VOCABULARIES = (("gemma", 262_208), ("qwen", 151_936), ("mistral", 32_768), ("mixtral", 32_000), ("gpt2", 50_257))
TEXT_KEYS = ("text_config", "llm_config", "language_config", "thinker_config")
TOWER_KEYS = ("vision_config", "audio_config")

_NAMES: Mapping[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "encoder_layers"),
    "hidden": ("hidden_size", "n_embd", "d_model", "dim", "model_dim"),
    "heads": ("num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads"),
    "intermediate": (
        "intermediate_size",
        "ffn_hidden_size",
        "n_inner",
        "d_ff",
        "d_inner",
        "ffn_dim",
        "encoder_ffn_dim",
        "hidden_dim",
    ),
    "kv_heads": ("num_key_value_heads", "multi_query_group_num", "num_kv_heads", "n_head_kv", "num_query_groups"),
    "head_dim": ("head_dim", "kv_channels", "d_kv", "attention_head_dim"),
    "vocab": ("vocab_size", "padded_vocab_size", "n_vocab"),
    "max_context": ("max_position_embeddings", "n_positions", "seq_length", "max_seq_len", "n_ctx", "model_max_length"),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"),
    "per_token": ("num_experts_per_tok", "top_k_experts", "num_experts_per_token", "moe_top_k", "moe_topk"),
    "expert_intermediate": ("moe_intermediate_size", "expert_intermediate_size", "moe_ffn_hidden_size"),
}


class _Config:
    """Typed look-ups in a config, by any of a size's names."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.data = data
        self.notes: list[Note] = []

    def size(self, what: str) -> int | None:
        for name in _NAMES[what]:
            value = self.data.get(name)
            if value is None or isinstance(value, bool):
                continue
            if isinstance(value, list | tuple) and value and all(isinstance(item, int) for item in value):
                value = max(value)
            if (
                not isinstance(value, int | float)
                or value != value
                or value <= 0
                or value > LARGEST
                or value != int(value)
            ):
                raise ConfigError("not-a-config", f"{name} is not a size")
            return int(value)
        return None

    def number(self, name: str, default: int = 0) -> int:
        value = self.data.get(name)
        plain = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= LARGEST
        return int(cast(float, value)) if plain else default

    def flag(self, name: str) -> bool | None:
        value = self.data.get(name)
        return value if isinstance(value, bool) else None

    def text(self, name: str) -> str:
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def assume(self, code: str, field: str, **values: Value) -> None:
        self.notes.append(Note(code, f"model.hf_config.{field}", values))


def shape_from_config(data: Mapping[str, Any]) -> Shape:
    """The shape behind a config.json.

    Raises ConfigError: `not-a-config` where the sizes of a transformer are missing or no sizes, `config-contradiction` where they
    cannot belong together.
    """
    outer = _Config(data)
    inner = next((data[key] for key in TEXT_KEYS if isinstance(data.get(key), Mapping)), None)
    if inner is not None:
        nested = next((inner[key] for key in TEXT_KEYS if isinstance(inner.get(key), Mapping)), inner)
        config = _Config({**{key: data[key] for key in ("tie_word_embeddings",) if key in data}, **nested})
    else:
        config = outer
    kind = config.text("model_type") or outer.text("model_type")
    layers, hidden, heads = config.size("layers"), config.size("hidden"), config.size("heads")
    if layers is None or hidden is None:
        words = (("num_hidden_layers", layers), ("hidden_size", hidden))
        missing = " and ".join(word for word, value in words if value is None)
        raise ConfigError("not-a-config", f"{missing} missing")
    if heads is None:
        heads = max(1, hidden // 128)
        config.assume("config-assumed", "num_attention_heads", value=heads)
    if layers > 10_000 or hidden > 1_000_000 or heads > 100_000:
        raise ConfigError("not-a-config", "its sizes are beyond any model")
    if kind == "whisper" or kind in ("t5", "mt5", "bart", "mbart", "marian", "pegasus", "umt5"):
        return _encoder_decoder(config, kind, layers, hidden, heads)
    shape = _transformer(config, kind, layers, hidden, heads)
    tower = _tower_params(data)
    if not tower:
        return shape
    return _with_tower(shape, tower)


def _transformer(config: _Config, kind: str, layers: int, hidden: int, heads: int) -> Shape:
    family: Family = "decoder"
    if kind in ENCODER_TYPES:
        family = "encoder"
    elif kind in ("vit", "deit", "dinov2", "siglip_vision_model", "clip_vision_model") or "patch_size" in config.data:
        family = "vision-encoder"
    kv_heads = config.size("kv_heads") or (1 if config.flag("multi_query") else heads)
    head_dim = config.size("head_dim") or max(1, hidden // heads)
    if kv_heads > heads:
        raise ConfigError("config-contradiction", "it has more key-value heads than attention heads")
    vocab = config.size("vocab")
    if vocab is None and family == "decoder":
        vocab = next((size for prefix, size in VOCABULARIES if kind.startswith(prefix)), 128_256)
        config.assume("config-assumed", "vocab_size", value=vocab)
    gated = _gated(config, kind, family)
    intermediate = config.size("intermediate")
    if intermediate is None:
        intermediate = 4 * hidden
        config.assume("config-assumed", "intermediate_size", value=intermediate)
    if kind == "qwen" and gated:  # Qwen 1: one figure for both halves of the gated block
        intermediate //= 2
    experts = config.size("experts") or 0
    per_token = min(config.size("per_token") or min(2, experts), experts) if experts else 0
    attention_layer, attention = _attention(config, hidden, heads, kv_heads, head_dim)
    total, active = _block_params(
        config, kind, layers, hidden, intermediate, gated, experts, per_token, attention_layer
    )
    table = float((vocab or 0) * hidden)
    if family == "vision-encoder":
        table = float(config.number("patch_size", 16) ** 2 * 3 * hidden)
    elif family == "encoder":
        table += (config.number("max_position_embeddings", 512) + config.number("type_vocab_size", 2)) * hidden
    tied = _tied(config, kind, family)
    head = 0.0 if tied else table
    groups, state = _kv(config, kind, layers, kv_heads, head_dim, attention)
    return Shape(
        name=config.text("_name_or_path")[:60] or kind or "config.json",
        family=family,
        layers=layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=vocab or 0,
        gated=gated,
        tied=tied,
        attention=attention,
        params=total + table + head,
        active_params=active + table + head,
        embedding_params=table,
        head_params=head,
        kv_groups=groups if family == "decoder" else (),
        state_elements=state,
        experts=experts,
        experts_per_token=per_token,
        expert_intermediate=config.size("expert_intermediate") or (intermediate if experts else 0),
        max_context=config.size("max_context"),
        native_format=_native_format(config),
        notes=tuple(config.notes),
    )


def _gated(config: _Config, kind: str, family: Family) -> bool:
    if family != "decoder" or kind in UNGATED_TYPES:
        return kind == "modernbert"
    activation = config.text("hidden_act") or config.text("activation_function") or config.text("hidden_activation")
    if not activation and not kind:
        config.assume("config-assumed", "hidden_act", value="silu")
    return not (activation in ("relu", "gelu", "gelu_new") and not kind)


def _tied(config: _Config, kind: str, family: Family) -> bool:
    told = config.flag("tie_word_embeddings")
    if family != "decoder":
        return True
    if told is not None:
        return told
    tied = kind in TIED_TYPES
    config.assume("config-assumed", "tie_word_embeddings", value=tied)
    return tied


def _attention(config: _Config, hidden: int, heads: int, kv_heads: int, head_dim: int) -> tuple[float, Attention]:
    rank = config.number("kv_lora_rank")
    if rank:
        nope, rope = config.number("qk_nope_head_dim", 128), config.number("qk_rope_head_dim", 64)
        value = config.number("v_head_dim", 128)
        query_rank = config.number("q_lora_rank")
        query = heads * (nope + rope)
        params = hidden * query_rank + query_rank * query if query_rank else hidden * query
        params += hidden * (rank + rope) + rank * heads * (nope + value) + heads * value * hidden
        return float(params), "MLA"
    params_plain = attention_params(hidden, heads, kv_heads, head_dim)
    if config.flag("attn_output_gate"):
        params_plain += hidden * heads * head_dim
    return params_plain, "MQA" if kv_heads == 1 else "GQA" if kv_heads < heads else "MHA"


def _block_params(
    config: _Config,
    kind: str,
    layers: int,
    hidden: int,
    intermediate: int,
    gated: bool,
    experts: int,
    per_token: int,
    attention_layer: float,
) -> tuple[float, float]:
    """Total and active parameters of all layers, norms included."""
    dense = ffn_params(hidden, intermediate, gated)
    base = layers * (attention_layer + 2.0 * hidden)
    if not experts:
        return base + layers * dense, base + layers * dense
    width = config.size("expert_intermediate") or intermediate
    expert = ffn_params(hidden, width, gated)
    shared_width = config.number("shared_expert_intermediate_size") or width * config.number("n_shared_experts")
    shared = ffn_params(hidden, shared_width, gated) + hidden * experts
    if kind.startswith("gemma4"):
        shared += dense
    dense_layers = config.number("first_k_dense_replace")
    step = max(1, config.number("decoder_sparse_step", 1))
    moe_layers = max(0, layers - dense_layers) // step
    rest = layers - moe_layers
    total = base + rest * dense + moe_layers * (experts * expert + shared)
    active = base + rest * dense + moe_layers * (per_token * expert + shared)
    return total, active


def _kv(
    config: _Config, kind: str, layers: int, kv_heads: int, head_dim: int, attention: Attention
) -> tuple[tuple[KvGroup, ...], float]:
    if attention == "MLA":
        return (KvGroup(layers, config.number("kv_lora_rank") + config.number("qk_rope_head_dim", 64)),), 0.0
    elements = 2 * kv_heads * head_dim
    window = config.number("sliding_window") or None
    if config.flag("use_sliding_window") is False:
        window = None
    linear, sliding = _layer_kinds(config, kind, layers, window)
    full = layers - linear - sliding
    full_elements = elements
    if config.number("global_head_dim"):
        full_elements = 2 * (config.number("num_global_key_value_heads") or kv_heads) * config.number("global_head_dim")
    state = 0.0
    if linear:
        key, value = config.number("linear_key_head_dim", 128), config.number("linear_value_head_dim", 128)
        state = float(linear * config.number("linear_num_value_heads", 32) * key * value * 2)
    groups = (KvGroup(full, full_elements), KvGroup(sliding, elements, window))
    return tuple(group for group in groups if group.layers), state


def _layer_kinds(config: _Config, kind: str, layers: int, window: int | None) -> tuple[int, int]:
    """How many layers hold no growing cache, and how many a windowed one."""
    types = config.data.get("layer_types")
    if isinstance(types, list | tuple) and len(types) == layers:
        linear = sum(
            1 for item in types if isinstance(item, str) and ("linear" in item or "mamba" in item or "conv" in item)
        )
        sliding = sum(1 for item in types if isinstance(item, str) and "sliding" in item) if window else 0
        return linear, sliding
    interval = config.number("full_attention_interval")
    if interval > 1:
        return layers - layers // interval, 0
    period = config.number("attn_layer_period")
    if period > 1:
        return layers - layers // period, 0
    if not window:
        return 0, 0
    pattern = config.number("sliding_window_pattern")
    if not pattern:
        pattern = 6 if kind.startswith(("gemma3", "gemma4")) else 2 if kind in ("gemma2", "gpt_oss", "cohere2") else 0
    if pattern > 1:
        return 0, layers - layers // pattern
    if kind.startswith("qwen"):  # max_window_layers: only layers above it are windowed
        return 0, max(0, layers - config.number("max_window_layers", layers))
    return 0, layers


def _native_format(config: _Config) -> str | None:
    quantised = config.data.get("quantization_config")
    if isinstance(quantised, Mapping):
        method = quantised.get("quant_method")
        if isinstance(method, str):
            bits = quantised.get("bits")
            known = {"fp8": "fp8", "mxfp4": "mxfp4", "awq": "awq", "compressed-tensors": None}
            if method == "gptq":
                return "gptq-int8" if bits == 8 else "gptq-int4"
            if method == "bitsandbytes":
                return "nf4" if quantised.get("load_in_4bit") else "int8"
            return known.get(method)
    dtype = config.text("torch_dtype") or config.text("dtype")
    return {"float32": "fp32", "float16": "fp16", "bfloat16": "bf16"}.get(dtype)


def _encoder_decoder(config: _Config, kind: str, layers: int, hidden: int, heads: int) -> Shape:
    decoder_layers = config.number("num_decoder_layers") or config.number("decoder_layers") or layers
    intermediate = config.size("intermediate") or 4 * hidden
    head_dim = config.size("head_dim") or max(1, hidden // heads)
    vocab = config.size("vocab") or 32_000
    gated = "gated" in config.text("feed_forward_proj")
    attention = attention_params(hidden, heads, heads, head_dim)
    ffn = ffn_params(hidden, intermediate, gated)
    params = layers * (attention + ffn) + decoder_layers * (2 * attention + ffn)
    table = float(vocab * hidden)
    tied = config.flag("tie_word_embeddings") is not False
    head = 0.0 if tied else table
    return Shape(
        name=config.text("_name_or_path")[:60] or kind,
        family="encoder-decoder",
        layers=layers + decoder_layers,
        hidden=hidden,
        intermediate=intermediate,
        heads=heads,
        kv_heads=heads,
        head_dim=head_dim,
        vocab=vocab,
        gated=gated,
        tied=tied,
        attention="MHA",
        params=params + table + head,
        active_params=params + table + head,
        embedding_params=table,
        head_params=head,
        kv_groups=(KvGroup(2 * decoder_layers, 2 * heads * head_dim),),
        max_context=config.size("max_context"),
        notes=tuple(config.notes),
    )


def _tower_params(data: Mapping[str, Any]) -> float:
    """Parameters of vision and audio towers, by the same arithmetic as the text model's."""
    total = 0.0
    for key in TOWER_KEYS:
        part = data.get(key)
        if not isinstance(part, Mapping):
            continue
        tower = _Config(part)
        layers = tower.number("depth") or tower.size("layers")
        hidden = tower.number("embed_dim") or tower.size("hidden")
        if not layers or not hidden:
            continue
        intermediate = tower.size("intermediate") or 4 * hidden
        total += layers * (4.0 * hidden * hidden + ffn_params(hidden, intermediate, tower.text("hidden_act") == "silu"))
    return total


def _with_tower(shape: Shape, tower_params: float) -> Shape:
    fields = {name: getattr(shape, name) for name in Shape.__dataclass_fields__}
    fields["params"] = shape.params + tower_params
    fields["active_params"] = shape.active_params + tower_params
    fields["tower_params"] = tower_params
    return Shape(**fields)
