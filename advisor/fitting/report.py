"""One run over all measurements: intervals fitted, answers judged, everything as data for the command and the page."""

from collections.abc import Callable, Iterable
from typing import Any

from advisor.fitting import accuracy
from advisor.fitting.trials import Laboratory, Mode, Trial
from advisor.sizing.job import Library

MODES: tuple[Mode, ...] = ("fact", "source")
"""The two judgements that are published; `model` only serves the intervals of a stack with a new model."""


def all_trials(
    laboratory: Laboratory, modes: Iterable[Mode], say: Callable[[str], None]
) -> dict[Mode, tuple[Trial, ...]]:
    """Trials of every mode, telling progress."""
    found: dict[Mode, tuple[Trial, ...]] = {}
    for mode in modes:
        found[mode] = tuple(laboratory.trials(mode))
        say(f"{len(found[mode])} measurements predicted with the {mode} left out")
    return found


def run(
    library: Library, say: Callable[[str], None], library_for: Callable[[str], Library] | None = None
) -> dict[str, Any]:
    """Everything the accuracy page shows."""
    laboratory = Laboratory(library, library_for)
    cards = [gpu for gpu in library.gpus.values() if gpu.vram_gb >= 8]
    found = all_trials(laboratory, MODES, say)
    data: dict[str, Any] = {"modes": {}}
    for mode in MODES:
        trials = found[mode]
        ranked = accuracy.ranking(laboratory, mode)
        say(f"{sum(pairs for _, pairs in ranked.values())} pairs of cards ranked with the {mode} left out")
        spilled = accuracy.false_fits(laboratory, mode, cards)
        data["modes"][mode] = {
            "targets": [accuracy.line_dict(row) for row in accuracy.target_lines(trials)],
            "tasks": [accuracy.line_dict(row) for row in accuracy.task_lines(trials)],
            "tiers": [accuracy.line_dict(row) for row in accuracy.tier_lines(trials)],
            "ranking": {name: list(pair) for name, pair in ranked.items()},
            "false_fits": {name: len(rows) for name, rows in spilled.items()},
            "false_fits_of": spilled,
            "worst": [accuracy.trial_dict(trial) for trial in accuracy.worst(trials)],
        }
    data["transfer"] = [accuracy.line_dict(row) for row in accuracy.transfer(laboratory)]
    data["scaling"] = [accuracy.line_dict(row) for row in accuracy.scaling(laboratory)]
    data["points"] = [accuracy.trial_dict(trial) for trial in found["fact"]]
    say("card transfer and scaling judged")
    return data
