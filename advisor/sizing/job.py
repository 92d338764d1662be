"""The seam between the scenario files and the rest: a workload prepared once, then asked per card kind and count.

A recommendation asks one job about 150 (card, count) pairs, so whatever does not depend on the card is worked out in `prepare`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu


@dataclass(frozen=True, slots=True)
class Load:
    """A scenario's own memory figure, before any interval: GiB on the fullest card, by part.

    `kind` names the residual class that gives the interval (e.g. `llm-inference`, `llm-lora`, `image-generation`); `stack` is
    the engine or framework whose constants were used, None when pooled ones were; `known_model` whether facts of this model
    stand behind that stack. `exact` marks figures with next to no uncertainty (user-stated memory, bytes per cell). `floor_gib` is
    held whatever the software (weights counted in their format): no interval reaches below it.
    """

    parts: Mapping[str, float]
    kind: str
    stack: str | None = None
    known_model: bool = False
    exact: bool = False
    floor_gib: float = 0.0


@dataclass(frozen=True, slots=True)
class Rate:
    """A scenario's own speed figure, before any interval, for the whole job over all cards."""

    value: float
    unit: str
    limited_by: Limit
    kind: str
    stack: str | None = None
    known_model: bool = False
    generation_tokens_per_second: float | None = None
    prompt_tokens_per_second: float | None = None
    seconds_to_first_token: float | None = None


class Job(Protocol):
    """One workload, ready to be asked."""

    @property
    def assumptions(self) -> tuple[Note, ...]:
        """Defaults taken, each with its field and value."""

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """How the work is spread over `count` cards of this kind."""

    def load(self, gpu: Gpu, count: int) -> Load | None:
        """Memory per card, or None when nothing is known (then `notes` says why)."""

    def rate(self, gpu: Gpu, count: int) -> Rate | None:
        """Speed, or None when nothing is known."""

    def host(self, gpu: Gpu, count: int) -> Host:
        """RAM, CPU cores and disk beside the cards."""

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """Warnings and questions back that hold on this card (precision it lacks, slow FP64, what a second card buys)."""


@dataclass(frozen=True, slots=True)
class Library:
    """All data the core works from, read by `advisor/library.py` and passed in: nothing here does I/O.

    `models`: slug -> row of models.csv (strings as in the file). `gpus`: slug -> Gpu (rentable or only measured).
    `facts`: rows of measured.jsonl kept by the project. `calibration`: fitted constants and residual quantiles, by kind.
    """

    models: Mapping[str, Mapping[str, str]]
    gpus: Mapping[str, Gpu]
    facts: tuple[Mapping[str, Any], ...] = ()
    calibration: Mapping[str, Any] = field(default_factory=dict)
