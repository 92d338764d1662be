"""A full recommendation over 30 card kinds x 5 counts x 5 plans against one estimate: a ratio, both measured in one run.

Usage: `uv run python benchmarks/recommendation.py`. Warm library calls on the handed kinds of work; the two alternate, so that a
noisy machine is unfair to both alike. Fails (exit 1) where the median ratio over the works is above 150.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

from advisor.library import library
from advisor.presets import PRESETS
from advisor.recommend import recommend
from advisor.sizing.estimate import estimate
from advisor.sizing.parsing.workload import parse_workload
from catalog.example import example_catalogue
from catalog.snapshot import Catalogue

MOST = 150
ROUNDS = 7
KINDS, COUNTS = 30, (1, 2, 4, 8, 16)
NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)


def wide_catalogue() -> Catalogue:
    """Every card kind of the spec sheet for rent in five counts under five plans, priced by memory."""
    example = example_catalogue()
    pattern = example.offers[0]
    offers = []
    for slug, row in list(example.gpus.items())[:KINDS]:
        factor = float(row["vram_gb"]) / 12
        plans = tuple(
            {**plan, "unit_price": f"{float(str(plan['unit_price'])) * factor:.6f}"} for plan in pattern.plans
        )
        for count in COUNTS:
            nodes = 2 if count == 16 else 1
            offers.append(replace(pattern, sku=f"{slug}-x{count}", gpu=slug, count=count, nodes=nodes, plans=plans))
    return replace(example, offers=tuple(offers))


def seconds(call: Callable[[], object]) -> float:
    """CPU seconds of one call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def medians(one: Callable[[], object], full: Callable[[], object]) -> tuple[float, float]:
    """Median seconds of both, in alternating rounds."""
    small, large = [], []
    for _ in range(ROUNDS):
        small.append(statistics.mean(seconds(one) for _ in range(20)))
        large.append(seconds(full))
    return statistics.median(small), statistics.median(large)


def main() -> int:
    """One line per work, and the median ratio."""
    known, catalogue = library(), wide_catalogue()
    assert len({offer.gpu for offer in catalogue.offers}) == KINDS
    gpu = known.gpus["rtx-3090-24g"]
    ratios = []
    print(
        f"{len(catalogue.offers)} offers, {len(catalogue.offers[0].plans)} plans each; {ROUNDS} alternating rounds, medians"
    )
    for slug in list(PRESETS)[::6]:
        workload = parse_workload(PRESETS[slug].workload, known.models, known.gpus)
        small, large = medians(
            partial(estimate, workload, gpu, 1, known), partial(recommend, workload, catalogue, known, NOW)
        )
        ratios.append(large / small)
        print(f"{slug:32} estimate {small * 1e3:7.3f} ms  recommendation {large * 1e3:7.1f} ms  {large / small:6.0f} x")
    middle = statistics.median(ratios)
    print(f"median ratio {middle:.0f} (at most {MOST})")
    return 0 if middle <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
