"""What can be wrong with plans, usage and quotation lines: codes with params, one English sentence for each code.

The web layer translates the sentences; the keys are codes, so every language and every surface says the same thing.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from types import MappingProxyType

LONGEST_SHOWN = 60
"""Characters of a wrong value that are shown back."""


@dataclass(eq=False)
class FieldError(Exception):
    """One thing wrong: where (`plans[0].billing_step_seconds`), which kind, and the figures of its sentence."""

    path: str
    code: str
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}" if self.path else self.sentence

    @property
    def sentence(self) -> str:
        """The English sentence."""
        return SENTENCES[self.code] % {"path": self.path, **self.params}

    def to_dict(self) -> dict[str, object]:
        """`path`, `code`, `message` (English) and `params`, for JSON."""
        return {"path": self.path, "code": self.code, "message": self.sentence, "params": dict(self.params)}


class CostingErrors(Exception):
    """Everything wrong with one question, in reading order, in `errors` (never empty)."""

    def __init__(self, errors: Iterable[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(str(error) for error in self.errors))

    def to_dict(self) -> dict[str, object]:
        """The first error's `path`, `code` and `message`, and all of them under `errors`."""
        first = self.errors[0]
        return {
            "path": first.path,
            "code": first.code,
            "message": first.sentence,
            "errors": [error.to_dict() for error in self.errors],
        }


SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "not-an-object": "%(path)s must be an object with named fields, not %(got)s.",
        "not-a-list": "%(path)s must be a list, not %(got)s.",
        "empty": "%(path)s is empty: give at least one.",
        "too-many": "%(path)s has %(count)s entries; at most %(maximum)s are taken.",
        "missing": "%(path)s is missing.",
        "unknown-field": "There is no field %(value)s here. Nearest: %(suggestion)s.",
        "unknown-value": "%(path)s cannot be %(value)s. Allowed: %(allowed)s. Nearest: %(suggestion)s.",
        "wrong-type": "%(path)s must be %(wanted)s, not %(got)s.",
        "not-a-number": "%(path)s must be a decimal number such as 1.88, not %(value)s.",
        "too-many-decimals": "%(path)s has more than %(maximum)s decimals.",
        "not-whole": "%(path)s must be a whole number, not %(value)s.",
        "too-small": "%(path)s must be at least %(minimum)s; got %(value)s.",
        "too-large": "%(path)s must be at most %(maximum)s; got %(value)s.",
        "too-long": "%(path)s is longer than %(maximum)s characters.",
        "bad-text": "%(path)s holds characters that cannot be shown.",
        "unknown-currency": "%(value)s is no currency code of ISO 4217 in use. Nearest: %(suggestion)s.",
        "mixed-currencies": "%(path)s is %(value)s, but the first plan is in %(other)s: one comparison has one currency.",
        "duplicate-name": "%(path)s is %(value)s like %(other)s: names of plans in one comparison differ.",
        "on-demand-plan-missing": "after_term is on_demand: name in %(path)s the pay-as-you-go plan that follows.",
        "on-demand-plan-unknown": "%(path)s names %(value)s, which is not among the plans. Nearest: %(suggestion)s.",
        "on-demand-plan-has-term": "%(path)s names %(value)s, which is prepaid: a pay-as-you-go plan must follow.",
        "list-price-missing": "unused is refund_clawback: %(path)s must say the hourly price without discount.",
        "price-per-not-term": "A term of this plan is counted in %(unit)s, so its price is per %(unit)s; %(path)s says %(value)s.",
        "usage-kind-missing": "%(path)s must say one of hours, intervals or weekly.",
        "usage-kind-twice": "%(path)s stands beside %(other)s: give only one of hours, intervals and weekly.",
        "not-with": "%(path)s does not belong to usage given as %(kind)s.",
        "bad-time": "%(path)s must be a time such as 2026-03-02T10:00 or 2026-03-02T10:00:00+08:00, not %(value)s.",
        "bad-date": "%(path)s must be a date such as 2026-03-02, not %(value)s.",
        "bad-clock": "%(path)s must be a time of day such as 09:00, not %(value)s.",
        "time-out-of-range": "%(path)s must lie between the years %(first)s and %(last)s.",
        "unknown-zone": "%(value)s is no time zone such as Asia/Shanghai. Nearest: %(suggestion)s.",
        "not-a-pair": "%(path)s must be a pair of times: [start, stop].",
        "stop-before-start": "%(path)s stops before it starts.",
        "nothing-counted": "%(path)s is 0: write how many, or remove the line.",
        "discount-above-line": "%(path)s is more than the line comes to: at most %(maximum)s.",
        "too-much-work": "This comparison has %(count)s pieces to reckon (each start and each term under each plan); at most "
        "%(maximum)s are taken. Ask with fewer plans, starts or weeks.",
        "span-too-long": "The usage spans more than %(maximum)s years.",
        "duplicate-day": "%(path)s names %(value)s twice.",
        "keep-before-stop": "%(path)s lies before the last stop, when the machine is still in use.",
        "keep-without-date": "%(path)s needs `from`: without a date nothing says when the hours fall.",
        "not-json": "This line is not JSON: %(reason)s.",
        "not-an-answerable-line": "A line is an object; this one is %(got)s.",
    }
)
"""Code -> English sentence with %(named)s params; `path` is always there."""


def nearest(value: str, allowed: Iterable[str]) -> str:
    """The nearest spelling, or all that is allowed where nothing is near."""
    names = list(allowed)
    close = get_close_matches(value[:LONGEST_SHOWN], names, n=1, cutoff=0.5)
    return close[0] if close else ", ".join(names[:40])


def shown(value: object) -> str:
    """A wrong value as it may be shown back: short, on one line, without characters that cannot be written."""
    if isinstance(value, int) and value.bit_length() > 200:
        return f"an integer of {value.bit_length()} bits"  # str() of an int past 4,300 digits raises
    if isinstance(value, list | dict | tuple):
        return type_word(value)
    text = value[: LONGEST_SHOWN * 4] if isinstance(value, str) else str(value)
    text = " ".join(text.encode("utf-8", "replace").decode().split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"


def type_word(value: object) -> str:
    """The JSON word for a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    if isinstance(value, str):
        return "text"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, Mapping):
        return "an object"
    return "a number"
