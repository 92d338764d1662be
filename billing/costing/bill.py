"""Exact items become rounded lines that add up to a total, by the plan's rounding and tax."""

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal

from billing.costing.fields import MOST_DECIMALS
from billing.costing.money import Rounding, add, allocate, plain, round_money, text
from billing.costing.plans import Plan

What = Literal["on-demand", "minimum", "term", "refund", "disk-running", "disk-stopped", "tax"]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing charged, exact. The quantity counts the unit the price is for (`params["unit"]`), over all cards or machines."""

    what: What
    quantity: Fraction
    unit_price: Decimal
    exact: Fraction
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a breakdown. `what` is a code; `params`: `plan`, `unit` and figures for its words."""

    what: What
    quantity: Decimal
    unit_price: Decimal
    amount: Decimal
    params: Mapping[str, object]


Group = tuple[Item, ...]
"""Items that are rounded together as one line of the bill; the last of them takes what rounding leaves."""


def bill(plan: Plan, groups: Sequence[Group]) -> tuple[Line, ...]:
    """The lines of what one plan charges, tax included; their amounts add up."""
    groups = [
        kept for group in groups if (kept := tuple(item for item in group if item.exact or item.what != "minimum"))
    ]
    items = [item for group in groups for item in group]
    added_tax = Fraction(0) if plan.prices_include_tax else Fraction(plan.tax_percent) / 100
    if plan.round_at == "total":
        net = sum((item.exact for item in items), Fraction(0))
        if added_tax and items:
            items.append(_tax(plan, net, net * added_tax))
        exact = [item.exact for item in items]
        total = round_money(sum(exact, Fraction(0)), plan.currency, plan.money_rounding)
        return _lines(plan, items, allocate(total, exact, plan.currency))
    amounts = [amount for group in groups for amount in _rounded(group, plan.currency, plan.money_rounding)]
    if added_tax and items:
        net = sum((Fraction(amount) for amount in amounts), Fraction(0))
        items.append(_tax(plan, net, net * added_tax))
        amounts.append(round_money(net * added_tax, plan.currency, plan.money_rounding))
    return _lines(plan, items, amounts)


def _rounded(group: Group, currency: str, rule: Rounding) -> list[Decimal]:
    total = round_money(sum((item.exact for item in group), Fraction(0)), currency, rule)
    parts = [round_money(item.exact, currency, rule) for item in group[:-1]]
    rest = Fraction(total) - sum((Fraction(part) for part in parts), Fraction(0))
    return [*parts, round_money(rest, currency, rule)]


def _tax(plan: Plan, net: Fraction, exact: Fraction) -> Item:
    # quantity x unit price is the amount on this line too
    share = plain(Fraction(plan.tax_percent) / 100, places=MOST_DECIMALS + 2)
    return Item("tax", net, share, exact, {"unit": "net", "percent": text(plan.tax_percent)})


def _lines(plan: Plan, items: Sequence[Item], amounts: Sequence[Decimal]) -> tuple[Line, ...]:
    return tuple(
        Line(item.what, _quantity(item), item.unit_price, amount, {"plan": plan.name, **item.params})
        for item, amount in zip(items, amounts, strict=True)
    )


def _quantity(item: Item) -> Decimal:
    """With as many decimals as make quantity x unit price the amount again: a share of a week or month is a small number."""
    return plain(item.quantity, 9 if item.params.get("unit") in ("day", "week", "month") else 6)


def total_of(lines: Sequence[Line], currency: str) -> Decimal:
    """The sum of the lines' amounts."""
    return add([line.amount for line in lines], currency)
