"""The two charts of the result: time against cost over the choices, and cost against hours for the recommended one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from advisor import answer_labels, charts, labels
from advisor.pages.naming import named
from advisor.recommendation import Choice, Recommendation
from advisor.survey import rate_of
from advisor.templatetags.figures import card_name, hours_figure, number
from billing.hours_curve import hours_curves
from billing.plan_chart import PlanChart, plan_chart
from catalog.snapshot import Catalogue

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
class CostCurve:
    """Cost against hours of one run, with its finding."""

    heading: str
    note: str
    drawn: PlanChart


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
        TimeRow(
            named(choice.gpu, choice.count),
            answer_labels.FITS[choice.estimate.fit],
            hours,
            cost,
            choice.offer.sku in on_front,
        )
        for choice, hours, cost in sorted(spots, key=lambda one: one[1])
    ]
    front = _(", ").join(
        short_name(choice.gpu, choice.count)
        for choice, _h, _c in sorted(spots, key=lambda one: one[1])
        if choice.offer.sku in on_front
    )
    label = _("Scatter of hours against cost. On the front, fastest first: %(cards)s.") % {"cards": front}
    return TimeCost(_finding(spots, on_front, best, work), label, chart, tuple(rows), work)


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
            "card": named(other[0].gpu, other[0].count),
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
            "card": named(other[0].gpu, other[0].count),
            "late": round((other[1] / hours - 1) * 100),
            "save": round(float(1 - other[2] / cost) * 100) if cost else 0,
        }
        return _("%(save)s%% less money for %(late)s%% more time: %(card)s is the one to weigh") % figures
    return _("No other card beats it on time or on cost")


def cost_curve(choice: Choice) -> CostCurve | None:
    """Cost against hours of one run on the recommended machine; None without prices, or where the job is longer than any chart."""
    own = choice.estimate.hours
    curves = hours_curves(choice.offer, own)
    if curves is None:
        return None
    card = short_name(choice.gpu, choice.count)
    heading = (
        _("%(card)s: cheapest this time with %(plan)s") % {"card": card, "plan": _mix_words(choice)}
        if own is not None
        else _("%(card)s: the longer you rent, the cheaper the hour") % {"card": card}
    )
    drawn = plan_chart(curves, own, _("your job %(hours)s h") % {"hours": hours_figure(own)} if own is not None else "")
    return CostCurve(heading, _("Used without a break: %(breaks)s") % {"breaks": drawn.note}, drawn)


def _mix_words(choice: Choice) -> str:
    kinds = [part.kind for part in choice.mix.parts] if choice.mix else [choice.cheapest_plan]
    words = {
        "minute": _("payment by the minute"),
        "hour": _("payment by the hour"),
        "day": _("a day card"),
        "week": _("a week card"),
        "month": _("a month card"),
    }
    return _(" + ").join(words[kind] for kind in kinds)
