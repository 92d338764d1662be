"""What each serving engine and training framework adds to the exact part: a row of constants each, with where it was read off.

An unknown engine or framework is answered with pooled constants (`POOLED_ENGINE`, `POOLED_FRAMEWORK`) and a wider interval. Figures
were fitted on published measurements of that software (`advisor/data/facts.jsonl`); `source` names which.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Workspace = Literal["whole-prompt", "chunked", "graph", "dequantise", "fused", "paged"]
"""How an engine runs a prompt: the whole prompt at once, in chunks of bounded length, in micro-batches of a fixed graph (llama.cpp),
layer by layer through de-quantised copies (litgpt with bitsandbytes), through fused modules with full logits (AutoAWQ)."""


EngineKind = Literal["eager", "serving", "local"]
"""Driven from Python layer by layer; a server with paged cache and captured graphs; a single-user runtime with its own kernels."""


@dataclass(frozen=True, slots=True)
class Engine:
    """A serving engine.

    Memory: `constant_gib` whatever the model; `chunk_tokens` prompt tokens run at once; `cache_factor` copies of the cache held;
    `least_context` tokens the cache is allocated for at least; `table_on_card` whether the input table lies on the card;
    `head_packed` whether a quantised format packs the head; `split` how several cards are used unless told.
    Speed: `paces` by format name or bit class ("16", "8", "4"): time to read the weights over bytes/bandwidth, fixed time per layer
    and token in microseconds (at 1.41 GHz unless `host_bound`: then the host's, beside the card's work instead of after it), and the
    card's own fixed time beside a busy host; `hbm_read`
    further factor of the reading on HBM cards; `head_copies` extra cache copies per group of query heads; `context_ns` least time of attention per cached token and layer; `prefill` share of the
    sustained tensor rate, `prefill_hbm` and `prefill_packed` further factors on HBM cards and for packed weights; `reduce_us` host time
    of one all-reduce.
    """

    name: str
    workspace: Workspace
    split: Literal["tensor", "pipeline"]
    source: str
    kind: EngineKind = "serving"
    constant_gib: float = 0.1
    chunk_tokens: int = 2048
    cache_factor: float = 1.0
    least_context: int = 0
    default_prompt: int = 32
    default_output: int = 512
    table_on_card: bool = True
    head_packed: bool = False
    preallocates: bool = False
    paces: Mapping[str, tuple[float, float, float]] = MappingProxyType(
        {"16": (1.1, 130.0, 0.0), "8": (1.05, 140.0, 0.0), "4": (1.05, 140.0, 0.0)}
    )
    host_bound: bool = False
    hbm_read: float = 1.1
    head_copies: float = 0.0
    context_ns: float = 0.0
    prefill: float = 0.8
    prefill_hbm: float = 1.0
    prefill_packed: float = 1.0
    reduce_us: float = 0.0


ENGINES: Mapping[str, Engine] = MappingProxyType(
    {
        engine.name: engine
        for engine in (
            Engine(
                "transformers",
                "whole-prompt",
                "pipeline",
                "Qwen2.5 speed benchmark (transformers 4.46, FlashAttention-2, allocated)",
                kind="eager",
                constant_gib=0.05,
                host_bound=True,
                head_copies=6.3,
                paces=MappingProxyType(
                    {
                        "16": (1.13, 868.0, 230.0),
                        "8": (1.7, 1111.0, 440.0),
                        "4": (2.2, 817.0, 380.0),
                        "awq": (1.8, 1093.0, 380.0),
                        "nf4": (1.3, 1300.0, 0.0),
                        "nf4-dq": (1.3, 1450.0, 0.0),
                        "int8": (1.1, 2400.0, 0.0),
                    }
                ),
            ),
            Engine(
                "vllm",
                "chunked",
                "tensor",
                "Qwen2.5 speed benchmark (vLLM 0.6.3)",
                constant_gib=0.6,
                chunk_tokens=8192,
                preallocates=True,
                paces=MappingProxyType({"16": (1.11, 119.0, 0.0), "8": (0.955, 149.0, 0.0), "4": (0.955, 149.0, 0.0)}),
            ),
            Engine(
                "sglang",
                "chunked",
                "tensor",
                "taken as vLLM: same kernels and paging, no measurements handed",
                constant_gib=0.6,
                chunk_tokens=8192,
                preallocates=True,
                paces=MappingProxyType({"16": (1.11, 119.0, 0.0), "8": (0.955, 149.0, 0.0), "4": (0.955, 149.0, 0.0)}),
            ),
            Engine(
                "tensorrt-llm",
                "chunked",
                "tensor",
                "taken as vLLM with compiled graphs, no measurements handed",
                constant_gib=1.0,
                chunk_tokens=8192,
                preallocates=True,
                paces=MappingProxyType({"16": (1.08, 80.0, 0.0), "8": (0.955, 90.0, 0.0), "4": (0.955, 90.0, 0.0)}),
            ),
            Engine(
                "llama.cpp",
                "graph",
                "pipeline",
                "XiongjieDai GPU-Benchmarks-on-LLM-Inference (logged buffers and speeds)",
                kind="local",
                constant_gib=0.05,
                chunk_tokens=512,
                least_context=512,
                table_on_card=False,
                paces=MappingProxyType({"16": (1.1, 130.0, 0.0), "8": (1.1, 130.0, 0.0), "4": (1.13, 135.0, 0.0)}),
                hbm_read=1.5,
                prefill_hbm=0.65,
                prefill_packed=0.8,
            ),
            Engine(
                "exllama",
                "chunked",
                "pipeline",
                "exllama README (4090, torch's figure)",
                kind="local",
                constant_gib=0.1,
                chunk_tokens=2048,
                least_context=2048,
                paces=MappingProxyType({"16": (1.1, 380.0, 0.0), "8": (1.1, 380.0, 0.0), "4": (1.1, 380.0, 0.0)}),
                prefill=0.33,
            ),
            Engine(
                "exllamav2",
                "chunked",
                "pipeline",
                "exllamav2 README",
                kind="local",
                constant_gib=0.1,
                chunk_tokens=2048,
                paces=MappingProxyType({"16": (1.1, 70.0, 0.0), "8": (1.08, 70.0, 0.0), "4": (1.08, 70.0, 0.0)}),
            ),
            Engine(
                "autoawq",
                "fused",
                "pipeline",
                "AutoAWQ 0.1.6 README (4090, fused layers)",
                kind="local",
                context_ns=45.0,
                constant_gib=0.0,
                least_context=2048,
                paces=MappingProxyType({"16": (1.15, 116.0, 0.0), "8": (1.15, 116.0, 0.0), "4": (1.15, 116.0, 0.0)}),
            ),
            Engine(
                "litgpt",
                "dequantise",
                "pipeline",
                "litgpt 8641822 and its inference and quantise pages (A100 40G, allocated)",
                kind="eager",
                constant_gib=0.1,
                default_prompt=32,
                default_output=50,
                head_packed=True,
                host_bound=True,
                paces=MappingProxyType(
                    {
                        "16": (1.35, 980.0, 0.0),
                        "8": (1.2, 2400.0, 0.0),
                        "4": (1.3, 1500.0, 0.0),
                        "nf4-dq": (1.3, 1680.0, 0.0),
                    }
                ),
                reduce_us=180.0,
            ),
            Engine(
                "torchtune",
                "whole-prompt",
                "pipeline",
                "torchtune documentation (one row)",
                kind="eager",
                constant_gib=0.1,
                default_prompt=32,
                default_output=300,
                least_context=8192,
                host_bound=True,
                paces=MappingProxyType({"16": (1.2, 900.0, 0.0), "8": (1.1, 1300.0, 0.0), "4": (1.1, 1300.0, 0.0)}),
            ),
            Engine(
                "pytorch",
                "whole-prompt",
                "pipeline",
                "taken as transformers",
                kind="eager",
                constant_gib=0.1,
                host_bound=True,
                head_copies=6.3,
                paces=MappingProxyType(
                    {"16": (1.13, 868.0, 230.0), "8": (1.7, 1111.0, 440.0), "4": (2.2, 817.0, 380.0)}
                ),
            ),
        )
    }
)
"""Engine name -> profile."""

LEGACY_TRANSFORMERS = Engine(
    "transformers",
    "whole-prompt",
    "pipeline",
    "QwenLM/Qwen README: the first Qwen's own modelling code grows the cache by concatenation, so two copies live at once",
    kind="eager",
    constant_gib=0.35,
    cache_factor=2.0,
    host_bound=True,
    paces=MappingProxyType(
        {
            "16": (1.13, 868.0, 230.0),
            "8": (1.7, 1111.0, 440.0),
            "4": (2.2, 817.0, 380.0),
            "awq": (1.8, 1093.0, 380.0),
            "nf4": (1.3, 1300.0, 0.0),
            "nf4-dq": (1.3, 1450.0, 0.0),
            "int8": (1.1, 2400.0, 0.0),
        }
    ),
)

POOLED_ENGINE = Engine(
    "",
    "chunked",
    "tensor",
    "pooled over the servers and runtimes measured",
    constant_gib=0.4,
    chunk_tokens=8192,
    paces=MappingProxyType({"16": (1.1, 130.0, 0.0), "8": (1.0, 140.0, 0.0), "4": (1.05, 135.0, 0.0)}),
    hbm_read=1.2,
)
"""Engine not named: answered as a server, and asked for."""

POOLED_KINDS: Mapping[EngineKind, Engine] = MappingProxyType(
    {
        "serving": POOLED_ENGINE,
        "local": Engine(
            "",
            "chunked",
            "pipeline",
            "pooled over the runtimes measured",
            kind="local",
            constant_gib=0.2,
            paces=MappingProxyType({"16": (1.1, 125.0, 0.0), "8": (1.05, 130.0, 0.0), "4": (1.08, 125.0, 0.0)}),
            hbm_read=1.2,
        ),
        "eager": Engine(
            "",
            "whole-prompt",
            "pipeline",
            "pooled over transformers and litgpt",
            kind="eager",
            host_bound=True,
            paces=MappingProxyType({"16": (1.25, 920.0, 120.0), "8": (1.4, 1600.0, 200.0), "4": (1.6, 1200.0, 200.0)}),
            head_copies=3.0,
        ),
    }
)
"""Engine kind -> constants where the engine itself was never measured (or its source is left out of a check)."""

GGUF_ENGINE = "llama.cpp"
EXL2_ENGINE = "exllamav2"
BITSANDBYTES_ENGINE = "transformers"


def implied_engine(weight_format: str, gguf: bool) -> str | None:
    """The engine a weight format belongs to, or None where several run it."""
    if gguf:
        return GGUF_ENGINE
    if weight_format.startswith("exl2-"):
        return EXL2_ENGINE
    return BITSANDBYTES_ENGINE if weight_format in ("nf4", "nf4-dq", "int8", "int2") else None


def engine_of(
    name: str | None, legacy_model: bool = False, left_out: Collection[str] = ()
) -> tuple[Engine, str | None]:
    """The profile to use and the name of the stack it was measured on (None: pooled constants)."""
    if name is None:
        return POOLED_ENGINE, None
    known = ENGINES.get(name)
    if known is None:
        return POOLED_ENGINE, None
    if name in left_out:
        return POOLED_KINDS[known.kind], None
    if name == "transformers" and legacy_model:
        return LEGACY_TRANSFORMERS, name
    return known, name if name in MEASURED_ENGINES else None


MEASURED_ENGINES = frozenset(
    ("transformers", "vllm", "llama.cpp", "exllama", "exllamav2", "autoawq", "litgpt", "torchtune")
)
"""Engines whose constants stand on measurements of their own."""

MEASURED_MODELS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "autoawq": frozenset(
            [
                "codellama-34b",
                "deepseek-coder-33b",
                "falcon-7b",
                "llama-2-13b",
                "mistral-7b-v0.1",
                "tinyllama-1.1b",
                "vicuna-7b",
            ]
        ),
        "deepspeed": frozenset(["qwen-1.8b", "qwen-14b", "qwen-72b", "qwen-7b"]),
        "exllama": frozenset(["llama-13b", "llama-30b", "llama-7b"]),
        "exllamav2": frozenset(
            ["codellama-34b", "llama-13b", "llama-2-70b", "llama-2-7b", "llama-30b", "llama-7b", "tinyllama-1.1b"]
        ),
        "litgpt": frozenset(
            [
                "codellama-34b",
                "falcon-40b",
                "falcon-7b",
                "llama-2-13b",
                "llama-2-70b",
                "llama-2-7b",
                "phi-1.5",
                "stablelm-alpha-3b",
            ]
        ),
        "llama.cpp": frozenset(["llama-2-13b", "llama-2-7b", "llama-3-70b", "llama-3-8b"]),
        "megatron-swift": frozenset(["qwen2.5-vl-7b"]),
        "ms-swift": frozenset(
            [
                "baichuan2-13b",
                "baichuan2-7b",
                "chatglm3-6b",
                "openbuddy-zephyr-7b",
                "qwen-1.8b",
                "qwen-14b",
                "qwen-72b",
                "qwen-7b",
                "yi-34b",
                "yi-6b",
            ]
        ),
        "pytorch": frozenset(["bert-base", "bert-large", "transformer-xl-large"]),
        "torchtune": frozenset(
            [
                "llama-2-70b",
                "llama-2-7b",
                "llama-3-8b",
                "llama-3.1-405b",
                "llama-3.1-70b",
                "llama-3.1-8b",
                "llama-3.2-3b",
            ]
        ),
        "transformers": frozenset(
            [
                "qwen-1.8b",
                "qwen-14b",
                "qwen-72b",
                "qwen-7b",
                "qwen1.5-0.5b",
                "qwen1.5-72b",
                "qwen1.5-7b",
                "qwen2.5-0.5b",
                "qwen2.5-1.5b",
                "qwen2.5-14b",
                "qwen2.5-32b",
                "qwen2.5-3b",
                "qwen2.5-72b",
                "qwen2.5-7b",
                "qwen3-0.6b",
                "qwen3-1.7b",
                "qwen3-14b",
                "qwen3-32b",
                "qwen3-4b",
                "qwen3-8b",
            ]
        ),
        "vllm": frozenset(
            [
                "qwen-72b",
                "qwen2.5-0.5b",
                "qwen2.5-1.5b",
                "qwen2.5-14b",
                "qwen2.5-32b",
                "qwen2.5-3b",
                "qwen2.5-72b",
                "qwen2.5-7b",
            ]
        ),
    }
)
"""Engine or framework -> models it was measured with."""
