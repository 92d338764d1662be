"""`manage.py validate_sizing`: every measurement predicted with itself, then with its whole source left out."""

import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from typing import Any

from django.core.management.base import BaseCommand

from advisor.fitting.report import MODES, run
from advisor.library import DATA, library
from advisor.sources import address_of

TITLES = {"fact": "THE FACT ITSELF LEFT OUT (known stack)", "source": "ITS WHOLE SOURCE LEFT OUT"}


class Command(BaseCommand):
    """Prints errors, coverage, false fits, ranking and the worst ten; `--write` keeps them for the accuracy page."""

    help = "Judges the sizing core against published measurements it is not allowed to see."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--write` renews the data of the page, `--json` prints everything as data."""
        parser.add_argument("--write", action="store_true", help="renew advisor/data/accuracy.json")
        parser.add_argument("--json", action="store_true", help="print everything as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        """Runs all judgements once."""
        data = {"date": datetime.now(tz=UTC).date().isoformat(), **run(library(), self.stderr.write)}
        if options["write"]:
            path = DATA / "accuracy.json"
            path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")
        if options["json"]:
            self.stdout.write(json.dumps(data, ensure_ascii=False))
            return
        for mode in MODES:
            self._mode(TITLES[mode], data["modes"][mode])
        self._table("CARD TRANSFER (same work measured on other cards, this card never seen)", data["transfer"])
        self._table("SPEED-UP OVER ONE CARD (no fact with several cards seen)", data["scaling"])

    def _mode(self, title: str, mode: dict[str, Any]) -> None:
        self.stdout.write(f"\n{title}")
        for name in ("targets", "tasks", "tiers"):
            self._table(name, mode[name])
        right, pairs = (sum(pair[i] for pair in mode["ranking"].values()) for i in (0, 1))
        self.stdout.write(f"\nranking of two cards: {right}/{pairs} = {right / max(pairs, 1):.1%}")
        for scenario, (hits, tried) in mode["ranking"].items():
            self.stdout.write(f"  {scenario:10} {hits}/{tried} = {hits / max(tried, 1):.1%}")
        self.stdout.write(f"false fits: {mode['false_fits']}")
        self.stdout.write("\nworst ten")
        for one in mode["worst"]:
            self.stdout.write(
                f"  {one['id']} {one['task']} {one['model']} {one['count']}x{one['gpu']}: predicted {one['predicted']}, "
                f"measured {one['measured']} {one['unit']} ({one['error']:+.0%}, {one['tier']})  "
                f"{address_of(one['source']) or one['source']}"
            )

    def _table(self, title: str, rows: list[dict[str, Any]]) -> None:
        self.stdout.write(f"\n{title:62}{'facts':>7}{'sources':>9}{'median':>9}{'p90':>9}{'inside':>9}")
        for row in rows:
            inside = "" if row["coverage"] is None else f"{row['coverage']:.1%}"
            self.stdout.write(
                f"  {row['name']:60}{row['facts']:>7}{row['sources']:>9}{row['median']:>9.1%}{row['p90']:>9.1%}{inside:>9}"
            )
