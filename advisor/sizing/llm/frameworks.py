"""What each training framework adds to the exact states: a row of constants each, with where it was read off.

An unnamed framework is answered as the likely one (Hugging Face Trainer, with DeepSpeed where several cards share) with constants
pooled over what was measured of it, and asked for.
"""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Framework:
    """A training stack.

    `activations` factor on what one layer saves without checkpointing; `layer_work` layers' worth of activations live while one
    checkpointed layer is recomputed; `logits_bytes` per token and vocabulary entry, `fused_logits_bytes` the same with fused or chunked
    cross entropy; `constant_gib`; `slack` share of the exact states lost to fragmentation (of reserved memory); `step_bytes` per trained
    parameter while the optimizer steps; `live_layers` gathered at once under ZeRO-3; `load_copy` share of the whole weights each card holds
    while loading under FSDP; `checkpointing` the default on one card and on several; `compiled` factor on activations with compile;
    `fused` whether cross entropy is fused by default; `flash` whether attention runs without writing its scores; `precision`, `rank` and `targets` defaults; `upcasts` tables and norms to fp32 over a bitsandbytes base (prepare_model_for_kbit_training);
    `always_mixed` fp32 master weights and gradients whatever the precision; `autocast_cache` bytes per weight of a 16-bit copy beside fp32
    weights; `pace` speed against a plain loop.
    """

    name: str
    source: str
    activations: float = 1.06
    layer_work: float = 1.8
    logits_bytes: float = 14.0
    fused_logits_bytes: float = 1.3
    constant_gib: float = 1.1
    slack: float = 0.05
    step_bytes: float = 4.0
    live_layers: float = 4.0
    load_copy: float = 0.0
    checkpointing: bool = True
    checkpointing_sharded: bool = True
    compiled: float = 0.8
    fused: bool = False
    flash: bool = True
    precision: str = "bf16-mixed"
    rank: int = 16
    targets: str = "all-linear"
    dequantise: float = 2.0
    embedding_states: float = 10.5
    upcasts: bool = False
    always_mixed: bool = False
    autocast_cache: float = 0.0
    pace: float = 1.0


_TRAINER = Framework(
    "transformers",
    "Hugging Face Trainer without DeepSpeed, torch's own figure: A6000 runs of vramcalc's README (8B LoRA, 1B full)",
    constant_gib=0.2,
    slack=0.01,
    logits_bytes=14.0,
    layer_work=1.0,
    step_bytes=4.0,
    dequantise=2.4,
    upcasts=True,
    autocast_cache=2.0,
    rank=8,
)

UNNAMED = Framework(
    "",
    "pooled over Hugging Face Trainer runs with DeepSpeed (Qwen finetune.py, 83 rows)",
    constant_gib=2.74,
    slack=0.14,
    logits_bytes=9.8,
    layer_work=0.87,
    step_bytes=5.6,
    dequantise=4.75,
    embedding_states=9.9,
    live_layers=6.7,
    upcasts=True,
)
"""Framework not named."""

FRAMEWORKS: Mapping[str, Framework] = MappingProxyType(
    {
        framework.name: framework
        for framework in (
            dataclasses.replace(UNNAMED, name="deepspeed"),
            dataclasses.replace(UNNAMED, name="ms-swift deepspeed"),
            Framework(
                "ms-swift",
                "ms-swift d2b45ec Benchmark.md (reserved memory, 85 rows)",
                activations=1.29,
                layer_work=6.0,
                logits_bytes=27.3,
                constant_gib=1.12,
                slack=0.003,
                step_bytes=4.2,
                dequantise=2.4,
                upcasts=True,
                precision="bf16",
                rank=8,
                targets="attention-qv",
            ),
            Framework(
                "torchtune",
                "torchtune README and documentation (23 rows); chunked cross entropy is its default",
                activations=1.25,
                layer_work=2.1,
                logits_bytes=15.0,
                fused_logits_bytes=0.6,
                constant_gib=1.05,
                slack=0.03,
                step_bytes=2.2,
                dequantise=1.3,
                live_layers=3.8,
                compiled=0.5,
                fused=True,
                precision="bf16",
                rank=8,
                targets="attention-qv",
            ),
            Framework(
                "litgpt",
                "litgpt 8641822 resource tables (A100 40G, allocated, 39 rows): no checkpointing but under FSDP",
                activations=1.11,
                layer_work=1.25,
                logits_bytes=2.7,
                constant_gib=0.2,
                slack=0.0,
                dequantise=2.9,
                load_copy=0.96,
                live_layers=4.6,
                checkpointing=False,
                precision="bf16",
                rank=8,
                targets="attention-qv",
            ),
            Framework(
                "pytorch",
                "Lambda suite: BERT and Transformer-XL with automatic mixed precision, rows tuned to fill the card",
                constant_gib=1.0,
                checkpointing=False,
                flash=False,
            ),
            Framework(
                "megatron",
                "taken as megatron-swift",
                always_mixed=True,
                fused=True,
            ),
            Framework(
                "megatron-swift",
                "ms-swift with Megatron (2 rows): main gradients and weights in fp32 whatever the precision says",
                always_mixed=True,
                fused=True,
            ),
            Framework(
                "unsloth",
                "fused cross entropy and in-place kernels by its documentation; no measurements handed",
                activations=0.8,
                layer_work=0.8,
                fused_logits_bytes=1.0,
                constant_gib=0.6,
                slack=0.03,
                step_bytes=2.0,
                dequantise=1.5,
                fused=True,
                pace=1.2,
            ),
            *(
                dataclasses.replace(_TRAINER, name=name)
                for name in (
                    "transformers",
                    "trl",
                    "peft",
                    "accelerate",
                    "axolotl",
                    "llama-factory",
                    "fastchat",
                    "xtuner",
                )
            ),
        )
    }
)
"""Framework name -> profile."""

MEASURED_FRAMEWORKS = frozenset(("ms-swift", "torchtune", "litgpt", "pytorch", "deepspeed", "megatron-swift"))
"""Frameworks whose constants stand on measurements of their own."""


POOLED = Framework(
    "",
    "pooled over all frameworks measured",
    constant_gib=1.8,
    slack=0.06,
    logits_bytes=14.0,
    layer_work=2.0,
    step_bytes=4.0,
    dequantise=3.5,
    live_layers=5.0,
    upcasts=True,
)
"""Stands in where a framework's own measurements are left out."""


def framework_of(name: str | None, left_out: Collection[str] = ()) -> tuple[Framework, str | None]:
    """The profile to use and the name of the stack it was measured on (None: pooled constants).

    A name in `left_out` keeps what its documentation says (defaults) and loses what was fitted; "" stands for the runs behind the
    unnamed profile.
    """
    if name is None:
        return (POOLED if "" in left_out else UNNAMED), None
    known = FRAMEWORKS.get(name)
    if known is None:
        return UNNAMED, None
    if name in left_out:
        return _documented(known), None
    return known, name if name in MEASURED_FRAMEWORKS else None


def _documented(known: Framework) -> Framework:
    return dataclasses.replace(
        POOLED,
        name=known.name,
        checkpointing=known.checkpointing,
        checkpointing_sharded=known.checkpointing_sharded,
        fused=known.fused,
        flash=known.flash,
        precision=known.precision,
        rank=known.rank,
        targets=known.targets,
        upcasts=known.upcasts,
        always_mixed=known.always_mixed,
    )
