"""Short ways to write plans and usages in tests of costing."""

from typing import Any

from billing.costing.cost import PlanCost, cost
from billing.costing.errors import CostingErrors, FieldError
from billing.costing.plans import Plan, parse_plan, parse_plans
from billing.costing.usage import Usage, parse_usage


def plan(**fields: Any) -> Plan:
    """An hourly plan at 1 CNY unless said otherwise."""
    given = {"name": "plan", "currency": "CNY", "unit_price": "1", **fields}
    if "term" not in given:
        given.setdefault("price_per", "hour")
    return parse_plan(given)


def term(unit: str, price: str, count: int = 1, **fields: Any) -> Plan:
    """A prepaid plan."""
    return plan(name=fields.pop("name", unit), unit_price=price, term={"unit": unit, "count": count}, **fields)


def usage(*intervals: tuple[str, str], zone: str = "Asia/Shanghai", **fields: Any) -> Usage:
    """Intervals of a zone."""
    return parse_usage({"intervals": [list(pair) for pair in intervals], "timezone": zone, **fields})


def total(a_plan: Plan, a_usage: Usage, *others: Plan) -> str:
    """The total as JSON shows it."""
    return str(costed(a_plan, a_usage, *others).total)


def costed(a_plan: Plan, a_usage: Usage, *others: Plan) -> PlanCost:
    """The cost, its lines checked to add up and never below zero."""
    found = cost(a_plan, a_usage, {other.name: other for other in others})
    assert sum(line.amount for line in found.lines) == found.total
    assert found.total >= 0
    return found


def errors_of(read: Any, *args: Any) -> list[tuple[str, str]]:
    """(path, code) of everything wrong; every sentence can be written."""
    found: tuple[FieldError, ...] = ()
    try:
        read(*args)
    except CostingErrors as caught:
        found = caught.errors
    assert all(error.sentence and str(error) for error in found)
    return [(error.path, error.code) for error in found]


__all__ = ["costed", "errors_of", "parse_plan", "parse_plans", "parse_usage", "plan", "term", "total", "usage"]
