"""The example catalogue straight from the data files: the same values `current_catalogue` reads from a database that holds it.

Command lines work with it where there is no PostgreSQL. All its prices, hosts, stocks and regions are sample data.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from catalog.plan_rules import contract_form, decimal_text
from catalog.snapshot import PLAN_KINDS, Catalogue, Link, Offer, Stock
from catalog.specs import normal_row

DATA = Path(__file__).parent / "data"
GPU_SPECS = DATA / "gpu_specs.csv"
EXAMPLE_PRICES = DATA / "example_prices.csv"
EXAMPLE_PLANS = DATA / "example_plans.json"
EXAMPLE_SINCE = datetime(2026, 1, 1, tzinfo=UTC)
"""From when the example prices hold: a fixed day, so that loading them twice changes nothing."""


@dataclass(frozen=True, slots=True)
class ExampleTerms:
    """What `example_plans.json` says: plans by kind in the plan contract's form, regions and images as plain mappings."""

    currency: str
    plans: Mapping[str, Mapping[str, Any]]
    regions: tuple[Mapping[str, str], ...]
    images: tuple[Mapping[str, str], ...]


def csv_rows(path: Path) -> Iterator[dict[str, str]]:
    """Rows of a CSV file of ours; lines that begin with # are remarks."""
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(line for line in lines if not line.startswith("#"))


@lru_cache(maxsize=1)
def spec_rows() -> Mapping[str, Mapping[str, str]]:
    """Every card of the spec sheet by slug, smallest memory first, then by name."""
    rows = sorted(map(normal_row, csv_rows(GPU_SPECS)), key=lambda row: (float(row["vram_gb"]), row["name"]))
    return {row["slug"]: row for row in rows}


@lru_cache(maxsize=1)
def example_terms() -> ExampleTerms:
    """Plans, regions and images of the example."""
    said = json.loads(EXAMPLE_PLANS.read_text(encoding="utf-8"))
    return ExampleTerms(
        currency=said["currency"],
        plans={plan["kind"]: plan for plan in said["plans"]},
        regions=tuple(said["regions"]),
        images=tuple(said["images"]),
    )


def _plans(row: Mapping[str, str], terms: ExampleTerms) -> tuple[Mapping[str, object], ...]:
    def priced(kind: str) -> Mapping[str, object]:
        price = row[f"price_{terms.currency.lower()}_per_{kind}"]
        rules = terms.plans[kind]
        return contract_form(
            rules, name=rules["name"], kind=kind, currency=terms.currency, unit_price=decimal_text(Decimal(price))
        )

    return tuple(priced(kind) for kind in PLAN_KINDS if row[f"price_{terms.currency.lower()}_per_{kind}"])


def _offer(row: Mapping[str, str], terms: ExampleTerms) -> Offer:
    return Offer(
        sku=row["sku"],
        gpu=row["gpu"],
        count=int(row["count"]),
        link=cast(Link, row["link"]),
        nodes=int(row["nodes"]),
        region=row["region"],
        stock=cast(Stock, row["stock"]),
        cpu_cores=int(row["cpu_cores"]),
        ram_gib=int(row["ram_gib"]),
        disk_gb=int(row["disk_gb"]),
        images=tuple(sorted(row["images"].split())),
        plans=_plans(row, terms),
        nvlink_group=int(row["nvlink_group"]),
        network_gbit_s=int(row["network_gbit_s"]) if row["network_gbit_s"] else None,
        is_sample=row["is_sample"] == "yes",
    )


@lru_cache(maxsize=1)
def example_catalogue() -> Catalogue:
    """The example catalogue as version 0, its prices as of the day they begin."""
    terms = example_terms()
    rows = spec_rows()
    order = {slug: place for place, slug in enumerate(rows)}
    offers = sorted(
        (_offer(row, terms) for row in csv_rows(EXAMPLE_PRICES)), key=lambda offer: (order[offer.gpu], offer.count)
    )
    return Catalogue(
        version=0, as_of=EXAMPLE_SINCE, currency=terms.currency, is_sample=True, gpus=rows, offers=tuple(offers)
    )
