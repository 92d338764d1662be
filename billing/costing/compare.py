"""Plans side by side for one usage: totals, the cheapest, the cheapest mix, break-evens and what was assumed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from billing.costing.break_even import BreakEven, break_evens
from billing.costing.cost import PlanCost, Purchase, cost
from billing.costing.errors import CostingErrors, FieldError, type_word
from billing.costing.fields import raise_all
from billing.costing.jsonl import line_id
from billing.costing.mix import Mix, cheapest_mix
from billing.costing.mix_search import Effort, MixTooLarge
from billing.costing.money import digits, from_minor, text, to_minor
from billing.costing.notes import Note, gather
from billing.costing.plans import Plan, check_plans, parse_plans
from billing.costing.usage import Usage, parse_usage
from billing.costing.work import work_errors


@dataclass(frozen=True, slots=True)
class Comparison:
    """The answer to "which plan". `cheapest` names the cheapest plan that covers the whole usage (the earlier on a tie; None
    where none does). `mix` is None where the search was too large, which `warnings` then say."""

    plans: tuple[PlanCost, ...]
    cheapest: str | None
    mix: Mix | None
    break_even: tuple[BreakEven, ...]
    assumptions: tuple[Note, ...]
    warnings: tuple[Note, ...]

    def saves(self) -> dict[str, Decimal | None]:
        """What the mix saves against each plan; None against one that leaves hours uncovered."""
        if self.mix is None:
            return {}
        places = digits(self.mix.currency)
        return {
            plan.name: None
            if plan.uncovered_hours
            else from_minor(to_minor(plan.total, places) - to_minor(self.mix.total, places), places)
            for plan in self.plans
        }

    def to_dict(self) -> dict[str, object]:
        """The comparison in the contract's JSON form: amounts, hours and prices as decimal strings, times as RFC 3339."""
        return {
            "plans": [_plan_dict(plan) for plan in self.plans],
            "cheapest": self.cheapest,
            "mix": self._mix_dict(),
            "break_even": [{"between": list(pair.between), "hours": text(pair.hours)} for pair in self.break_even],
            "assumptions": [str(note) for note in self.assumptions],
            "warnings": [str(note) for note in self.warnings],
        }

    def _mix_dict(self) -> dict[str, object] | None:
        if self.mix is None:
            return None
        return {
            "total": text(self.mix.total),
            "purchases": [_purchase_dict(bought) for bought in self.mix.purchases],
            "on_demand_hours": text(self.mix.on_demand_hours),
            "saves": {name: None if saved is None else text(saved) for name, saved in self.saves().items()},
        }


def _plan_dict(plan: PlanCost) -> dict[str, object]:
    return {
        "name": plan.name,
        "total": text(plan.total),
        "currency": plan.currency,
        "lines": [
            {
                "what": line.what,
                "quantity": text(line.quantity),
                "unit_price": text(line.unit_price),
                "amount": text(line.amount),
            }
            for line in plan.lines
        ],
        "effective_per_hour": None if plan.effective_per_hour is None else text(plan.effective_per_hour),
        "purchases": [{"from": b.start.isoformat(), "to": b.end.isoformat()} for b in plan.purchases],
        "uncovered_hours": text(plan.uncovered_hours),
    }


def _purchase_dict(bought: Purchase) -> dict[str, object]:
    return {"plan": bought.plan, "from": bought.start.isoformat(), "to": bought.end.isoformat()}


def compare(plans: Sequence[Plan], usage: Usage, shared: Effort | None = None) -> Comparison:
    """Every plan's cost, the cheapest, the cheapest mix, the break-evens. `shared`: decisions several comparisons may weigh together.

    Raises CostingErrors where plans do not go together, or where there is too much to reckon.
    """
    if not plans:
        raise_all([FieldError("plans", "empty")])
    errors = check_plans(tuple(plans)) or work_errors(plans, usage)
    if errors:
        raise_all(errors)
    others: Mapping[str, Plan] = {plan.name: plan for plan in plans}
    costs = tuple(cost(plan, usage, others) for plan in plans)
    covering = [found for found in costs if not found.uncovered_hours]
    warnings = list(usage.warnings)
    mix = None
    try:
        mix = cheapest_mix(plans, usage, shared)
    except MixTooLarge:
        warnings.append(Note("mix-skipped"))
    notes = [Note("zone", {"zone": usage.zone.key}), *usage.assumptions]
    if usage.machines * usage.gpus > 1:
        notes.append(Note("units", {"machines": usage.machines, "gpus": usage.gpus}))
    named = gather((note for found in costs for note in found.assumptions), len(plans))
    return Comparison(
        plans=costs,
        cheapest=min(covering, key=lambda found: found.total).name if covering else None,
        mix=mix,
        break_even=break_evens(plans, usage),
        assumptions=(*notes, *named, *([Note("mix-unused-lost")] if any(plan.term for plan in plans) else [])),
        warnings=tuple(warnings),
    )


def compare_mapping(value: object) -> Comparison:
    """The comparison of one JSON object `{"plans", "usage"}`; other keys are passed over. Raises CostingErrors with all errors."""
    return compare(*read_question(value))


def read_question(value: object) -> tuple[tuple[Plan, ...], Usage]:
    """Plans and usage of one JSON object. Raises CostingErrors with all errors."""
    if not isinstance(value, Mapping):
        raise_all([FieldError("", "not-an-answerable-line", {"got": type_word(value)})])
    errors: list[FieldError] = []
    plans: tuple[Plan, ...] = ()
    usage: Usage | None = None
    for name in ("plans", "usage"):
        if value.get(name) is None:
            errors.append(FieldError(name, "missing"))
    if not errors:
        try:
            plans = parse_plans(value["plans"])
        except CostingErrors as error:
            errors.extend(error.errors)
        try:
            usage = parse_usage(value["usage"])
        except CostingErrors as error:
            errors.extend(error.errors)
    if errors or usage is None:
        raise_all(errors)
    return plans, usage


def compare_line(line: object) -> dict[str, object]:
    """One line of `compare_plans --jsonl`: `{"id", "comparison"}` or `{"id", "error"}`."""
    name = line_id(line)
    try:
        return {"id": name, "comparison": compare_mapping(line).to_dict()}
    except CostingErrors as error:
        return {"id": name, "error": error.to_dict()}
