"""The result page as plain values: verdict, ranking, charts, what would change it, who was rejected, how we know."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from advisor import charts, labels
from advisor.answers import ConfigTextError, query_of
from advisor.library import library
from advisor.pages.charts_of import CostCurve, TimeCost, cost_curve, time_cost
from advisor.pages.sensitivity import Multiple, multiples
from advisor.pages.wizard import Line, answer_lines, demand_text, model_name, with_query
from advisor.recommendation import Advice, Choice, Recommendation, Rejection
from advisor.sentences import note_sentence
from advisor.sizing.answer import Evidence, Memory, Note, Speed
from advisor.sizing.gpu import Gpu
from advisor.sizing.workload import Workload
from advisor.sources import address_of
from advisor.templatetags.figures import about_hours, card_name, hours_figure, money_text, number, sign
from billing.charts import Tick, nice_ticks
from catalog.snapshot import PLAN_KINDS, Catalogue

MOST_FOR, MOST_AGAINST, MOST_HOW = 2, 2, 1
SHOWN_FIRST = 3
"""Choices drawn in full from the top; further ones only for a role, or because they are cheaper than the first."""
FOLD_FROM = 2
"""So many in a row without a role are folded into one line; a single one is drawn."""
PER_SECOND = frozenset(
    {"tokens_per_second", "images_per_second", "samples_per_second", "items_per_second", "frames_per_second"}
)


@dataclass(frozen=True, slots=True)
class PlanCell:
    """One of the six cells of a choice: a plan (or the mix) and what the use costs under it."""

    label: str
    total: Decimal | None
    note: str = ""
    best: bool = False


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


@dataclass(frozen=True, slots=True)
class Change:
    """A line of what would change the answer. `memory`: GiB after it, None where it stays."""

    text: str
    memory: float | None
    answer: str
    total_delta: Decimal | None
    currency: str
    hours_text: str
    href: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A card that was not chosen."""

    name: str
    slug: str
    fit: str
    reason: str
    more: str
    remedy: str


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


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Everything the page shows."""

    advice: Recommendation
    key: tuple[Line, ...]
    lead: str
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    scale_gib: float
    scale_ticks: tuple[Tick, ...]
    gauge: charts.MemoryBar | None
    gauge_end: float
    time_cost: TimeCost | None
    cost_curve: CostCurve | None
    changes: tuple[Change, ...]
    multiples: tuple[Multiple, ...]
    multiples_scale: float
    rejected: tuple[Rejected, ...]
    unoffered: int
    evidence: tuple[Measured, ...]
    cost_lines: tuple[CostLine, ...]
    time_formula: str
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    questions: tuple[str, ...]
    sizes: tuple[str, ...]
    edit: str
    tell: str
    query: str
    sign: str
    fitting: int

    @property
    def best(self) -> Row | None:
        """The recommended row."""
        return self.rows[0] if self.rows else None


def card_of(slug: str) -> Gpu | None:
    """The card's figures."""
    return library().gpus.get(slug)


def told(note: Note) -> str:
    """A note's sentence; that a card is a modified one is told by its tag, in the reader's language."""
    return note_sentence(note).replace(" (modified)", "")


def named(slug: str, count: int) -> str:
    """`2 × RTX 4090 24G`; one card without a number."""
    name = card_name(slug)
    return name if count == 1 else f"{count} × {name}"


def memory_figures(memory: Memory, card: Gpu) -> MemoryFigures:
    """Figures rounded so that parts add up, and need and spare add up to what is usable."""
    need, usable = round(memory.per_gpu_gib, 1), round(memory.usable_gib, 1)
    rounded = charts.rounded_parts(charts.drawn_parts(memory.parts), memory.per_gpu_gib)
    parts = tuple(
        (
            labels.PARTS.get(name, name.replace("_", " ")),
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
    level, confidence = labels.TIERS[speed.tier]
    return SpeedFigures(
        value=three_digits(speed.value),
        unit=str(labels.SPEED_UNITS.get(speed.unit, speed.unit)),
        low=three_digits(speed.low),
        high=three_digits(speed.high),
        limited_by=labels.LIMITED_BY.get(speed.limited_by, speed.limited_by),
        level=level,
        confidence=confidence,
    )


def three_digits(value: float) -> str:
    """A figure with three significant digits and separators."""
    if value == 0:
        return "0"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return number(round(value, digits), min(digits, 6)) if digits else number(float(f"{value:.3g}"), 0)


def quantity_text(kind: str, quantity: Decimal) -> str:
    """`2 day cards`, `27 hours`, `725 minutes`."""
    count = int(quantity) if quantity == int(quantity) else None
    shown = number(quantity)
    words = {
        "minute": ngettext("%(n)s minute", "%(n)s minutes", count or 2),
        "hour": ngettext("%(n)s hour", "%(n)s hours", count or 2),
        "day": ngettext("%(n)s day card", "%(n)s day cards", count or 2),
        "week": ngettext("%(n)s week card", "%(n)s week cards", count or 2),
        "month": ngettext("%(n)s month card", "%(n)s month cards", count or 2),
    }
    return words[kind] % {"n": shown}


def how_paid(choice: Choice, basis: str) -> str:
    """How the least cost comes about: `1 day card + 3 hours`."""
    if basis == "hour":
        return str(
            {"minute": _("by the minute"), "hour": _("by the hour")}.get(
                choice.cheapest_plan, labels.PLANS[choice.cheapest_plan]
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
            cells.append(PlanCell(str(labels.PLANS[kind]), None, _("not sold")))
            continue
        times = "" if kind == "minute" or basis == "hour" else f" ×{number(cost.quantity)}"
        best = choice.mix is None and kind == choice.cheapest_plan
        cells.append(PlanCell(f"{labels.PLANS[kind]}{times}", cost.total, best=best))
    if choice.mix:
        cells.append(PlanCell(str(labels.PLANS["mix"]), choice.mix.total, best=True))
    else:
        cells.append(
            PlanCell(str(labels.PLANS["mix"]), None, _("depends on hours") if basis == "hour" else _("no gain"))
        )
    return tuple(cells)


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
    tags = [str(labels.ROLES[role]) for role in choice.roles if role != "recommended"][:2]
    return tuple(tags)


def row_of(choice: Choice, basis: str, scale_gib: float, folded: bool) -> Row | None:
    """A choice as a row; None for a card without figures (there is none in practice)."""
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
        pros=tuple(told(note) for note in choice.reasons_for)[:MOST_FOR],
        cons=cons[:MOST_AGAINST],
        remedy=_remedy(choice),
        cells=plan_cells(choice, basis),
        folded=folded,
    )


def _remedy(choice: Choice) -> str:
    """What to do about a tight fit: a trial of ten minutes, with its price."""
    cost = choice.cost("minute")
    if choice.estimate.fit != "tight" or cost is None:
        return ""
    price = cost.effective_per_hour / 6
    return _("Try it for ten minutes first: about %(price)s") % {"price": money_text(price, choice.currency)}


def _folds(choices: Sequence[Choice]) -> list[bool]:
    """Which choices are folded: from the fourth on, those without a role; the cheapest of those below the first stays."""
    below = [one for one in choices if one.total < choices[0].total]
    cheapest = min(below, key=lambda one: one.total, default=None)
    return [one.rank > SHOWN_FIRST and not one.roles and one is not cheapest for one in choices]


def grouped(rows: Sequence[Row]) -> tuple[Group, ...]:
    """Rows in order, neighbours of one kind together; a lone row is never folded."""
    groups: list[Group] = []
    for row in rows:
        if groups and groups[-1].folded == row.folded:
            groups[-1] = Group((*groups[-1].rows, row), row.folded)
        else:
            groups.append(Group((row,), row.folded))
    return tuple(Group(group.rows, group.folded and len(group.rows) >= FOLD_FROM) for group in groups)


def lead_of(advice: Recommendation, fitting: int) -> str:
    """The sentence under the verdict: why this one, and what to take instead in a hurry or to save."""
    best = advice.recommended
    if best is None or not best.meets:
        return ""
    parts = []
    if fitting == 1:
        parts.append(_("The only one on offer that surely holds it."))
    elif "cheapest" in best.roles:
        parts.append(_("The cheapest of the %(count)s choices that fit.") % {"count": number(fitting)})
    elif "fastest" in best.roles:
        parts.append(_("The fastest of the %(count)s choices that fit.") % {"count": number(fitting)})
    elif best.meets and best.estimate.fit == "fits":
        parts.append(
            _("The best balance of money and time among the %(count)s choices that fit.") % {"count": number(fitting)}
        )
    other = _alternative(advice)
    if other:
        parts.append(other)
    return "".join(text if text.endswith("。") else f"{text} " for text in parts).strip()


def _alternative(advice: Recommendation) -> str:
    best = advice.recommended
    hours = best.span_hours if best else None
    if best is None or hours is None:
        return ""
    others = [
        one for one in advice.choices if one.span_hours and one.meets and one.estimate.fit == "fits" and one is not best
    ]
    faster = [one for one in others if one.span_hours is not None and one.span_hours < 0.9 * hours]
    if faster:
        one = min(faster, key=lambda choice: (choice.total, choice.span_hours))
        more = one.total - best.total
        values = {"card": named(one.gpu, one.count), "time": about_hours(hours - (one.span_hours or 0.0))}
        if more <= 0:
            return _("In a hurry, take %(card)s: done about %(time)s sooner.") % values
        return _("In a hurry, take %(card)s: %(money)s more, done about %(time)s sooner.") % {
            **values, "money": money_text(more, best.currency)}  # fmt: skip
    cheaper = [one for one in others if one.total < best.total]
    if cheaper:
        one = min(cheaper, key=lambda choice: choice.total)
        later = (one.span_hours or 0.0) - hours
        return _("To save, take %(card)s: %(money)s less, about %(time)s later.") % {
            "card": named(one.gpu, one.count),
            "money": money_text(best.total - one.total, best.currency),
            "time": about_hours(max(later, 0.0)),
        }
    return ""


def change_of(advice: Advice, currency: str) -> Change:
    """A line of what would change the answer."""
    href = ""
    if advice.workload is not None:
        try:
            href = with_query("result", query_of(advice.workload))
        except ConfigTextError:
            href = ""
    hours = told(advice.outcome) if advice.outcome and advice.total_delta is None and advice.hours_delta is None else ""
    if advice.hours_delta is not None and abs(advice.hours_delta) >= 0.05:
        shown = about_hours(abs(advice.hours_delta))
        hours = (_("about %(time)s later") if advice.hours_delta > 0 else _("about %(time)s sooner")) % {"time": shown}
    elif advice.speed_ratio is not None and abs(advice.speed_ratio - 1) >= 0.03:
        hours = _("%(times)s times the speed") % {"times": number(round(advice.speed_ratio, 2))}
    return Change(
        text=told(advice.note),
        memory=round(advice.memory_gib, 1) if advice.memory_gib is not None and advice.memory_saved_gib else None,
        answer=named(advice.gpu, advice.count or 1) if advice.gpu else "",
        total_delta=advice.total_delta,
        currency=advice.currency or currency,
        hours_text=hours,
        href=href,
    )


def rejected_of(rejection: Rejection) -> Rejected:
    """A rejected card with its deciding reason first."""
    first = rejection.reasons[0] if rejection.reasons else Note("not-offered")
    fit = "does_not_fit" if first.code in ("does-not-fit", "does-not-run") else ""
    more = [told(note) for note in rejection.reasons[1:2] if note.code != "sample-price"]
    return Rejected(
        name=named(rejection.gpu, rejection.count),
        slug=rejection.gpu,
        fit=fit,
        reason=told(first),
        more=_("; ").join(more),
        remedy=told(rejection.remedy) if rejection.remedy else "",
    )


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
        unit=str(labels.SPEED_UNITS.get(evidence.unit, evidence.unit)),
        source=evidence.source,
        href=address_of(evidence.source) or "",
        standing=standing,
    )


def cost_lines(choice: Choice, basis: str) -> tuple[CostLine, ...]:
    """The sum behind the least cost: quantity × cards × unit price, and what rounding makes of it."""
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
        amount = quantity * price * cards
        times = f"{quantity_text(kind, quantity)}" + (f" × {cards}" if cards > 1 else "")
        lines.append(CostLine(f"{times} × {number(price)}", amount))
    rest = choice.total - sum((line.amount for line in lines), Decimal(0))
    if abs(rest) >= Decimal("0.005"):
        lines.append(CostLine(_("Tax, disk, rounding and time beyond a term"), rest))
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
        "unit": str(labels.SPEED_UNITS.get(speed.unit, speed.unit)),
        "hours": hours_figure(estimate.hours),
    }
    if (
        speed.unit in PER_SECOND
        and demand["unit"] in ("tokens", "images", "samples")
        and abs(amount / demand["amount"] - 1) < 0.01
    ):
        return _("%(demand)s ÷ %(speed)s %(unit)s ÷ 3,600 ≈ %(hours)s h") % figures
    return _("%(demand)s at %(speed)s %(unit)s ≈ %(hours)s h") % figures


def result_page(advice: Recommendation, workload: Workload, catalogue: Catalogue) -> ResultPage:
    """The whole page for one recommendation."""
    basis = advice.basis.kind
    body = workload.to_dict()
    memories = [choice.estimate.memory for choice in advice.choices if choice.estimate.memory]
    sizes = [card.vram_gb for choice in advice.choices if (card := card_of(choice.gpu))]
    scale = charts.scale_of(sizes, (memory.high_gib for memory in memories))
    folds = _folds(advice.choices)
    rows = tuple(
        row
        for choice, folded in zip(advice.choices, folds, strict=True)
        if (row := row_of(choice, basis, scale, folded))
    )
    best = rows[0] if rows else None
    gauge, gauge_end = None, 0.0
    if best and best.choice.estimate.memory:
        memory = best.choice.estimate.memory
        gauge_end = max(best.card.vram_gb, min(memory.high_gib, 1.4 * best.card.vram_gb))
        gauge = charts.memory_bar(memory, best.card.vram_gb, gauge_end, ticks=True)
    fitting = sum(1 for choice in advice.choices if choice.estimate.fit == "fits" and choice.meets)
    shown_rejected = [one for one in advice.rejected if not _unoffered(one)]
    several = multiples(workload, best.choice, best.card) if best else ()
    query = query_of(workload)
    return ResultPage(
        advice=advice,
        key=answer_lines(body),
        lead=lead_of(advice, fitting),
        rows=rows,
        groups=grouped(rows),
        scale_gib=scale,
        scale_ticks=_scale_ticks(scale),
        gauge=gauge,
        gauge_end=round(gauge_end, 1),
        time_cost=time_cost(advice, catalogue),
        cost_curve=cost_curve(best.choice) if best else None,
        changes=tuple(change_of(one, advice.currency) for one in advice.advice),
        multiples=several,
        multiples_scale=max((one.scale for one in several), default=0.0),
        rejected=tuple(rejected_of(one) for one in shown_rejected),
        unoffered=len(advice.rejected) - len(shown_rejected),
        evidence=tuple(
            measured_of(one, workload.scenario, workload.task)
            for one in (best.choice.estimate.evidence if best else ())
        ),
        cost_lines=cost_lines(best.choice, basis) if best else (),
        time_formula=time_formula(best.choice, body) if best else "",
        assumptions=tuple(dict.fromkeys(told(note) for note in advice.assumptions)),
        warnings=tuple(told(note) for note in advice.warnings if note.code != "sample-price"),
        questions=tuple(told(note) for note in advice.questions),
        sizes=_sizes(advice) if best is None else (),
        edit=with_query("check", query),
        tell=with_query("amount", query),
        query=query,
        sign=sign(advice.currency),
        fitting=fitting,
    )


def _sizes(advice: Recommendation) -> tuple[str, ...]:
    """What the job needs on cards that fit but cannot be had: said where nothing can be recommended."""
    found = []
    for one in advice.rejected:
        memory = one.estimate.memory if one.estimate else None
        if memory is None or one.estimate is None or one.estimate.fit == "does_not_fit":
            continue
        found.append(
            _("%(card)s would hold it: %(need)s of %(usable)s GiB usable")
            % {
                "card": named(one.gpu, one.count),
                "need": number(memory.per_gpu_gib, 1),
                "usable": number(memory.usable_gib, 1),
            }
        )
    return tuple(found[:5])


def _unoffered(rejection: Rejection) -> bool:
    return bool(rejection.reasons) and rejection.reasons[0].code in ("not-offered", "no-spec")


def _scale_ticks(scale: float) -> tuple[Tick, ...]:
    values = [value for value in nice_ticks(0, scale, 4) if value <= scale * 1.001]
    ticks = [
        Tick(charts.share(value, scale), f"{value:g}", "" if value == 0 else "m")
        for value in values
        if value < scale * 0.9
    ]
    return (*ticks, Tick("100%", f"{number(round(scale))} GiB", "e"))
