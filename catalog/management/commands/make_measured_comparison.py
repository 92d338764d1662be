"""Writes `catalog/data/measured_comparison.json` from a file of measured facts (JSON lines)."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from catalog.measured import MEASURED_FILE, comparison_from_facts


class Command(BaseCommand):
    help = "Take the measurements that compare cards on the same job out of a file of facts."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("facts", type=Path, help="measured.jsonl")
        parser.add_argument("--to", type=Path, default=MEASURED_FILE)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            lines = options["facts"].read_text(encoding="utf-8").splitlines()
            rows = comparison_from_facts(lines)
        except (OSError, ValueError, KeyError) as error:
            raise CommandError(f"{options['facts']}: {error}") from error
        about = (
            "Published measurements of one card each, as published, more is better; made by manage.py make_measured_comparison. "
            "`source` says where, `facts` the id of each measurement."
        )
        text = json.dumps({"about": about, "rows": rows}, ensure_ascii=False, indent=1)
        options["to"].write_text(text + "\n", encoding="utf-8")
        self.stdout.write(f"{len(rows)} jobs written to {options['to']}")
