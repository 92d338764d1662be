"""One rental plan: the rules of the plan contract, read strictly."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, cast

from billing.costing.errors import CostingErrors, FieldError, nearest, shown
from billing.costing.fields import Fields, raise_all, read_list
from billing.costing.money import ROUNDINGS, Rounding, digits

PricePer = Literal["second", "minute", "hour", "day", "week", "month"]
TermUnit = Literal["day", "week", "month"]
Unused = Literal["lost", "refund_pro_rata", "refund_clawback"]
AfterTerm = Literal["renew", "on_demand", "stop"]

UNIT_SECONDS: Mapping[str, int] = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800}
MONTH_SECONDS: Mapping[str, int] = {
    "30d": 30 * 86_400,
    "720h": 720 * 3600,
    "730h": 730 * 3600,
    "365d/12": 365 * 86_400 // 12,
}
MOST_PLANS = 40
MOST_TERM_UNITS = {"day": 3660, "week": 520, "month": 120}
"""Ten years."""


@dataclass(frozen=True, slots=True)
class Term:
    """The prepaid time of one purchase."""

    unit: TermUnit
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The rules of a plan, names and defaults as in the plan contract. Prices in the currency, per card or machine (`per`)."""

    name: str
    currency: str
    unit_price: Decimal
    price_per: PricePer
    per: Literal["gpu", "machine"] = "gpu"
    billing_step_seconds: int = 1
    pieces: Literal["start", "clock_hour"] = "start"
    money_rounding: Rounding = "half_up"
    round_at: Literal["piece", "line", "total"] = "line"
    minimum_seconds: int = 0
    minimum_charge: Decimal = Decimal(0)
    cap_hours_per_month: Decimal | None = None
    term: Term | None = None
    day_means: Literal["24h", "calendar"] = "24h"
    week_means: Literal["168h", "calendar"] = "168h"
    month_means: Literal["30d", "720h", "730h", "365d/12", "calendar"] = "30d"
    unused: Unused = "lost"
    refund_fee_percent: Decimal = Decimal(0)
    list_price_per_hour: Decimal | None = None
    refund_free_days: int = 0
    after_term: AfterTerm = "renew"
    on_demand_plan: str | None = None
    stopped_gpu_billed: bool = False
    disk_price_per_gb_day_running: Decimal = Decimal(0)
    disk_price_per_gb_day_stopped: Decimal = Decimal(0)
    free_disk_gb: Decimal = Decimal(0)
    tax_percent: Decimal = Decimal(0)
    prices_include_tax: bool = False

    def means(self, unit: str) -> str:
        """What a day, week or month is in this plan."""
        return {"day": self.day_means, "week": self.week_means, "month": self.month_means}[unit]

    @property
    def price_unit_seconds(self) -> int | None:
        """Seconds the unit price is for; None where they are those of the calendar."""
        return self.seconds_of(self.price_per)

    def seconds_of(self, unit: str) -> int | None:
        """Seconds of a unit in this plan; None for a calendar day, week or month."""
        if unit in ("day", "week", "month") and self.means(unit) == "calendar":
            return None
        return MONTH_SECONDS[self.month_means] if unit == "month" else UNIT_SECONDS[unit]


FIELDS: tuple[str, ...] = tuple(Plan.__dataclass_fields__)
"""The contract's field names."""


def parse_plan(value: object, path: str = "plan") -> Plan:
    """A plan from its JSON form. Raises CostingErrors with everything wrong, each with its path."""
    errors: list[FieldError] = []
    fields = Fields(value, path, FIELDS, errors)
    currency = _currency(fields)
    term = _term(fields)
    plan = Plan(
        name=fields.text("name"),
        currency=currency,
        unit_price=fields.decimal("unit_price"),
        price_per=cast(
            PricePer, fields.choice("price_per", (*UNIT_SECONDS, "month"), default=term.unit if term else None)
        ),
        per=cast(Literal["gpu", "machine"], fields.choice("per", ("gpu", "machine"), "gpu")),
        billing_step_seconds=_step(fields),
        pieces=cast(Literal["start", "clock_hour"], fields.choice("pieces", ("start", "clock_hour"), "start")),
        money_rounding=cast(Rounding, fields.choice("money_rounding", ROUNDINGS, "half_up")),
        round_at=cast(Literal["piece", "line", "total"], fields.choice("round_at", ("piece", "line", "total"), "line")),
        minimum_seconds=fields.whole("minimum_seconds", 0, maximum=31_622_400, text=True),
        minimum_charge=fields.decimal("minimum_charge", "0"),
        cap_hours_per_month=fields.optional_decimal("cap_hours_per_month", minimum=1, maximum=1_000_000),
        term=term,
        day_means=cast(Literal["24h", "calendar"], fields.choice("day_means", ("24h", "calendar"), "24h")),
        week_means=cast(Literal["168h", "calendar"], fields.choice("week_means", ("168h", "calendar"), "168h")),
        month_means=cast(
            Literal["30d", "720h", "730h", "365d/12", "calendar"],
            fields.choice("month_means", (*MONTH_SECONDS, "calendar"), "30d"),
        ),
        unused=cast(Unused, fields.choice("unused", ("lost", "refund_pro_rata", "refund_clawback"), "lost")),
        refund_fee_percent=fields.decimal("refund_fee_percent", "0", maximum=1000),
        list_price_per_hour=fields.optional_decimal("list_price_per_hour"),
        refund_free_days=fields.whole("refund_free_days", 0, maximum=3660),
        after_term=cast(AfterTerm, fields.choice("after_term", ("renew", "on_demand", "stop"), "renew")),
        on_demand_plan=(fields.text("on_demand_plan", "") or None) if fields.has("on_demand_plan") else None,
        stopped_gpu_billed=fields.flag("stopped_gpu_billed", default=False),
        disk_price_per_gb_day_running=fields.decimal("disk_price_per_gb_day_running", "0"),
        disk_price_per_gb_day_stopped=fields.decimal("disk_price_per_gb_day_stopped", "0"),
        free_disk_gb=fields.decimal("free_disk_gb", "0"),
        tax_percent=fields.decimal("tax_percent", "0", maximum=100),
        prices_include_tax=fields.flag("prices_include_tax", default=False),
    )
    _check_together(plan, fields)
    fields.finish()
    return plan


def _currency(fields: Fields) -> str:
    if not fields.has("currency"):
        fields.note("currency", "missing")
        return "CNY"
    try:
        digits(fields.raw("currency"), fields.at("currency"))
    except FieldError as error:
        fields.errors.append(error)
        return "CNY"
    return str(fields.raw("currency"))


def _step(fields: Fields) -> int:
    step = fields.whole("billing_step_seconds", 1, minimum=1, maximum=86_400)
    if step in (1, 60, 3600, 86_400):
        return step
    fields.note("billing_step_seconds", "unknown-value", value=step, allowed="1, 60, 3600, 86400", suggestion="60")
    return 1


def _term(fields: Fields) -> Term | None:
    if not fields.has("term"):
        return None
    try:
        inner = Fields(fields.raw("term"), fields.at("term"), ("unit", "count"), [])
    except CostingErrors as error:
        fields.errors.extend(error.errors)
        return Term("month")
    unit = cast(TermUnit, inner.choice("unit", ("day", "week", "month")))
    count = inner.whole("count", 1, minimum=1, maximum=MOST_TERM_UNITS[unit])
    fields.errors.extend(inner.errors)
    return Term(unit, count)


def _check_together(plan: Plan, fields: Fields) -> None:
    """Fields that only make sense together."""
    if plan.term is not None and plan.price_per != plan.term.unit:
        fields.note("price_per", "price-per-not-term", unit=plan.term.unit, value=plan.price_per)
    if plan.term is not None and plan.after_term == "on_demand" and plan.on_demand_plan is None:
        fields.note("on_demand_plan", "on-demand-plan-missing")
    if plan.term is not None and plan.unused == "refund_clawback" and plan.list_price_per_hour is None:
        fields.note("list_price_per_hour", "list-price-missing")


def parse_plans(value: object, path: str = "plans") -> tuple[Plan, ...]:
    """The plans of one comparison: one currency, names that differ, follow-on plans that exist and are pay as you go."""
    try:
        items = read_list(value, path, maximum=MOST_PLANS)
    except FieldError as error:
        raise_all([error])
    plans: list[Plan] = []
    errors: list[FieldError] = []
    for index, item in enumerate(items):
        try:
            plans.append(parse_plan(item, f"{path}[{index}]"))
        except CostingErrors as error:
            errors.extend(error.errors)
    if errors:
        raise_all(errors)
    errors = check_plans(plans, path)
    if errors:
        raise_all(errors)
    return tuple(plans)


def check_plans(plans: list[Plan] | tuple[Plan, ...], path: str = "plans") -> list[FieldError]:
    """What is wrong between the plans of one comparison."""
    errors: list[FieldError] = []
    first_at: dict[str, int] = {}
    by_name = {plan.name: plan for plan in plans}
    for index, plan in enumerate(plans):
        at = f"{path}[{index}]"
        if plan.name in first_at:
            other = f"{path}[{first_at[plan.name]}].name"
            errors.append(FieldError(f"{at}.name", "duplicate-name", {"value": shown(plan.name), "other": other}))
        first_at.setdefault(plan.name, index)
        if plan.currency != plans[0].currency:
            params = {"value": plan.currency, "other": plans[0].currency}
            errors.append(FieldError(f"{at}.currency", "mixed-currencies", params))
        if plan.term is not None and plan.after_term == "on_demand" and plan.on_demand_plan is not None:
            follower = by_name.get(plan.on_demand_plan)
            named = shown(plan.on_demand_plan)
            if follower is None:
                params = {"value": named, "suggestion": nearest(named, [name for name in by_name if name != plan.name])}
                errors.append(FieldError(f"{at}.on_demand_plan", "on-demand-plan-unknown", params))
            elif follower.term is not None:
                errors.append(FieldError(f"{at}.on_demand_plan", "on-demand-plan-has-term", {"value": named}))
    return errors
