"""The law that carries a speed from card to card: shares add up, the kept figures are those of the fit, residuals within what is promised."""

import dataclasses
import json
import math

import pytest

from advisor.fitting.transfer import fit, observations, pair_errors, summary
from advisor.library import DATA
from advisor.sizing.transfer import LAW, LBM_BYTES, REFERENCE_SLUG, card_class, lbm_mlups, relative_time
from tests.core.sizing.media.published import LIBRARY

SEEN = observations(LIBRARY)
FITTED = fit(SEEN)
PROMISED = {
    "dit": 0.08,
    "dit-compiled": 0.08,
    "dit-flash3": 0.08,
    "image-batched": 0.10,
    "image-compiled": 0.10,
    "cnn-training": 0.08,
    "cnn-inference": 0.08,
    "transformer-inference": 0.10,
    "speech-training": 0.12,
    "asr-batched": 0.13,
    "asr-single": 0.15,
    "md-small": 0.07,
    "md-medium": 0.10,
    "md-big": 0.15,
    "fold": 0.06,
}


@pytest.mark.parametrize("kind", sorted(LAW.mixes))
def test_shares_add_up_and_the_reference_card_is_one(kind: str) -> None:
    mix = LAW.mixes[kind]
    assert mix.tensor + mix.bandwidth + mix.cores + mix.clock + mix.host == pytest.approx(1.0, abs=0.002)
    assert relative_time(kind, LIBRARY.gpus[REFERENCE_SLUG]) == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("kind", sorted(LBM_BYTES))
def test_the_byte_rule_is_one_on_the_reference_card(kind: str) -> None:
    assert relative_time(kind, LIBRARY.gpus[REFERENCE_SLUG]) == pytest.approx(1.0, abs=0.01)


def test_enough_works_were_seen() -> None:
    assert len(SEEN) >= 400
    assert len({one.work for one in SEEN}) >= 100
    assert len({one.gpu.slug for one in SEEN}) >= 25


def test_the_law_in_the_code_is_the_fitted_one() -> None:
    for kind, mix in FITTED.mixes.items():
        for share in ("tensor", "bandwidth", "cores", "clock"):
            assert getattr(LAW.mixes[kind], share) == pytest.approx(getattr(mix, share), abs=0.02), (kind, share)
    for name, sustained in FITTED.classes.items():
        assert LAW.classes[name] == pytest.approx(sustained, rel=0.05), name


def test_the_kept_report_is_of_this_law() -> None:
    kept = json.loads((DATA / "calibration_transfer.json").read_text(encoding="utf-8"))["transfer"]
    assert kept["facts"] == len(SEEN)
    assert kept["law"]["cache_gain"] == pytest.approx(LAW.cache_gain, rel=0.05)
    assert set(kept["residuals"]) == {"in_sample", "card_left_out", "source_left_out"}
    assert kept["law"].keys() == {part.name for part in dataclasses.fields(LAW)}


@pytest.mark.parametrize("kind", sorted(PROMISED))
def test_carrying_a_speed_to_another_card_stays_within_the_promise(kind: str) -> None:
    assert summary(pair_errors(SEEN, LAW))[kind]["median"] <= PROMISED[kind]


def test_lattice_boltzmann_needs_no_measurement() -> None:
    off = []
    for fact in LIBRARY.facts:
        work = fact["workload"]
        if (
            work.get("application") != "cfd-lbm"
            or fact["metric"] != "speed"
            or fact["count"] != 1
            or not fact["usable_for"]
        ):
            continue
        kind = f"lbm-{work['precision']}"
        off.append(abs(lbm_mlups(kind, LIBRARY.gpus[fact["gpu"]]) / fact["value"] - 1))
    off.sort()
    assert len(off) > 60
    assert off[len(off) // 2] <= 0.05
    assert off[int(0.9 * len(off))] <= 0.15


def test_every_card_has_a_class() -> None:
    for gpu in LIBRARY.gpus.values():
        assert card_class(gpu) in LAW.classes
        assert card_class(gpu) in LAW.long_classes


def test_half_rate_data_centre_boards_count_as_their_geforce_kin() -> None:
    assert card_class(LIBRARY.gpus["l20-48g"]) == card_class(LIBRARY.gpus["rtx-4090-24g"])
    assert card_class(LIBRARY.gpus["l40s-48g"]) == "ada-pro"


def test_a_fit_of_made_up_measurements_finds_the_class_behind_them() -> None:
    """Speeds invented from a law with a slower GeForce 40 class: the fit moves there."""
    slower = dataclasses.replace(LAW, classes={**LAW.classes, "geforce-40": LAW.classes["geforce-40"] * 0.6})
    made = [
        dataclasses.replace(one, log_seconds=math.log(relative_time(one.kind, one.gpu, one.form, slower)))
        for one in SEEN
        if one.kind in ("cnn-training", "cnn-inference", "image-batched", "transformer-inference")
    ]
    found = fit(made, LAW)
    assert found.classes["geforce-40"] < 0.85 * LAW.classes["geforce-40"]
