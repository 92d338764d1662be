"""What a plan may say so that money can be counted by it: the limits of the plan contract, and which plans of a machine keep them.

`billing.costing` reads plans by the same limits, one layer up; tests/core/catalog/test_plan_limits.py holds both equal.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

type Fault = Literal["limit", "currency", "list-price", "twice", "follow-on", "too-many"]
type Rules = Mapping[str, Any]

_CODES = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF "
    "CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL "
    "HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD "
    "MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF "
    "SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU "
    "UYW UZS VED VES VND VUV WST XAD XAF XCD XCG XOF XPF YER ZAR ZMW ZWG"
)
CURRENCIES = frozenset(_CODES.split())
"""ISO 4217 (list one of its maintenance agency, SIX): the currencies whose digits are known."""

MOST_MONEY = 10**9
LIMITS: Mapping[str, tuple[int, int]] = {
    "unit_price": (0, MOST_MONEY),
    "list_price_per_hour": (0, MOST_MONEY),
    "minimum_seconds": (0, 31_622_400),
    "minimum_charge": (0, MOST_MONEY),
    "cap_hours_per_month": (1, 1_000_000),
    "refund_fee_percent": (0, 1000),
    "refund_free_days": (0, 3660),
    "disk_price_per_gb_day_running": (0, MOST_MONEY),
    "disk_price_per_gb_day_stopped": (0, MOST_MONEY),
    "free_disk_gb": (0, 10**9),
    "tax_percent": (0, 100),
}
"""Least and most of every number of a plan."""

MOST_TERM_UNITS: Mapping[str, int] = {"day": 3660, "week": 520, "month": 120}
"""Ten years."""

MOST_PLANS = 40
"""Of one machine."""


def beyond_limits(columns: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Fields of a stored plan (or price) beyond their limits, each with its least and most."""
    found = {
        name: limits
        for name, limits in LIMITS.items()
        if (value := columns.get(name)) is not None and not _within(value, *limits)
    }
    term = columns.get("term_count")
    if term is not None:
        most = MOST_TERM_UNITS.get(columns.get("term_unit") or "", MOST_TERM_UNITS["day"])
        if not _within(term, 1, most):
            found["term_count"] = (1, most)
    return found


def _within(value: Any, least: int, most: int) -> bool:
    try:
        return least <= Decimal(value) <= most
    except (InvalidOperation, TypeError, ValueError):
        return True  # no number at all: the field says so itself


def fault_of(rules: Rules) -> Fault | None:
    """Why nothing can be counted by this one plan (in the contract's form); None where it can."""
    if rules["currency"] not in CURRENCIES:
        return "currency"
    term = rules.get("term") or {}
    if beyond_limits(rules) or (term and beyond_limits({"term_unit": term["unit"], "term_count": term["count"]})):
        return "limit"
    if term and rules.get("unused") == "refund_clawback" and rules.get("list_price_per_hour") is None:
        return "list-price"
    return None


def sort_out(plans: Sequence[Rules]) -> tuple[tuple[Rules, ...], tuple[tuple[str, Fault], ...]]:
    """Of one machine's plans those that money can be counted by, and the names of the others, each with why.

    Of two with one name the first stays; a plan that goes on as another needs that one among those that stay.
    """
    faults: list[tuple[str, Fault]] = []
    sound: dict[str, Rules] = {}
    for plan in plans:
        name = str(plan["name"])
        fault: Fault | None = "twice" if name in sound else fault_of(plan)
        if fault is None:
            sound[name] = plan
        else:
            faults.append((name, fault))
    kept = [plan for plan in sound.values() if _goes_on(plan, sound)]
    faults += [(name, "follow-on") for name, plan in sound.items() if plan not in kept]
    faults += [(str(plan["name"]), "too-many") for plan in kept[MOST_PLANS:]]
    return tuple(kept[:MOST_PLANS]), tuple(faults)


def _goes_on(plan: Rules, others: Mapping[str, Rules]) -> bool:
    if not plan.get("term") or plan.get("after_term") != "on_demand":
        return True
    after = others.get(plan.get("on_demand_plan", ""))
    return after is not None and not after.get("term")
