"""`manage.py read_model PATH`: the model part of a workload, from a GGUF file, a config.json or an adapter_config.json."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import translation

from advisor.library import library
from advisor.management.model_argument import part_of_file
from advisor.sentences import note_sentence
from advisor.sizing.estimate import note_dict


class Command(BaseCommand):
    """Reads no more of the file than its header. Needs neither server nor database."""

    help = "Prints what a model's file says as fields of a workload: paste them beside scenario and task."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The file, and the language of the assumptions."""
        parser.add_argument("path", type=Path, help="a GGUF file, a config.json or an adapter_config.json")
        parser.add_argument("--lang", choices=[code for code, _ in settings.LANGUAGES], default="en")

    def handle(self, *args: Any, **options: Any) -> None:
        """One JSON object to standard output."""
        with translation.override(options["lang"]):
            part = part_of_file(options["path"], library())
            told = {"kind": part.kind, **part.fields}
            told["assumptions"] = [{**note_dict(note), "text": note_sentence(note)} for note in part.assumptions]
        self.stdout.write(json.dumps(told, ensure_ascii=False, indent=1))
