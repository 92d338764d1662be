"""Which link joins several cards, and what data-parallel copies lose over it."""

import math
from typing import Literal

from advisor.sizing.gpu import Gpu

Link = Literal["none", "nvlink", "pcie", "network"]

CARDS_PER_NODE = 8
"""Cards of one host; more are joined by the network between hosts."""


def nodes_of(count: int) -> int:
    """Hosts that `count` cards take."""
    return -(-count // CARDS_PER_NODE)


def link_of(gpu: Gpu, count: int) -> Link:
    """The slowest link `count` cards of a kind must cross."""
    if count <= 1:
        return "none"
    if count > CARDS_PER_NODE:
        return "network"
    return "nvlink" if count <= gpu.nvlink_group else "pcie"


DATA_PARALLEL_LOSS: dict[str, dict[Link, tuple[float, float, float]]] = {
    # loss = base + slope * (cards - 1) ** power, as a share of one card's time
    "vision": {"nvlink": (0.030, 0.0, 1.0), "pcie": (0.025, 0.0105, 1.0), "network": (0.06, 0.012, 1.0)},
    "speech": {"nvlink": (0.060, 0.009, 1.0), "pcie": (0.0, 0.05, 1.2), "network": (0.12, 0.03, 1.0)},
    "diffusion": {"nvlink": (0.030, 0.002, 1.0), "pcie": (0.03, 0.025, 1.0), "network": (0.08, 0.01, 1.0)},
}
"""Training with one copy per card, gradients averaged each step. Vision and speech: Lambda and NVIDIA tables over 1, 2, 4, 8 cards
(x8 over NVLink 7.8 and 7.1, over PCIe 7.25 and 5.3); diffusion: between them, a judgement."""


def data_parallel_speedup(field: str, gpu: Gpu, count: int) -> float:
    """How many times faster `count` copies train than one."""
    if count <= 1:
        return 1.0
    base, slope, power = DATA_PARALLEL_LOSS[field][link_of(gpu, count)]
    return count / (1 + base + slope * math.pow(count - 1, power))
