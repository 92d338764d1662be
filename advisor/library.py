"""Reads the data files the sizing core works from and hands them over as one `Library`.

Files, each with its sources inside: `catalog/data/gpu_specs.csv` (rentable card kinds), `advisor/data/gpus_measured.csv` (cards that only
occur in measurements), `advisor/data/models*.csv` (model shapes), `advisor/data/facts.jsonl` (published measurements),
`advisor/data/calibration*.json` (fitted constants and residuals).
"""

import csv
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from advisor.sizing.gpu import Gpu, gpu_from_row
from advisor.sizing.job import Library

DATA = Path(__file__).parent / "data"
GPU_SPECS = Path(__file__).parent.parent / "catalog" / "data" / "gpu_specs.csv"


def slug_of(name: str) -> str:
    """`Llama-3.1-8B` -> `llama-3.1-8b`, `FLUX.1 dev` -> `flux.1-dev`."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower()).strip("-")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines)


@lru_cache(maxsize=1)
def gpus() -> Mapping[str, Gpu]:
    """Every card kind with a spec sheet, by slug: rentable ones first, then those known from measurements only."""
    more = DATA / "gpus_measured.csv"
    rows = [*_rows(GPU_SPECS), *(_rows(more) if more.exists() else ())]
    return {gpu.slug: gpu for gpu in map(gpu_from_row, rows)}


@lru_cache(maxsize=1)
def models() -> Mapping[str, Mapping[str, str]]:
    """Model shapes by slug, from every `models*.csv`. A row may name its `slug`; else it is made from the first name in `name`.

    Files that describe the same model add to each other; where both state a figure, the first file's stands.
    """
    found: dict[str, Mapping[str, str]] = {}
    for path in sorted(DATA.glob("models*.csv")):
        for row in _rows(path):
            slug = row.get("slug") or slug_of(row["name"].split(" / ")[0].split(" (")[0])
            told = {key: value for key, value in found.get(slug, {}).items() if value}
            found[slug] = {**row, **told}
    return found


@lru_cache(maxsize=1)
def facts() -> tuple[Mapping[str, Any], ...]:
    """Published measurements, one mapping each."""
    path = DATA / "facts.jsonl"
    if not path.exists():
        return ()
    with path.open(encoding="utf-8") as lines:
        return tuple(json.loads(line) for line in lines)


@lru_cache(maxsize=1)
def calibration() -> Mapping[str, Any]:
    """Fitted constants and residual quantiles: the union of every `calibration*.json`."""
    merged: dict[str, Any] = {}
    for path in sorted(DATA.glob("calibration*.json")):
        merged.update(json.loads(path.read_text(encoding="utf-8")))
    return merged


@lru_cache(maxsize=1)
def library() -> Library:
    """All of it, read once per process."""
    return Library(models=models(), gpus=gpus(), facts=facts(), calibration=calibration())


@lru_cache(maxsize=1)
def answers_digest() -> str:
    """A fingerprint of the code and data that make an answer: stored answers of another one are not current."""
    here = Path(__file__).parent
    makers = [
        GPU_SPECS,
        *DATA.iterdir(),
        *here.glob("*.py"),
        *(here / "sizing").rglob("*.py"),
        *(here.parent / "billing" / "costing").glob("*.py"),
    ]
    told = hashlib.sha256()
    for path in sorted(path for path in makers if path.is_file()):
        told.update(path.name.encode() + b"\0" + path.read_bytes())
    return told.hexdigest()[:12]
