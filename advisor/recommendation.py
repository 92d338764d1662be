"""What `recommend` answers with: ranked choices, rejected cards, advice. Plain values; sentences are made elsewhere.

Money is Decimal and leaves as a decimal string. Hours and GiB are floats: they are estimates, money computed from them is exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from advisor.sizing import estimate as sizing
from advisor.sizing.answer import Estimate, Note
from catalog.snapshot import Offer, PlanKind

type BasisKind = Literal["job", "schedule", "job-in-schedule", "hour"]
type Role = Literal["recommended", "cheapest", "fastest", "most-headroom"]

ROLES: tuple[Role, ...] = ("recommended", "cheapest", "fastest", "most-headroom")


@dataclass(frozen=True, slots=True)
class Basis:
    """What the costs are for.

    `job`: the hours of the demand, a figure per choice. `schedule`: open-ended use. `job-in-schedule`: the demand's hours, spread over
    the scheduled days. `hour`: how long is not known, so prices are per hour and the totals those of one unit of each plan.
    """

    kind: BasisKind
    scheduled_hours: float | None = None
    weeks: float | None = None


@dataclass(frozen=True, slots=True)
class PlanCost:
    """What the use costs under one rental plan. `quantity` counts the plan's own units (minutes, hours, day cards ...) per card."""

    kind: PlanKind
    plan: str
    quantity: Decimal
    total: Decimal
    currency: str
    effective_per_hour: Decimal


@dataclass(frozen=True, slots=True)
class MixPart:
    """So many terms (or hours as you go, in that plan's unit) of one plan inside a mix."""

    kind: PlanKind
    plan: str
    quantity: Decimal


@dataclass(frozen=True, slots=True)
class Mix:
    """The exact cheapest combination of plans; `saves` against the cheapest single plan."""

    total: Decimal
    currency: str
    parts: tuple[MixPart, ...]
    on_demand_hours: Decimal
    saves: Decimal


@dataclass(frozen=True, slots=True)
class UseCost:
    """The least that so many hours on end cost: said where nobody knows how long the job takes."""

    hours: int
    kind: PlanKind
    plan: str
    total: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to run the work. `total` is the least the use costs (mix or cheapest plan; for basis `hour`: one hour).

    `span_hours`: from start to finish by the clock, longer than `estimate.hours` where a schedule leaves the card idle.
    `meets`: every constraint is met. `reasons_for` / `reasons_against`: the weightiest first. `remedy`: what would make a tight one fit.
    """

    rank: int
    estimate: Estimate
    offer: Offer
    total: Decimal
    currency: str
    costs: tuple[PlanCost, ...]
    cheapest_plan: PlanKind
    mix: Mix | None
    use_costs: tuple[UseCost, ...]
    span_hours: float | None
    meets: bool
    roles: tuple[Role, ...]
    reasons_for: tuple[Note, ...]
    reasons_against: tuple[Note, ...]
    remedy: Note | None = None

    @property
    def gpu(self) -> str:
        """Slug of the card."""
        return self.estimate.gpu

    @property
    def count(self) -> int:
        """Cards in all."""
        return self.estimate.count

    def cost(self, kind: PlanKind) -> PlanCost | None:
        """The cost under one plan, None where it is not sold."""
        return next((cost for cost in self.costs if cost.kind == kind), None)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A card kind that is not among the choices: the deciding reason first, then what else speaks against it.

    `estimate`: at the count that came nearest, None where the card was never sized. `remedy`: what would do.
    """

    gpu: str
    count: int
    reasons: tuple[Note, ...]
    estimate: Estimate | None = None
    offer: Offer | None = None
    total: Decimal | None = None
    currency: str | None = None
    remedy: Note | None = None


@dataclass(frozen=True, slots=True)
class Advice:
    """One change and what it does, worked out by running the changed workload.

    `note`: code and figures of the change. `outcome`: what it leads to. `changes`: workload fields to set (None: drop the field). `gpu`, `count`, `total`, `hours`: the answer after the
    change. Deltas compare with the recommended choice: positive money or hours means more.
    """

    note: Note
    changes: Mapping[str, Any]
    outcome: Note | None = None
    workload: Mapping[str, Any] | None = None
    gpu: str | None = None
    count: int | None = None
    sku: str | None = None
    memory_gib: float | None = None
    memory_saved_gib: float | None = None
    hours: float | None = None
    hours_delta: float | None = None
    speed_ratio: float | None = None
    total: Decimal | None = None
    total_delta: Decimal | None = None
    currency: str | None = None


@dataclass(frozen=True, slots=True)
class Recommendation:
    """The whole answer. `warnings` hold what must be said before the ranking; `questions` what, if told, would decide."""

    workload: Mapping[str, Any]
    basis: Basis
    choices: tuple[Choice, ...]
    rejected: tuple[Rejection, ...]
    advice: tuple[Advice, ...]
    warnings: tuple[Note, ...]
    questions: tuple[Note, ...]
    assumptions: tuple[Note, ...]
    currency: str
    catalogue_version: int
    catalogue_as_of: datetime
    is_sample: bool
    sizing_version: str

    @property
    def recommended(self) -> Choice | None:
        """The first choice, None where nothing can run the work."""
        return self.choices[0] if self.choices else None

    def with_role(self, role: Role) -> Choice | None:
        """The choice that has this role."""
        return next((choice for choice in self.choices if role in choice.roles), None)


def note_dict(note: Note) -> dict[str, Any]:
    """A note as JSON values."""
    found: dict[str, Any] = {"code": note.code}
    if note.field is not None:
        found["field"] = note.field
    found["values"] = dict(note.values)
    return found


def _money(amount: Decimal | None) -> str | None:
    return None if amount is None else format(amount, "f")


def _plan_cost_dict(cost: PlanCost) -> dict[str, Any]:
    return {
        "plan": cost.kind,
        "name": cost.plan,
        "quantity": _money(cost.quantity),
        "total": _money(cost.total),
        "currency": cost.currency,
        "effective_per_hour": _money(cost.effective_per_hour),
    }


def _mix_dict(mix: Mix) -> dict[str, Any]:
    return {
        "total": _money(mix.total),
        "currency": mix.currency,
        "parts": [{"plan": part.kind, "name": part.plan, "quantity": _money(part.quantity)} for part in mix.parts],
        "on_demand_hours": _money(mix.on_demand_hours),
        "saves": _money(mix.saves),
    }


def _use_cost_dict(cost: UseCost) -> dict[str, Any]:
    return {
        "hours": cost.hours,
        "plan": cost.kind,
        "name": cost.plan,
        "total": _money(cost.total),
        "currency": cost.currency,
    }


def _offer_dict(offer: Offer) -> dict[str, Any]:
    return {
        "sku": offer.sku,
        "link": offer.link,
        "nodes": offer.nodes,
        "region": offer.region,
        "stock": offer.stock,
        "cpu_cores": offer.cpu_cores,
        "ram_gib": offer.ram_gib,
        "disk_gb": offer.disk_gb,
        "is_sample": offer.is_sample,
    }


def _reasons(reasons_for: tuple[Note, ...], reasons_against: tuple[Note, ...]) -> list[dict[str, Any]]:
    return [
        *({**note_dict(note), "side": "for"} for note in reasons_for),
        *({**note_dict(note), "side": "against"} for note in reasons_against),
    ]


def choice_dict(choice: Choice) -> dict[str, Any]:
    """A choice as JSON values: its estimate, and beside it offer, costs, roles and reasons."""
    return {
        "rank": choice.rank,
        **sizing.to_dict(choice.estimate),
        **_offer_dict(choice.offer),
        "roles": list(choice.roles),
        "meets_constraints": choice.meets,
        "total": _money(choice.total),
        "currency": choice.currency,
        "costs": [_plan_cost_dict(cost) for cost in choice.costs],
        "cheapest_plan": choice.cheapest_plan,
        "mix": _mix_dict(choice.mix) if choice.mix else None,
        "use_costs": [_use_cost_dict(cost) for cost in choice.use_costs],
        "span_hours": choice.span_hours,
        "reasons": _reasons(choice.reasons_for, choice.reasons_against),
        "remedy": note_dict(choice.remedy) if choice.remedy else None,
    }


def rejection_dict(rejection: Rejection) -> dict[str, Any]:
    """A rejected card as JSON values: `reason` decides, `reasons` holds it and all others."""
    notes = [note_dict(note) for note in rejection.reasons]
    return {
        "gpu": rejection.gpu,
        "count": rejection.count,
        "sku": rejection.offer.sku if rejection.offer else None,
        "reason": notes[0],
        "reasons": [{**note, "side": "against"} for note in notes],
        "remedy": note_dict(rejection.remedy) if rejection.remedy else None,
        "estimate": sizing.to_dict(rejection.estimate) if rejection.estimate else None,
        "total": _money(rejection.total),
        "currency": rejection.currency,
    }


def advice_dict(advice: Advice) -> dict[str, Any]:
    """A piece of advice as JSON values."""
    return {
        **note_dict(advice.note),
        "outcome": note_dict(advice.outcome) if advice.outcome else None,
        "changes": dict(advice.changes),
        "workload": dict(advice.workload) if advice.workload is not None else None,
        "gpu": advice.gpu,
        "count": advice.count,
        "sku": advice.sku,
        "memory_gib": advice.memory_gib,
        "memory_saved_gib": advice.memory_saved_gib,
        "hours": advice.hours,
        "hours_delta": advice.hours_delta,
        "speed_ratio": advice.speed_ratio,
        "total": _money(advice.total),
        "total_delta": _money(advice.total_delta),
        "currency": advice.currency,
    }


def to_dict(recommendation: Recommendation) -> dict[str, Any]:
    """The recommendation as JSON values, codes and figures only: `sentences.tell` adds the words of a language."""
    basis = recommendation.basis
    return {
        "workload": dict(recommendation.workload),
        "basis": {"kind": basis.kind, "scheduled_hours": basis.scheduled_hours, "weeks": basis.weeks},
        "choices": [choice_dict(choice) for choice in recommendation.choices],
        "rejected": [rejection_dict(rejection) for rejection in recommendation.rejected],
        "advice": [advice_dict(advice) for advice in recommendation.advice],
        "warnings": [note_dict(note) for note in recommendation.warnings],
        "questions": [note_dict(note) for note in recommendation.questions],
        "assumptions": [note_dict(note) for note in recommendation.assumptions],
        "currency": recommendation.currency,
        "catalogue_version": recommendation.catalogue_version,
        "catalogue_as_of": recommendation.catalogue_as_of.isoformat(),
        "is_sample": recommendation.is_sample,
        "sizing_version": recommendation.sizing_version,
    }
