"""The plan contract's fields as the catalogue stores them, with the contract's defaults; no money is computed here."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

PLAN_DEFAULTS: Mapping[str, Any] = {
    "per": "gpu",
    "billing_step_seconds": 1,
    "pieces": "start",
    "money_rounding": "half_up",
    "round_at": "line",
    "minimum_seconds": 0,
    "minimum_charge": "0",
    "cap_hours_per_month": None,
    "term": None,
    "unused": "lost",
    "list_price_per_hour": None,
    "refund_fee_percent": "0",
    "refund_free_days": 0,
    "after_term": "renew",
    "on_demand_plan": "",
    "stopped_gpu_billed": False,
    "disk_price_per_gb_day_running": "0",
    "disk_price_per_gb_day_stopped": "0",
    "free_disk_gb": 0,
    "tax_percent": "0",
    "prices_include_tax": False,
}
"""What a field of the plan contract means where it is left out."""

MEANS = {"day": "day_means", "week": "week_means", "month": "month_means"}
"""Which field says how long a term of this unit is."""


def decimal_text(value: Decimal) -> str:
    """A stored price as the shortest decimal string that means the same: `1.32000000` -> `1.32`."""
    return f"{value.normalize():f}"


def contract_form(
    values: Mapping[str, Any], *, name: str, kind: str, currency: str, unit_price: str
) -> dict[str, object]:
    """A plan with its price in the contract's form plus `kind`: only what differs from the contract's defaults is said.

    `per` is always said, and of the lengths of day, week and month only the one the term is counted in.
    """
    term = values.get("term")
    unit = term["unit"] if term else ""
    said: dict[str, object] = {
        "name": name,
        "kind": kind,
        "currency": currency,
        "unit_price": unit_price,
        "price_per": values["price_per"],
        "per": values.get("per", PLAN_DEFAULTS["per"]),
    }
    for field, default in PLAN_DEFAULTS.items():
        if field in values and values[field] != default:
            said[field] = values[field]
    if unit in MEANS and values.get(MEANS[unit]):
        said[MEANS[unit]] = values[MEANS[unit]]
    return said
