"""`manage.py advise --jsonl`: one workload per line, which card to rent, from standard input to standard output."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from django.utils import timezone, translation

from advisor.library import library
from advisor.lines import answer_lines
from advisor.management.model_argument import add_gguf_argument, part_of_file
from advisor.questions import recommendation_answer
from advisor.sentences import problem_sentence
from catalog.example import example_catalogue
from catalog.queries import current_catalogue
from catalog.snapshot import Catalogue


class Command(BaseCommand):
    """Works without server and without database. Exit code 0 if every line was answered, 1 if any was an error."""

    help = (
        'Reads {"id", "workload"} lines, writes {"id", "recommendation"} or {"id", "error"} lines. Prices are those of the database '
        "where one is reachable, else those of the example catalogue; each answer says which."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--jsonl` names the only form there is."""
        parser.add_argument("--jsonl", action="store_true", help="one JSON object per line (the only form)")
        parser.add_argument("--lang", choices=[code for code, _ in settings.LANGUAGES], default="en")
        parser.add_argument("--currency", default="CNY", help="ISO 4217 code of the prices (default CNY)")
        add_gguf_argument(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        """Standard input to standard output."""
        catalogue, source = catalogue_for(options["currency"])
        known, now = library(), timezone.now()
        part = part_of_file(options["gguf"], known)
        with translation.override(options["lang"]):
            errors = answer_lines(
                sys.stdin.buffer,
                sys.stdout,
                lambda body: {**recommendation_answer(part.fill(body), catalogue, known, now), "catalogue": source},
                problem_sentence,
            )
        if errors:
            sys.exit(1)


def catalogue_for(currency: str) -> tuple[Catalogue, str]:
    """The catalogue and where it is from: `database`, or `example` where none is reachable or nothing was ever put in it."""
    if settings.DATABASES["default"].get("NAME"):
        try:
            catalogue = current_catalogue(currency)
        except DatabaseError:
            pass  # no server, no database, no tables: the example answers, and says so
        else:
            if catalogue.version or catalogue.offers:
                return catalogue, "database"
        finally:
            connection.close()
    return example_catalogue(), "example"
