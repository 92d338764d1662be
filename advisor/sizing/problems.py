"""What can be wrong with a workload: codes with values, and one English sentence for each code.

The web layer translates the sentences (the keys are codes, so both languages say the same thing).
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

LONGEST_SHOWN = 60
"""Characters of a wrong value that are shown back."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong: where (`demand.amount`), which kind, and the figures of its sentence."""

    path: str
    code: str
    values: Mapping[str, str | int | float] = dataclasses.field(default_factory=dict)

    @property
    def sentence(self) -> str:
        """The English sentence."""
        return PROBLEM_SENTENCES[self.code] % {"path": self.path, **self.values}

    def to_dict(self) -> dict[str, object]:
        """Path, code, English sentence and values, for JSON."""
        return {"path": self.path, "code": self.code, "detail": self.sentence, "values": dict(self.values)}


class WorkloadError(ValueError):
    """A workload that breaks the contract; `problems` holds everything wrong with it, in reading order."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("; ".join(f"{problem.path}: {problem.sentence}" for problem in problems))
        self.problems = problems


PROBLEM_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "not-an-object": "%(path)s must be an object with named fields, not %(got)s.",
        "missing": "%(path)s is missing: give %(wanted)s.",
        "missing-field": "%(path)s is missing. Allowed: %(allowed)s.",
        "missing-number": "%(path)s is missing: give a number.",
        "missing-model": "%(path)s is missing: name a model, or give its config.json or its number of parameters.",
        "unknown-scenario": "%(value)s is no scenario. Allowed: %(allowed)s.",
        "unknown-task": "%(value)s is no task of %(scenario)s. Allowed: %(allowed)s.",
        "unknown-field": "There is no field %(value)s here. Allowed: %(allowed)s.",
        "unknown-field-near": "There is no field %(value)s here. Did you mean %(suggestion)s? Allowed: %(allowed)s.",
        "field-of-other-task": "%(value)s is not a field of %(task)s; it belongs to %(homes)s.",
        "value-of-other-task": "%(value)s is not meant for %(path)s here; it belongs to %(homes)s. Allowed: %(allowed)s.",
        "unknown-value": "%(value)s is not allowed for %(path)s. Allowed: %(allowed)s.",
        "unknown-value-near": "%(value)s is not allowed for %(path)s. Did you mean %(suggestion)s? Allowed: %(allowed)s.",
        "wrong-type": "%(path)s must be %(wanted)s, not %(got)s.",
        "too-small": "%(path)s must be at least %(minimum)s; got %(value)s.",
        "too-large": "%(path)s must be at most %(maximum)s; got %(value)s.",
        "not-finite": "%(path)s must be an ordinary number, not %(value)s.",
        "unprintable": "%(path)s holds characters that cannot be printed (such as NUL).",
        "too-long": "%(path)s is longer than %(maximum)s characters.",
        "too-many": "%(path)s has more than %(maximum)s entries.",
        "unknown-model": "No model %(value)s in the library. Use a name of the library, a config.json or parameters_b.",
        "unknown-model-near": "No model %(value)s in the library. Nearest: %(suggestion)s.",
        "model-of-other-scenario": "%(value)s is a model for %(home)s, not for %(scenario)s.",
        "model-for-science": "A science workload takes an application, not a model.",
        "unknown-gpu": "No card %(value)s is known. Nearest: %(suggestion)s.",
        "not-a-config": "This is no Hugging Face config.json of a model: %(reason)s.",
        "config-contradiction": "The config.json contradicts itself: %(reason)s.",
        "config-too-large": "A config.json has at most %(maximum)s entries.",
        "file-not-known": "This is no GGUF file, no config.json and no adapter_config.json.",
        "gguf-cut": "The first %(bytes)s bytes of this GGUF file do not reach its layers: its header is longer.",
        "gguf-damaged": "This GGUF file's header is damaged, or of a version that is not known.",
        "not-an-adapter": "This adapter_config.json is of no LoRA adapter: peft_type LORA and a rank r are wanted.",
    }
)
"""Code -> English sentence with %(named)s figures."""


def shown(value: object) -> str:
    """A wrong value as it may be shown back: short, on one line, without what cannot be printed."""
    text = value if isinstance(value, str) else repr(value) if not isinstance(value, int) else _short_int(value)
    text = " ".join(text.split()) if len(text) < 10_000 else text[: LONGEST_SHOWN + 1]
    text = printable(text)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def printable(text: str) -> str:
    """The text without NUL and other characters that control a terminal instead of being read."""
    return text if text.isprintable() else "".join(char for char in text if char.isprintable())


def _short_int(value: int) -> str:
    # str() of an int past 4,300 digits raises
    return str(value) if value.bit_length() < 200 else f"an integer of {value.bit_length()} bits"


def type_word(value: object) -> str:
    """The JSON word for a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "a truth value"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    return type(value).__name__
