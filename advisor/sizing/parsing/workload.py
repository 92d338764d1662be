"""The workload contract: a JSON value in, a checked `Workload` out, or every problem it has.

Strict by design: an unknown field, an unknown value, a wrong type or an absurd number is an error that names its path; nothing is
ignored in silence.
"""

from collections.abc import Collection, Mapping
from typing import Any

from advisor.sizing.fields import (
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    SCENARIOS,
    SCHEDULE_FIELDS,
    STAGES,
    TASKS,
    TOP_LEVEL,
    field_of,
)
from advisor.sizing.model_names import canonical_slug, format_named
from advisor.sizing.parsing.constraints import read_constraints
from advisor.sizing.parsing.model import read_model
from advisor.sizing.parsing.reader import MAX_AMOUNT, Reader
from advisor.sizing.problems import WorkloadError, shown
from advisor.sizing.workload import Constraints, Demand, Schedule, Workload


def parse_workload(
    data: object, models: Mapping[str, Mapping[str, str]], gpus: Collection[str] | None = None
) -> Workload:
    """Reads a workload of the contract.

    `data`: a decoded JSON value. `models`: the model library, slug -> row. `gpus`: card slugs, to check those named inside.
    Raises WorkloadError with all problems found.
    """
    reader = Reader()
    body = reader.mapping(data, "workload")
    if body is None:
        raise WorkloadError(tuple(reader.problems))
    scenario = _scenario(reader, body)
    task = _task(reader, body, scenario)
    if scenario is None or task is None:
        reader.unknown_fields(body, (*TOP_LEVEL, *_all_field_names()), "", None)
        raise WorkloadError(tuple(reader.problems))
    model = read_model(reader, body.get("model"), scenario, models)
    names = tuple(field.name for field in FIELDS[scenario, task])
    reader.unknown_fields(body, (*TOP_LEVEL, *names), "", f"{scenario}/{task}")
    fields = {}
    for field in FIELDS[scenario, task]:
        if field.name in body:
            if (value := reader.field(field, body[field.name], gpus)) is not None:
                fields[field.name] = value
        elif field.required:
            reader.report(field.name, "missing-field", allowed=", ".join(field.allowed_words))
    if isinstance(written := body.get("model"), str) and "weight_format" not in body:
        fields |= _format_of_name(written, scenario, task)
    if (named := fields.get("application")) and canonical_slug(named, models):
        reader.report("application", "model-for-science")
    workload = Workload(
        scenario=scenario,
        task=task,
        model=model,
        fields=fields,
        demand=_demand(reader, body["demand"], scenario, task) if "demand" in body else None,
        schedule=_schedule(reader, body["schedule"]) if "schedule" in body else None,
        constraints=read_constraints(reader, body["constraints"]) if "constraints" in body else Constraints(),
        priority=(reader.word(body["priority"], "priority", PRIORITIES) if "priority" in body else None) or "balanced",
        stage=(reader.word(body["stage"], "stage", STAGES) if "stage" in body else None) or "production",
    )
    if reader.problems:
        raise WorkloadError(tuple(reader.problems))
    return workload


def _all_field_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(field.name for fields in FIELDS.values() for field in fields))


def _scenario(reader: Reader, body: Mapping[str, Any]) -> str | None:
    if "scenario" not in body:
        reader.report("scenario", "missing-field", allowed=", ".join(SCENARIOS))
        return None
    value = body["scenario"]
    if isinstance(value, str) and value not in SCENARIOS:
        reader.report("scenario", "unknown-scenario", value=shown(value), allowed=", ".join(SCENARIOS))
        return None
    return reader.word(value, "scenario", SCENARIOS)


def _task(reader: Reader, body: Mapping[str, Any], scenario: str | None) -> str | None:
    if scenario is None:
        return None
    tasks = TASKS[scenario]
    if "task" not in body:
        reader.report("task", "missing-field", allowed=", ".join(tasks))
        return None
    value = body["task"]
    if isinstance(value, str) and value not in tasks:
        reader.report("task", "unknown-task", value=shown(value), scenario=scenario, allowed=", ".join(tasks))
        return None
    return reader.word(value, "task", tasks)


def _format_of_name(name: str, scenario: str, task: str) -> dict[str, str]:
    """The weight format, where the model's name says one that the task takes."""
    field, named = field_of(scenario, task, "weight_format"), format_named(name)
    return {"weight_format": named} if field and named and field.allows(named) else {}


def _demand(reader: Reader, value: object, scenario: str, task: str) -> Demand | None:
    data = reader.mapping(value, "demand")
    if data is None:
        return None
    reader.unknown_fields(data, ("amount", "unit", "samples"), "demand.", None)
    amount = unit = samples = None
    if "amount" in data:
        amount = reader.number(data["amount"], "demand.amount", 1e-9, MAX_AMOUNT)
    else:
        reader.report("demand.amount", "missing-number")
    units = DEMAND_UNITS[scenario, task]
    if "unit" in data:
        unit = reader.word(data["unit"], "demand.unit", units)
    else:
        reader.report("demand.unit", "missing-field", allowed=", ".join(units))
    if "samples" in data:
        samples = reader.number(data["samples"], "demand.samples", 1e-9, MAX_AMOUNT)
        if unit is not None and unit != "epochs":
            reader.report("demand.samples", "unknown-field", value="samples", allowed="amount, unit")
    elif unit == "epochs":
        reader.report("demand.samples", "missing-number")
    return None if amount is None or unit is None else Demand(amount, unit, samples)


def _schedule(reader: Reader, value: object) -> Schedule | None:
    data = reader.mapping(value, "schedule")
    if data is None:
        return None
    reader.unknown_fields(data, tuple(field.name for field in SCHEDULE_FIELDS), "schedule.", None)
    return Schedule(**reader.numbers(data, SCHEDULE_FIELDS, "schedule"))
