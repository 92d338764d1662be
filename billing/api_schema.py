"""The plan contract as JSON schema for the API's reference, field for field as the reader knows it."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from billing.costing.moments import DEFAULT_ZONE
from billing.costing.money import ROUNDINGS
from billing.costing.usage import WEEKDAYS

type Schema = dict[str, Any]


def _amount(told: Any, default: str | None = None) -> Schema:
    return {"type": "string", "format": "decimal", "description": told, **({"default": default} if default else {})}


def _choice(*values: str, told: Any = None, default: str | None = None) -> Schema:
    schema: Schema = {"type": "string", "enum": list(values)}
    if told:
        schema["description"] = told
    return {**schema, "default": default} if default else schema


def _whole(told: Any, minimum: int, maximum: int, default: int) -> Schema:
    return {"type": "integer", "minimum": minimum, "maximum": maximum, "default": default, "description": told}


PLAN: dict[str, Schema] = {
    "name": {"type": "string", "description": _("Your own name for the plan; each once.")},
    "currency": {"type": "string", "description": _("ISO 4217; the same for all plans of a comparison.")},
    "unit_price": _amount(_("Price of one `price_per`; of one term where the plan is prepaid.")),
    "price_per": _choice("second", "minute", "hour", "day", "week", "month"),
    "per": _choice("gpu", "machine", told=_("What the price is for."), default="gpu"),
    "billing_step_seconds": {
        "type": "integer",
        "enum": [1, 60, 3600, 86400],
        "default": 1,
        "description": _("Each piece of time is rounded up to it."),
    },
    "pieces": _choice(
        "start", "clock_hour", told=_("A piece is each start to stop, or also cut at each full hour."), default="start"
    ),
    "money_rounding": _choice(*ROUNDINGS, default="half_up"),
    "round_at": _choice("piece", "line", "total", told=_("Where amounts are rounded."), default="line"),
    "minimum_seconds": _whole(_("At least so much is paid for each start."), 0, 31_622_400, 0),
    "minimum_charge": _amount(_("At least so much money for each start; the dearer of the two minimums holds."), "0"),
    "cap_hours_per_month": _amount(_("Hours after which pay as you go grows no further in a calendar month.")),
    "term": {
        "type": "object",
        "nullable": True,
        "description": _("Prepaid time of one purchase; without it the plan is pay as you go."),
        "properties": {
            "unit": _choice("day", "week", "month"),
            "count": {"type": "integer", "minimum": 1, "default": 1},
        },
    },
    "day_means": _choice("24h", "calendar", default="24h"),
    "week_means": _choice("168h", "calendar", default="168h"),
    "month_means": _choice("30d", "720h", "730h", "365d/12", "calendar", default="30d"),
    "unused": _choice(
        "lost", "refund_pro_rata", "refund_clawback", told=_("What becomes of prepaid time left over."), default="lost"
    ),
    "refund_fee_percent": _amount(_("Added to the list price when a discount is taken back."), "0"),
    "list_price_per_hour": _amount(_("Price without the term's discount; needed to take it back.")),
    "refund_free_days": _whole(_("Ended within so many days, all is paid back."), 0, 3660, 0),
    "after_term": _choice(
        "renew", "on_demand", "stop", told=_("What follows when a term is used up."), default="renew"
    ),
    "on_demand_plan": {"type": "string", "description": _("Name of the plan that follows with `on_demand`.")},
    "stopped_gpu_billed": {
        "type": "boolean",
        "default": False,
        "description": _("Whether pay as you go also bills a stopped machine's card."),
    },
    "disk_price_per_gb_day_running": _amount(_("Per GB and day while the machine runs."), "0"),
    "disk_price_per_gb_day_stopped": _amount(_("Per GB and day while it is stopped."), "0"),
    "free_disk_gb": _amount(_("GB that cost nothing."), "0"),
    "tax_percent": _amount(_("Tax in per cent."), "0"),
    "prices_include_tax": {"type": "boolean", "default": False},
}
"""Each field of the plan contract."""
USAGE: dict[str, Schema] = {
    "hours": _amount(_("Hours of use in equal pieces. One of `hours`, `intervals` and `weekly` is needed.")),
    "starts": {"type": "integer", "minimum": 1, "default": 1, "description": _("In how many pieces the hours come.")},
    "intervals": {
        "type": "array",
        "items": {"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 2},
        "description": _("Starts and stops, in any order; overlapping ones are merged with a warning."),
    },
    "weekly": {
        "type": "object",
        "description": _("The same hours each week; `to` at or before `from` runs over midnight."),
        "properties": {
            "days": {"type": "array", "items": _choice(*WEEKDAYS)},
            "from": {"type": "string", "description": "HH:MM"},
            "to": {"type": "string", "description": "HH:MM"},
        },
    },
    "weeks": {"type": "integer", "minimum": 1, "description": _("How many weeks.")},
    "from": {"type": "string", "description": _("First day or moment of use.")},
    "timezone": {
        "type": "string",
        "default": DEFAULT_ZONE,
        "description": _("IANA name of the zone of all local times."),
    },
    "gpus": _whole(_("Cards in each machine."), 1, 10_000, 1),
    "machines": _whole(_("Equal machines, all of them used alike."), 1, 100_000, 1),
    "disk_gb": _amount(_("GB kept for each machine."), "0"),
    "keep_until": {"type": "string", "description": _("When the machine is released; else the last stop.")},
}
"""Each field of a usage."""
_ONE: Schema = {
    "type": "object",
    "required": ["plans", "usage"],
    "properties": {
        "id": {"description": _("Given back as it is.")},
        "plans": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "required": ["name", "currency", "unit_price"],
                "properties": PLAN,
                "additionalProperties": False,
            },
        },
        "usage": {"type": "object", "properties": USAGE, "additionalProperties": False},
    },
}
COMPARISON_REQUEST: dict[str, Any] = {"oneOf": [_ONE, {"type": "array", "minItems": 1, "maxItems": 100, "items": _ONE}]}

_PLAN_COST = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "total": {"type": "string", "format": "decimal"},
        "currency": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "object"}, "description": _("Amounts add up to the total.")},
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
