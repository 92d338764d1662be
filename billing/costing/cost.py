"""What a usage costs under one plan, itemised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from billing.costing.bill import Group, Item, Line, bill, total_of
from billing.costing.errors import FieldError
from billing.costing.fields import raise_all
from billing.costing.moments import DAY, HOUR, local
from billing.costing.money import digits, plain, round_money
from billing.costing.notes import Note
from billing.costing.pay_as_you_go import Charge, Meter, billed_spans
from billing.costing.plans import Plan
from billing.costing.terms import Span, cover, refund, uncovered
from billing.costing.usage import Usage


@dataclass(frozen=True, slots=True)
class Purchase:
    """One term bought, in local time of the usage's zone."""

    plan: str
    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class PlanCost:
    """What a usage costs under one plan; the amounts of `lines` add up to `total`.

    `effective_per_hour`: total by hours of use (of the whole lot, all cards together); None without use.
    """

    name: str
    total: Decimal
    currency: str
    lines: tuple[Line, ...]
    effective_per_hour: Decimal | None
    purchases: tuple[Purchase, ...]
    uncovered_hours: Decimal
    assumptions: tuple[Note, ...]


def units(plan: Plan, usage: Usage) -> int:
    """How many of what is priced run: cards or machines."""
    return usage.machines * (usage.gpus if plan.per == "gpu" else 1)


def cost(plan: Plan, usage: Usage, others: Mapping[str, Plan] | None = None) -> PlanCost:
    """What the usage costs under the plan. `others`: by name, the plans an `on_demand_plan` may name.

    Raises CostingErrors where the plan that follows the term is not among `others`, has a term or another currency.
    """
    spans: list[Span] = []
    left: list[tuple[int, int]] = []
    if plan.term is None:
        lines = bill(plan, [on_demand_items(plan, usage, usage.intervals), *disk_items(plan, usage)])
    else:
        spans = cover(plan, usage.intervals, usage.zone)
        left = uncovered(usage.intervals, spans[-1].end) if spans else []
        lines = bill(plan, [term_items(plan, usage, spans), *disk_items(plan, usage)])
        if plan.after_term == "on_demand":
            follower = _follower(plan, others or {})
            if left:
                lines += bill(follower, [on_demand_items(follower, usage, left)])
                left = []
    total = total_of(lines, plan.currency)
    return PlanCost(
        name=plan.name,
        total=total,
        currency=plan.currency,
        lines=lines,
        effective_per_hour=_per_hour(total, usage.running, plan.currency),
        purchases=tuple(Purchase(plan.name, local(s.start, usage.zone), local(s.end, usage.zone)) for s in spans),
        uncovered_hours=plain(Fraction(sum(stop - start for start, stop in left), HOUR)),
        assumptions=plan_notes(plan, usage),
    )


def _follower(plan: Plan, others: Mapping[str, Plan]) -> Plan:
    follower = others.get(plan.on_demand_plan or "")
    if follower is None:
        params = {"value": plan.on_demand_plan or "", "suggestion": ", ".join(others)}
        raise_all([FieldError("on_demand_plan", "on-demand-plan-unknown", params)])
    if follower.term is not None:
        raise_all([FieldError("on_demand_plan", "on-demand-plan-has-term", {"value": follower.name})])
    if follower.currency != plan.currency:
        params = {"value": follower.currency, "other": plan.currency}
        raise_all([FieldError("on_demand_plan", "mixed-currencies", params)])
    return follower


def _per_hour(total: Decimal, running: int, currency: str) -> Decimal | None:
    return plain(Fraction(total) * HOUR / running, at_least=digits(currency)) if running else None


def on_demand_items(plan: Plan, usage: Usage, intervals: Sequence[tuple[int, int]]) -> Group:
    """Pay as you go over intervals of the usage."""
    spans = billed_spans(plan, intervals, usage.keep_until)
    if not spans:
        return ()
    meter = Meter(plan, usage.zone, spans[0][0], spans[-1][1])
    return charge_items(plan, usage, meter.paid(spans), len(spans))


def charge_items(plan: Plan, usage: Usage, charges: Sequence[Charge], starts: int) -> Group:
    """Settled charges as one line of the bill, what the minimum charge adds beside it."""
    if not charges:
        return ()
    count = units(plan, usage)
    minimum = sum((charge.minimum for charge in charges), Fraction(0)) * count
    amount = sum((charge.amount for charge in charges), Fraction(0)) * count - minimum
    seconds = sum(charge.seconds for charge in charges) * count
    unit = plan.price_unit_seconds
    if unit is not None:
        quantity = Fraction(seconds, unit)
    else:
        quantity = amount / Fraction(plan.unit_price) if plan.unit_price else Fraction(seconds, 3600)
    topped = sum(charge.minimum > 0 for charge in charges) * count
    params = {"unit": plan.price_per, "starts": starts, "units": count}
    each = plain(minimum / topped) if topped else Decimal(0)
    return (
        Item("on-demand", quantity, plan.unit_price, amount, params),
        Item("minimum", Fraction(topped), each, minimum, {"unit": "start"}),
    )


def term_price(plan: Plan, back: Fraction = Fraction(0)) -> Fraction:
    """What one term costs for one card or machine, less what comes back: rounded, where the plan rounds piece by piece."""
    price = Fraction(plan.unit_price) - back
    return Fraction(round_money(price, plan.currency, plan.money_rounding)) if plan.round_at == "piece" else price


def term_items(plan: Plan, usage: Usage, spans: Sequence[Span], *, refunds: bool = True) -> Group:
    """Prepaid terms, and what comes back for the unused end of the last one."""
    if not spans:
        return ()
    count = units(plan, usage)
    prepaid = term_price(plan) * len(spans) * count
    assert plan.term is not None
    params = {"unit": "term", "term_unit": plan.term.unit, "term_count": plan.term.count, "units": count}
    bought = Item("term", Fraction(len(spans) * count), plan.unit_price, prepaid, params)
    back = refund(plan, spans[-1], usage.keep_until) if refunds else Fraction(0)
    if not back:
        return (bought,)
    back = term_price(plan) - term_price(plan, back)
    return bought, Item("refund", Fraction(count), plain(-back), -back * count, {"unit": "term", "units": count})


def disk_items(plan: Plan, usage: Usage) -> list[Group]:
    """Disk beyond the free quota while running, and while stopped until the release. A day is 24 hours."""
    if not usage.intervals:
        return []
    kept = max(usage.keep_until, usage.intervals[-1][1]) - usage.intervals[0][0]
    return disk_groups(plan, usage, usage.running, kept - usage.running)


def disk_groups(plan: Plan, usage: Usage, running: int, stopped: int) -> list[Group]:
    """Disk of all machines for so many microseconds running and stopped."""
    groups: list[Group] = []
    paid_gb = max(Fraction(0), Fraction(usage.disk_gb) - Fraction(plan.free_disk_gb)) * usage.machines
    if running and paid_gb and plan.disk_price_per_gb_day_running:
        price, gb_days = plan.disk_price_per_gb_day_running, paid_gb * running / DAY
        groups.append((Item("disk-running", gb_days, price, gb_days * Fraction(price), {"unit": "gb-day"}),))
    if stopped and paid_gb and plan.disk_price_per_gb_day_stopped:
        price, gb_days = plan.disk_price_per_gb_day_stopped, paid_gb * stopped / DAY
        groups.append((Item("disk-stopped", gb_days, price, gb_days * Fraction(price), {"unit": "gb-day"}),))
    return groups


def plan_notes(plan: Plan, usage: Usage) -> tuple[Note, ...]:
    """What is assumed about a plan's rules, for the reader of its cost."""
    named: list[tuple[str, dict[str, object]]] = []
    if plan.term is not None:
        named.append((f"{plan.term.unit}-{plan.means(plan.term.unit)}", {}))
        named.append(
            (f"after-{plan.after_term}", {"plan": plan.on_demand_plan} if plan.after_term == "on_demand" else {})
        )
        fee: dict[str, object] = {"fee": str(plan.refund_fee_percent)} if plan.unused == "refund_clawback" else {}
        named.append((f"unused-{plan.unused}", fee))
        if plan.refund_free_days:
            named.append(("refund-free", {"days": plan.refund_free_days}))
    else:
        if plan.price_per in ("day", "week", "month"):
            named.append((f"{plan.price_per}-{plan.means(plan.price_per)}", {}))
        named.append(("time-rounded", {"step": plan.billing_step_seconds}))
        if plan.pieces == "clock_hour":
            named.append(("clock-hours", {}))
        if plan.minimum_seconds or plan.minimum_charge:
            named.append(("minimum", {"seconds": plan.minimum_seconds, "charge": str(plan.minimum_charge)}))
        if plan.cap_hours_per_month is not None:
            named.append(("cap", {"hours": str(plan.cap_hours_per_month)}))
        if plan.stopped_gpu_billed:
            named.append(("stopped-billed", {}))
    named.append((f"rounding-{plan.round_at}", {"rule": plan.money_rounding}))
    if usage.disk_gb and (plan.disk_price_per_gb_day_running or plan.disk_price_per_gb_day_stopped):
        named.append(("disk", {"free": str(plan.free_disk_gb)}))
    if not plan.tax_percent:
        named.append(("tax-none", {}))
    else:
        tax = "tax-included" if plan.prices_include_tax else "tax-added"
        named.append((tax, {"percent": str(plan.tax_percent)}))
    return tuple(Note(code, params, (plan.name,)) for code, params in named)
