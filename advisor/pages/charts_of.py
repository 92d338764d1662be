"""The two charts of the result: time against cost over the choices, and cost against hours for the recommended one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from django.utils.translation import gettext as _

from advisor import charts, labels
from advisor.costs import ZONE, plans_of
from advisor.recommendation import Choice, Recommendation
from advisor.survey import rate_of
from advisor.templatetags.figures import card_name, hours_figure, number
from billing.costing.break_even import break_evens, curve
from billing.costing.mix import cheapest_mix
from billing.costing.mix_search import MixTooLarge
from billing.costing.moments import HOUR
from billing.costing.plans import Plan
from billing.costing.usage import Usage
from catalog.snapshot import Catalogue, Offer, PlanKind

RANGES = (24, 72, 168, 336, 720, 1440, 4320, 8760)
"""Hours a cost chart may span; the one that leaves the own use in its first 60 % is taken."""
DEFAULT_RANGE = 720
POINTS = 60
MIX_POINTS = 30
TABLE_HOURS = (1, 8, 24, 72, 168, 336, 720)
BATCHES: Mapping[str, tuple[float, str, bool]] = {
    "tokens_per_second": (1e6, "million-tokens", False),
    "images_per_second": (1e5, "hundred-thousand-images", False),
    "samples_per_second": (1e5, "hundred-thousand-samples", False),
    "items_per_second": (1e5, "hundred-thousand-items", False),
    "frames_per_second": (1e6, "million-frames", False),
    "steps_per_second": (1e5, "hundred-thousand-steps", False),
    "seconds_per_image": (1000.0, "thousand-images", True),
    "seconds_per_video": (100.0, "hundred-videos", True),
    "seconds": (100.0, "hundred-runs", True),
}
"""Speed unit -> how much work is compared where the job's size is not known, and whether the unit counts seconds."""


@dataclass(frozen=True, slots=True)
class TimeRow:
    """A line of the data table of time and cost."""

    name: str
    fit: labels.Text
    hours: float
    cost: Decimal
    on_front: bool


@dataclass(frozen=True, slots=True)
class TimeCost:
    """Time against cost: the finding as a heading, the drawing, its table. `work`: what is compared where the job is open-ended."""

    heading: str
    label: str
    chart: charts.Front
    rows: tuple[TimeRow, ...]
    work: str


@dataclass(frozen=True, slots=True)
class CurveRow:
    """A line of the data table of cost against hours: plan cells in the order of the head, least marked."""

    hours: int
    cells: tuple[tuple[Decimal, bool], ...]


@dataclass(frozen=True, slots=True)
class CurveLine:
    """A drawn plan with its direct label."""

    line: charts.HoursLine
    label: str


@dataclass(frozen=True, slots=True)
class CostCurve:
    """Cost against hours of one run."""

    heading: str
    note: str
    label: str
    chart: charts.HoursChart
    lines: tuple[CurveLine, ...]
    mix_label: str
    own_label: str
    heads: tuple[str, ...]
    rows: tuple[CurveRow, ...]
    axis: str


def short_name(slug: str, count: int) -> str:
    """A card's name as a chart label: without the maker's series where that leaves it clear."""
    name = card_name(slug).removeprefix("RTX ").replace(" Super", "S")
    return name if count == 1 else f"{count}× {name}"


def work_text(kind: str) -> str:
    """What is compared where the job's size is not known."""
    words = {
        "million-tokens": _("one million tokens"),
        "hundred-thousand-images": _("100,000 pictures"),
        "hundred-thousand-samples": _("100,000 samples"),
        "hundred-thousand-items": _("100,000 items"),
        "million-frames": _("one million frames"),
        "hundred-thousand-steps": _("100,000 steps"),
        "thousand-images": _("1,000 pictures"),
        "hundred-videos": _("100 videos"),
        "hundred-runs": _("100 runs"),
        "hundred-audio-hours": _("100 hours of audio"),
        "hundred-ns": _("100 nanoseconds"),
    }
    return words.get(kind, "")


def _batch_hours(choice: Choice) -> tuple[float, str] | None:
    """Hours for a usual amount of work at full load, and what that amount is."""
    speed = choice.estimate.speed
    if speed is None or not rate_of(speed):
        return None
    if speed.unit == "x_realtime":
        return 100 / speed.value, "hundred-audio-hours"
    if speed.unit == "ns_per_day":
        return 100 / speed.value * 24, "hundred-ns"
    if speed.unit not in BATCHES:
        return None
    amount, word, seconds = BATCHES[speed.unit]
    return (amount * speed.value if seconds else amount / speed.value) / 3600, word


def _hourly(choice: Choice, advice: Recommendation) -> Decimal:
    """What an hour of use costs on this basis."""
    if advice.basis.kind == "hour" or not advice.basis.scheduled_hours:
        return choice.total
    return choice.total / Decimal(repr(advice.basis.scheduled_hours))


def _spots(advice: Recommendation) -> tuple[list[tuple[Choice, float, Decimal]], str]:
    found: list[tuple[Choice, float, Decimal]] = []
    work = ""
    for choice in advice.choices:
        if not choice.meets:
            continue
        if advice.basis.kind.startswith("job"):
            if choice.span_hours:
                found.append((choice, choice.span_hours, choice.total))
            continue
        batch = _batch_hours(choice)
        if batch is not None:
            hours, work = batch
            cost = (_hourly(choice, advice) * Decimal(repr(hours))).quantize(Decimal("0.0001"))
            found.append((choice, hours, cost))
    return found, work_text(work)


def time_cost(advice: Recommendation, catalogue: Catalogue) -> TimeCost | None:
    """The chart; None with fewer than two comparable choices."""
    spots, work = _spots(advice)
    if len(spots) < 2:
        return None
    best = advice.recommended
    drawn = [
        charts.Spot(
            key=choice.offer.sku,
            label=short_name(choice.gpu, choice.count),
            hours=hours,
            cost=float(cost),
            tight=choice.estimate.fit == "tight",
            chosen=choice is best,
        )
        for choice, hours, cost in spots
    ]
    chart = charts.front_chart(drawn, lambda value: number(round(value, 4)))
    on_front = set(chart.on_front)
    rows = [
        TimeRow(_name(choice), labels.FITS[choice.estimate.fit], hours, cost, choice.offer.sku in on_front)
        for choice, hours, cost in sorted(spots, key=lambda one: one[1])
    ]
    front = _(", ").join(
        short_name(choice.gpu, choice.count)
        for choice, _h, _c in sorted(spots, key=lambda one: one[1])
        if choice.offer.sku in on_front
    )
    label = _("Scatter of hours against cost. On the front, fastest first: %(cards)s.") % {"cards": front}
    return TimeCost(_finding(spots, on_front, best, work), label, chart, tuple(rows), work)


def _name(choice: Choice) -> str:
    name = card_name(choice.gpu)
    return name if choice.count == 1 else f"{choice.count} × {name}"


def _finding(spots: Sequence[tuple[Choice, float, Decimal]], on_front: set[str], best: Choice | None, work: str) -> str:
    """The heading: the other card on the front most worth weighing, with both differences in per cent."""
    own = next(((choice, hours, cost) for choice, hours, cost in spots if choice is best), None)
    if own is None:
        return _("Time against cost")
    _choice, hours, cost = own
    rivals = [
        one for one in spots if one[0].offer.sku in on_front and one[0] is not best and one[0].estimate.fit == "fits"
    ]
    faster = [one for one in rivals if one[1] < hours * 0.95]
    if faster:
        other = min(faster, key=lambda one: (float(one[2] / cost) if cost else 0.0) * (one[1] / hours) ** 0.5)
        dear = round(float(other[2] / cost - 1) * 100) if cost else 0
        values = {
            "card": _name(other[0]),
            "fast": round((1 - other[1] / hours) * 100),
            "dear": dear,
        }
        if dear <= 0:
            return _("%(fast)s%% less time for no more money: %(card)s is the one to weigh") % values
        return _("%(fast)s%% less time for %(dear)s%% more money: %(card)s is the one to weigh") % values
    cheaper = [one for one in rivals if one[2] < cost * Decimal("0.98")]
    if cheaper:
        other = min(cheaper, key=lambda one: one[2])
        figures = {
            "card": _name(other[0]),
            "late": round((other[1] / hours - 1) * 100),
            "save": round(float(1 - other[2] / cost) * 100) if cost else 0,
        }
        return _("%(save)s%% less money for %(late)s%% more time: %(card)s is the one to weigh") % figures
    return _("No other card beats it on time or on cost")


def _usage(offer: Offer, hours: Decimal) -> Usage:
    length = max(1, round(hours * HOUR))
    return Usage(intervals=((0, length),), zone=ZONE, keep_until=length, gpus=offer.gpus_per_node, machines=offer.nodes)


def cost_curve(choice: Choice) -> CostCurve | None:
    """Cost against hours of one run on the recommended machine; None without prices."""
    plans = plans_of(choice.offer)
    if not plans:
        return None
    own = choice.estimate.hours
    span = next(
        (end for end in RANGES if own is not None and own <= 0.6 * end),
        RANGES[-1] if own is not None else DEFAULT_RANGE,
    )
    if own is not None and own > RANGES[-1]:
        return None
    usage = _usage(choice.offer, Decimal(span))
    known = {plan.name: plan for _kind, plan in plans}
    drawn = {kind: [(float(h), float(c)) for h, c in curve(plan, span, POINTS, usage, known)] for kind, plan in plans}
    mix = _mix_line(choice.offer, span, tuple(plan for _kind, plan in plans))
    top = max((cost for _h, cost in mix), default=0.0)
    shown: dict[str, list[tuple[float, float]]] = {
        kind: points for kind, points in drawn.items() if points[0][1] <= 1.6 * top or kind in ("minute", "hour")
    }
    breaks = _breaks(choice.offer, plans, span, shown)
    chart = charts.hours_chart(
        shown,
        mix,
        [(hours, cost) for hours, cost, _text in breaks],
        own,
        _hour_ticks(span),
        lambda value: number(round(value, 4)),
    )
    lines = tuple(CurveLine(line, str(labels.PLANS[line.key])) for line in chart.plans)
    card = short_name(choice.gpu, choice.count)
    paid = _mix_words(choice)
    heading = (
        _("%(card)s: %(plan)s is cheapest this time") % {"card": card, "plan": paid}
        if own is not None
        else _("%(card)s: the longer you rent, the cheaper the hour") % {"card": card}
    )
    note = _("; ").join(text for _h, _c, text in breaks) or _("No plan overtakes another within these hours.")
    return CostCurve(
        heading=heading,
        note=_("Used without a break: %(breaks)s") % {"breaks": note},
        label=_("Lines of cost against hours of one run. %(breaks)s") % {"breaks": note},
        chart=chart,
        lines=lines,
        mix_label=_("cheapest mix"),
        own_label=_("your job %(hours)s h") % {"hours": hours_figure(own)} if own is not None else "",
        heads=tuple(str(labels.PLANS[kind]) for kind, _plan in plans) + ((str(labels.PLANS["mix"]),) if mix else ()),
        rows=_curve_rows(choice.offer, plans, own),
        axis=_("hours in one run"),
    )


def _mix_words(choice: Choice) -> str:
    kinds = [part.kind for part in choice.mix.parts] if choice.mix else [choice.cheapest_plan]
    words = {
        "minute": _("the minute"),
        "hour": _("the hour"),
        "day": _("a day card"),
        "week": _("a week card"),
        "month": _("a month card"),
    }
    return _(" with ").join(words[kind] for kind in kinds)


class _Key:
    """An offer as a cache key: the very object."""

    __slots__ = ("offer",)

    def __init__(self, offer: Offer) -> None:
        self.offer = offer

    def __hash__(self) -> int:
        return id(self.offer)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and other.offer is self.offer


def _mix_line(offer: Offer, span: int, plans: tuple[Plan, ...]) -> list[tuple[float, float]]:
    """The cheapest mix at evenly spaced hours and at every whole day."""
    return _mix_points(_Key(offer), span, plans)


@lru_cache(maxsize=64)
def _mix_points(key: _Key, span: int, plans: tuple[Plan, ...]) -> list[tuple[float, float]]:
    step = max(1, span // MIX_POINTS)
    points = [(0.0, 0.0)]
    for hours in range(step, span + 1, step):
        try:
            points.append((float(hours), float(cheapest_mix(plans, _usage(key.offer, Decimal(hours))).total)))
        except MixTooLarge:
            return []
    return points


def _breaks(
    offer: Offer,
    plans: Sequence[tuple[PlanKind, Plan]],
    span: int,
    shown: Mapping[str, Sequence[tuple[float, float]]],
) -> list[tuple[float, float, str]]:
    """Break-evens of day, week and month cards against the hourly plan, inside the chart."""
    by_name = {plan.name: kind for kind, plan in plans}
    base = next((plan for kind, plan in plans if kind == "hour"), plans[0][1])
    known = {plan.name: plan for _kind, plan in plans}
    usage = _usage(offer, Decimal(span))
    found = []
    for one in break_evens([plan for _kind, plan in plans], usage):
        if base.name not in one.between:
            continue
        other = one.between[0] if one.between[1] == base.name else one.between[1]
        kind = by_name[other]
        if kind in ("minute", "hour"):
            continue
        hours = float(one.hours)
        cost = (
            float(cost_at_end(curve(known[base.name], one.hours, POINTS, usage, known)))
            if hours <= span and kind in shown
            else None
        )
        found.append((hours, cost, kind))
    told = []
    number_of = 0
    for hours, cost, kind in sorted(found, key=lambda one: one[0]):
        words = {"day": _("a day card"), "week": _("a week card"), "month": _("a month card")}
        if cost is not None:
            number_of += 1
            text = _("(%(number)s) from %(hours)s h %(card)s beats hourly") % {
                "number": number_of,
                "hours": number(round(hours, 1)),
                "card": words[kind],
            }
            told.append((hours, cost, text))
    return told


def cost_at_end(points: Sequence[tuple[Decimal, Decimal]]) -> Decimal:
    """The cost at the end of a curve."""
    return points[-1][1] if points else Decimal(0)


def _hour_ticks(span: int) -> list[tuple[float, str]]:
    if span <= 24:
        return [(float(h), number(h)) for h in range(0, span + 1, 6)]
    if span <= 168:
        return [(float(h), _("%(n)s d") % {"n": h // 24} if h else "0") for h in range(0, span + 1, 24)]
    if span <= 720:
        return [(float(h), _("%(n)s wk") % {"n": h // 168} if h else "0") for h in range(0, span + 1, 168)] + (
            [(720.0, "")] if span == 720 else []
        )
    months = span // 720
    step = max(1, months // 6)
    return [(float(m * 720), _("%(n)s mo") % {"n": m} if m else "0") for m in range(0, months + 1, step)]


def _curve_rows(offer: Offer, plans: Sequence[tuple[PlanKind, Plan]], own: float | None) -> tuple[CurveRow, ...]:
    known = {plan.name: plan for _kind, plan in plans}
    hours = sorted({*TABLE_HOURS, *([max(1, -int(-own // 1))] if own is not None and own <= RANGES[-1] else [])})
    rows = []
    for count in hours:
        usage = _usage(offer, Decimal(count))
        totals = [cost_at_end(curve(plan, count, POINTS, usage, known)) for _kind, plan in plans]
        try:
            totals.append(cheapest_mix([plan for _kind, plan in plans], usage).total)
        except MixTooLarge:
            totals.append(min(totals))
        least = min(totals)
        rows.append(CurveRow(count, tuple((total, total == least) for total in totals)))
    return tuple(rows)
