"""`manage.py estimate --jsonl`: one workload on one card kind and count per line, from standard input to standard output."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import translation

from advisor.library import library
from advisor.lines import answer_lines
from advisor.management.model_argument import add_gguf_argument, part_of_file
from advisor.questions import estimate_answer
from advisor.sentences import problem_sentence


class Command(BaseCommand):
    """Answers without a database or a running server. Exit code 0 if every line was answered, 1 if any was an error."""

    help = 'Reads {"id", "workload", "gpu", "count"} lines, writes {"id", "estimate"} or {"id", "error"} lines.'
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--jsonl` names the only form there is; `--lang` that of the sentences."""
        parser.add_argument("--jsonl", action="store_true", help="one JSON object per line (the only form)")
        parser.add_argument("--lang", choices=[code for code, _ in settings.LANGUAGES], default="en")
        add_gguf_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Standard input to standard output."""
        known = library()
        part = part_of_file(options["gguf"], known)
        with translation.override(options["lang"]):
            errors = answer_lines(
                sys.stdin.buffer, sys.stdout, lambda body: estimate_answer(part.fill(body), known), problem_sentence
            )
        if errors:
            sys.exit(1)
