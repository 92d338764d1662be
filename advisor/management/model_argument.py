"""`--gguf PATH`: one model file for all lines that name no model."""

from argparse import ArgumentParser
from pathlib import Path

from django.core.management.base import CommandError

from advisor.model_files import ModelPart, read_model_file
from advisor.sentences import problem_sentence
from advisor.sizing.job import Library
from advisor.sizing.problems import WorkloadError

NOTHING = ModelPart("config", {})
"""Fills nothing in."""


def add_gguf_argument(parser: ArgumentParser) -> None:
    """The option, the same for every command that answers lines."""
    parser.add_argument(
        "--gguf",
        type=Path,
        metavar="PATH",
        help="a local GGUF file (or config.json): its header is the model, and its format the weights', of lines that name no model",
    )


def part_of_file(path: Path | None, known: Library) -> ModelPart:
    """What the file says; fills nothing in where no file is named. Raises CommandError with what is wrong with it."""
    if path is None:
        return NOTHING
    try:
        return read_model_file(path, known.models)
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror or error}") from error
    except WorkloadError as error:
        raise CommandError(f"{path}: " + " ".join(problem_sentence(one) for one in error.problems)) from error
