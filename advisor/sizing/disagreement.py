"""Works whose published figures differ by software version or framework: told as a range with its reason, never averaged away.

Works measured twice on the same card are found without this table (see `estimate`); here stand those that differ in a second thing too.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.answer import Note, Value
from advisor.sizing.evidence import Fact, Metric

LONG_PROMPT = 8192
"""Tokens from which whole-prompt logits of an old release outweigh the weights of a 7B model."""
BIG_WHISPER = ("whisper-large", "whisper-large-v1", "whisper-large-v2", "whisper-large-v3")


@dataclass(frozen=True, slots=True)
class Asked:
    """What decides whether a disagreement concerns a work. `size_b`: parameters in 1e9, if known."""

    scenario: str
    task: str
    model: str | None
    size_b: float | None
    fields: Mapping[str, Any]

    def open_or(self, name: str, *values: str) -> bool:
        """Whether a field was left open or has one of these values."""
        said = self.fields.get(name)
        return said is None or said in values

    def between_b(self, low: float, high: float) -> bool:
        """Whether the model's size lies in a range of 1e9 parameters."""
        return self.size_b is not None and low <= self.size_b <= high


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two facts that disagree, for which works, and whether the interval must hold both where the software is left open."""

    metric: Metric
    low: str
    high: str
    concerns: Callable[[Asked], bool]
    reason: str
    software_field: str
    spans: bool


KNOWN: tuple[Disagreement, ...] = (
    Disagreement(
        metric="memory",
        low="S0013",
        high="S0029",
        concerns=lambda asked: (
            asked.task == "transcription"
            and asked.model in BIG_WHISPER
            and asked.open_or("engine", "openai-whisper")
            and asked.open_or("weight_format", "fp16")
        ),
        reason="release",
        software_field="engine",
        spans=True,
    ),
    Disagreement(
        metric="memory",
        low="L0483",
        high="L0671",
        concerns=lambda asked: (
            (asked.scenario, asked.task) == ("llm", "inference")
            and asked.between_b(6.0, 9.0)
            and asked.open_or("engine", "transformers")
            and asked.open_or("weight_format", "bf16", "fp16")
            and (asked.fields.get("prompt_tokens") or 0) >= LONG_PROMPT
        ),
        reason="release",
        software_field="engine",
        spans=False,
    ),
    Disagreement(
        metric="memory",
        low="L0055",
        high="L0682",
        concerns=lambda asked: (
            (asked.scenario, asked.task) == ("llm", "training")
            and asked.fields.get("method") == "qlora"
            and asked.between_b(6.0, 9.0)
            and asked.open_or("framework")
        ),
        reason="framework",
        software_field="framework",
        spans=False,
    ),
    Disagreement(
        metric="speed",
        low="C0030",
        high="C0089",
        concerns=lambda asked: (
            asked.task == "simulation"
            and asked.model == "openmm"
            and str(asked.fields.get("system") or "apoa1-pme").startswith("apoa1")
        ),
        reason="release",
        software_field="application",
        spans=False,
    ),
)
"""The disagreements that are known of."""

SUPERSEDED: frozenset[str] = frozenset({"S0029", "S0030"})
"""Facts of releases long replaced: told as the upper end of a range, but no ground for correcting today's answer."""

REPLACED_RELEASES: frozenset[str] = frozenset({"transformers (early 2024), torch 2.1.2"})
"""Software of facts whose long prompts build all logits at once: measured truth for their own models, no ground for intervals of today."""


def of_replaced_release(fact: Fact) -> bool:
    """Whether a fact shows a release long replaced, in the respect that was replaced."""
    long = (fact.workload.get("prompt_tokens") or 0) > LONG_PROMPT / 2
    return fact.id in SUPERSEDED or (fact.software in REPLACED_RELEASES and long)


def disagreements(asked: Asked, metric: Metric) -> tuple[Disagreement, ...]:
    """Those that concern a work."""
    return tuple(one for one in KNOWN if one.metric == metric and one.concerns(asked))


def range_note(metric: str, low: Fact, high: Fact, reason: str = "release") -> Note:
    """Both figures with their software and sources."""
    values: dict[str, Value] = {
        "metric": metric,
        "reason": reason,
        "low": low.value,
        "low_source": low.source,
        "low_software": low.software,
        "high": high.value,
        "high_source": high.source,
        "high_software": high.software,
        "unit": high.unit,
    }
    return Note("software-version-range", metric, values)
