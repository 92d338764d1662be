"""The card-transfer law: how long the same work takes on another card, by kind of work.

A kind of work spends its time on the reference card (A100 80G SXM) in five ways: arithmetic on tensor cores, reading memory, other
arithmetic and latency inside the chip (SM x clock), launches that only the chip's clock shortens, and the host. On another card each
share grows or shrinks with that card's own figure:

    t(card) / t(reference) = tensor * R0/R + bandwidth * B0/B + cores * (SM x GHz)0/(SM x GHz) + clock * GHz0/GHz + host

R is the peak of the number format times what the class of card sustains of it. Shares and classes are fitted by
`advisor/fitting/transfer.py` over published measurements of the same work on several cards; the residuals stand in
`advisor/data/calibration_transfer.json`. Lattice Boltzmann is a byte rule instead: bandwidth-bound or, in the packed 16-bit format,
bound by unpacking.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from advisor.sizing.gpu import Gpu

Format = Literal["bf16", "fp16", "tf32", "fp32", "fp8", "int8", "fp64"]
"""Number format of the heavy arithmetic."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of a kind's time on the reference card. They add up to 1. `cached`: whether a large cache spares memory traffic."""

    tensor: float
    bandwidth: float
    cores: float
    clock: float
    host: float = 0.0
    cached: bool = True


@dataclass(frozen=True, slots=True)
class Law:
    """Everything the fit varies.

    `classes`: share of its tensor peak a class of card sustains in convolutions and mixed work, the A100's being 1;
    `long_classes`: the same in long matrix products (diffusion transformers, dense algebra); `hopper`: what compiled graphs and
    FlashAttention 3 gain on Hopper beyond what they gain on the A100; `cache_gain`: memory bandwidth a large L2 behind GDDR is worth;
    `old_cores`: mixed work of a Pascal SM against newer ones.
    """

    mixes: Mapping[str, Mix]
    classes: Mapping[str, float]
    long_classes: Mapping[str, float]
    hopper: Mapping[str, float]
    cache_gain: float
    old_cores: float


LAW = Law(
    mixes=MappingProxyType(
        {
            "image-batched": Mix(0.345, 0.368, 0.218, 0.069),
            "image-compiled": Mix(0.276, 0.393, 0.29, 0.041),
            "dit": Mix(1.0, 0.0, 0.0, 0.0),
            "dit-compiled": Mix(1.0, 0.0, 0.0, 0.0),
            "dit-flash3": Mix(1.0, 0.0, 0.0, 0.0),
            "vae": Mix(0.2, 0.5, 0.3, 0.0),
            "cnn-training": Mix(0.244, 0.282, 0.446, 0.028),
            "cnn-inference": Mix(0.651, 0.261, 0.07, 0.018),
            "transformer-training": Mix(0.45, 0.35, 0.15, 0.05),
            "transformer-inference": Mix(0.331, 0.311, 0.122, 0.236),
            "speech-training": Mix(0.097, 0.479, 0.21, 0.214),
            "recurrent": Mix(0.0, 0.05, 0.05, 0.4, 0.5),
            "recurrent-batch": Mix(0.15, 0.6, 0.25, 0.0),
            "asr-single": Mix(0.118, 0.216, 0.046, 0.12, 0.5),
            "asr-batched": Mix(0.287, 0.435, 0.152, 0.126),
            "tts": Mix(0.05, 0.15, 0.1, 0.3, 0.4),
            "md-small": Mix(0.005, 0.013, 0.061, 0.921),
            "md-medium": Mix(0.004, 0.198, 0.332, 0.466),
            "md-big": Mix(0.004, 0.431, 0.396, 0.169),
            "fold": Mix(0.51, 0.286, 0.2, 0.004),
            "dense": Mix(1.0, 0.0, 0.0, 0.0),
            "stencil": Mix(0.1, 0.85, 0.05, 0.0, cached=False),
        }
    ),
    classes=MappingProxyType(
        {
            "ampere-hbm": 1.00,
            "hopper-sxm": 0.66,
            "hopper-pcie": 0.54,
            "hopper-cut": 0.78,
            "blackwell-hbm": 0.61,
            "volta": 0.70,
            "turing-pro": 0.31,
            "ampere-pro": 0.72,
            "ada-pro": 0.60,
            "blackwell-pro": 0.42,
            "geforce-20": 1.07,
            "geforce-30": 1.26,
            "geforce-40": 0.77,
            "geforce-50": 0.84,
            "no-tensor": 1.08,
        }
    ),
    long_classes=MappingProxyType(
        {
            "ampere-hbm": 1.00,
            "hopper-sxm": 0.60,
            "hopper-pcie": 0.55,
            "hopper-cut": 1.08,
            "blackwell-hbm": 0.60,
            "volta": 0.80,
            "turing-pro": 0.60,
            "ampere-pro": 0.85,
            "ada-pro": 0.75,
            "blackwell-pro": 0.75,
            "geforce-20": 1.00,
            "geforce-30": 1.05,
            "geforce-40": 1.25,
            "geforce-50": 1.20,
            "no-tensor": 1.00,
        }
    ),
    hopper=MappingProxyType({"dit-compiled": 1.274, "dit-flash3": 1.364}),
    cache_gain=2.46,
    old_cores=0.64,
)

LBM_BYTES: Mapping[str, float] = MappingProxyType({"lbm-single": 153.0, "lbm-fp32-fp16": 77.0, "lbm-fp32-fp16c": 77.0})
"""Bytes one cell update moves (D3Q19, in place): FluidX3D README."""
LBM_CORES: Mapping[str, float] = MappingProxyType({"lbm-fp32-fp16": 118.0, "lbm-fp32-fp16c": 73.0})
"""Million updates per second, SM and GHz that unpacking 16-bit storage allows."""


@dataclass(frozen=True, slots=True)
class Reference:
    """The card all shares are of: A100 80G SXM."""

    tensor_tflops: Mapping[str, float]
    bandwidth_gb_s: float
    sm_ghz: float
    ghz: float


REFERENCE = Reference(
    tensor_tflops=MappingProxyType(
        {"bf16": 312, "fp16": 312, "tf32": 156, "fp32": 19.5, "fp8": 312, "int8": 312, "fp64": 19.5}
    ),
    bandwidth_gb_s=2039.0,
    sm_ghz=108 * 1.41,
    ghz=1.41,
)
REFERENCE_SLUG = "a100-sxm-80g"

HOPPER = ("hopper-sxm", "hopper-pcie", "hopper-cut")
HOPPER_MHZ = 1_800.0
"""NVIDIA states the H100 SXM's rates at 1,830 MHz, not at its 1,980 MHz top clock; molecular dynamics runs as if at 1,755-1,830."""
WIDE_SM = 1.3
"""An SM with 128 FP32 lanes does this many times the mixed work of one with 64."""
CUT_ADA = ("l20-", "l40-")
"""Data-centre Ada boards whose tensor rate is cut to half: they sustain the same share of it as the GeForce of that family."""
HBM_BLACKWELL = ("b1", "b2", "b3", "gb")
"""The datacentre boards of that family; workstation boards of it carry GDDR7."""
CUT_HOPPER = ("h20",)
"""Hopper boards with the tensor rate cut down: what is left of it is sustained nearly whole."""


def card_class(gpu: Gpu) -> str:
    """Which class of card, by chip family and market."""
    family = gpu.architecture.split(" ")[0].lower()
    if gpu.is_geforce:
        if gpu.slug.startswith("gtx-"):
            return "no-tensor"
        return f"geforce-{gpu.slug.removeprefix('rtx-')[:2]}"
    match family:
        case "hopper":
            if gpu.slug.startswith(CUT_HOPPER):
                return "hopper-cut"
            return "hopper-pcie" if gpu.form == "pcie" else "hopper-sxm"
        case "blackwell":
            return "blackwell-hbm" if gpu.slug.startswith(HBM_BLACKWELL) else "blackwell-pro"
        case "volta":
            return "volta"
        case "turing":
            return "turing-pro"
        case "ada":
            return "geforce-40" if gpu.slug.startswith(CUT_ADA) else "ada-pro"
        case "ampere":
            return "ampere-hbm" if gpu.compute_capability < 8.6 else "ampere-pro"
        case _:
            return "no-tensor"


def peak_tflops(gpu: Gpu, form: Format) -> float:
    """Peak of the units that run a number format on this card: a format it lacks runs in the next wider one it has."""
    half = gpu.fp16_tensor_fp32acc_tflops or gpu.fp32_tflops
    match form:
        case "fp16":
            return half
        case "bf16":
            return gpu.bf16_tensor_tflops or gpu.fp32_tflops
        case "tf32":
            return gpu.tf32_tensor_tflops or gpu.fp32_tflops
        case "fp8":
            return gpu.fp8_tensor_tflops or half
        case "int8":
            return gpu.int8_tensor_tops or half
        case "fp64":
            return gpu.fp64_tensor_tflops or gpu.fp64_tflops or gpu.fp32_tflops / 64
        case _:
            return gpu.fp32_tflops


def on_tensor_cores(gpu: Gpu, form: Format) -> bool:
    """Whether a number format runs on matrix units of this card."""
    if form in ("fp32", "fp64"):
        return False
    if form in ("fp16", "fp8", "int8"):
        return gpu.fp16_tensor_fp32acc_tflops is not None
    return (gpu.bf16_tensor_tflops if form == "bf16" else gpu.tf32_tensor_tflops) is not None


def has_format(gpu: Gpu, form: Format) -> bool:
    """Whether the card has units of its own for a number format."""
    return {
        "fp16": gpu.fp16_tensor_fp32acc_tflops,
        "bf16": gpu.bf16_tensor_tflops,
        "tf32": gpu.tf32_tensor_tflops,
        "fp8": gpu.fp8_tensor_tflops,
        "int8": gpu.int8_tensor_tops,
    }.get(form, 1.0) is not None


def held_ghz(gpu: Gpu) -> float:
    """The clock a long run holds: Hopper's top clock is for a few cores only."""
    whole = card_class(gpu) in ("hopper-sxm", "hopper-pcie")
    mhz = min(gpu.boost_clock_mhz, HOPPER_MHZ) if whole else gpu.boost_clock_mhz
    return mhz / 1000


def wide_sm_ghz(gpu: Gpu) -> float:
    """SM x GHz, SMs with 128 lanes counted `WIDE_SM` times."""
    lanes = gpu.cuda_cores / max(1, gpu.sm_count)
    return gpu.sm_count * held_ghz(gpu) * (WIDE_SM if lanes > 96 else 1.0)


def has_large_cache(gpu: Gpu) -> bool:
    """Ada and Blackwell boards with GDDR: 24 to 128 MB of second-level cache against 4 to 6 before."""
    return card_class(gpu) in ("geforce-40", "geforce-50", "ada-pro", "blackwell-pro")


def ratios(gpu: Gpu, form: Format) -> tuple[float, float, float, float]:
    """Reference over card, before any fitted factor: tensor peak, bandwidth, SM x GHz, GHz."""
    return (
        REFERENCE.tensor_tflops[form] / peak_tflops(gpu, form),
        REFERENCE.bandwidth_gb_s / gpu.memory_bandwidth_gb_s,
        REFERENCE.sm_ghz / wide_sm_ghz(gpu),
        REFERENCE.ghz / held_ghz(gpu),
    )


def relative_time(kind: str, gpu: Gpu, form: Format = "fp16", law: Law = LAW) -> float:
    """Time of one kind of work on a card, in times of the same work on the A100 80G SXM.

    `kind`: a key of the law's mixes or of LBM_BYTES; `form`: number format of its heavy arithmetic. A card better in every figure is
    never slower. Raises KeyError for an unknown kind.
    """
    if kind in LBM_BYTES:
        return _lbm_mlups_reference(kind) / lbm_mlups(kind, gpu)
    mix, name = law.mixes[kind], card_class(gpu)
    tensor, bandwidth, cores, clock = ratios(gpu, form)
    if not on_tensor_cores(gpu, form):
        sustained = 1.0
    elif is_long(kind):
        sustained = law.long_classes[name] * (law.hopper.get(kind, 1.0) if name in HOPPER else 1.0)
    else:
        sustained = law.classes[name]
    if mix.cached and has_large_cache(gpu):
        bandwidth /= law.cache_gain
    if name == "no-tensor":
        cores /= law.old_cores
    return (
        mix.tensor * tensor / sustained + mix.bandwidth * bandwidth + mix.cores * cores + mix.clock * clock + mix.host
    )


def is_long(kind: str) -> bool:
    """Work of long matrix products, with class shares of its own."""
    return kind == "dense" or kind.startswith("dit")


ECC_OFF = ("rtx-a6000", "rtx-4000", "rtx-5000", "rtx-6000", "rtx-pro")
"""Workstation boards that ship with ECC off. (The A4500 was not measured: it stays below the A40, which is better in every figure.)"""


def lbm_share(gpu: Gpu) -> float:
    """Share of the memory bandwidth a lattice Boltzmann sweep reaches; GDDR with ECC on (data-centre boards) keeps its check bits in band."""
    match card_class(gpu):
        case "ampere-hbm" | "hopper-sxm" | "hopper-pcie" | "hopper-cut" | "blackwell-hbm":
            return 0.78
        case "volta":
            return 0.87
        case "ada-pro" | "ampere-pro" | "blackwell-pro":
            return 0.86 if gpu.slug.startswith(ECC_OFF) else 0.765
        case _:
            return 0.86 if gpu.is_geforce else 0.765


def lbm_mlups(kind: str, gpu: Gpu) -> float:
    """Million lattice cells updated per second (D3Q19) on one card."""
    by_memory = gpu.memory_bandwidth_gb_s * 1e3 * lbm_share(gpu) / LBM_BYTES[kind]
    unpack = LBM_CORES.get(kind)
    if unpack is None:
        return by_memory
    return min(by_memory, unpack * gpu.sm_count * gpu.boost_clock_mhz / 1000)


def _lbm_mlups_reference(kind: str) -> float:
    by_memory = REFERENCE.bandwidth_gb_s * 1e3 * 0.78 / LBM_BYTES[kind]
    unpack = LBM_CORES.get(kind)
    return by_memory if unpack is None else min(by_memory, unpack * REFERENCE.sm_ghz)
