"""`manage.py fit_sizing`: intervals from cross-validated residuals, written with date and residuals to the project's data."""

import hashlib
import json
from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from advisor.fitting.facts import trimmed
from advisor.fitting.intervals import fit_intervals
from advisor.fitting.report import all_trials
from advisor.fitting.trials import Laboratory
from advisor.library import DATA, library


class Command(BaseCommand):
    """Run it after new measurements or a changed formula; then `validate_sizing --write`."""

    help = "Fits the 90 % intervals from measurements that were left out when predicted."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Optionally takes in a new file of measurements first."""
        parser.add_argument("--facts", type=Path, help="a measured.jsonl to ship before fitting")

    def handle(self, *args: Any, **options: Any) -> None:
        """Writes `calibration_intervals.json`."""
        if options["facts"]:
            with options["facts"].open(encoding="utf-8") as lines:
                text = "\n".join(trimmed(json.loads(line) for line in lines)) + "\n"
            (DATA / "facts.jsonl").write_text(text, encoding="utf-8")
        laboratory = Laboratory(library())
        found = all_trials(laboratory, ("fact", "card", "model", "source"), self.stdout.write)
        intervals = {
            "date": datetime.now(tz=UTC).date().isoformat(),
            "facts_sha256": hashlib.sha256((DATA / "facts.jsonl").read_bytes()).hexdigest(),
            "meaning": "low_log and high_log: ln(measured / predicted) between which 90 % of left-out facts lie",
            **fit_intervals(trial for trials in found.values() for trial in trials),
        }
        path = DATA / "calibration_intervals.json"
        path.write_text(json.dumps({"intervals": intervals}, indent=1) + "\n", encoding="utf-8")
        self.stdout.write(f"written: {path.name}")
