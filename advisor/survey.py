"""Every offer looked at for one job: sized, priced, held against the limits. The ranking (`recommend`) chooses among these."""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from advisor.costs import Bill, Usages, bill_of, completed, floor_of, too_long
from advisor.sizing.answer import Estimate, Note, Speed
from advisor.sizing.gpu import Gpu, gpu_from_row
from advisor.sizing.job import Library
from advisor.sizing.workload import Workload
from catalog.snapshot import Catalogue, Offer

LOWER_IS_BETTER = frozenset({"seconds_per_image", "seconds_per_video", "seconds"})
"""Speed units that count time per work instead of work per time."""
FAST_FP64_SHARE = 0.25
"""FP64 at a quarter of FP32 or better makes a card fit for double precision (A100 1/2, GeForce 1/32 to 1/64)."""


class Prepared(Protocol):
    """A job that can be asked per card kind and count."""

    def on(self, gpu: Gpu, count: int) -> Estimate:
        """The estimate on `count` cards of this kind."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One offer, sized and priced. `failures`: the limits it breaks, empty if none. `span_hours`: by the clock."""

    gpu: Gpu
    offer: Offer
    estimate: Estimate
    bill: Bill
    span_hours: float | None
    failures: tuple[Note, ...]

    @property
    def total(self) -> Decimal:
        """The least the use costs: under the cheapest plan, or in the mix once that is known."""
        return self.bill.least

    @property
    def rate(self) -> float | None:
        """Work per time, comparable within one job; None where nobody knows."""
        return rate_of(self.estimate.speed)

    @property
    def hours(self) -> float | None:
        """Hours the cards work."""
        return self.estimate.hours


@dataclass(frozen=True, slots=True)
class Turned:
    """A card kind (or a count of it) that cannot be a candidate, and why; sized where that was possible."""

    slug: str
    count: int
    reason: Note
    gpu: Gpu | None = None
    estimate: Estimate | None = None
    offer: Offer | None = None


@dataclass(frozen=True, slots=True)
class CardSurvey:
    """All that was found out about one card kind: candidates by rising count, and the offers turned away."""

    slug: str
    gpu: Gpu | None
    candidates: tuple[Candidate, ...]
    turned: tuple[Turned, ...]


def rate_of(speed: Speed | None) -> float | None:
    """Work per time whatever way the unit counts."""
    if speed is None or speed.value <= 0:
        return None
    return 1 / speed.value if speed.unit in LOWER_IS_BETTER else speed.value


def gpu_of(slug: str, catalogue: Catalogue, library: Library) -> Gpu | None:
    """The card's figures: the library's, or for a card only the catalogue knows those of its row; None where they do not suffice."""
    if slug in library.gpus:
        return library.gpus[slug]
    try:
        return gpu_from_row(catalogue.gpus[slug])
    except (KeyError, ValueError):
        return None


def as_linked(gpu: Gpu, offer: Offer) -> Gpu:
    """The card as this offer joins it: without its NVLink where the machine has none."""
    if offer.count == 1 or offer.link == "nvlink" or not gpu.nvlink_gb_s or offer.nvlink_group > 1:
        return gpu
    return dataclasses.replace(gpu, nvlink_gb_s=0.0)


def unmet_requirement(gpu: Gpu, count: int, offer: Offer | None, require: Iterable[str]) -> Note | None:
    """The first asked-for property the card lacks."""
    name = _named(gpu)
    for word in require:
        match word:
            case "ecc" if not gpu.ecc:
                return Note("no-ecc", "constraints.require", name)
            case "mig" if not gpu.mig_instances:
                return Note("no-mig", "constraints.require", name)
            case "fp8" if not gpu.fp8_tensor_tflops:
                return Note("no-fp8", "constraints.require", name)
            case "fp64" if not has_fast_fp64(gpu):
                return Note("slow-fp64", "constraints.require", fp64_values(gpu))
            case "nvlink" if not gpu.nvlink_gb_s or (offer and count > 1 and offer.link != "nvlink"):
                return Note("no-nvlink", "constraints.require", {**name, "count": count})
            case _:
                continue
    return None


def has_fast_fp64(gpu: Gpu) -> bool:
    """Whether the card computes double precision at a rate made for it."""
    return gpu.fp64_tflops is not None and gpu.fp64_tflops >= FAST_FP64_SHARE * gpu.fp32_tflops


def fp64_values(gpu: Gpu) -> dict[str, str | float | int | bool]:
    """Figures for the sentences about double precision."""
    fp64 = gpu.fp64_tflops or 0.0
    ratio = round(gpu.fp32_tflops / fp64) if fp64 else 0
    return {**_named(gpu), "fp64_tflops": fp64, "fp32_tflops": gpu.fp32_tflops, "ratio": ratio}


def with_whole_bill(one: Candidate, usages: Usages) -> Candidate:
    """The candidate with what only a shown choice needs: the mix, or the prices of an hour, a day, a week, a month."""
    intervals = usages.of(one.hours)
    return dataclasses.replace(one, bill=completed(one.bill, one.offer, intervals, usages.basis))


def least_possible(one: Candidate, usages: Usages) -> Decimal:
    """Less than this its whole bill cannot be."""
    return floor_of(one.bill, one.offer, usages.of(one.hours), usages.basis)


def breach(one: Candidate) -> float:
    """How far over its limits a candidate is, as the largest ratio; 1 where it keeps them all. A tight fit is no nearness."""
    return max((_over(note) for note in one.failures), default=1.0) * (1.0 if one.estimate.fit == "fits" else 1.2)


def _over(note: Note) -> float:
    pairs = {
        "deadline-missed": ("hours", "deadline_hours"),
        "over-budget": ("total", "budget"),
        "first-token-late": ("seconds", "allowed_seconds"),
        "sequence-slow": ("wanted", "tokens_per_second"),
        "host-ram-short": ("needed_gib", "has_gib"),
    }
    have, allowed = (float(note.values[key]) for key in pairs[note.code])
    return have / allowed if allowed else math.inf


class Survey:
    """Looks at the offers of a catalogue for one workload; each answer is worked out once."""

    def __init__(
        self, workload: Workload, prepared: Prepared, catalogue: Catalogue, library: Library, usages: Usages
    ) -> None:
        self.workload = workload
        self.prepared = prepared
        self.catalogue = catalogue
        self.library = library
        self.usages = usages
        self._offers: dict[str, list[Offer]] = {}
        for offer in catalogue.offers:
            self._offers.setdefault(offer.gpu, []).append(offer)

    @property
    def budget(self) -> Decimal | None:
        """The budget, if it is in the currency of the prices: another currency is not converted (a warning says so)."""
        limits = self.workload.constraints
        return limits.budget if limits.currency in (None, self.catalogue.currency) else None

    def card(self, slug: str, *, every_count: bool = False) -> CardSurvey:
        """One card kind over its offered counts, until a count fits and breaks no limit (or over every count)."""
        gpu = gpu_of(slug, self.catalogue, self.library)
        offers = sorted(self._offers.get(slug, ()), key=_offer_order)
        if gpu is None:
            return CardSurvey(slug, None, (), (Turned(slug, 1, Note("no-spec", None, {"gpu": slug})),))
        if not offers:
            note = Note("not-offered", None, _named(gpu))
            return CardSurvey(slug, gpu, (), (Turned(slug, 1, note, gpu),))
        candidates: list[Candidate] = []
        turned: list[Turned] = []
        for offer in offers:
            if any(taken.offer.count == offer.count and taken.offer.link == offer.link for taken in candidates):
                continue  # the same machine, dearer or scarcer
            found = self.look(gpu, offer)
            if isinstance(found, Turned):
                turned.append(found)
                continue
            candidates.append(found)
            if not every_count and found.estimate.fit == "fits" and not found.failures:
                break
        return CardSurvey(slug, gpu, tuple(candidates), tuple(turned))

    def look(self, gpu: Gpu, offer: Offer) -> Candidate | Turned:
        """One offer: a candidate, or why not."""
        limits = self.workload.constraints
        if limits.max_gpus is not None and offer.count > limits.max_gpus:
            note = Note("too-many-cards", "constraints.max_gpus", {"count": offer.count, "allowed": limits.max_gpus})
            return Turned(gpu.slug, offer.count, note, gpu, None, offer)
        linked = as_linked(gpu, offer)
        lacks = unmet_requirement(linked, offer.count, offer, limits.require)
        estimate = self.prepared.on(linked, offer.count)
        reason = lacks or self._barred(gpu, offer, estimate)
        if reason is not None:
            return Turned(gpu.slug, offer.count, reason, gpu, estimate, offer)
        if self.usages.needs_hours and estimate.hours is None:
            return Turned(gpu.slug, offer.count, Note("speed-unknown", None, _named(gpu)), gpu, estimate, offer)
        if too_long(estimate.hours):
            note = Note("takes-too-long", None, {**_named(gpu), "hours": estimate.hours or 0.0})
            return Turned(gpu.slug, offer.count, note, gpu, estimate, offer)
        budget, basis, intervals = self.budget, self.usages.basis, self.usages.of(estimate.hours)
        bill = bill_of(offer, intervals, basis)
        if budget is not None and bill.least > budget >= floor_of(bill, offer, intervals, basis):
            bill = completed(bill, offer, intervals, basis)  # a mix may do it where no single plan does
        span = self.usages.span_hours(estimate.hours)
        return Candidate(linked, offer, estimate, bill, span, tuple(self._failures(offer, estimate, bill, span)))

    def _barred(self, gpu: Gpu, offer: Offer, estimate: Estimate) -> Note | None:
        if estimate.fit == "does_not_fit":
            return does_not_fit(gpu, estimate)
        region = self.workload.constraints.region
        if region is not None and offer.region != region:
            return Note("other-region", "constraints.region", {**_named(gpu), "region": offer.region, "asked": region})
        if not offer.plans:
            return Note("no-price", None, {**_named(gpu), "currency": self.catalogue.currency})
        if offer.stock == "out":
            return Note("out-of-stock", None, {**_named(gpu), "count": offer.count, "region": offer.region})
        return None

    def _failures(self, offer: Offer, estimate: Estimate, bill: Bill, span: float | None) -> Iterator[Note]:
        limits = self.workload.constraints
        deadline, budget = limits.deadline_hours, self.budget
        if deadline is not None and span is not None and span > deadline:
            yield Note(
                "deadline-missed",
                "constraints.deadline_hours",
                {"hours": span, "deadline_hours": deadline, "over_hours": span - deadline},
            )
        if budget is not None and self.usages.basis.kind != "hour" and bill.least > budget:
            yield Note(
                "over-budget",
                "constraints.budget",
                {
                    "total": str(bill.least),
                    "budget": str(budget),
                    "over": str(bill.least - budget),
                    "currency": bill.cheapest.currency,
                },
            )
        yield from latency_failures(self.workload, estimate)
        if limits.host_ram_gib is not None and offer.ram_gib * offer.nodes < limits.host_ram_gib:
            yield Note(
                "host-ram-short",
                "constraints.host_ram_gib",
                {"has_gib": offer.ram_gib * offer.nodes, "needed_gib": limits.host_ram_gib},
            )


def latency_failures(workload: Workload, estimate: Estimate) -> Iterator[Note]:
    """Limits on answering speed that the estimate breaks (serving only)."""
    limits, speed = workload.constraints, estimate.speed
    if speed is None:
        return
    first = limits.max_seconds_to_first_token
    if first is not None and speed.seconds_to_first_token is not None and speed.seconds_to_first_token > first:
        yield Note(
            "first-token-late",
            "constraints.max_seconds_to_first_token",
            {"seconds": speed.seconds_to_first_token, "allowed_seconds": first},
        )
    wanted = limits.min_tokens_per_second_per_sequence
    generated = speed.generation_tokens_per_second or (speed.value if speed.unit == "tokens_per_second" else None)
    if wanted is not None and generated is not None:
        each = generated / max(1, int(workload.get("concurrency", 1)))
        if each < wanted:
            yield Note(
                "sequence-slow",
                "constraints.min_tokens_per_second_per_sequence",
                {"tokens_per_second": each, "wanted": wanted},
            )


def does_not_fit(gpu: Gpu, estimate: Estimate) -> Note:
    """By how much the work is over the card."""
    values: dict[str, str | float | int | bool] = {**_named(gpu), "count": estimate.count}
    if estimate.memory is not None:
        memory = estimate.memory
        values |= {
            "needed_gib": memory.per_gpu_gib,
            "usable_gib": memory.usable_gib,
            "over_gib": max(memory.per_gpu_gib, memory.low_gib) - memory.usable_gib,
        }
        return Note("does-not-fit", None, values)
    return Note("does-not-run", None, values)


def plain_name(gpu: Gpu) -> str:
    """The card's name inside a sentence: that it is modified is a sentence of its own."""
    return gpu.name.removesuffix(" (modified)")


def _named(gpu: Gpu) -> Mapping[str, str]:
    return {"gpu": gpu.slug, "gpu_name": plain_name(gpu)}


def _offer_order(offer: Offer) -> tuple[int, bool, bool, bool, str]:
    return (offer.count, not offer.plans, offer.stock == "out", offer.link != "nvlink", offer.sku)
