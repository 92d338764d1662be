"""The plan contract as JSON schema for the API's reference, made from the fields the reader knows."""

from typing import Any

from billing.costing.plans import FIELDS as PLAN_FIELDS
from billing.costing.usage import FIELDS as USAGE_FIELDS

_ONE = {
    "type": "object",
    "required": ["plans", "usage"],
    "properties": {
        "id": {"description": "Given back as it is."},
        "plans": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "currency", "unit_price"],
                "properties": {name: {} for name in PLAN_FIELDS},
                "additionalProperties": False,
            },
        },
        "usage": {
            "type": "object",
            "properties": {name: {} for name in USAGE_FIELDS},
            "additionalProperties": False,
        },
    },
}
COMPARISON_REQUEST: dict[str, Any] = {"oneOf": [_ONE, {"type": "array", "minItems": 1, "maxItems": 100, "items": _ONE}]}

_PLAN_COST = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "total": {"type": "string", "description": "Decimal."},
        "currency": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "object"}, "description": "Amounts add up to the total."},
        "effective_per_hour": {"type": "string", "nullable": True},
        "purchases": {"type": "array", "items": {"type": "object"}},
        "uncovered_hours": {"type": "string"},
    },
}
_COMPARISON = {
    "type": "object",
    "properties": {
        "plans": {"type": "array", "items": _PLAN_COST},
        "cheapest": {"type": "string", "nullable": True},
        "mix": {"type": "object", "nullable": True},
        "break_even": {"type": "array", "items": {"type": "object"}},
        "assumptions": {"type": "array", "items": {"type": "string"}},
        "warnings": {"type": "array", "items": {"type": "string"}},
    },
}
_ANSWER = {"type": "object", "properties": {"id": {}, "comparison": _COMPARISON}}
COMPARISON_ANSWER: dict[str, Any] = {"oneOf": [_ANSWER, {"type": "array", "items": _ANSWER}]}

EXAMPLE: dict[str, Any] = {
    "plans": [
        {"name": "hourly", "currency": "CNY", "unit_price": "1.32", "price_per": "hour", "billing_step_seconds": 3600},
        {
            "name": "daily",
            "currency": "CNY",
            "unit_price": "27.7",
            "price_per": "day",
            "term": {"unit": "day", "count": 1},
            "after_term": "renew",
        },
    ],
    "usage": {"hours": "26.5"},
}
