"""The values of the workload contract: what is asked, in canonical form.

`parsing.workload.parse_workload` reads them from JSON; `Workload.to_dict()` gives JSON that parses back to an equal workload.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelRef:
    """Which model: exactly one of a library slug, a Hugging Face config or a bare number of parameters (1e9)."""

    slug: str | None = None
    hf_config: Mapping[str, Any] | None = None
    parameters_b: float | None = None

    def to_json(self) -> object:
        """The form of the contract."""
        if self.slug is not None:
            return self.slug
        if self.hf_config is not None:
            return {"hf_config": dict(self.hf_config)}
        return {"parameters_b": self.parameters_b}


@dataclass(frozen=True, slots=True)
class Demand:
    """How much work there is. `samples` belongs to the unit `epochs`."""

    amount: float
    unit: str
    samples: float | None = None


@dataclass(frozen=True, slots=True)
class Schedule:
    """Open-ended use: hours a day, days a week, for how many weeks, started how often a day."""

    hours_per_day: float | None = None
    days_per_week: float | None = None
    weeks: float | None = None
    starts_per_day: float | None = None


@dataclass(frozen=True, slots=True)
class Constraints:
    """Limits the customer sets. `budget` is money: an exact Decimal in `currency`."""

    deadline_hours: float | None = None
    budget: Decimal | None = None
    currency: str | None = None
    max_gpus: int | None = None
    region: str | None = None
    require: tuple[str, ...] = ()
    max_seconds_to_first_token: float | None = None
    min_tokens_per_second_per_sequence: float | None = None
    host_ram_gib: float | None = None


@dataclass(frozen=True)
class Workload:
    """A checked workload. `fields` holds only what was given, validated and in canonical form."""

    scenario: str
    task: str
    model: ModelRef | None
    fields: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    demand: Demand | None = None
    schedule: Schedule | None = None
    constraints: Constraints = Constraints()
    priority: str = "balanced"
    stage: str = "production"

    def get(self, name: str, default: Any = None) -> Any:
        """The value given for a task's field, or `default`."""
        return self.fields.get(name, default)

    def to_dict(self) -> dict[str, Any]:
        """Canonical JSON form: only what differs from the contract's defaults; parses back to an equal workload."""
        out: dict[str, Any] = {"scenario": self.scenario, "task": self.task}
        if self.model is not None:
            out["model"] = self.model.to_json()
        out.update({name: list(value) if isinstance(value, tuple) else value for name, value in self.fields.items()})
        if self.demand:
            out["demand"] = _given(self.demand)
        if self.schedule and (schedule := _given(self.schedule)):
            out["schedule"] = schedule
        if constraints := _given(self.constraints):
            out["constraints"] = constraints
        if self.priority != "balanced":
            out["priority"] = self.priority
        if self.stage != "production":
            out["stage"] = self.stage
        return out


def _given(values: Demand | Schedule | Constraints) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for part in dataclasses.fields(values):
        value = getattr(values, part.name)
        if value is None or value == ():
            continue
        out[part.name] = (
            list(value) if isinstance(value, tuple) else format(value, "f") if isinstance(value, Decimal) else value
        )
    return out
