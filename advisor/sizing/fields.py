"""The field table of the workload contract: which fields a task knows, with kind, allowed values, limits and defaults.

One table drives parsing, the wizard's forms and the API schema. Names are those of the contract and never change.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

Kind = Literal["choice", "open-choice", "int", "number", "bool", "size", "gpu-hours"]
"""`open-choice`: the listed names, or another short name (software we do not know: pooled constants, said so).
`size`: pixels of a square, or `[height, width]`. `gpu-hours`: `{"gpu": slug, "hours": n}`."""

Group = Literal["basic", "expert"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a task. `default` None: derived from the other answers (the estimate states what was taken).

    `common` fields are asked first. `pattern` allows further values beside `choices`; `pattern_words` says so for people.
    """

    name: str
    kind: Kind
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    unit: str | None = None
    default: str | int | float | bool | None = None
    group: Group = "expert"
    common: bool = False
    pattern: str | None = None
    pattern_words: str | None = None
    required: bool = False
    also: tuple[str, ...] = ()
    """Of an open choice: names other tasks list that are taken here too, though not offered."""

    def allows(self, value: str) -> bool:
        """Whether a text value is one of the choices or of the pattern beside them."""
        return value in self.choices or (self.pattern is not None and re.fullmatch(self.pattern, value) is not None)

    @property
    def allowed_words(self) -> tuple[str, ...]:
        """What to say is allowed."""
        return (*self.choices, self.pattern_words) if self.pattern_words else self.choices


def _choice(name: str, words: str, **more: object) -> Field:
    return Field(name, "choice", tuple(words.split()), **more)  # type: ignore[arg-type]


def _open(name: str, words: str, **more: object) -> Field:
    return Field(name, "open-choice", tuple(words.split()), **more)  # type: ignore[arg-type]


def _int(name: str, minimum: int, maximum: int, unit: str | None = None, **more: object) -> Field:
    return Field(name, "int", (), minimum, maximum, unit, **more)  # type: ignore[arg-type]


def _number(name: str, minimum: float, maximum: float, unit: str | None = None, **more: object) -> Field:
    return Field(name, "number", (), minimum, maximum, unit, **more)  # type: ignore[arg-type]


def _bool(name: str, **more: object) -> Field:
    return Field(name, "bool", **more)  # type: ignore[arg-type]


DEFAULT_PROMPT_TOKENS = 1024
DEFAULT_OUTPUT_TOKENS = 512
DEFAULT_SEQUENCE_TOKENS = 2048

_ASK = {"group": "basic", "common": True}
_BASIC = {"group": "basic"}

MAX_TOKENS = 20_000_000
MAX_PIXELS = 16_384

FLOAT_FORMATS = "fp32 fp16 bf16 fp8"
GGUF_FORMATS = (
    "q2_k q3_k_s q3_k_m q3_k_l q4_0 q4_1 q4_k_s q4_k_m q5_0 q5_1 q5_k_s q5_k_m q6_k q8_0 "
    "iq1_s iq2_xxs iq2_xs iq2_s iq3_xxs iq3_s iq4_xs iq4_nl"
)
LLM_WEIGHT_FORMATS = f"{FLOAT_FORMATS} fp6 fp4 int8 int4 int2 nf4 nf4-dq mxfp4 awq gptq-int4 gptq-int8 {GGUF_FORMATS}"
EXL2 = r"exl2-[2-8](\.[0-9]{1,2})?bpw"
PART_FORMATS = f"{FLOAT_FORMATS} fp6 fp4 int8 int4 nf4 nf4-dq q2_k q3_k_m q4_0 q4_k_m q5_k_m q6_k q8_0"
PRECISIONS = "bf16-mixed fp16-mixed bf16 fp16 fp32 tf32"
OPTIMIZERS = "adamw adamw-8bit paged-adamw-8bit paged-adamw adafactor sgd lion lion-8bit galore galore-quantized muon prodigy came"
LLM_ENGINES = "vllm sglang transformers llama.cpp tensorrt-llm exllama exllamav2 autoawq litgpt torchtune pytorch"
LLM_FRAMEWORKS = (
    "transformers",
    "trl",
    "llama-factory",
    "ms-swift",
    "torchtune",
    "unsloth",
    "axolotl",
    "deepspeed",
    "megatron",
    "litgpt",
    "pytorch",
    "megatron-swift",
    "peft",
    "accelerate",
    "fairscale",
    "nemo",
    "colossalai",
    "xtuner",
    "firefly",
    "fastchat",
    "jax",
    "ms-swift deepspeed",
)
VISION_FRAMEWORKS = "pytorch ultralytics mmdetection mmyolo detectron2 timm torchvision tensorflow paddle jax transformers lightning nnunet"
GENERAL_SOFTWARE = frozenset(
    [
        "pytorch",
        "transformers",
        "accelerate",
        "deepspeed",
        "peft",
        "jax",
        "tensorflow",
        "paddle",
        "lightning",
        "fairscale",
        "colossalai",
        "megatron",
        "onnxruntime",
        "openvino",
        "tensorrt",
    ]
)
"""Software that runs work of every kind: taken in every task, listed there or not."""
SPEECH_FRAMEWORKS = "pytorch nemo espnet speechbrain wenet funasr transformers fairseq kaldi k2 lightning"

_LLM_INFERENCE = (
    Field(
        "weight_format",
        "choice",
        tuple(LLM_WEIGHT_FORMATS.split()),
        group="basic",
        common=True,
        pattern=EXL2,
        pattern_words="exl2-N.Nbpw",
    ),
    _open("engine", LLM_ENGINES, **_ASK),
    _int("prompt_tokens", 1, MAX_TOKENS, "tokens", default=DEFAULT_PROMPT_TOKENS, **_ASK),
    _int("output_tokens", 1, MAX_TOKENS, "tokens", default=DEFAULT_OUTPUT_TOKENS, **_ASK),
    _int("concurrency", 1, 100_000, "sequences", default=1, **_ASK),
    _int("context_tokens", 1, MAX_TOKENS, "tokens", **_BASIC),
    _choice("kv_cache_format", "fp32 fp16 bf16 fp8 int8 int4"),
    _bool("flash_attention"),
    _choice("sharding", "tensor pipeline"),
    _int("images", 0, 10_000, "images"),
    Field("image_size", "size", (), 16, MAX_PIXELS, "pixels"),
    _int("image_tokens", 1, 1_000_000, "tokens"),
)

_LLM_TRAINING = (
    _choice("method", "full freeze lora qlora adapter adapter-v2 dora lisa llamapro", **_ASK),
    _choice("objective", "pretrain sft dpo grpo ppo", default="sft", **_BASIC),
    _int("sequence_tokens", 1, MAX_TOKENS, "tokens", default=DEFAULT_SEQUENCE_TOKENS, **_ASK),
    _int("micro_batch", 1, 65_536, "sequences", default=1, **_ASK),
    _int("gradient_accumulation", 1, 1_000_000, "steps", default=1, **_BASIC),
    _choice("precision", PRECISIONS, **_BASIC),
    _choice("optimizer", OPTIMIZERS, **_BASIC),
    Field("framework", "open-choice", LLM_FRAMEWORKS, group="basic", common=True),
    _choice("sharding", "ddp zero1 zero2 zero3 fsdp tensor pipeline", **_BASIC),
    _bool("gradient_checkpointing", **_BASIC),
    _choice("base_format", LLM_WEIGHT_FORMATS),
    _int("lora_rank", 1, 4096, None),
    _choice("lora_targets", "attention-qv attention all-linear"),
    _choice("offload", "none optimizer all"),
    _bool("flash_attention"),
    _bool("fused_cross_entropy"),
    _bool("chunked_cross_entropy"),
    _bool("compile"),
    _bool("activation_offload"),
    _bool("trainable_embeddings"),
    _bool("optimizer_in_backward"),
    _int("generations", 1, 1024, "completions"),
    _int("completion_tokens", 1, MAX_TOKENS, "tokens"),
    _open("engine", LLM_ENGINES),
    _int("images", 0, 10_000, "images"),
    Field("image_size", "size", (), 16, MAX_PIXELS, "pixels"),
    _int("image_tokens", 1, 1_000_000, "tokens"),
)

_GENERATION = (
    _choice("weight_format", PART_FORMATS, **_ASK),
    _int("width", 16, MAX_PIXELS, "pixels", **_ASK),
    _int("height", 16, MAX_PIXELS, "pixels", **_ASK),
    _int("batch", 1, 4096, None, default=1, **_ASK),
    _int("steps", 1, 10_000, "steps", **_BASIC),
    _choice("offload", "none model sequential group", default="none", **_ASK),
    _choice("text_encoder_format", PART_FORMATS),
    _bool("text_encoder_offload"),
    _int("controlnets", 0, 64, None, default=0, **_BASIC),
    _int("loras", 0, 256, None, default=0),
    _choice("activation_format", "int8 fp8 fp8-row bf16 fp16 fp32"),
    _bool("fuse_qkv"),
    _choice("sharding", "fsdp"),
    _choice("sequence_parallel", "none ulysses ring unified"),
    _bool("vae_tiling"),
    _bool("vae_slicing"),
    _choice("attention", "flash sdpa xformers eager"),
    _bool("compile"),
    _open("engine", "diffusers webui comfyui", also=("sglang",), **_BASIC),
)

_FRAMES = (
    _int("frames", 1, 100_000, "frames", **_ASK),
    _int("fps", 1, 1000, "frames per second", **_BASIC),
)

_DIFFUSION_TRAINING = (
    _choice("method", "full lora dreambooth controlnet textual-inversion", **_ASK),
    _int("width", 16, MAX_PIXELS, "pixels", **_ASK),
    _int("height", 16, MAX_PIXELS, "pixels", **_ASK),
    _int("micro_batch", 1, 4096, None, default=1, **_ASK),
    _choice("precision", PRECISIONS, **_BASIC),
    _choice("optimizer", OPTIMIZERS, **_BASIC),
    _bool("gradient_checkpointing", **_BASIC),
    _bool("cached_latents"),
    _bool("cached_text"),
    _int("lora_rank", 1, 4096, None),
    _choice("attention", "flash sdpa xformers eager"),
    _choice("base_format", PART_FORMATS),
    _choice("offload", "none optimizer all model sequential group"),
    _choice("sharding", "ddp zero1 zero2 zero3 fsdp"),
    _int("gradient_accumulation", 1, 1_000_000, "steps", default=1),
    _open("framework", "diffusers kohya-ss onetrainer ai-toolkit simpletuner finetrainers diffsynth pytorch"),
)

_VISION_KIND = _choice("kind", "classification detection instance-segmentation segmentation pose", **_ASK)
_VISION_COMMON = (
    _VISION_KIND,
    Field("image_size", "size", (), 16, MAX_PIXELS, "pixels", group="basic", common=True),
    _int("batch", 1, 1_000_000, None, **_ASK),
    _choice("precision", "fp32 tf32 amp fp16 bf16", **_ASK),
)
_VISION_EXPERT = (
    _bool("channels_last"),
    _bool("compile"),
    _open("engine", "pytorch tensorrt onnxruntime openvino"),
    _open("framework", VISION_FRAMEWORKS, **_BASIC),
)

FIELDS: Mapping[tuple[str, str], tuple[Field, ...]] = MappingProxyType(
    {
        ("llm", "inference"): _LLM_INFERENCE,
        ("llm", "training"): _LLM_TRAINING,
        ("aigc", "image-generation"): _GENERATION,
        ("aigc", "image-editing"): _GENERATION,
        ("aigc", "video-generation"): (*_GENERATION[:3], *_FRAMES, *_GENERATION[3:]),
        ("aigc", "image-training"): _DIFFUSION_TRAINING,
        ("aigc", "video-training"): (*_DIFFUSION_TRAINING[:3], *_FRAMES, *_DIFFUSION_TRAINING[3:]),
        ("speech", "transcription"): (
            _open(
                "engine",
                "openai-whisper faster-whisper transformers whisper.cpp whisperx whisper-jax whispers2t funasr tensorrt",
                also=("vllm", "tensorrt-llm"),
                **_ASK,
            ),
            _choice("weight_format", f"{FLOAT_FORMATS} int8 int4 q4_0 q5_0 q5_1 q8_0", **_ASK),
            _int("batch", 1, 65_536, None, default=1, **_ASK),
            _int("streams", 1, 100_000, "live streams", **_ASK),
            _int("beam_size", 1, 256, None, **_BASIC),
            _number("clip_seconds", 0.01, 360_000, "seconds", **_BASIC),
            _bool("diarization", **_BASIC),
            _bool("vad"),
            _bool("flash_attention"),
        ),
        ("speech", "speech-synthesis"): (
            _choice("weight_format", f"{FLOAT_FORMATS} int8 int4", **_ASK),
            _int("batch", 1, 65_536, None, default=1, **_ASK),
            _int("streams", 1, 100_000, "live streams", **_ASK),
        ),
        ("speech", "training"): (
            _int("batch", 1, 1_000_000, None, **_ASK),
            _choice("precision", "fp32 tf32 amp fp16 bf16", **_ASK),
            _number("clip_seconds", 0.01, 360_000, "seconds", **_BASIC),
            _choice("optimizer", OPTIMIZERS, **_BASIC),
            _bool("channels_last"),
            _bool("compile"),
            _open("engine", "pytorch tensorrt"),
            _open("framework", SPEECH_FRAMEWORKS, also=("ms-swift", "llama-factory"), **_BASIC),
        ),
        ("vision", "inference"): (*_VISION_COMMON, *_VISION_EXPERT),
        ("vision", "training"): (*_VISION_COMMON, _choice("optimizer", OPTIMIZERS, **_BASIC), *_VISION_EXPERT),
        ("science", "simulation"): (
            _open(
                "application",
                "openmm gromacs amber namd lammps cfd-lbm cfd climate quantum-chemistry linear-algebra generic",
                required=True,
                **_ASK,
            ),
            _open(
                "system",
                "apoa1-pme apoa1-rf apoa1-ljpme cellulose-pme stmv-pme stmv dhfr-pme dhfr-rf dhfr-implicit "
                "dhfr-amoeba-pme 6n4o adh rnase-cubic fluidx3d-benchmark",
                **_ASK,
            ),
            _int("atoms", 1, 10**12, "atoms", **_ASK),
            _int("cells", 1, 10**13, "cells", **_ASK),
            _choice("precision", "single mixed double fp32-fp16 fp32-fp16c", **_ASK),
            _open("potential", "lj eam reaxff ml tersoff sw snap deepmd nequip mace ace", **_BASIC),
            _number("memory_gib", 0.001, 1e6, "GiB", **_BASIC),
            Field("gpu_hours_on", "gpu-hours", (), 0.001, 1e7, "hours", group="basic"),
        ),
        ("science", "structure-prediction"): (
            _open(
                "application",
                "alphafold3 alphafold2 boltz-1 boltz-2 chai-1 openfold esmfold rosettafold protenix",
                required=True,
                **_ASK,
            ),
            _int("tokens", 1, 1_000_000, "tokens", **_ASK),
        ),
    }
)
"""(scenario, task) -> its fields, the ones asked first in front."""

SCENARIOS: tuple[str, ...] = ("llm", "aigc", "speech", "vision", "science")
TASKS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {scenario: tuple(task for owner, task in FIELDS if owner == scenario) for scenario in SCENARIOS}
)

PRIORITIES = ("balanced", "cheapest", "fastest")
STAGES = ("production", "prototype")
REQUIREMENTS = ("ecc", "nvlink", "mig", "fp8", "fp64")
CURRENCIES = ("CNY", "USD", "EUR", "HKD", "JPY", "GBP", "SGD", "KRW", "TWD", "INR", "AUD", "CAD", "CHF")

DEMAND_UNITS: Mapping[tuple[str, str], tuple[str, ...]] = MappingProxyType(
    {
        key: (*units.split(), "gpu_hours")
        for key, units in {
            ("llm", "inference"): "tokens requests",
            ("llm", "training"): "tokens epochs samples steps",
            ("aigc", "image-generation"): "images requests",
            ("aigc", "image-editing"): "images requests",
            ("aigc", "video-generation"): "videos requests",
            ("aigc", "image-training"): "steps epochs samples images",
            ("aigc", "video-training"): "steps epochs samples videos",
            ("speech", "transcription"): "audio_hours requests",
            ("speech", "speech-synthesis"): "requests audio_hours",
            ("speech", "training"): "epochs audio_hours samples steps",
            ("vision", "inference"): "images videos requests",
            ("vision", "training"): "epochs images samples steps",
            ("science", "simulation"): "ns steps",
            ("science", "structure-prediction"): "requests",
        }.items()
    }
)
"""(scenario, task) -> units its demand may be counted in, the usual one first."""

SCHEDULE_FIELDS: tuple[Field, ...] = (
    _number("hours_per_day", 0.01, 24, "hours"),
    _number("days_per_week", 0.1, 7, "days"),
    _number("weeks", 0.1, 1040, "weeks"),
    _number("starts_per_day", 0, 1440, "starts"),
)

CONSTRAINT_FIELDS: tuple[Field, ...] = (
    _number("deadline_hours", 0.01, 1e6, "hours"),
    _int("max_gpus", 1, 4096, "cards"),
    _number("max_seconds_to_first_token", 0.001, 1e6, "seconds"),
    _number("min_tokens_per_second_per_sequence", 0.001, 1e6, "tokens per second"),
    _number("host_ram_gib", 0.1, 1e6, "GiB"),
)
"""The plain numbers of `constraints`; `budget`, `currency`, `region` and `require` are read by hand."""

TOP_LEVEL = ("scenario", "task", "model", "demand", "schedule", "constraints", "priority", "stage")


def field_of(scenario: str, task: str, name: str) -> Field | None:
    """The field of that name of that task, or None."""
    return next((field for field in FIELDS[scenario, task] if field.name == name), None)


def homes_of(name: str) -> tuple[str, ...]:
    """Tasks that know a field of this name, as `scenario/task`."""
    return tuple(
        f"{scenario}/{task}"
        for (scenario, task), fields in FIELDS.items()
        if any(field.name == name for field in fields)
    )


def homes_of_value(field: Field, value: str) -> tuple[str, ...]:
    """Tasks, as `scenario/task`, that list `value` for a field of this name where it is not meant for this one; empty where it may be."""
    if value in field.choices or value in field.also or value in GENERAL_SOFTWARE:
        return ()
    return tuple(
        f"{scenario}/{task}"
        for (scenario, task), fields in FIELDS.items()
        if any(other.name == field.name and value in other.choices for other in fields)
    )
