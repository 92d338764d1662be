"""Simulations: state per atom, cell and token; double precision; several cards."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.sizing.science import scaled
from tests.core.sizing.media.published import LIBRARY, job_for, memory_gib, speed

GPUS = LIBRARY.gpus
RUN = {"scenario": "science", "task": "simulation"}
APPLICATIONS = [
    "openmm",
    "gromacs",
    "amber",
    "namd",
    "lammps",
    "cfd-lbm",
    "cfd",
    "climate",
    "quantum-chemistry",
    "linear-algebra",
    "generic",
    "my-own-code",
]


def codes(body: dict[str, Any], gpu: str, count: int = 1) -> set[str]:
    return {note.code for note in job_for(body).notes(GPUS[gpu], count)}


@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("precision", ["single", "mixed", "double"])
def test_every_application_has_a_speed(application: str, precision: str) -> None:
    job = job_for({**RUN, "application": application, "precision": precision, "memory_gib": 10})
    for gpu in GPUS.values():
        rate = job.rate(gpu, 1)
        assert rate is not None
        assert 0 < rate.value < 1e9
        load = job.load(gpu, 1)
        assert load is not None
        assert load.exact
        assert sum(load.parts.values()) == 10


def test_bytes_per_cell_are_counted() -> None:
    """FluidX3D README: 100 million cells take 5.1 GiB with 16-bit storage; codes in double 32 GiB."""
    box = {**RUN, "application": "cfd-lbm", "cells": 100_000_000}
    assert memory_gib({**box, "precision": "fp32-fp16"}) == pytest.approx(5.122, rel=0.001)
    assert memory_gib({**box, "precision": "double"}) == pytest.approx(32.04, rel=0.001)
    assert memory_gib({**box, "precision": "single"}, count=4) == pytest.approx(
        memory_gib({**box, "precision": "single"}) / 4
    )


def test_lattice_boltzmann_follows_bandwidth_but_packed_storage_the_cores() -> None:
    """W28: A100 before 4090 in single precision, level with it in the packed format."""
    box = {**RUN, "application": "cfd-lbm", "cells": 16_777_216}
    single = {**box, "precision": "single"}
    packed = {**box, "precision": "fp32-fp16c"}
    assert speed(single, "a100-sxm-80g") > 1.6 * speed(single, "rtx-4090-24g")
    assert speed(packed, "a100-sxm-80g") == pytest.approx(speed(packed, "rtx-4090-24g"), rel=0.1)


def test_4090_leads_in_mixed_molecular_dynamics() -> None:
    """W27, A20: GeForce leads where single precision counts."""
    run = {**RUN, "application": "openmm", "system": "apoa1-pme", "precision": "mixed"}
    assert speed(run, "rtx-4090-24g") > speed(run, "a100-sxm-80g") > speed(run, "rtx-3060-12g")
    assert speed(run, "rtx-4090-24g") > 1.5 * speed(run, "rtx-3090-24g")


@pytest.mark.parametrize(
    "application", ["linear-algebra", "climate", "quantum-chemistry", "cfd", "generic", "my-own-code"]
)
def test_double_precision_sends_away_from_geforce(application: str) -> None:
    """A21, A39, C82: 1/64 of the rate on GeForce, and no ECC for a long run."""
    run = {**RUN, "application": application, "precision": "double", "memory_gib": 20}
    assert {"slow-fp64", "no-ecc"} <= codes(run, "rtx-3090-24g")
    assert "slow-fp64" in codes(run, "l40s-48g")
    assert not {"slow-fp64", "no-ecc"} & codes(run, "a100-sxm-80g")
    assert speed(run, "a100-sxm-80g") > 2 * speed(run, "rtx-4090-24g")


def test_a_prototype_may_do_without_ecc() -> None:
    run = {**RUN, "application": "gromacs", "atoms": 100_000, "precision": "mixed", "stage": "prototype"}
    assert not codes(run, "rtx-3090-24g")
    assert "no-ecc" in codes({**run, "stage": "production"}, "rtx-3090-24g")


def test_one_run_gains_little_from_further_cards() -> None:
    run = {**RUN, "application": "openmm", "system": "stmv-pme"}
    one = speed(run, "a100-sxm-80g")
    assert 1.3 < speed(run, "a100-sxm-80g", 2) / one < 1.7
    assert 1.7 < speed(run, "a100-sxm-80g", 4) / one < 2.5
    assert "second-card" in codes(run, "a100-sxm-80g", 2)


def test_hours_known_elsewhere_are_carried_over() -> None:
    known = {"gpu": "a100-sxm-80g", "hours": 10}
    run = {**RUN, "application": "linear-algebra", "precision": "double", "memory_gib": 20, "gpu_hours_on": known}
    there = job_for(run).rate(GPUS["a100-sxm-80g"], 1)
    assert there is not None
    assert there.unit == "seconds"
    assert there.value == pytest.approx(36_000)
    volta = job_for(run).rate(GPUS["v100-pcie-32g"], 1)
    assert volta is not None
    assert 1.2 < volta.value / there.value < 3


@pytest.mark.parametrize(("tokens", "seconds"), [(1024, 62), (2048, 275), (3072, 703), (4096, 1434), (5120, 2547)])
def test_alphafold_on_an_a100(tokens: int, seconds: float) -> None:
    fold = {"scenario": "science", "task": "structure-prediction", "application": "alphafold3", "tokens": tokens}
    assert 1 / speed(fold, "a100-sxm-80g") == pytest.approx(seconds, rel=0.01)
    assert 1.6 < speed(fold, "h100-sxm-80g") / speed(fold, "a100-sxm-80g") < 2.1


def test_the_largest_complex_of_a_card_is_named() -> None:
    fold = {"scenario": "science", "task": "structure-prediction", "application": "alphafold3", "tokens": 5120}
    assert memory_gib(fold) < GPUS["a100-sxm-80g"].usable_gib < memory_gib({**fold, "tokens": 5400})
    assert "cap-tokens" in codes(fold, "a100-sxm-40g")
    assert "cap-tokens" not in codes(fold, "a100-sxm-80g")


@given(
    application=st.sampled_from(["openmm", "gromacs", "amber", "namd", "lammps"]),
    atoms=st.integers(1_000, 50_000_000),
    more=st.integers(1, 10_000_000),
    precision=st.sampled_from(["single", "mixed", "double"]),
)
@settings(max_examples=60, deadline=None)
def test_more_atoms_never_need_less(application: str, atoms: int, more: int, precision: str) -> None:
    run = {**RUN, "application": application, "precision": precision}
    assert memory_gib({**run, "atoms": atoms + more}) >= memory_gib({**run, "atoms": atoms})
    assert (
        speed({**run, "atoms": atoms + more}, "rtx-4090-24g") <= speed({**run, "atoms": atoms}, "rtx-4090-24g") * 1.35
    )


@given(tokens=st.integers(1, 20_000), more=st.integers(1, 5_000))
@settings(max_examples=60, deadline=None)
def test_more_tokens_never_need_less(tokens: int, more: int) -> None:
    fold = {"scenario": "science", "task": "structure-prediction", "application": "alphafold3"}
    assert memory_gib({**fold, "tokens": tokens + more}) > memory_gib({**fold, "tokens": tokens})
    assert speed({**fold, "tokens": tokens + more}, "a100-sxm-80g") <= speed({**fold, "tokens": tokens}, "a100-sxm-80g")


@given(count=st.integers(1, 64))
def test_more_cards_are_never_slower(count: int) -> None:
    table = {2: 1.5, 4: 2.05, 8: 2.4}
    assert scaled(table, count) <= scaled(table, count + 1) <= count + 1


@pytest.mark.parametrize(
    ("application", "told", "unused"),
    [
        ("gromacs", {"atoms": 90_000}, set()),
        ("gromacs", {"cells": 10**6}, {"cells"}),
        ("cfd-lbm", {"cells": 10**6, "system": "fluidx3d-benchmark", "precision": "fp32-fp16"}, set()),
        ("cfd", {"atoms": 10**6, "system": "apoa1-pme", "potential": "lj"}, {"atoms", "system", "potential"}),
        ("amber", {"precision": "fp32-fp16c"}, {"precision"}),
        ("my-own-code", {"atoms": 1000, "memory_gib": 4}, {"atoms"}),
    ],
)
def test_what_changes_nothing_is_said(application: str, told: dict[str, Any], unused: set[str]) -> None:
    job = job_for({**RUN, "application": application, **told})
    notes = [note for note in job.notes(GPUS["a800-pcie-80g"], 1) if note.code == "not-used"]
    assert {note.field for note in notes} == unused
