"""Where a result's figures come from: the nearest measurements, the sum behind the cost, the line behind the time."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from advisor import answer_labels, labels
from advisor.pages.naming import named, quantity_text, three_digits
from advisor.pages.wizard import demand_text, model_name
from advisor.recommendation import Choice
from advisor.sizing.answer import Evidence
from advisor.sources import address_of
from advisor.templatetags.figures import hours_figure, number
from billing.costing.money import digits, round_money

PER_SECOND = frozenset(
    {"tokens_per_second", "images_per_second", "samples_per_second", "items_per_second", "frames_per_second"}
)


@dataclass(frozen=True, slots=True)
class Measured:
    """A published measurement near the answer."""

    what: str
    value: str
    unit: str
    source: str
    href: str
    standing: str


@dataclass(frozen=True, slots=True)
class CostLine:
    """A line of the sum behind a cost."""

    text: str
    amount: Decimal


STANDINGS = ((0.05, "same"), (0.6, "near"), (math.inf, "far"))
"""Distance of a measurement -> how near it is."""


def setting_text(what: str, scenario: str, task: str) -> str:
    """A measurement's setting in the reader's words: `whisper-large-v3 · batch=1` -> `Whisper large-v3 · At once 1`."""
    parts = what.split(" · ")
    told = [model_name(parts[0])]
    for part in parts[1:]:
        name, _equals, value = part.partition("=")
        words = str(labels.SHORT.get(name) or labels.field_words(scenario, task, name).label)
        if value in ("True", "False"):
            told.append(words if value == "True" else _("no %(what)s") % {"what": words})
        elif re.fullmatch(r"[0-9.]+", value):
            told.append(f"{words} {number(Decimal(value))}")
        else:
            told.append(str(labels.choice_words(scenario, name, value).label))
    return _(" · ").join(told)


def measured_of(evidence: Evidence, scenario: str, task: str) -> Measured:
    """A measurement with its source and how near it is."""
    card = named(evidence.gpu, evidence.count) if evidence.gpu else ""
    nearness = next(word for limit, word in STANDINGS if evidence.distance <= limit)
    standing = {"same": _("the same work"), "near": _("close to this"), "far": _("related")}[nearness]
    return Measured(
        what=_(" · ").join(part for part in (setting_text(evidence.what, scenario, task), card) if part),
        value=three_digits(evidence.value),
        unit=str(answer_labels.SPEED_UNITS.get(evidence.unit, evidence.unit)),
        source=evidence.source,
        href=address_of(evidence.source) or "",
        standing=standing,
    )


def cost_lines(choice: Choice, basis: str) -> tuple[CostLine, ...]:
    """The sum behind the least cost, each line to the cent: quantity × cards × unit price, and the rest to the total by its name."""
    if basis == "hour":
        return ()
    cost = choice.cost(choice.cheapest_plan)
    parts = (
        [(part.kind, part.quantity) for part in choice.mix.parts]
        if choice.mix
        else [(choice.cheapest_plan, cost.quantity)]
        if cost
        else []
    )
    lines = []
    for kind, quantity in parts:
        plan = choice.offer.plan(kind)
        if plan is None:
            return ()
        price = Decimal(str(plan["unit_price"]))
        cards = choice.count if plan.get("per", "gpu") == "gpu" else choice.offer.nodes
        amount = round_money(quantity * price * cards, choice.currency, "half_up")
        times = f"{quantity_text(kind, quantity)}" + (f" × {cards}" if cards > 1 else "")
        lines.append(CostLine(f"{times} × {number(price)}", amount))
    rest = choice.total - sum((line.amount for line in lines), Decimal(0))
    if rest:
        cents = Decimal(len(lines)).scaleb(-digits(choice.currency))
        name = _("Rounding") if abs(rest) <= cents else _("Tax, disk, rounding and time beyond a term")
        lines.append(CostLine(name, rest))
    return tuple(lines)


def time_formula(choice: Choice, body: Mapping[str, Any]) -> str:
    """How the hours come about, as a line a reader can check."""
    estimate, demand = choice.estimate, body.get("demand")
    if estimate.hours is None or estimate.speed is None or demand is None:
        return ""
    speed = estimate.speed
    amount = estimate.hours * 3600 * speed.value
    figures = {
        "demand": demand_text(demand),
        "speed": three_digits(speed.value),
        "unit": str(answer_labels.SPEED_UNITS.get(speed.unit, speed.unit)),
        "hours": hours_figure(estimate.hours),
    }
    if (
        speed.unit in PER_SECOND
        and demand["unit"] in ("tokens", "images", "samples")
        and abs(amount / demand["amount"] - 1) < 0.01
    ):
        return _("%(demand)s ÷ %(speed)s %(unit)s ÷ 3,600 ≈ %(hours)s h") % figures
    return _("%(demand)s at %(speed)s %(unit)s ≈ %(hours)s h") % figures
