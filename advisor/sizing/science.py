"""Scientific simulation and structure prediction: state per atom, cell or token; pace by code, precision and size."""

import dataclasses
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Job, Library, Load, Rate
from advisor.sizing.links import link_of, nodes_of
from advisor.sizing.taken import Taken
from advisor.sizing.transfer import Format, lbm_mlups, relative_time
from advisor.sizing.units import GIB, gib
from advisor.sizing.workload import Workload

SECONDS_PER_DAY = 86_400.0

MOLECULAR = ("openmm", "gromacs", "amber", "namd", "lammps")
GRIDS = ("cfd-lbm", "cfd", "climate")
GRID_SYSTEMS = frozenset({"fluidx3d-benchmark"})
LATTICE_STORAGE = frozenset({"fp32-fp16", "fp32-fp16c"})
"""Precisions that only lattice Boltzmann codes have: storage narrower than arithmetic."""
SYSTEM_ATOMS: Mapping[str, int] = {
    "dhfr-implicit": 2_489,
    "dhfr-rf": 23_558,
    "dhfr-pme": 23_558,
    "dhfr-amoeba-pme": 23_558,
    "apoa1-rf": 92_224,
    "apoa1-pme": 92_224,
    "apoa1-ljpme": 92_224,
    "cellulose-pme": 408_609,
    "stmv-pme": 1_067_095,
    "stmv": 1_066_628,
    "6n4o": 239_131,
    "adh": 95_561,
    "rnase-cubic": 24_040,
    "villin": 8_867,
    "user case": 100_000,
}
"""Atoms of the named benchmark systems."""
DEFAULT_ATOMS = 100_000
SMALL_ATOMS, BIG_ATOMS = 30_000, 150_000

STEP_SECONDS = 90e-6
ATOM_SECONDS = 7.6e-9
"""One step on an A100: a fixed part of launches and so much per atom (OpenMM 8.0, DHFR to STMV, PME)."""


@dataclass(frozen=True, slots=True)
class Code:
    """A molecular dynamics code: pace against OpenMM, usual time step, bytes per atom, fixed GiB."""

    pace: float
    step_fs: float
    atom_bytes: float
    fixed_gib: float
    double_state: float = 1.6


CODES: Mapping[str, Code] = {
    "openmm": Code(1.0, 4.0, 1_800.0, 0.45),
    "gromacs": Code(0.75, 2.0, 1_500.0, 0.35),
    "amber": Code(1.0, 2.0, 2_200.0, 0.40),
    "namd": Code(1.45, 2.0, 2_600.0, 0.50),
    "lammps": Code(1.3, 2.0, 1_200.0, 0.35),
}
"""Paces: NgFEP assessment (one 239k-atom system in four codes); bytes: AMBER 0.9 GiB at 239k atoms, the others of that order."""
SYSTEM_STEP_FS: Mapping[str, float] = {"6n4o": 1.0, "dhfr-amoeba-pme": 2.0, "stmv": 2.0, "adh": 2.0}
SYSTEM_PACE: Mapping[str, float] = {
    "dhfr-implicit": 0.62,
    "dhfr-rf": 0.87,
    "dhfr-amoeba-pme": 26.0,
    "apoa1-rf": 0.71,
    "apoa1-ljpme": 1.26,
}
"""Cost of the method against plain PME with the same atoms."""
POTENTIAL_PACE: Mapping[str, float] = {
    "lj": 0.6,
    "eam": 0.8,
    "tersoff": 1.5,
    "sw": 1.3,
    "reaxff": 25.0,
    "snap": 60.0,
    "deepmd": 60.0,
    "nequip": 250.0,
    "mace": 250.0,
    "ace": 50.0,
    "ml": 120.0,
}
"""LAMMPS potentials against a biomolecular force field: orders of magnitude, stated as wide."""
POTENTIAL_BYTES: Mapping[str, float] = {"reaxff": 25_000.0, "snap": 12_000.0, "deepmd": 60_000.0, "nequip": 200_000.0}
ML_BYTES = 120_000.0
DOUBLE_PACE = 2.2
"""Double precision where the card has FP64 units: twice the bytes and arithmetic."""
SLOW_FP64 = 16.0
"""FP32 over FP64 rate from which a card counts as slow in double precision (GeForce 32 or 64, A100 2)."""
LATTICE_DOUBLE_BYTES = 344.0
LATTICE_BYTES: Mapping[str, float] = {
    "single": 93.0,
    "fp32-fp16": 55.0,
    "fp32-fp16c": 55.0,
    "double": LATTICE_DOUBLE_BYTES,
}
"""Bytes held per lattice cell: FluidX3D README (55 with 16-bit storage, 93 in single, 344 for codes in double with two lattices)."""
CFD_CELL_BYTES: Mapping[str, float] = {"single": 500.0, "mixed": 700.0, "double": 1_000.0}
CFD_CELL_TRAFFIC: Mapping[str, float] = {"single": 4_000.0, "mixed": 6_000.0, "double": 8_000.0}
"""Unstructured finite-volume solvers: about 60 fields per cell, each read several times a step."""
CLIMATE_CELL_BYTES: Mapping[str, float] = {"single": 900.0, "mixed": 1_200.0, "double": 1_800.0}
DEFAULT_CELLS = 16_777_216
WORK_GIB = 0.3

LBM_SCALING: Mapping[int, float] = {2: 1.62, 4: 2.80, 8: 4.50}
MD_SCALING: Mapping[int, float] = {2: 1.50, 4: 2.05, 8: 2.40}
"""One run over several cards of a host (FluidX3D multi-GPU table; OpenMM, GROMACS): links hardly matter, halos and latency do."""
FREE_SCALING: Mapping[int, float] = {2: 1.80, 4: 3.20, 8: 5.50}
FOLD_SCALING: Mapping[int, float] = {2: 1.0, 4: 1.0, 8: 1.0}

FOLD_TOKENS: tuple[tuple[int, float], ...] = (
    (1024, 62.0),
    (2048, 275.0),
    (3072, 703.0),
    (4096, 1434.0),
    (5120, 2547.0),
)
"""AlphaFold 3 on one A100 80G, seconds (google-deepmind/alphafold3 docs/performance.md)."""
FOLD_PAIR_BYTES = 128 * 4 * 5.6
"""Live pair representation per token pair: 128 channels in fp32, five to six copies (5,120 tokens fill 80 GB)."""
FOLD_WEIGHTS_GIB = 1.8
FOLD_PACE: Mapping[str, float] = {
    "alphafold3": 1.0,
    "alphafold2": 1.6,
    "boltz-1": 1.0,
    "boltz-2": 0.9,
    "chai-1": 1.1,
    "openfold": 1.8,
    "esmfold": 0.25,
    "protenix": 1.1,
    "rosettafold": 1.3,
}


def scaled(table: Mapping[int, float], count: int) -> float:
    """Speed-up of one run over `count` cards: between and beyond the known counts on a line in log-log."""
    if count <= 1:
        return 1.0
    points = [(1, 1.0), *sorted(table.items())]
    for (low, slow), (high, fast) in itertools.pairwise(points):
        if count <= high:
            share = math.log(count / low) / math.log(high / low)
            return slow * math.pow(fast / slow, share)
    (low, slow), (high, fast) = points[-2:]
    slope = 0.7 * math.log(max(1.0, fast / slow)) / math.log(high / low)
    return fast * math.pow(count / high, slope)


def is_slow_fp64(gpu: Gpu) -> bool:
    """Whether double precision runs at a small share of single."""
    return gpu.fp64_tflops is None or gpu.fp32_tflops / gpu.fp64_tflops >= SLOW_FP64


def fp64_penalty(gpu: Gpu, share: float) -> float:
    """Factor on the time of work of which `share` is double-precision arithmetic on an A100 (9.7 TFLOPS)."""
    rate = gpu.fp64_tflops or gpu.fp32_tflops / 64
    return share * 9.7 / rate


@dataclass(frozen=True, slots=True)
class SimulationJob:
    """A simulation, ready to be asked per card."""

    application: str
    system: str | None
    atoms: int
    cells: int
    potential: str | None
    precision: str
    memory_gib: float | None
    hours_known: tuple[Gpu, float] | None
    stage: str
    assumptions: tuple[Note, ...]
    unused: tuple[Note, ...] = ()
    """What was told and plays no part for this application."""

    @property
    def is_molecular(self) -> bool:
        """Particles rather than cells or matrices."""
        return self.application in MOLECULAR

    @property
    def code(self) -> Code:
        """The molecular dynamics code, or the likeliest."""
        return CODES.get(self.application, CODES["gromacs"])

    @property
    def is_double(self) -> bool:
        """Arithmetic in FP64."""
        return self.precision == "double"

    def load(self, gpu: Gpu, count: int) -> Load | None:
        """State of the simulated system, split over cards where one run spans them."""
        if self.memory_gib is not None:
            return Load({"state": self.memory_gib / count}, "science-stated", exact=True)
        kind = "molecular-dynamics" if self.is_molecular else self.application
        if self.is_molecular:
            code = self.code
            per_atom = code.atom_bytes
            if self.potential:
                per_atom = POTENTIAL_BYTES.get(
                    self.potential, ML_BYTES if self.potential in ("ml", "mace", "ace") else per_atom
                )
            if self.is_double:
                per_atom *= code.double_state
            state = gib(per_atom * self.atoms) / count
            return Load({"state": state, "framework": code.fixed_gib}, kind, stack=self.application)
        if self.application == "cfd-lbm":
            per_cell = LATTICE_BYTES.get(self.precision, LATTICE_BYTES["single"])
            return Load(
                {"state": gib(per_cell * self.cells) / count}, "lattice-boltzmann", stack="fluidx3d", exact=count == 1
            )
        tables = {"cfd": CFD_CELL_BYTES, "climate": CLIMATE_CELL_BYTES}
        if self.application in tables:
            table = tables[self.application]
            state = gib(table.get(self.precision, table["single"]) * self.cells) / count
            return Load({"state": state, "framework": WORK_GIB}, kind)
        return None

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """One run split over the cards by space."""
        return Spread(sharded=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return simulation_kind(self.application, self.atoms, self.precision)

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "fp64" if self.is_double else "fp32"

    def rate(self, gpu: Gpu, count: int) -> Rate | None:
        """ns per day, million cells per second, seconds of the run timed elsewhere, or pace relative to an A100 80G."""
        kind = self.kind()
        if self.hours_known is not None:
            return self._timed(gpu, count, kind)
        if self.is_molecular:
            return self._molecular(gpu, count, kind)
        if self.application == "cfd-lbm":
            return self._lattice(gpu, count, kind)
        if self.application in ("cfd", "climate"):
            return self._stencil(gpu, count, kind)
        time = self._dense_time(gpu)
        limit: Limit = "compute" if self.application in ("linear-algebra", "quantum-chemistry") else "memory-bandwidth"
        return Rate(scaled(FREE_SCALING, count) / time, "relative", limit, kind)

    def _timed(self, gpu: Gpu, count: int, kind: str) -> Rate | None:
        """The run whose hours on another card the customer knows."""
        assert self.hours_known is not None
        there, hours = self.hours_known
        plain = dataclasses.replace(self, hours_known=None)
        old, new = plain.rate(there, 1), plain.rate(gpu, count)
        if old is None or new is None:
            return None
        return Rate(hours * 3600 * old.value / new.value, "seconds", new.limited_by, kind, stack=new.stack)

    def _molecular(self, gpu: Gpu, count: int, kind: str) -> Rate:
        code, atoms = self.code, self.atoms
        system = self.system or ""
        seconds = (STEP_SECONDS + ATOM_SECONDS * atoms) * code.pace * SYSTEM_PACE.get(system, 1.0)
        if self.potential:
            seconds *= POTENTIAL_PACE.get(self.potential, 1.0)
        seconds *= relative_time(kind, gpu, "fp32")
        if self.is_double:
            seconds = seconds * DOUBLE_PACE / 2 + seconds * DOUBLE_PACE / 2 * max(1.0, fp64_penalty(gpu, 1.0))
        step_fs = SYSTEM_STEP_FS.get(system, code.step_fs)
        per_day = SECONDS_PER_DAY / seconds * step_fs * 1e-6
        limit: Limit = "host" if atoms < SMALL_ATOMS else "compute"
        many = scaled(MD_SCALING, count) if atoms >= SMALL_ATOMS else 1.0 + 0.05 * math.log2(max(1, count))
        return Rate(per_day * many, "ns_per_day", limit, kind, stack=self.application)

    def _lattice(self, gpu: Gpu, count: int, kind: str) -> Rate:
        many = scaled(LBM_SCALING, count)
        if self.is_double:
            by_memory = lbm_mlups("lbm-single", gpu) / 2
            by_units = (gpu.fp64_tflops or gpu.fp32_tflops / 64) * 1e6 / 350.0  # 350 operations a cell
            limit: Limit = "memory-bandwidth" if by_memory <= by_units else "compute"
            return Rate(many * min(by_memory, by_units), "million_cells_per_second", limit, kind, stack="fluidx3d")
        return Rate(many * lbm_mlups(kind, gpu), "million_cells_per_second", "memory-bandwidth", kind, stack="fluidx3d")

    def _stencil(self, gpu: Gpu, count: int, kind: str) -> Rate:
        traffic = CFD_CELL_TRAFFIC.get(self.precision, CFD_CELL_TRAFFIC["single"])
        reference = 2039e9 * 0.65 / traffic / 1e6
        time = relative_time("stencil", gpu, "fp32")
        limit: Limit = "memory-bandwidth"
        if self.is_double and (slow := fp64_penalty(gpu, 0.30)) > time:
            time, limit = slow, "compute"
        return Rate(scaled(FREE_SCALING, count) * reference / time, "million_cells_per_second", limit, kind)

    def _dense_time(self, gpu: Gpu) -> float:
        """Time against an A100 80G: matrices at the peak of the precision, else half arithmetic and half bandwidth."""
        bandwidth = 2039.0 / gpu.memory_bandwidth_gb_s
        if self.application in ("linear-algebra", "quantum-chemistry"):
            form: Format = "fp64" if self.is_double else "tf32" if self.precision == "mixed" else "fp32"
            dense = relative_time("dense", gpu, form)
            share = 0.85 if self.application == "linear-algebra" else 0.6
            return share * dense + (1 - share) * bandwidth
        if self.is_double:
            return 0.5 * bandwidth + 0.5 * max(bandwidth, fp64_penalty(gpu, 1.0))
        return 0.6 * bandwidth + 0.4 * relative_time("md-big", gpu, "fp32")

    def host(self, gpu: Gpu, count: int) -> Host:
        """GROMACS and NAMD keep CPU cores busy beside each card."""
        load = self.load(gpu, count)
        held = sum(load.parts.values()) if load else 16.0
        cores = {"gromacs": 12, "namd": 12, "lammps": 8}.get(self.application, 4)
        return Host(ram_gib=math.ceil(8 + 2 * held * count), cpu_cores=cores * count, disk_gib=100)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """Double precision on a card without it, ECC for long runs, and what further cards buy."""
        found = list(self.unused)
        if self.is_double and is_slow_fp64(gpu):
            rate = gpu.fp64_tflops or gpu.fp32_tflops / 64
            ratio = round(gpu.fp32_tflops / rate)
            found.append(Note("slow-fp64", "precision", {"tflops": round(rate, 2), "ratio": ratio}))
        if self.stage == "production" and not gpu.ecc:
            found.append(Note("no-ecc", "stage", {"gpu": gpu.slug}))
        if count > 1 and self.memory_gib is None and self.is_molecular:
            many = scaled(MD_SCALING, count) if self.atoms >= SMALL_ATOMS else 1.0
            found.append(Note("second-card", None, {"count": count, "speedup": round(many, 2)}))
        return tuple(found)


def simulation_kind(application: str, atoms: int, precision: str) -> str:
    """Kind of work of a simulation."""
    if application in MOLECULAR:
        return "md-small" if atoms < SMALL_ATOMS else "md-medium" if atoms < BIG_ATOMS else "md-big"
    if application == "cfd-lbm":
        return f"lbm-{precision}" if precision in ("fp32-fp16", "fp32-fp16c") else "lbm-single"
    if application in ("cfd", "climate"):
        return "stencil"
    return "dense"


@dataclass(frozen=True, slots=True)
class StructureJob:
    """Prediction of a molecule's structure: one complex per card."""

    application: str
    tokens: int
    assumptions: tuple[Note, ...]

    def load(self, gpu: Gpu, count: int) -> Load:
        """Weights and the pair representation, which grows with the square of the tokens."""
        pairs = gib(FOLD_PAIR_BYTES * float(self.tokens) ** 2)
        if self.application == "esmfold":
            pairs *= 0.5
        weights = {"esmfold": 11.0, "alphafold2": 0.4}.get(self.application, FOLD_WEIGHTS_GIB)
        return Load(
            {"weights": weights, "activations": pairs, "framework": 0.6}, "structure-prediction", stack=self.application
        )

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """Complexes side by side: one does not span cards."""
        return Spread(data=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return "fold"

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "bf16"

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Seconds per structure (a seed with its samples, search not counted), per card's share of many structures."""
        seconds = fold_seconds(self.tokens) * FOLD_PACE.get(self.application, 1.2) * relative_time("fold", gpu, "bf16")
        return Rate(seconds / count, "seconds", "compute", self.kind(), stack=self.application)

    def host(self, gpu: Gpu, count: int) -> Host:
        """The sequence search beside it takes cores, memory and a database on a fast disk."""
        return Host(ram_gib=64 + 16 * count, cpu_cores=8 * max(1, count), disk_gib=1000)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """The largest complex this card holds; spilling over unified memory is slow."""
        if sum(self.load(gpu, 1).parts.values()) <= gpu.usable_gib:
            return ()
        most = int(math.sqrt(max(0.0, gpu.usable_gib - 2.4) * GIB / FOLD_PAIR_BYTES))
        return (Note("cap-tokens", "tokens", {"tokens": most, "asked": self.tokens}),)


def fold_seconds(tokens: int) -> float:
    """AlphaFold 3 on an A100 80G: between and beyond the published sizes on a line in log-log."""
    points = FOLD_TOKENS
    for (low, quick), (high, slow) in itertools.pairwise(points):
        if tokens <= high or (high, slow) == points[-1]:
            power = math.log(slow / quick) / math.log(high / low)
            return max(12.0, quick * math.pow(tokens / low, power))
    raise AssertionError("the loop ends with its last points")


def prepare(workload: Workload, library: Library) -> Job:
    """A scientific workload, ready to be asked per card."""
    taken = Taken(workload)
    application = str(taken.said("application"))
    if workload.task == "structure-prediction":
        return StructureJob(application, taken.whole("tokens", 1024), taken.notes)
    return _simulation(taken, application, workload, library)


def _simulation(taken: Taken, application: str, workload: Workload, library: Library) -> SimulationJob:
    system: Any = taken.said("system")
    timed: Any = taken.said("gpu_hours_on")
    molecular = application in MOLECULAR
    atoms = cells = 0
    if molecular:
        known = SYSTEM_ATOMS.get(system or "")
        atoms = int(taken.said("atoms") or 0) or known or taken.whole("atoms", DEFAULT_ATOMS)
    elif application in GRIDS:
        cells = int(taken.said("cells") or 0) or (
            DEFAULT_CELLS if taken.said("memory_gib") else taken.whole("cells", DEFAULT_CELLS)
        )
    usual = "mixed" if molecular else "single" if application == "cfd-lbm" else "double"
    return SimulationJob(
        application=application,
        system=system,
        atoms=atoms,
        cells=cells,
        potential=taken.said("potential"),
        precision=taken.word("precision", usual),
        memory_gib=taken.said("memory_gib"),
        hours_known=(library.gpus[timed["gpu"]], float(timed["hours"])) if timed else None,
        stage=workload.stage,
        assumptions=taken.notes,
        unused=tuple(_unused(application, workload)),
    )


def _unused(application: str, workload: Workload) -> Iterator[Note]:
    """Answers that say nothing about this application: particles of a grid, cells of a molecule."""
    lattice = application in GRIDS
    for name in ("atoms", "cells", "potential", "system"):
        value = workload.get(name)
        of_grid = name == "cells" or value in GRID_SYSTEMS
        counts = (of_grid and lattice) or (not of_grid and application in MOLECULAR)
        if value is not None and not counts:
            yield Note("not-used", name, {"application": application})
    if str(workload.get("precision")) in LATTICE_STORAGE and application != "cfd-lbm":
        yield Note("not-used", "precision", {"application": application})
