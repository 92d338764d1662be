"""What a card sustains: its tensor rate as frameworks use it (16-bit inputs, FP32 sums) and the share of it large matrices reach."""

from functools import lru_cache

from advisor.sizing.gpu import Gpu

REFERENCE_CLOCK_GHZ = 1.41
"""Boost clock of an A100: fixed times per layer are given at this clock and scale with it."""

SUSTAINED_SHARE = {
    # share of the dense FP32-accumulate peak that large matrix products reach, relative between kinds of card; fitted on
    # training and prompt speeds of the facts (A100 0.48-0.60 of peak in training and prompts; H100 PCIe 0.24-0.28: power-limited;
    # GeForce with its halved FP32-accumulate peak above 0.9)
    "sm_90": 0.42,
    "sm_80": 0.60,
    "sm_70": 0.55,
    "sm_75": 0.60,
    "geforce": 0.95,
    "geforce-ada": 0.95,
    "workstation": 0.55,
    "sm_100": 0.45,
    "other": 0.5,
}


def card_class(gpu: Gpu) -> str:
    """Which kind of card a sustained share belongs to: GeForce apart from data-centre chips and workstation boards."""
    if gpu.is_geforce:
        return "geforce-ada" if gpu.compute_capability >= 8.9 else "geforce"
    capability = gpu.compute_capability
    if 8.0 < capability < 9.0 or capability >= 12.0:
        return "workstation"
    known = {9.0: "sm_90", 8.0: "sm_80", 7.0: "sm_70", 7.5: "sm_75", 10.0: "sm_100", 10.3: "sm_100"}
    return known.get(capability, "other")


@lru_cache(maxsize=256)
def tensor_tflops(gpu: Gpu) -> float:
    """Dense peak for 16-bit inputs with FP32 sums, TFLOPS; the plain FP32 (or doubled FP16) rate of a card without tensor cores."""
    rate = gpu.fp16_tensor_fp32acc_tflops or gpu.bf16_tensor_tflops
    if rate:
        return rate
    if gpu.fp16_tensor_fp16acc_tflops:
        return gpu.fp16_tensor_fp16acc_tflops / (2 if gpu.is_geforce else 1)
    return gpu.fp32_tflops


@lru_cache(maxsize=256)
def sustained_flops(gpu: Gpu) -> float:
    """FLOP/s large 16-bit matrix products reach on this card."""
    return tensor_tflops(gpu) * 1e12 * SUSTAINED_SHARE[card_class(gpu)]


def clock_factor(gpu: Gpu) -> float:
    """Fixed times at this card's boost clock over those at the reference clock."""
    return REFERENCE_CLOCK_GHZ * 1000 / gpu.boost_clock_mhz


def is_hbm(gpu: Gpu) -> bool:
    """Whether the card's memory is HBM: wide buses that single-token kernels do not fill."""
    return card_class(gpu) in ("sm_70", "sm_80", "sm_90", "sm_100")


ECC_GDDR_SHARE = 0.9
"""Bandwidth left on data-centre cards with GDDR, whose ECC is on by default: L40S and A40 fall 11-12 % behind boards of the same bandwidth
whose ECC is off (llama.cpp, 70B), 13-21 % in lattice Boltzmann."""


def bandwidth(gpu: Gpu) -> float:
    """Memory bandwidth in bytes per second as kernels find it."""
    inline_ecc = not gpu.is_geforce and not is_hbm(gpu) and not gpu.slug.startswith(("rtx-", "gtx-"))
    return gpu.memory_bandwidth_gb_s * 1e9 * (ECC_GDDR_SHARE if inline_ecc else 1.0)
