"""The twelve works several tools were asked, with what was published about them, and the models' shapes as peers take them.

Published peaks are torch's own figures in GiB (1 GB = 0.931 GiB), as their pages give them:
vramcalc's README (RTX A6000), QwenLM/Qwen2.5 `speed_benchmark.rst` (A100 80G), Lightning-AI/litgpt `resource-tables.md` (A100 40G).
W05 adds 1.25 GiB of KV cache by arithmetic to the 34.65 measured at a short context.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

GPU = "a100-sxm-80g"
COUNT_OF_W12 = 8


def _llama(hidden: int, layers: int, heads: int, kv: int, ffn: int, vocab: int, **more: Any) -> dict[str, Any]:
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "intermediate_size": ffn,
        "vocab_size": vocab,
        "max_position_embeddings": 131_072,
        "tie_word_embeddings": False,
        "torch_dtype": "bfloat16",
        "hidden_act": "silu",
        "rms_norm_eps": 1e-5,
        **more,
    }


_QWEN = {"model_type": "qwen2", "architectures": ["Qwen2ForCausalLM"]}
CONFIGS: Mapping[str, Mapping[str, Any]] = {
    "llama-3-8b": _llama(4096, 32, 32, 8, 14336, 128_256),
    "llama-3.1-8b": _llama(4096, 32, 32, 8, 14336, 128_256),
    "llama-3.2-1b": _llama(2048, 16, 32, 8, 8192, 128_256, tie_word_embeddings=True, head_dim=64),
    "llama-2-7b": _llama(4096, 32, 32, 32, 11008, 32_000),
    "llama-2-70b": _llama(8192, 80, 64, 8, 28672, 32_000),
    "qwen2.5-7b": _llama(3584, 28, 28, 4, 18944, 152_064, **_QWEN),
    "qwen2.5-32b": _llama(5120, 64, 40, 8, 27648, 152_064, **_QWEN),
    "mixtral-8x7b": _llama(
        4096,
        32,
        32,
        8,
        14336,
        32_000,
        model_type="mixtral",
        architectures=["MixtralForCausalLM"],
        num_local_experts=8,
        num_experts_per_tok=2,
    ),
}
PARAMETERS: Mapping[str, float] = {
    "llama-3-8b": 8.030e9,
    "llama-3.1-8b": 8.030e9,
    "llama-3.2-1b": 1.236e9,
    "llama-2-7b": 6.738e9,
    "llama-2-70b": 68.98e9,
    "qwen2.5-7b": 7.616e9,
    "qwen2.5-32b": 32.76e9,
    "mixtral-8x7b": 46.70e9,
}


@dataclass(frozen=True)
class Work:
    """One work. `published`: GiB, None where nobody published it; `fact`: the library's own fact of this very work, if it has it."""

    id: str
    title: str
    workload: Mapping[str, Any]
    published: float | None = None
    count: int = 1
    sources: tuple[str, ...] = ()
    """Beginnings of the sources that must be unseen for a fair answer."""

    @property
    def model(self) -> str:
        return str(self.workload["model"])

    def get(self, name: str, default: Any = None) -> Any:
        return self.workload.get(name, default)


def _inference(model: str, weights: str, prompt: int, output: int, engine: str, **more: Any) -> dict[str, Any]:
    asked = {"scenario": "llm", "task": "inference", "model": model, "weight_format": weights, "engine": engine}
    return {**asked, "prompt_tokens": prompt, "output_tokens": output, "concurrency": 1, **more}


def _training(model: str, method: str, tokens: int, framework: str, **more: Any) -> dict[str, Any]:
    asked = {"scenario": "llm", "task": "training", "model": model, "method": method, "framework": framework}
    return {**asked, "sequence_tokens": tokens, "micro_batch": 1, **more}


_LORA = {"lora_rank": 8, "lora_targets": "attention-qv", "precision": "bf16"}
_AMP = {"precision": "bf16-mixed", "gradient_checkpointing": False}
WORKS: tuple[Work, ...] = (
    Work(
        "W01",
        "Llama-3-8B bf16, context 8192",
        _inference("llama-3-8b", "bf16", 8191, 1, "transformers", flash_attention=True),
    ),
    Work(
        "W02", "Llama-3.1-8B bf16, one forward of 2048", _inference("llama-3.1-8b", "bf16", 2048, 1, "pytorch"), 15.72
    ),
    Work(
        "W03",
        "Qwen2.5-7B bf16, 6144 + 2048",
        _inference("qwen2.5-7b", "bf16", 6144, 2048, "transformers", flash_attention=True),
        15.38,
        sources=("QwenLM/",),
    ),
    Work(
        "W04",
        "Qwen2.5-32B GPTQ-Int4, 30720 + 2048",
        _inference("qwen2.5-32b", "gptq-int4", 30_720, 2048, "transformers", flash_attention=True),
        31.84,
        sources=("QwenLM/",),
    ),
    Work(
        "W05",
        "Llama-2-70B nf4-dq, context 4096",
        _inference("llama-2-70b", "nf4-dq", 32, 4064, "litgpt"),
        35.90,
        sources=("Lightning-AI/litgpt",),
    ),
    Work(
        "W06",
        "Mixtral-8x7B fp16, context 4096",
        _inference("mixtral-8x7b", "fp16", 4095, 1, "transformers", flash_attention=True),
    ),
    Work("W07", "Llama-2-7B full, AdamW, AMP, 2048", _training("llama-2-7b", "full", 2048, "transformers", **_AMP)),
    Work(
        "W08",
        "Llama-3.2-1B full, AdamW, AMP, 2048",
        _training("llama-3.2-1b", "full", 2048, "transformers", **_AMP),
        28.45,
    ),
    Work(
        "W09",
        "Llama-2-7B LoRA r8 q,v bf16, 1304",
        _training("llama-2-7b", "lora", 1304, "litgpt", **_LORA),
        19.84,
        sources=("Lightning-AI/litgpt",),
    ),
    Work(
        "W10",
        "Llama-2-7B QLoRA nf4-dq r8 q,v, 1304",
        _training("llama-2-7b", "qlora", 1304, "litgpt", base_format="nf4-dq", **_LORA),
        12.89,
        sources=("Lightning-AI/litgpt",),
    ),
    Work(
        "W11",
        "Llama-3.1-8B LoRA r16 q,k,v,o, checkpointing, 2048",
        _training(
            "llama-3.1-8b",
            "lora",
            2048,
            "transformers",
            lora_rank=16,
            lora_targets="attention",
            gradient_checkpointing=True,
        ),
        19.14,
    ),
    Work(
        "W12",
        "Llama-2-7B full, ZeRO-3 over 8 cards, per card",
        _training("llama-2-7b", "full", 2048, "deepspeed", sharding="zero3", gradient_checkpointing=True),
        count=COUNT_OF_W12,
    ),
)
"""W01 to W12."""
