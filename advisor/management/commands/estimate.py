"""`manage.py estimate --jsonl`: one workload on one card kind and count per line, from standard input to standard output."""

import difflib
import sys
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.utils import translation

from advisor.library import library
from advisor.lines import answer_lines
from advisor.sentences import estimate_in_words, problem_sentence
from advisor.sizing.estimate import prepare, to_dict
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.problems import Problem, WorkloadError, shown, type_word

MAX_COUNT = 4096


class Command(BaseCommand):
    """Answers without a database or a running server. Exit code 0 if every line was answered, 1 if any was an error."""

    help = 'Reads {"id", "workload", "gpu", "count"} lines, writes {"id", "estimate"} or {"id", "error"} lines.'
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--jsonl` names the only form there is; `--lang` that of the sentences."""
        parser.add_argument("--jsonl", action="store_true", help="one JSON object per line (the only form)")
        parser.add_argument("--lang", choices=[code for code, _ in settings.LANGUAGES], default="en")

    def handle(self, *args: Any, **options: Any) -> None:
        """Standard input to standard output."""
        known = library()
        with translation.override(options["lang"]):
            errors = answer_lines(
                sys.stdin.buffer, sys.stdout, lambda body: estimate_line(body, known), problem_sentence
            )
        if errors:
            sys.exit(1)


def estimate_line(body: Mapping[str, Any], known: Library) -> dict[str, Any]:
    """The `estimate` of one line. Raises WorkloadError; other keys of the line are passed over."""
    problems: list[Problem] = []
    gpu = _gpu(body.get("gpu"), known, problems)
    count = _count(body.get("count", 1), problems)
    try:
        prepared = prepare(body.get("workload"), known)  # type: ignore[arg-type]  # any JSON value: checked inside
    except WorkloadError as error:
        raise WorkloadError((*error.problems, *problems)) from error
    if gpu is None or count is None:
        raise WorkloadError(tuple(problems))
    return {"estimate": estimate_in_words(to_dict(prepared.on(gpu, count)))}


def _gpu(slug: Any, known: Library, problems: list[Problem]) -> Gpu | None:
    if not isinstance(slug, str):
        problems.append(Problem("gpu", "wrong-type", {"wanted": "the slug of a card kind", "got": type_word(slug)}))
        return None
    if slug not in known.gpus:
        near = difflib.get_close_matches(slug[:80], list(known.gpus), n=3, cutoff=0.3) or list(known.gpus)[:3]
        problems.append(Problem("gpu", "unknown-gpu", {"value": shown(slug), "suggestion": ", ".join(near)}))
        return None
    return known.gpus[slug]


def _count(count: Any, problems: list[Problem]) -> int | None:
    if isinstance(count, bool) or not isinstance(count, int):
        problems.append(Problem("count", "wrong-type", {"wanted": "a whole number", "got": type_word(count)}))
    elif count < 1:
        problems.append(Problem("count", "too-small", {"minimum": 1, "value": shown(count)}))
    elif count > MAX_COUNT:
        problems.append(Problem("count", "too-large", {"maximum": MAX_COUNT, "value": shown(count)}))
    else:
        return count
    return None
