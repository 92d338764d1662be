"""The choices of a result as rows: card, cost under each plan, memory bar, speed, reasons; which rows are drawn, which folded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from advisor import answer_labels, charts, labels
from advisor.pages.grounds import CostLine, cost_lines, time_formula
from advisor.pages.naming import card_of, named, quantity_text, three_digits, told
from advisor.recommendation import Choice, PlanCost
from advisor.sizing.answer import Memory, Speed
from advisor.sizing.gpu import Gpu
from advisor.templatetags.figures import money_text, number
from billing.charts import Tick, nice_ticks
from catalog.snapshot import PLAN_KINDS

MOST_FOR, MOST_AGAINST = 2, 2
ALMOST = Decimal("0.02")
SHOWN_FIRST = 3
"""Choices drawn in full from the top; further ones only for a role, or because they are cheaper than the first."""


@dataclass(frozen=True, slots=True)
class PlanCell:
    """One of the six cells of a choice: a plan (or the mix) and what the use costs under it."""

    label: str
    total: Decimal | None
    note: str = ""
    best: bool = False
    made_of: str = ""
    """Where another plan follows the terms: what was bought of both, `1 day card + 21 hours`."""


@dataclass(frozen=True, slots=True)
class MemoryFigures:
    """Memory as figures that agree with each other after rounding."""

    need: float
    low: float
    high: float
    usable: float
    card: float
    spare: float
    over: float
    driver: float
    parts: tuple[tuple[labels.Text, str, str, float], ...]


@dataclass(frozen=True, slots=True)
class SpeedFigures:
    """Speed as text: `620 tokens/s`, its interval, what limits it."""

    value: str
    unit: str
    low: str
    high: str
    limited_by: labels.Text
    level: int
    confidence: labels.Text


@dataclass(frozen=True, slots=True)
class Row:
    """One choice as the ranking shows it."""

    choice: Choice
    card: Gpu
    name: str
    anchor: str
    tags: tuple[str, ...]
    spec: tuple[str, ...]
    how_paid: str
    memory: MemoryFigures | None
    bar: charts.MemoryBar | None
    speed: SpeedFigures | None
    pros: tuple[str, ...]
    cons: tuple[str, ...]
    remedy: str
    cells: tuple[PlanCell, ...]
    cost_lines: tuple[CostLine, ...]
    time_formula: str
    folded: bool

    @property
    def long_figures(self) -> bool:
        """Whether six cells side by side would be too narrow."""
        return any(cell.total is not None and cell.total >= 10_000 for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Group:
    """Rows drawn one by one, or a run of folded ones."""

    rows: tuple[Row, ...]
    folded: bool

    @property
    def first(self) -> int:
        """Rank of its first row."""
        return self.rows[0].choice.rank

    @property
    def last(self) -> int:
        """Rank of its last row."""
        return self.rows[-1].choice.rank


def memory_figures(memory: Memory, card: Gpu) -> MemoryFigures:
    """Figures rounded so that parts add up, and need and spare add up to what is usable."""
    need, usable = round(memory.per_gpu_gib, 1), round(memory.usable_gib, 1)
    rounded = charts.rounded_parts(charts.drawn_parts(memory.parts), memory.per_gpu_gib)
    parts = tuple(
        (
            answer_labels.PARTS.get(name, name.replace("_", " ")),
            charts.PART_CLASSES.get(name, "p2"),
            charts.PART_FILLS.get(name, ""),
            size,
        )
        for name, size in rounded.items()
        if size > 0
    )
    return MemoryFigures(
        need=need,
        low=round(memory.low_gib, 1),
        high=round(memory.high_gib, 1),
        usable=usable,
        card=card.vram_gb,
        spare=round(usable - need, 1),
        over=round(round(memory.high_gib, 1) - usable, 1),
        driver=round(card.vram_gb - usable, 1),
        parts=parts,
    )


def speed_figures(speed: Speed) -> SpeedFigures:
    """Speed to three significant digits."""
    level, confidence = answer_labels.TIERS[speed.tier]
    return SpeedFigures(
        value=three_digits(speed.value),
        unit=str(answer_labels.SPEED_UNITS.get(speed.unit, speed.unit)),
        low=three_digits(speed.low),
        high=three_digits(speed.high),
        limited_by=answer_labels.LIMITED_BY.get(speed.limited_by, speed.limited_by),
        level=level,
        confidence=confidence,
    )


def how_paid(choice: Choice, basis: str) -> str:
    """How the least cost comes about: `1 day card + 3 hours`."""
    if basis == "hour":
        return str(
            {"minute": _("by the minute"), "hour": _("by the hour")}.get(
                choice.cheapest_plan, answer_labels.PLANS[choice.cheapest_plan]
            )
        )
    if choice.mix:
        return " + ".join(quantity_text(part.kind, part.quantity) for part in choice.mix.parts)
    cost = choice.cost(choice.cheapest_plan)
    return quantity_text(choice.cheapest_plan, cost.quantity) if cost else ""


def plan_cells(choice: Choice, basis: str) -> tuple[PlanCell, ...]:
    """Minute, hour, day, week, month and the mix; what is not sold is said."""
    cells = []
    for kind in PLAN_KINDS:
        cost = choice.cost(kind)
        if cost is None:
            cells.append(PlanCell(str(answer_labels.PLANS[kind]), None, _("not sold")))
            continue
        times = "" if kind == "minute" or basis == "hour" else f" ×{number(cost.quantity)}"
        best = choice.mix is None and kind == choice.cheapest_plan
        made_of = "" if basis == "hour" else _made_of(choice, cost)
        cells.append(PlanCell(f"{answer_labels.PLANS[kind]}{times}", cost.total, best=best, made_of=made_of))
    if choice.mix:
        cells.append(PlanCell(str(answer_labels.PLANS["mix"]), choice.mix.total, best=True))
    else:
        cells.append(
            PlanCell(str(answer_labels.PLANS["mix"]), None, _("depends on hours") if basis == "hour" else _("no gain"))
        )
    return tuple(cells)


def _made_of(choice: Choice, cost: PlanCost) -> str:
    """A prepaid plan's terms and what its cost holds beyond them, where another plan follows; empty where nothing does."""
    plan = choice.offer.plan(cost.kind) or {}
    follower = next((one for one in choice.offer.plans if one["name"] == plan.get("on_demand_plan")), None)
    if follower is None or plan.get("after_term") != "on_demand":
        return ""
    left = _untaxed(cost.total, plan) - cost.quantity * _price_of_all(plan, choice)
    per_unit = _price_of_all(follower, choice)
    if left <= 0 or not per_unit:
        return ""
    exact = left / per_unit
    # money is rounded to the cent, so a whole number of hours comes out as one only nearly
    beyond = Decimal(round(exact)) if abs(exact - round(exact)) < ALMOST else round(exact, 1)
    return f"{quantity_text(cost.kind, cost.quantity)} + {quantity_text(str(follower['kind']), beyond)}"


def _price_of_all(plan: Mapping[str, object], choice: Choice) -> Decimal:
    units = choice.count if plan.get("per", "gpu") == "gpu" else choice.offer.nodes
    return Decimal(str(plan["unit_price"])) * units


def _untaxed(total: Decimal, plan: Mapping[str, object]) -> Decimal:
    """A total without the tax that its unit prices do not hold."""
    percent = Decimal(0) if plan.get("prices_include_tax") else Decimal(str(plan.get("tax_percent", "0")))
    return total * 100 / (100 + percent)


def _ecc_word(card: Gpu) -> str:
    if card.ecc is None:
        return _("ECC unknown")
    return _("ECC") if card.ecc else _("no ECC")


def _spec(card: Gpu, choice: Choice) -> tuple[str, ...]:
    fp16 = card.fp16_tensor_fp32acc_tflops
    parts = [f"{card.vram_gb:g} GB", f"{number(round(card.memory_bandwidth_gb_s))} GB/s"]
    if fp16:
        parts.append(f"FP16 {number(fp16)} TFLOPS")
    parts.append(_ecc_word(card))
    if choice.count > 1:
        parts.append(_link_word(choice))
    return tuple(parts)


def _link_word(choice: Choice) -> str:
    spread = choice.estimate.spread
    ways = [
        (spread.tensor, _("tensor parallel")),
        (spread.pipeline, _("pipeline")),
        (spread.sharded, _("sharded")),
        (spread.data, _("copies")),
    ]
    how = _(", ").join(f"{word} ×{count}" for count, word in ways if count > 1)
    link = {"nvlink": "NVLink", "pcie": "PCIe", "network": _("network"), "none": ""}[spread.link]
    return " ".join(part for part in (how, f"({link})" if link else "") if part)


def _tags(choice: Choice, card: Gpu) -> tuple[str, ...]:
    tags = [str(answer_labels.ROLES[role]) for role in choice.roles if role != "recommended"][:2]
    return tuple(tags)


def row_of(choice: Choice, basis: str, body: Mapping[str, Any], scale_gib: float, folded: bool) -> Row | None:
    """A choice as a row, for the workload `body`; None for a card without figures (there is none in practice).

    That prices are samples and that the first choice only comes nearest is told once, above.
    """
    card = card_of(choice.gpu)
    if card is None:
        return None
    memory = choice.estimate.memory
    cons = tuple(told(note) for note in choice.reasons_against if note.code != "sample-price")
    return Row(
        choice=choice,
        card=card,
        name=named(choice.gpu, choice.count),
        anchor=f"{choice.gpu}-{choice.count}",
        tags=_tags(choice, card),
        spec=_spec(card, choice),
        how_paid=how_paid(choice, basis),
        memory=memory_figures(memory, card) if memory else None,
        bar=charts.memory_bar(memory, card.vram_gb, scale_gib) if memory else None,
        speed=speed_figures(choice.estimate.speed) if choice.estimate.speed else None,
        pros=tuple(told(note) for note in choice.reasons_for if note.code != "nearest")[:MOST_FOR],
        cons=cons[:MOST_AGAINST],
        remedy=_remedy(choice),
        cells=plan_cells(choice, basis),
        cost_lines=cost_lines(choice, basis),
        time_formula=time_formula(choice, body),
        folded=folded,
    )


def _remedy(choice: Choice) -> str:
    """What to do about a tight fit: a trial of ten minutes, with its price."""
    cost = choice.cost("minute")
    if choice.estimate.fit != "tight" or cost is None:
        return ""
    price = cost.effective_per_hour / 6
    return _("Try it for ten minutes first: about %(price)s") % {"price": money_text(price, choice.currency)}


def folds(choices: Sequence[Choice]) -> list[bool]:
    """Which choices are folded: from the fourth on, those without a role; the cheapest of those below the first stays."""
    below = [one for one in choices if one.total < choices[0].total]
    cheapest = min(below, key=lambda one: one.total, default=None)
    return [one.rank > SHOWN_FIRST and not one.roles and one is not cheapest for one in choices]


def grouped(rows: Sequence[Row]) -> tuple[Group, ...]:
    """Rows in order, neighbours of one kind together."""
    groups: list[Group] = []
    for row in rows:
        if groups and groups[-1].folded == row.folded:
            groups[-1] = Group((*groups[-1].rows, row), row.folded)
        else:
            groups.append(Group((row,), row.folded))
    return tuple(groups)


def scale_ticks(scale: float) -> tuple[Tick, ...]:
    values = [value for value in nice_ticks(0, scale, 4) if value <= scale * 1.001]
    ticks = [
        Tick(charts.share(value, scale), f"{value:g}", "" if value == 0 else "m")
        for value in values
        if value < scale * 0.9
    ]
    return (*ticks, Tick("100%", f"{number(round(scale))} GiB", "e"))
