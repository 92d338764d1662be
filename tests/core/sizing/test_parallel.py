"""Links between cards and what a collective over them costs."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.library import gpus
from advisor.sizing.parallel import allreduce_seconds, bus_gb_s, gather_seconds, link_of, nodes_of, p2p, spread_of

GPUS = gpus()
CARDS = st.sampled_from(sorted(GPUS))


def test_nvlink_joins_pairs_of_boards_and_eight_of_a_board():
    assert link_of(GPUS["rtx-4090-24g"], 1) == "none"
    assert link_of(GPUS["rtx-4090-24g"], 2) == "pcie"
    assert link_of(GPUS["rtx-3090-24g"], 2) == "nvlink"
    assert link_of(GPUS["rtx-3090-24g"], 4) == "pcie"
    assert link_of(GPUS["a100-pcie-80g"], 4) == "pcie"
    assert link_of(GPUS["a100-sxm-80g"], 8) == "nvlink"
    assert link_of(GPUS["a100-sxm-80g"], 16) == "network"
    assert (nodes_of(8), nodes_of(16)) == (1, 2)


def test_a_third_less_on_an_a800():
    a100, a800 = bus_gb_s(GPUS["a100-sxm-80g"], 8), bus_gb_s(GPUS["a800-sxm-80g"], 8)
    assert a100 == pytest.approx(230, rel=0.02)  # nccl-tests issue 149
    assert a800 == pytest.approx(152, rel=0.03)  # nccl-tests on 8 x A800
    assert a800 / a100 == pytest.approx(2 / 3)


def test_geforce_goes_through_the_host():
    assert not p2p(GPUS["rtx-4090-24g"])
    assert p2p(GPUS["a100-pcie-80g"])
    assert bus_gb_s(GPUS["rtx-4090-24g"], 2) < bus_gb_s(GPUS["a100-pcie-80g"], 4)
    assert bus_gb_s(GPUS["rtx-4090-24g"], 8) < bus_gb_s(GPUS["rtx-4090-24g"], 4) < bus_gb_s(GPUS["rtx-4090-24g"], 2)


@given(CARDS, st.sampled_from([2, 4, 8, 16, 32]), st.floats(1, 1e12))
def test_collectives_take_time_in_proportion(slug, count, size):
    card = GPUS[slug]
    assert allreduce_seconds(card, 1, size) == 0
    assert allreduce_seconds(card, count, 2 * size) == pytest.approx(2 * allreduce_seconds(card, count, size))
    assert gather_seconds(card, count, size) == pytest.approx(allreduce_seconds(card, count, size) / 2)
    better = dataclasses.replace(card, nvlink_gb_s=card.nvlink_gb_s * 2)
    assert allreduce_seconds(better, count, size) <= allreduce_seconds(card, count, size)


@given(CARDS, st.sampled_from([1, 2, 4, 8, 16]), st.sampled_from(["data", "tensor", "pipeline", "sharded"]))
def test_a_spread_uses_every_card_once(slug, count, how):
    spread = spread_of(GPUS[slug], count, how)
    assert spread.data * spread.tensor * spread.pipeline * spread.sharded == count
    assert spread.tensor <= 8
