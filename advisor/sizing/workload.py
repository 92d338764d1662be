"""The workload contract: a JSON value in, a checked `Workload` out, or every problem it has.

Strict by design: an unknown field, an unknown value, a wrong type or an absurd number is an error that names its path; nothing is
ignored in silence. `Workload.to_dict()` is the canonical JSON form and parses back to an equal workload.
"""

import dataclasses
import difflib
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from types import MappingProxyType
from typing import Any, cast

from advisor.sizing.fields import (
    CONSTRAINT_FIELDS,
    CURRENCIES,
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    REQUIREMENTS,
    SCENARIOS,
    SCHEDULE_FIELDS,
    STAGES,
    TASKS,
    TOP_LEVEL,
    Field,
    homes_of,
    homes_of_value,
)
from advisor.sizing.hf_config import ConfigError, check_config
from advisor.sizing.problems import LONGEST_SHOWN, PROBLEM_SENTENCES, Problem, WorkloadError, shown, type_word

__all__ = [
    "PROBLEM_SENTENCES",
    "Constraints",
    "Demand",
    "ModelRef",
    "Problem",
    "Schedule",
    "Workload",
    "WorkloadError",
    "canonical_slug",
    "nearest_models",
    "parse_workload",
    "value_from_text",
]

MAX_PARAMETERS_B = 20_000
MIN_PARAMETERS_B = 0.00001
MAX_CONFIG_ENTRIES = 20_000
MAX_AMOUNT = 1e18
MAX_STRANGERS = 20
"""Unknown fields told one by one; a body with more is told so."""
TYPO_CUTOFF = 0.85
"""difflib ratio above which a name outside an open list is taken for a misspelt one of the list."""

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "stable-diffusion-xl": "sdxl-base-1.0",
        "sdxl": "sdxl-base-1.0",
        "stable-diffusion-v1-5": "stable-diffusion-1.5",
        "sd1.5": "stable-diffusion-1.5",
        "flux-dev": "flux.1-dev",
        "flux.1": "flux.1-dev",
        "flux-schnell": "flux.1-schnell",
        "mask-rcnn-r50-fpn": "mask-r-cnn-r50-fpn",
        "vit-base-patch16": "vit-b-16",
        "vit-large-patch16": "vit-l-16",
        "swin-base-patch4-window7": "swin-b",
        "whisper-large": "whisper-large-v2",
        "whisper-turbo": "whisper-large-v3-turbo",
        "mistral-7b": "mistral-7b-v0.1",
        "phi-3-mini-3.8b": "phi-3-mini",
        "phi-3-medium-14b": "phi-3-medium",
        "phi-4-14b": "phi-4",
        "phi-4-mini-3.8b": "phi-4-mini",
        "yi-1.5-6b": "yi-6b",
        "yi-1.5-9b": "yi-9b",
        "yi-1.5-34b": "yi-34b",
        "llama-3.3-70b": "llama-3.3-70b-instruct",
        "llama-2-7b-chat": "llama-2-7b",
        "llama-3-8b-instruct": "llama-3-8b",
        "llama-3.1-8b-instruct": "llama-3.1-8b",
        "glm-4-9b": "glm-4-9b-chat",
        "bert-base-uncased": "bert-base",
        "bert-large-uncased": "bert-large",
        "llama-1-7b": "llama-7b",
        "llama-65b": "llama-1-65b",
        "llama-33b": "llama-30b",
        **{f"yolov{version}-{size}": f"yolov{version}{size}" for version in (8,) for size in "nsmlx"},
        **{f"yolo11-{size}": f"yolo11{size}" for size in "nsmlx"},
    }
)
"""Other names models go by -> slug of the library. A slug the library holds itself always wins."""


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


def canonical_slug(name: str, models: Collection[str]) -> str | None:
    """The library's slug of a model name (exact, alias, or other case and separators), or None."""
    if name in models:
        return name
    plain = re.sub(r"[^a-z0-9.]+", "-", name.lower().rsplit("/", 1)[-1]).strip("-") if len(name) < 200 else name
    for candidate in (plain, ALIASES.get(plain, "")):
        if candidate in models:
            return candidate
    return None


def nearest_models(name: str, models: Mapping[str, Mapping[str, str]], scenario: str | None = None) -> tuple[str, ...]:
    """Up to five library slugs that look like `name`, those of the scenario before others."""
    plain = name[:80].lower()
    own = [slug for slug, row in models.items() if scenario is None or _scenario_of(row) == scenario]
    near = difflib.get_close_matches(plain, own, n=5, cutoff=0.5)
    return tuple(near or difflib.get_close_matches(plain, list(models), n=5, cutoff=0.5))


def _scenario_of(row: Mapping[str, str]) -> str:
    return (row.get("scenario") or "").split(" ")[0]


def value_from_text(field: Field, text: str) -> object:
    """A form's text as the JSON value the contract wants; text that cannot be read stays text (and fails as wrong type)."""
    text = text.strip()
    if field.kind == "bool":
        return {"true": True, "on": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            text.lower(), text
        )
    if field.kind in ("int", "number"):
        return _number_from_text(text)
    if field.kind == "size":
        parts = re.split(r"[x×,*\s]+", text)
        sizes = [_number_from_text(part) for part in parts]
        return sizes[0] if len(sizes) == 1 else sizes
    return text


def _number_from_text(text: str) -> object:
    if len(text) > 40:
        return text
    plain = text.replace(",", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        return text


class _Reader:
    """Collects problems while it reads; each method answers None where it reported one."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def report(self, path: str, code: str, **values: str | int | float) -> None:
        self.problems.append(Problem(path, code, values))

    def mapping(self, value: object, path: str) -> Mapping[str, Any] | None:
        if isinstance(value, Mapping):
            return cast(Mapping[str, Any], value)
        self.report(path, "not-an-object", got=type_word(value))
        return None

    def unknown_value(self, path: str, value: str, allowed: Iterable[str]) -> None:
        words = tuple(allowed)
        near = difflib.get_close_matches(value[:80].lower(), words, n=1, cutoff=0.5)
        told = ", ".join(words)
        if near:
            self.report(path, "unknown-value-near", value=shown(value), suggestion=near[0], allowed=told)
        else:
            self.report(path, "unknown-value", value=shown(value), allowed=told)

    def word(self, value: object, path: str, allowed: tuple[str, ...]) -> str | None:
        if not isinstance(value, str):
            self.report(path, "wrong-type", wanted="text", got=type_word(value))
        elif value not in allowed:
            self.unknown_value(path, value, allowed)
        else:
            return value
        return None

    def number(self, value: object, path: str, minimum: float, maximum: float) -> float | int | None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.report(path, "wrong-type", wanted="a number", got=type_word(value))
        elif isinstance(value, float) and not math.isfinite(value):
            self.report(path, "not-finite", value=str(value))
        elif value < minimum:
            self.report(path, "too-small", minimum=minimum, value=shown(value))
        elif value > maximum:
            self.report(path, "too-large", maximum=maximum, value=shown(value))
        else:
            return value
        return None

    def integer(self, value: object, path: str, minimum: float, maximum: float) -> int | None:
        number = self.number(value, path, minimum, maximum)
        if number is None:
            return None
        if number != int(number):
            self.report(path, "wrong-type", wanted="a whole number", got=shown(number))
            return None
        return int(number)

    def unknown_fields(self, data: Mapping[str, Any], allowed: tuple[str, ...], path: str, task: str | None) -> None:
        strangers = [name for name in data if name not in allowed]
        if len(strangers) > MAX_STRANGERS:
            self.report(path.rstrip(".") or "workload", "too-many", maximum=len(allowed))
        for name in strangers[:MAX_STRANGERS]:
            where = f"{path}{shown(name)}"
            if task and (homes := homes_of(name)):
                self.report(where, "field-of-other-task", value=name, task=task, homes=", ".join(homes))
                continue
            near = difflib.get_close_matches(str(name)[:80].lower(), allowed, n=1, cutoff=0.6)
            told = ", ".join(allowed)
            if near:
                self.report(where, "unknown-field-near", value=shown(name), suggestion=near[0], allowed=told)
            else:
                self.report(where, "unknown-field", value=shown(name), allowed=told)

    def field(self, field: Field, value: object, gpus: Collection[str] | None) -> Any:
        """The checked, canonical value of a task's field, or None with a problem reported."""
        path = field.name
        low, high = field.minimum or 0.0, field.maximum if field.maximum is not None else MAX_AMOUNT
        match field.kind:
            case "bool":
                if isinstance(value, bool):
                    return value
                self.report(path, "wrong-type", wanted="true or false", got=type_word(value))
                return None
            case "int":
                return self.integer(value, path, low, high)
            case "number":
                return self.number(value, path, low, high)
            case "size":
                return self.size(value, path, low, high)
            case "gpu-hours":
                return self.gpu_hours(value, path, low, high, gpus)
            case _:
                return self.choice(field, value, path)

    def choice(self, field: Field, value: object, path: str) -> str | None:
        if not isinstance(value, str):
            self.report(path, "wrong-type", wanted="text", got=type_word(value))
            return None
        if field.allows(value):
            return "zero3" if value == "fsdp" and "zero3" in field.choices else value
        if field.kind == "open-choice" and (homes := homes_of_value(field, value)):
            told = ", ".join(field.allowed_words)
            self.report(path, "value-of-other-task", value=value, homes=", ".join(homes), allowed=told)
            return None
        open_name = field.kind == "open-choice" and re.fullmatch(r"[a-z0-9][a-z0-9 ._+:-]{0,47}", value)
        if open_name and not difflib.get_close_matches(value, field.choices, n=1, cutoff=TYPO_CUTOFF):
            return value
        self.unknown_value(path, value, field.allowed_words)
        return None

    def size(self, value: object, path: str, low: float, high: float) -> int | tuple[int, int] | None:
        if not isinstance(value, list | tuple):
            return self.integer(value, path, low, high)
        if len(value) != 2:
            self.report(path, "wrong-type", wanted="a number or [height, width]", got=f"a list of {len(value)}")
            return None
        height, width = (self.integer(side, f"{path}[{i}]", low, high) for i, side in enumerate(value))
        return None if height is None or width is None else (height, width)

    def gpu_hours(
        self, value: object, path: str, low: float, high: float, gpus: Collection[str] | None
    ) -> dict[str, object] | None:
        data = self.mapping(value, path)
        if data is None:
            return None
        self.unknown_fields(data, ("gpu", "hours"), f"{path}.", None)
        gpu = data.get("gpu")
        if not isinstance(gpu, str):
            self.report(f"{path}.gpu", "wrong-type", wanted="text", got=type_word(gpu))
            gpu = None
        elif gpus is not None and gpu not in gpus:
            near = difflib.get_close_matches(gpu[:80], list(gpus), n=3, cutoff=0.4)
            self.report(f"{path}.gpu", "unknown-gpu", value=shown(gpu), suggestion=", ".join(near))
            gpu = None
        hours = self.number(data.get("hours"), f"{path}.hours", low, high)
        return None if gpu is None or hours is None else {"gpu": gpu, "hours": hours}


def parse_workload(
    data: object, models: Mapping[str, Mapping[str, str]], gpus: Collection[str] | None = None
) -> Workload:
    """Reads a workload of the contract.

    `data`: a decoded JSON value. `models`: the model library, slug -> row. `gpus`: card slugs, to check those named inside.
    Raises WorkloadError with all problems found.
    """
    reader = _Reader()
    body = reader.mapping(data, "workload")
    if body is None:
        raise WorkloadError(tuple(reader.problems))
    scenario = _scenario(reader, body)
    task = _task(reader, body, scenario)
    if scenario is None or task is None:
        reader.unknown_fields(body, (*TOP_LEVEL, *_all_field_names()), "", None)
        raise WorkloadError(tuple(reader.problems))
    model = _model(reader, body, scenario, models)
    names = tuple(field.name for field in FIELDS[scenario, task])
    reader.unknown_fields(body, (*TOP_LEVEL, *names), "", f"{scenario}/{task}")
    fields = {}
    for field in FIELDS[scenario, task]:
        if field.name in body:
            if (value := reader.field(field, body[field.name], gpus)) is not None:
                fields[field.name] = value
        elif field.required:
            reader.report(field.name, "missing-field", allowed=", ".join(field.allowed_words))
    if (named := fields.get("application")) and canonical_slug(named, models):
        reader.report("application", "model-for-science")
    workload = Workload(
        scenario=scenario,
        task=task,
        model=model,
        fields=fields,
        demand=_demand(reader, body["demand"], scenario) if "demand" in body else None,
        schedule=_schedule(reader, body["schedule"]) if "schedule" in body else None,
        constraints=_constraints(reader, body["constraints"]) if "constraints" in body else Constraints(),
        priority=(reader.word(body["priority"], "priority", PRIORITIES) if "priority" in body else None) or "balanced",
        stage=(reader.word(body["stage"], "stage", STAGES) if "stage" in body else None) or "production",
    )
    if reader.problems:
        raise WorkloadError(tuple(reader.problems))
    return workload


def _all_field_names() -> tuple[str, ...]:
    return tuple(dict.fromkeys(field.name for fields in FIELDS.values() for field in fields))


def _scenario(reader: _Reader, body: Mapping[str, Any]) -> str | None:
    if "scenario" not in body:
        reader.report("scenario", "missing-field", allowed=", ".join(SCENARIOS))
        return None
    value = body["scenario"]
    if isinstance(value, str) and value not in SCENARIOS:
        reader.report("scenario", "unknown-scenario", value=shown(value), allowed=", ".join(SCENARIOS))
        return None
    return reader.word(value, "scenario", SCENARIOS)


def _task(reader: _Reader, body: Mapping[str, Any], scenario: str | None) -> str | None:
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


def _model(
    reader: _Reader, body: Mapping[str, Any], scenario: str, models: Mapping[str, Mapping[str, str]]
) -> ModelRef | None:
    value = body.get("model")
    if scenario == "science":
        if value is not None:
            reader.report("model", "model-for-science")
        return None
    if value is None:
        reader.report("model", "missing-model")
        return None
    if isinstance(value, str):
        return _library_model(reader, value, scenario, models)
    if not isinstance(value, Mapping):
        reader.report("model", "wrong-type", wanted="a model's name or an object", got=type_word(value))
        return None
    reader.unknown_fields(value, ("hf_config", "parameters_b"), "model.", None)
    if "hf_config" in value:
        if "parameters_b" in value:
            reader.report(
                "model.parameters_b", "config-contradiction", reason="give hf_config or parameters_b, not both"
            )
        return _config_model(reader, value["hf_config"])
    if "parameters_b" not in value:
        reader.report("model", "missing-model")
        return None
    number = reader.number(value["parameters_b"], "model.parameters_b", MIN_PARAMETERS_B, MAX_PARAMETERS_B)
    return None if number is None else ModelRef(parameters_b=number)


def _library_model(
    reader: _Reader, value: str, scenario: str, models: Mapping[str, Mapping[str, str]]
) -> ModelRef | None:
    slug = canonical_slug(value, models)
    if slug is None:
        if near := nearest_models(value, models, scenario):
            reader.report("model", "unknown-model-near", value=shown(value), suggestion=", ".join(near))
        else:
            reader.report("model", "unknown-model", value=shown(value))
        return None
    home = _scenario_of(models[slug])
    if home and home != scenario:
        reader.report("model", "model-of-other-scenario", value=slug, home=home, scenario=scenario)
        return None
    return ModelRef(slug=slug)


def _config_model(reader: _Reader, value: object) -> ModelRef | None:
    config = reader.mapping(value, "model.hf_config")
    if config is None:
        return None
    if _entries(config, MAX_CONFIG_ENTRIES) > MAX_CONFIG_ENTRIES:
        reader.report("model.hf_config", "config-too-large", maximum=MAX_CONFIG_ENTRIES)
        return None
    if _holds_nul(config):
        reader.report("model.hf_config", "unprintable")
        return None
    try:
        check_config(config)
    except ConfigError as error:
        reader.report("model.hf_config", error.code, reason=error.reason)
        return None
    return ModelRef(hf_config=config)


def _entries(value: object, limit: int) -> int:
    """Entries of a nested value, counted without recursion and no further than `limit`."""
    waiting: list[object] = [value]
    count = 0
    while waiting and count <= limit:
        item = waiting.pop()
        count += 1
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, str) and len(item) > 100_000:
            return limit + 1
    return count


def _holds_nul(config: Mapping[str, Any]) -> bool:
    """Whether a NUL stands in any name or text of a config of bounded size."""
    waiting: list[object] = [config]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str) and "\x00" in item:
            return True
        if isinstance(item, Mapping):
            waiting.extend((*item.keys(), *item.values()))
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return False


def _demand(reader: _Reader, value: object, scenario: str) -> Demand | None:
    data = reader.mapping(value, "demand")
    if data is None:
        return None
    reader.unknown_fields(data, ("amount", "unit", "samples"), "demand.", None)
    amount = unit = samples = None
    if "amount" in data:
        amount = reader.number(data["amount"], "demand.amount", 1e-9, MAX_AMOUNT)
    else:
        reader.report("demand.amount", "missing-number")
    units = DEMAND_UNITS[scenario]
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


def _schedule(reader: _Reader, value: object) -> Schedule | None:
    data = reader.mapping(value, "schedule")
    if data is None:
        return None
    reader.unknown_fields(data, tuple(field.name for field in SCHEDULE_FIELDS), "schedule.", None)
    return Schedule(**_numbers(reader, data, SCHEDULE_FIELDS, "schedule"))


def _numbers(reader: _Reader, data: Mapping[str, Any], fields: tuple[Field, ...], path: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for field in fields:
        if field.name not in data:
            continue
        read = reader.integer if field.kind == "int" else reader.number
        where = f"{path}.{field.name}"
        out[field.name] = read(data[field.name], where, field.minimum or 0, field.maximum or MAX_AMOUNT)
    return out


def _constraints(reader: _Reader, value: object) -> Constraints:
    data = reader.mapping(value, "constraints")
    if data is None:
        return Constraints()
    names = (*(field.name for field in CONSTRAINT_FIELDS), "budget", "currency", "region", "require")
    reader.unknown_fields(data, names, "constraints.", None)
    values = _numbers(reader, data, CONSTRAINT_FIELDS, "constraints")
    if "budget" in data:
        values["budget"] = _budget(reader, data["budget"])
    if "currency" in data:
        values["currency"] = reader.word(data["currency"], "constraints.currency", CURRENCIES)
    if "region" in data:
        values["region"] = _region(reader, data["region"])
    if "require" in data:
        values["require"] = _require(reader, data["require"])
    return Constraints(**values)


def _budget(reader: _Reader, value: object) -> Decimal | None:
    path = "constraints.budget"
    if isinstance(value, str):
        if not re.fullmatch(r"\d{1,15}(\.\d{1,6})?", value.strip()):
            reader.report(path, "wrong-type", wanted="an amount such as 100.50", got=shown(value))
            return None
        amount = Decimal(value.strip())
        if amount <= 0:
            reader.report(path, "too-small", minimum="0.01", value=shown(value))
            return None
        return amount
    number = reader.number(value, path, 0.000001, 1e15)
    return None if number is None else Decimal(repr(number) if isinstance(number, float) else number)


def _region(reader: _Reader, value: object) -> str | None:
    path = "constraints.region"
    if not isinstance(value, str):
        reader.report(path, "wrong-type", wanted="text", got=type_word(value))
    elif len(value) > LONGEST_SHOWN:
        reader.report(path, "too-long", maximum=LONGEST_SHOWN)
    elif not value.isprintable():
        reader.report(path, "unprintable")
    elif not value.strip():
        reader.report(path, "missing-field", allowed="the name of a region")
    else:
        return value.strip()
    return None


def _require(reader: _Reader, value: object) -> tuple[str, ...]:
    path = "constraints.require"
    if not isinstance(value, list | tuple):
        reader.report(path, "wrong-type", wanted="a list", got=type_word(value))
        return ()
    if len(value) > 2 * len(REQUIREMENTS):
        reader.report(path, "too-many", maximum=2 * len(REQUIREMENTS))
        return ()
    words = (reader.word(item, f"{path}[{index}]", REQUIREMENTS) for index, item in enumerate(value))
    return tuple(dict.fromkeys(word for word in words if word))
