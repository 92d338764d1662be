"""A stored answer back as a `Recommendation`: pages show a row of the precomputed table as if it were worked out now.

The reverse of `recommendation.to_dict`, with the offers of the very catalogue the row was made from.
"""

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any

from advisor.recommendation import (
    Advice,
    Basis,
    Choice,
    Mix,
    MixPart,
    PlanCost,
    Recommendation,
    Rejection,
    UseCost,
)
from advisor.sizing.answer import Estimate, Evidence, Host, Memory, Note, Speed, Spread
from catalog.snapshot import Catalogue

type Json = Mapping[str, Any]


def _note(value: Json) -> Note:
    return Note(value["code"], value.get("field"), value["values"])


def _notes(values: list[Json]) -> tuple[Note, ...]:
    return tuple(map(_note, values))


def _money(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)


def _estimate(value: Json) -> Estimate:
    memory, speed = value["memory"], value["speed"]
    return Estimate(
        gpu=value["gpu"],
        count=value["count"],
        fit=value["fit"],
        memory=Memory(**memory) if memory else None,
        speed=Speed(**speed) if speed else None,
        hours=value["hours"],
        hours_low=value["hours_low"],
        hours_high=value["hours_high"],
        spread=Spread(**value["plan"]),
        host=Host(**value["host"]),
        assumptions=_notes(value["assumptions"]),
        evidence=tuple(Evidence(**one) for one in value["evidence"]),
        warnings=_notes(value["warnings"]),
    )


def _plan_cost(value: Json) -> PlanCost:
    return PlanCost(
        kind=value["plan"],
        plan=value["name"],
        quantity=Decimal(value["quantity"]),
        total=Decimal(value["total"]),
        currency=value["currency"],
        effective_per_hour=Decimal(value["effective_per_hour"]),
    )


def _mix(value: Json) -> Mix:
    return Mix(
        total=Decimal(value["total"]),
        currency=value["currency"],
        parts=tuple(MixPart(part["plan"], part["name"], Decimal(part["quantity"])) for part in value["parts"]),
        on_demand_hours=Decimal(value["on_demand_hours"]),
        saves=Decimal(value["saves"]),
    )


def _choice(value: Json, catalogue: Catalogue) -> Choice:
    offer = catalogue.offer(value["sku"])
    if offer is None:
        raise LookupError(value["sku"])
    reasons = value["reasons"]
    return Choice(
        rank=value["rank"],
        estimate=_estimate(value),
        offer=offer,
        total=Decimal(value["total"]),
        currency=value["currency"],
        costs=tuple(map(_plan_cost, value["costs"])),
        cheapest_plan=value["cheapest_plan"],
        mix=_mix(value["mix"]) if value["mix"] else None,
        use_costs=tuple(
            UseCost(one["hours"], one["plan"], one["name"], Decimal(one["total"]), one["currency"])
            for one in value["use_costs"]
        ),
        span_hours=value["span_hours"],
        meets=value["meets_constraints"],
        roles=tuple(value["roles"]),
        reasons_for=_notes([one for one in reasons if one["side"] == "for"]),
        reasons_against=_notes([one for one in reasons if one["side"] == "against"]),
        remedy=_note(value["remedy"]) if value["remedy"] else None,
    )


def _rejection(value: Json, catalogue: Catalogue) -> Rejection:
    return Rejection(
        gpu=value["gpu"],
        count=value["count"],
        reasons=_notes(value["reasons"]),
        estimate=_estimate(value["estimate"]) if value["estimate"] else None,
        offer=catalogue.offer(value["sku"]) if value["sku"] else None,
        total=_money(value["total"]),
        currency=value["currency"],
        remedy=_note(value["remedy"]) if value["remedy"] else None,
    )


ADVICE_PLAIN = (
    "gpu",
    "count",
    "sku",
    "memory_gib",
    "memory_saved_gib",
    "hours",
    "hours_delta",
    "speed_ratio",
    "currency",
)


def _advice(value: Json) -> Advice:
    return Advice(
        note=_note(value),
        changes=value["changes"],
        outcome=_note(value["outcome"]) if value["outcome"] else None,
        workload=value["workload"],
        total=_money(value["total"]),
        total_delta=_money(value["total_delta"]),
        **{name: value[name] for name in ADVICE_PLAIN},
    )


def recommendation_from(answer: Json, catalogue: Catalogue) -> Recommendation:
    """The stored answer as a value. Raises LookupError where it names an offer the catalogue does not hold, or lacks a key."""
    basis = answer["basis"]
    return Recommendation(
        workload=answer["workload"],
        basis=Basis(basis["kind"], basis["scheduled_hours"], basis["weeks"]),
        choices=tuple(_choice(one, catalogue) for one in answer["choices"]),
        rejected=tuple(_rejection(one, catalogue) for one in answer["rejected"]),
        advice=tuple(map(_advice, answer["advice"])),
        warnings=_notes(answer["warnings"]),
        questions=_notes(answer["questions"]),
        assumptions=_notes(answer["assumptions"]),
        currency=answer["currency"],
        catalogue_version=answer["catalogue_version"],
        catalogue_as_of=datetime.fromisoformat(answer["catalogue_as_of"]),
        is_sample=answer["is_sample"],
        sizing_version=answer["sizing_version"],
    )
