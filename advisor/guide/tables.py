"""Tables of the guide: common jobs with today's answer, what was measured on two cards, formats, links, images, prepaid terms."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.urls import reverse

from advisor.answer_labels import SPEED_UNITS
from advisor.answers import query_of
from advisor.guide.figures import Desk, fact_of
from advisor.labels import TASKS, Text
from advisor.pages.wizard import demand_text, model_name, schedule_text
from advisor.presets import PRESETS
from advisor.queries import current_choices
from billing.costing.break_even import break_evens
from billing.costing.plans import parse_plans
from billing.idle import usage_of
from billing.wording import plan_text
from catalog.cards import job_label
from catalog.measured import measured_rows
from catalog.models import Image
from catalog.snapshot import Offer, plan_rules


@dataclass(frozen=True, slots=True)
class JobRow:
    """A common job: memory per card, and the card the advisor recommends today; None where nothing on sale can do it."""

    title: Text
    href: str
    gib: float | None
    card: str
    slug: str
    count: int
    total: Decimal | None
    basis: str
    size: str


def job_rows(desk: Desk, slugs: Iterable[str]) -> list[JobRow]:
    """The rows of some presets. An answer that is not current any more is left out; memory is then worked out anew."""
    wanted = list(slugs)
    answers = current_choices(wanted, desk.catalogue)
    return [_job_row(desk, slug, answers.get(slug)) for slug in wanted]


def _job_row(desk: Desk, slug: str, answer: Mapping[str, Any] | None) -> JobRow:
    preset = PRESETS[slug]
    href = f"{reverse('advisor:result')}?{query_of(preset.workload)}"
    if answer is None:
        memory = desk.estimate(preset.workload, BIG_CARD).memory
        return JobRow(
            preset.title, href, memory.per_gpu_gib if memory else None, "", "", 0, None, "", size_of(preset.workload)
        )
    memory_said = answer["memory"]
    return JobRow(
        title=preset.title,
        href=href,
        gib=memory_said["per_gpu_gib"] if memory_said else None,
        card=desk.card_name(answer["gpu"]),
        slug=answer["gpu"],
        count=answer["count"],
        total=Decimal(answer["total"]),
        basis=answer["basis"],
        size=size_of(preset.workload),
    )


def size_of(workload: Mapping[str, Any]) -> str:
    """How much work a job is, or how long it is used; empty where neither was said, so that prices are those of an hour."""
    demand, schedule = workload.get("demand"), workload.get("schedule")
    return " · ".join([*([demand_text(demand)] if demand else []), *([schedule_text(schedule)] if schedule else [])])


BIG_CARD = "a800-sxm-80g"
"""Where a job's memory is worked out when no answer stands: it hardly depends on the card."""


@dataclass(frozen=True, slots=True)
class PairRow:
    """One job measured on two cards."""

    job: str
    unit: str
    how: str
    slow: Decimal
    fast: Decimal
    ratio: Decimal
    facts: str


def pair_rows(slow: str, fast: str) -> list[PairRow]:
    """Published measurements in which both cards took part, the largest ratio first."""
    rows = []
    for row in measured_rows():
        if slow in row.values and fast in row.values:
            label, unit, how = job_label(row.job)
            ratio = row.values[fast] / row.values[slow]
            facts = f"{row.facts[slow]}, {row.facts[fast]}"
            rows.append(PairRow(label, unit, how, row.values[slow], row.values[fast], ratio, facts))
    return sorted(rows, key=lambda row: row.ratio, reverse=True)


@dataclass(frozen=True, slots=True)
class ScalingRow:
    """One job measured on one card and on several of the same kind: speed as a multiple, and what the cards cost as a multiple."""

    job: str
    card: str
    count: int
    unit: Text
    one: float
    several: float
    ratio: float
    facts: str


def scaling_rows(desk: Desk, pairs: Iterable[tuple[str, str]]) -> list[ScalingRow]:
    """Pairs of facts of the same job: on one card, on several."""
    rows = []
    for one_id, several_id in pairs:
        one, several = fact_of(one_id), fact_of(several_id)
        work = one["workload"]
        rows.append(
            ScalingRow(
                job=f"{model_name(work['model'])} · {TASKS[work['scenario'], work['task']].label}",
                card=desk.card_name(one["gpu"]),
                count=several["count"],
                unit=SPEED_UNITS[one["unit"]],
                one=one["value"],
                several=several["value"],
                ratio=several["value"] / one["value"],
                facts=f"{one_id}, {several_id}",
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class ImageRow:
    """An image and the cards on sale it has no build for."""

    name: str
    framework: str
    cuda: str
    driver: str
    lowest: str
    highest: str
    misses: tuple[str, ...]


def image_rows(desk: Desk) -> list[ImageRow]:
    """Every image on offer."""
    sold = [card for card in desk.cards.values() if card.prices]
    rows = []
    for image in Image.objects.visible():
        capability = {card.name: card.number("compute_capability") for card in sold}
        misses = tuple(
            name for name, version in capability.items() if version is not None and not image.runs_on(version)
        )
        rows.append(
            ImageRow(
                image.name,
                f"{image.framework} {image.framework_version}",
                image.cuda_version,
                image.min_driver_version,
                str(image.min_compute_capability),
                str(image.max_compute_capability),
                misses,
            )
        )
    return rows


@dataclass(frozen=True, slots=True)
class TermRow:
    """From how many hours of one run a prepaid plan costs less than the hourly one; None: never within two months."""

    plan: str
    price: Decimal
    hours: int | None


def term_rows(offer: Offer | None) -> list[TermRow]:
    """The prepaid plans of an offer against its hourly plan."""
    hourly = offer.plan("hour") if offer else None
    if offer is None or hourly is None:
        return []
    plans = parse_plans([plan_rules(plan) for plan in offer.plans])
    pairs = break_evens(plans, usage_of(offer, 1))
    meets = {frozenset(pair.between): pair.from_hour for pair in pairs}
    return [
        TermRow(
            plan_text(str(plan["kind"])),
            Decimal(str(plan["unit_price"])),
            meets.get(frozenset((str(hourly["name"]), str(plan["name"])))),
        )
        for plan in offer.plans
        if plan.get("term")
    ]


@dataclass(frozen=True, slots=True)
class MethodRow:
    """What one way of training keeps for each parameter of the model, bytes, and how that comes about."""

    method: Text
    bytes: float
    how: Text


def offer_of(desk: Desk, slug: str) -> Offer | None:
    """The smallest priced machine with a card."""
    card = desk.cards.get(slug)
    return card.shown if card else None
