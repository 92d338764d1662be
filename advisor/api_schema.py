"""The workload contract as JSON schema, made from the one field table: whatever the reader takes, the reference shows."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise, lazy
from django.utils.text import format_lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from advisor.costs import JOB_STARTS
from advisor.questions import MOST_WORK, STARTS_A_PIECE
from advisor.serializers import MOST_QUESTIONS
from advisor.sizing.fields import (
    CONSTRAINT_FIELDS,
    CURRENCIES,
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    REQUIREMENTS,
    SCHEDULE_FIELDS,
    STAGES,
    Field,
)

type Schema = dict[str, Any]

UNITS: Mapping[str, str | Promise] = {
    "atoms": _("atoms"),
    "cards": _("cards"),
    "cells": _("cells"),
    "completions": _("completions"),
    "days": _("days"),
    "frames": _("frames"),
    "frames per second": _("frames per second"),
    "hours": _("hours"),
    "images": _("images"),
    "live streams": _("live streams"),
    "pixels": _("pixels"),
    "seconds": _("seconds"),
    "sequences": _("sequences"),
    "starts": _("starts"),
    "steps": _("steps"),
    "tokens": _("tokens"),
    "tokens per second": _("tokens per second"),
    "weeks": _("weeks"),
}
"""Units of the field table inside a sentence."""


def _about(field: Field) -> str:
    told = [
        gettext("In %(unit)s.") % {"unit": UNITS.get(field.unit, field.unit)} if field.unit else "",
        gettext("Also %(words)s.") % {"words": field.pattern_words} if field.pattern_words else "",
    ]
    if field.kind == "open-choice" or field.pattern is not None:
        told.append(gettext("Known: %(names)s.") % {"names": ", ".join(field.choices)})
    if field.kind == "open-choice":
        told.append(gettext("Another short name is taken as software that is not known."))
    if field.default is not None:
        told.append(gettext("Taken where not given: %(value)s.") % {"value": field.default})
    return " ".join(part for part in told if part)


about = lazy(_about, str)
"""What is to be said about a field, in the language the reference is read in."""


def field_schema(field: Field) -> Schema:
    """One field of the table as JSON schema."""
    schema: Schema = {}
    limits: Schema = {}
    if field.minimum is not None:
        limits["minimum"] = field.minimum
    if field.maximum is not None:
        limits["maximum"] = field.maximum
    match field.kind:
        case "bool":
            schema = {"type": "boolean"}
        case "int":
            schema = {"type": "integer", **limits}
        case "number":
            schema = {"type": "number", **limits}
        case "size":
            side = {"type": "integer", **limits}
            pair = {"type": "array", "items": side, "minItems": 2, "maxItems": 2, "description": "[height, width]"}
            schema = {"oneOf": [side, pair]}
        case "choice" if field.pattern is None:
            schema = {"type": "string", "enum": list(field.choices)}
        case "choice" | "open-choice":
            schema = {"type": "string"}
        case _:
            schema = {
                "type": "object",
                "properties": {"gpu": {"type": "string"}, "hours": {"type": "number", **limits}},
            }
    silent = not field.unit and field.kind != "open-choice" and field.pattern is None and field.default is None
    return schema if silent else {**schema, "description": about(field)}


def _object(fields: tuple[Field, ...], **more: Schema) -> Schema:
    properties = {field.name: field_schema(field) for field in fields} | more
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _demand(scenario: str, task: str) -> Schema:
    units = DEMAND_UNITS[scenario, task]
    samples: Schema = {"type": "number", "description": _("With the unit epochs: samples in one epoch.")}
    return {
        "type": "object",
        "required": ["amount", "unit"],
        "properties": {
            "amount": {"type": "number", "exclusiveMinimum": 0},
            "unit": {"type": "string", "enum": list(units)},
            **({"samples": samples} if "epochs" in units else {}),
        },
        "additionalProperties": False,
        "description": _("How much work there is: gives hours and cost."),
    }


MODEL_NAMED: Schema = {
    "description": _(
        "A slug of the model library (GET models), a Hugging Face config.json as it is, or a number of parameters."
    ),
    "oneOf": [
        {"type": "string"},
        {"type": "object", "required": ["hf_config"], "properties": {"hf_config": {"type": "object"}}},
        {
            "type": "object",
            "required": ["parameters_b"],
            "properties": {"parameters_b": {"type": "number", "description": _("Parameters in 1e9.")}},
        },
    ],
}
CONSTRAINTS = _object(
    CONSTRAINT_FIELDS,
    budget={"type": "string", "format": "decimal", "description": _("An amount in `currency`; a number is taken too.")},
    currency={"type": "string", "enum": list(CURRENCIES)},
    region={"type": "string"},
    require={"type": "array", "items": {"type": "string", "enum": list(REQUIREMENTS)}},
)


def workload_schema(scenario: str, task: str) -> Schema:
    """The workload of one task: its own fields and those every workload has."""
    fields = FIELDS[scenario, task]
    needed = ["scenario", "task", *(field.name for field in fields if field.required)]
    model: Schema = {} if scenario == "science" else {"model": MODEL_NAMED}
    return {
        "title": f"{scenario} {task}",
        "type": "object",
        "required": [*needed, *model],
        "properties": {
            "scenario": {"type": "string", "enum": [scenario]},
            "task": {"type": "string", "enum": [task]},
            **model,
            **{field.name: field_schema(field) for field in fields},
            "demand": _demand(scenario, task),
            "schedule": {
                **_object(SCHEDULE_FIELDS),
                "description": _("Open-ended use, instead of or around a demand."),
            },
            "constraints": CONSTRAINTS,
            "priority": {"type": "string", "enum": list(PRIORITIES), "default": "balanced"},
            "stage": {"type": "string", "enum": list(STAGES), "default": "production"},
        },
        "additionalProperties": False,
    }


WORKLOAD: Schema = {"oneOf": [workload_schema(scenario, task) for scenario, task in FIELDS]}


def _one_or_many(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "array", "minItems": 1, "maxItems": MOST_QUESTIONS, "items": schema}]}


def _question(*needed: str, **properties: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(needed),
        "properties": {"id": {"description": _("Given back as it is.")}, **properties},
    }


RECOMMENDATION_REQUEST = _one_or_many(_question("workload", workload=WORKLOAD))
ESTIMATE_REQUEST = _one_or_many(
    _question(
        "workload",
        "gpu",
        workload=WORKLOAD,
        gpu={"type": "string", "description": _("Slug of a card kind (GET gpus).")},
        count={"type": "integer", "minimum": 1, "maximum": 4096, "default": 1},
    )
)

DIAGNOSIS_REQUEST: Schema = {
    "type": "object",
    "required": ["text"],
    "properties": {
        "text": {
            "type": "string",
            "maxLength": 2_000_000,
            "description": _("A pasted error message or `nvidia-smi` table, read and forgotten."),
        },
        "model": {
            "type": "string",
            "description": _("A slug of GET models: gives the cache its size per token."),
        },
        "currency": {"type": "string", "description": _("ISO 4217 code of the prices; CNY where none is named.")},
    },
    "additionalProperties": False,
}

NUMBER: Schema = {"type": "number", "nullable": True}
TEXT: Schema = {"type": "string"}
MONEY: Schema = {"type": "string", "format": "decimal", "nullable": True}
NOTE: Schema = {
    "type": "object",
    "properties": {
        "code": TEXT,
        "field": {"type": "string", "nullable": True},
        "values": {"type": "object", "additionalProperties": True},
        "text": {"type": "string", "description": _("The sentence in the asked language.")},
    },
}
NOTES: Schema = {"type": "array", "items": NOTE}
_MEMORY: Schema = {
    "type": "object",
    "nullable": True,
    "properties": {
        "per_gpu_gib": NUMBER,
        "low_gib": NUMBER,
        "high_gib": NUMBER,
        "usable_gib": NUMBER,
        "parts": {"type": "object", "additionalProperties": {"type": "number"}},
        "tier": TEXT,
    },
}
_SPEED: Schema = {
    "type": "object",
    "nullable": True,
    "properties": {
        "value": NUMBER,
        "unit": TEXT,
        "low": NUMBER,
        "high": NUMBER,
        "limited_by": {"type": "string", "enum": ["memory-bandwidth", "compute", "interconnect", "capacity", "host"]},
    },
}
_ESTIMATE: Schema = {
    "gpu": TEXT,
    "count": {"type": "integer"},
    "fit": {"type": "string", "enum": ["fits", "tight", "does_not_fit"]},
    "memory": _MEMORY,
    "speed": _SPEED,
    "hours": NUMBER,
    "plan": {"type": "object", "description": _("How the work is spread over the cards.")},
    "host": {"type": "object", "description": _("RAM, CPU cores and disk the job needs beside the cards.")},
    "assumptions": NOTES,
    "warnings": NOTES,
    "evidence": {"type": "array", "items": {"type": "object"}, "description": _("Nearest published measurements.")},
}
_COST: Schema = {
    "type": "object",
    "properties": {"plan": TEXT, "total": MONEY, "currency": TEXT, "effective_per_hour": MONEY, "quantity": MONEY},
}
_CHOICE: Schema = {
    "type": "object",
    "properties": {
        "rank": {"type": "integer"},
        **_ESTIMATE,
        "sku": TEXT,
        "total": MONEY,
        "costs": {"type": "array", "items": _COST},
        "cheapest_plan": TEXT,
        "mix": {"type": "object", "nullable": True},
        "roles": {
            "type": "array",
            "items": {"type": "string", "enum": ["recommended", "cheapest", "fastest", "most-headroom"]},
        },
        "reasons": NOTES,
    },
}
RECOMMENDATION: Schema = {
    "type": "object",
    "properties": {
        "choices": {"type": "array", "items": _CHOICE},
        "rejected": {"type": "array", "items": {"type": "object"}},
        "advice": NOTES,
        "warnings": NOTES,
        "questions": NOTES,
        "assumptions": NOTES,
        "catalogue_version": {"type": "integer"},
        "sizing_version": TEXT,
        "is_sample": {"type": "boolean"},
    },
}


def _answer(name: str, schema: Schema) -> Schema:
    return _one_or_many({"type": "object", "properties": {"id": {}, name: schema}})


RECOMMENDATION_ANSWER = _answer("recommendation", RECOMMENDATION)
ESTIMATE_ANSWER = _answer("estimate", {"type": "object", "properties": _ESTIMATE})
_PRESET: Schema = {
    "slug": TEXT,
    "title": TEXT,
    "scenario": TEXT,
    "task": TEXT,
    "workload": {"type": "object"},
}
PRESET_ANSWER: Schema = {
    "type": "object",
    "properties": {
        **_PRESET,
        "catalogue_version": {"type": "integer"},
        "computed_at": {"type": "string", "format": "date-time"},
        "recommendation": RECOMMENDATION,
    },
}


def _list(item: Schema) -> Schema:
    return {
        "type": "object",
        "properties": {"count": {"type": "integer"}, "results": {"type": "array", "items": item}},
    }


PRESET_LIST = _list({"type": "object", "properties": _PRESET})
_MODEL: Schema = {
    "slug": TEXT,
    "name": TEXT,
    "scenario": TEXT,
    "kind": {"type": "string", "nullable": True},
    "parameters_b": NUMBER,
    "active_parameters_b": NUMBER,
    "max_context": NUMBER,
}
MODEL_LIST = _list({"type": "object", "properties": _MODEL})
MODEL: Schema = {
    "type": "object",
    "properties": {**_MODEL, "shape": {"type": "object"}, "license": TEXT, "source": TEXT},
}

RECOMMENDATIONS_TOLD = format_lazy(
    _(
        "Which card to rent. One object, or a list of up to {questions} of which each is answered or refused by itself.\n\nHow much one request may ask: a "
        "question is one piece of work, and one more for every {starts} starts of its schedule (a job inside a schedule counts {job} starts). A list "
        "holds at most {work} pieces; beyond that it is refused before anything is reckoned, as problem `too-much-work`. Send it in smaller parts."
    ),
    questions=MOST_QUESTIONS,
    starts=STARTS_A_PIECE,
    job=JOB_STARTS,
    work=MOST_WORK,
)
ESTIMATES_TOLD = format_lazy(
    _("Memory, speed and hours of a workload on one card kind and count. One object, or a list of up to {questions}."),
    questions=MOST_QUESTIONS,
)
PRESET_TOLD = _(
    "The recommendation of a common workload. Never an answer of an older catalogue: where the table is not current yet, it is worked out now, and "
    "the header X-Recommendation-Table says so."
)
MODEL_FILE_TOLD = _(
    "Send the first 2,000,000 bytes of a GGUF file as `application/octet-stream`, or a config.json or adapter_config.json as `application/json`. The "
    "answer's `fields` go beside `scenario` and `task` of a workload."
)
DIAGNOSES_TOLD = _(
    "Read a pasted error message or `nvidia-smi` table: what happened, what to change, which rentable card ends it. Sizes are GiB (2**30 bytes). The "
    "text is read and forgotten."
)

MODEL_READING: Schema = {
    "type": "object",
    "required": ["kind", "fields", "assumptions"],
    "properties": {
        "kind": {"type": "string", "enum": ["gguf", "config", "adapter"]},
        "fields": {
            "type": "object",
            "description": _("Fields of a workload: model, weight_format (GGUF), method and LoRA fields (adapter)."),
        },
        "assumptions": {"type": "array", "items": {"type": "object"}},
    },
}

EXAMPLE: Schema = {
    "workload": {
        "scenario": "llm",
        "task": "training",
        "model": "qwen2.5-7b",
        "method": "qlora",
        "sequence_tokens": 2048,
        "micro_batch": 1,
        "gradient_checkpointing": True,
        "demand": {"amount": 60000000, "unit": "tokens"},
        "constraints": {"deadline_hours": 48},
    }
}
