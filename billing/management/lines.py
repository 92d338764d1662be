"""A command that answers lines of JSON."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from billing.costing.jsonl import answer_lines


class LinesCommand(BaseCommand):
    """Reads JSON lines from a file or standard input and writes one line for each; exits 1 where any line is an error."""

    requires_system_checks = ()
    answer: Callable[[object], dict[str, object]]

    def add_arguments(self, parser: CommandParser) -> None:
        """`--jsonl [FILE]`."""
        parser.add_argument(
            "--jsonl",
            nargs="?",
            const="-",
            default="-",
            metavar="FILE",
            help="lines of JSON; standard input if left out",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Answer every line."""
        source = options["jsonl"]
        try:
            lines = (
                sys.stdin.buffer if source == "-" else Path(source).open("rb")  # noqa: SIM115 (read to its end, closed by exit)
            )
        except OSError as error:
            raise CommandError(f"{source} cannot be read: {error.strerror}") from error
        all_answered = True
        for line, good in answer_lines(lines, type(self).answer):
            self.stdout.write(line)
            all_answered = all_answered and good
        if not all_answered:
            sys.exit(1)
