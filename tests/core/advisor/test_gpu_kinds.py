"""Which cards are GeForce: they accumulate FP32 at half rate and know no peer-to-peer; a workstation card of a like name does neither."""

import pytest

from advisor.library import gpus

GEFORCE = {
    "rtx-3060-12g",
    "rtx-3080-20g",
    "rtx-3090-24g",
    "rtx-4080-super-32g",
    "rtx-4090-48g",
    "rtx-4090d-24g",
    "rtx-5090-32g",
    "rtx-2080-ti-11g",
    "gtx-1080-ti-11g",
    "rtx-3050-6g",
}
WORKSTATION = {
    "rtx-4000-ada-20g",
    "rtx-5000-ada-32g",
    "rtx-6000-ada-48g",
    "rtx-a4500-20g",
    "rtx-a6000-48g",
    "rtx-pro-6000-max-q-96g",
}


@pytest.mark.parametrize("slug", sorted(GEFORCE))
def test_geforce(slug: str) -> None:
    assert gpus()[slug].is_geforce


@pytest.mark.parametrize("slug", sorted(WORKSTATION))
def test_workstation_cards_are_no_geforce(slug: str) -> None:
    assert not gpus()[slug].is_geforce


def test_every_card_called_geforce_is_one_and_no_other() -> None:
    for slug, gpu in gpus().items():
        if gpu.is_geforce:
            assert gpu.name.startswith(("GeForce", "RTX", "GTX", "NVIDIA GeForce")), gpu.name
        assert not (gpu.is_geforce and ("Ada" in gpu.name or "PRO" in gpu.name)), slug
