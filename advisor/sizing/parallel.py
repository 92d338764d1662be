"""Many cards: which link joins them, what a collective over it costs, and what the spread of a job over them is called."""

import math
from typing import Literal

from advisor.sizing.answer import Spread
from advisor.sizing.gpu import Gpu

CARDS_PER_NODE = 8
"""Cards of one machine: an SXM board has 8; 16 rented cards are two nodes (guide rule C76)."""

NVLINK_SHARE = 0.77
"""Bus bandwidth of a large all-reduce over one direction of NVLink: 8 x A100 230 of 300 GB/s (nccl-tests issue 149), 8 x A800 152 of
200 GB/s (nccl-tests, reported as 174 in 2 x size / time)."""
PCIE_P2P_SHARE = 0.62
"""Bus bandwidth over one direction of PCIe where cards reach each other: about 20 of 32 GB/s for gen 4 x16 (NVIDIA/nccl 1639 and kin)."""
PCIE_HOST_SHARE = 0.25
"""The same where every transfer goes through host memory (GeForce on the stock driver): two cards lose to a gradient all-reduce what 8 of
32 GB/s cost (BERT-large on 2 x 3080 and 2 x 3090)."""
HOST_CONTENTION = 0.6
"""How much of it is left with each doubling of the cards past two: the host's memory and root ports are shared (measured training of
BERT-large on 4 and 8 x 3090 runs 2-4 times slower than one steady figure predicts)."""
NETWORK_GB_S = 20.0
"""Bus bandwidth between nodes where nothing is known of the network: 200 Gbit/s InfiniBand or RoCE, 80 % of it."""

Link = Literal["none", "nvlink", "pcie", "network"]

_PCIE_GB_S = {3.0: 15.75, 4.0: 31.5, 5.0: 63.0}


def nodes_of(count: int) -> int:
    """Machines that many cards stand in."""
    return -(-count // CARDS_PER_NODE)


def link_of(gpu: Gpu, count: int) -> Link:
    """The slowest link a collective over `count` cards of this kind crosses."""
    if count <= 1:
        return "none"
    if count > CARDS_PER_NODE:
        return "network"
    return "nvlink" if count <= gpu.nvlink_group else "pcie"


def p2p(gpu: Gpu) -> bool:
    """Whether cards reach each other over PCIe without a copy through host memory."""
    return not gpu.is_geforce if gpu.pcie_p2p is None else gpu.pcie_p2p


def pcie_gb_s(gpu: Gpu) -> float:
    """One direction of the card's PCIe x16 slot, GB/s."""
    return _PCIE_GB_S.get(gpu.pcie_gen or 4.0, 31.5)


def bus_gb_s(gpu: Gpu, count: int) -> float:
    """Bus bandwidth (the figure nccl-tests calls busbw) of a large all-reduce over `count` cards, GB/s."""
    link = link_of(gpu, count)
    if link == "nvlink":
        return gpu.nvlink_gb_s / 2 * NVLINK_SHARE
    if p2p(gpu):
        inside = pcie_gb_s(gpu) * PCIE_P2P_SHARE
    else:
        doublings = math.log2(min(count, CARDS_PER_NODE) / 2)
        inside = pcie_gb_s(gpu) * PCIE_HOST_SHARE * HOST_CONTENTION**doublings
    if link == "network":
        board = gpu.nvlink_gb_s / 2 * NVLINK_SHARE if gpu.nvlink_group >= CARDS_PER_NODE else inside
        return min(board, NETWORK_GB_S)
    return inside


def allreduce_seconds(gpu: Gpu, count: int, size_bytes: float) -> float:
    """Ring all-reduce of `size_bytes` over all cards: 2 (n-1)/n of the bytes at bus bandwidth."""
    if count <= 1:
        return 0.0
    return 2 * (count - 1) / count * size_bytes / (bus_gb_s(gpu, count) * 1e9)


def gather_seconds(gpu: Gpu, count: int, size_bytes: float) -> float:
    """All-gather or reduce-scatter of `size_bytes` in total: (n-1)/n of the bytes at bus bandwidth."""
    return allreduce_seconds(gpu, count, size_bytes) / 2


def spread_of(gpu: Gpu, count: int, how: Literal["data", "tensor", "pipeline", "sharded"]) -> Spread:
    """All cards used one way; tensor parallelism stays inside a node, nodes follow one another as a pipeline."""
    link, nodes = link_of(gpu, count), nodes_of(count)
    if how == "tensor" and nodes > 1:
        return Spread(tensor=count // nodes, pipeline=nodes, link=link, nodes=nodes)
    return Spread(
        data=count if how == "data" else 1,
        tensor=count if how == "tensor" else 1,
        pipeline=count if how == "pipeline" else 1,
        sharded=count if how == "sharded" else 1,
        link=link,
        nodes=nodes,
    )
