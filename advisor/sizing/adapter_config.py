"""Reads a PEFT adapter_config.json into fields of a training workload."""

from collections.abc import Mapping
from typing import Any

MOST_RANK = 4096
_QV = frozenset(("q_proj", "v_proj", "query", "value", "c_attn", "query_key_value", "W_pack"))
_ATTENTION = _QV | frozenset(("k_proj", "o_proj", "key", "out_proj", "qkv_proj", "dense"))


class AdapterError(ValueError):
    """A mapping that is no adapter configuration; the text says why."""


def fields_from_adapter(config: Mapping[str, Any]) -> dict[str, Any]:
    """`method`, `lora_rank`, `lora_targets` and `trainable_embeddings` as the adapter has them.

    Raises AdapterError where it is no LoRA-like adapter.
    """
    kind = config.get("peft_type")
    if kind not in ("LORA", "ADALORA", "DORA", None) or "r" not in config:
        raise AdapterError("it is no LoRA adapter: peft_type LORA and a rank r are wanted")
    rank = config["r"]
    if isinstance(rank, bool) or not isinstance(rank, int) or not 1 <= rank <= MOST_RANK:
        raise AdapterError(f"its rank r is no whole number between 1 and {MOST_RANK}")
    fields: dict[str, Any] = {"method": "dora" if config.get("use_dora") is True else "lora", "lora_rank": rank}
    modules = config.get("target_modules")
    if isinstance(modules, str):
        fields["lora_targets"] = "all-linear" if modules == "all-linear" else "attention"
    elif isinstance(modules, list | tuple) and modules:
        names = {str(item).rsplit(".", 1)[-1] for item in modules}
        fields["lora_targets"] = (
            "attention-qv" if names <= _QV else "attention" if names <= _ATTENTION else "all-linear"
        )
    saved = config.get("modules_to_save")
    if isinstance(saved, list | tuple) and {"embed_tokens", "lm_head", "wte"} & {str(item) for item in saved}:
        fields["trainable_embeddings"] = True
    return fields
