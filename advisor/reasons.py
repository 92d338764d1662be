"""Why a card, and why not: coded reasons with their figures. Pure; `sentences.py` has the words.

The weightiest reason comes first on each side: pages show two of each, the API all.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from advisor.costs import ZONE, Bill
from advisor.recommendation import Role
from advisor.sizing.answer import Estimate, Note, Value
from advisor.sizing.gpu import Gpu
from advisor.sizing.units import GB, GIB
from advisor.sizing.workload import Workload
from advisor.survey import Candidate, fp64_values, has_fast_fp64, plain_name, rate_of
from billing.costing.money import digits, round_to
from catalog.snapshot import Catalogue, Offer

LONG_RUN_HOURS = 48
"""From here on a run whose result must stand wants ECC or restarts that lose little (correction C69)."""
ROOMY_SHARE = 0.4
"""A card of which a job fills less than this, at a price above a smaller one's, is oversized for it."""
NOTICEABLE = 0.05
"""Differences in time or money below this are not worth a sentence."""
A800_NVLINK_GB_S, A100_NVLINK_GB_S = 400, 600
LOW_BIT_FORMATS = frozenset(
    {"int2", "q2_k", "q3_k_s", "q3_k_m", "q3_k_l", "iq1_s", "iq2_xxs", "iq2_xs", "iq2_s", "iq3_xxs", "iq3_s"}
)
FOUR_BIT_FORMATS = frozenset(
    {
        "int4",
        "nf4",
        "nf4-dq",
        "fp4",
        "mxfp4",
        "awq",
        "gptq-int4",
        "q4_0",
        "q4_1",
        "q4_k_s",
        "q4_k_m",
        "iq4_xs",
        "iq4_nl",
    }
)
WIDE_PERCENT = 30
REMEDIES = frozenset(
    {
        "cap-batch",
        "cap-cache-text",
        "cap-frames",
        "cap-tokens",
        "cap-vae-tiling",
        "checkpoint",
        "context-cap",
        "fuse-cross-entropy",
        "optimizer-8bit",
        "quantise",
    }
)
"""Remarks of the sizing core that say which change makes a job fit."""
SPARSE_TIERS = frozenset({"unknown-stack"})

LOOKALIKES: Mapping[str, tuple[str, int, int]] = {"rtx-4090-24g": ("RTX 4090 D", 14_592, 16_384)}
"""Cards under whose name a lesser one of the same memory is sold: its name and cores, and the real one's (catalog/data/gpu_specs.csv)."""
HELD_STATES = frozenset({"weights", "gradients", "optimizer", "autocast_cache"})
"""Parts that tables of states count."""
STATES_WORTH_SAYING = 0.1
MANY_REQUESTS = 64
"""From so many requests at once 4-bit weights are no longer faster: decoding is bound by arithmetic, and unpacking adds to it."""

type Figures = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Field:
    """The candidates a choice is weighed against: those that fit and break no limit, else those that fit, else all that are shown."""

    all: Sequence[Candidate]
    recommended: Candidate
    spared: Candidate | None = None
    """The one with more cards that would be recommended if fewer cards were not preferred."""

    @property
    def fits(self) -> bool:
        """Whether these surely fit."""
        return self.all[0].estimate.fit == "fits"

    @property
    def unmet(self) -> bool:
        """Whether nothing keeps the limits: then nobody is praised as if he did."""
        return bool(self.recommended.failures)

    @property
    def cheapest(self) -> Candidate:
        """Least total."""
        return min(self.all, key=lambda one: one.total)

    @property
    def fastest(self) -> Candidate | None:
        """Most work per time, None where no speed is known."""
        return fastest_of(self.all)

    @property
    def roomiest(self) -> Candidate:
        """Most memory to spare."""
        return max(self.all, key=lambda one: (spare_gib(one.estimate), -one.total))


def field_of(shown: Sequence[Candidate], spared: Candidate | None = None) -> Field:
    """What the choices shown, best first, are weighed against."""
    fitting = [one for one in shown if one.estimate.fit == "fits"]
    return Field([one for one in fitting if not one.failures] or fitting or shown, shown[0], spared)


def fastest_of(some: Iterable[Candidate]) -> Candidate | None:
    """Most work per time, the cheaper of equals; None where no speed is known."""
    known = [one for one in some if one.rate is not None]
    return max(known, key=lambda one: (one.rate or 0.0, -one.total)) if known else None


def named(gpu: Gpu) -> Figures:
    """Slug and name of a card, for sentences."""
    return {"gpu": gpu.slug, "gpu_name": plain_name(gpu)}


def spare_gib(estimate: Estimate) -> float:
    """GiB left on the fullest card, of need and usable as they are shown: to a tenth, so that the three add up."""
    memory = estimate.memory
    return 0.0 if memory is None else round(round(memory.usable_gib, 1) - round(memory.per_gpu_gib, 1), 1)


def percent(part: Decimal | float, whole: Decimal | float) -> int:
    """A share in whole per cent."""
    return int((Decimal(part) / Decimal(whole) * 100).quantize(Decimal(1), ROUND_HALF_UP)) if whole else 0


def double_precision(workload: Workload) -> bool:
    """Whether the work computes in FP64."""
    return workload.scenario == "science" and workload.get("precision") == "double"


def wants_ecc(workload: Workload, hours: float | None) -> bool:
    """Whether a flipped bit would spoil something that must stand: a production run that is long, or scientific in double precision."""
    if workload.stage == "prototype":
        return False
    scheduled = workload.schedule is not None and (workload.schedule.hours_per_day or 24) >= 20
    long_run = hours is not None and hours >= LONG_RUN_HOURS
    return double_precision(workload) or long_run or scheduled


def card_reasons(workload: Workload, gpu: Gpu, count: int, hours: float | None) -> Iterator[Note]:
    """What speaks against a card kind for this work whatever it costs."""
    if double_precision(workload) and not has_fast_fp64(gpu):
        yield Note("slow-fp64", "precision", fp64_values(gpu))
    if not gpu.ecc and (workload.scenario == "science" or wants_ecc(workload, hours)):
        yield Note("no-ecc", None, {**named(gpu), **({"hours": hours} if hours else {})})
    if _asks_fp8(workload) and not gpu.fp8_tensor_tflops:
        yield Note("no-fp8", "weight_format", named(gpu))
    if count > 1:
        yield from _link_reasons(gpu, count)
    if gpu.modified:
        yield Note("modified-card", None, named(gpu))


def _link_reasons(gpu: Gpu, count: int) -> Iterator[Note]:
    if gpu.slug.startswith("a800-") and gpu.nvlink_gb_s:
        figures: Figures = {"gb_s": A800_NVLINK_GB_S, "full_gb_s": A100_NVLINK_GB_S, "count": count}
        yield Note("nvlink-reduced", None, {**named(gpu), **figures})
    if not gpu.nvlink_gb_s:
        code = "no-nvlink" if gpu.pcie_p2p else "no-p2p"
        yield Note(code, None, {**named(gpu), "count": count})
        if code == "no-p2p":
            yield Note("no-nvlink", None, {**named(gpu), "count": count})
    elif count > gpu.nvlink_group:
        yield Note("nvlink-pairs", None, {**named(gpu), "count": count, "group": gpu.nvlink_group})


def _asks_fp8(workload: Workload) -> bool:
    return any(workload.get(name) in {"fp8", "fp8-row"} for name in ("weight_format", "activation_format"))


def against(one: Candidate, field: Field, workload: Workload) -> tuple[Note, ...]:
    """Everything against a choice, the weightiest first. Never empty: no card is best in every way."""
    found = [
        *one.failures,
        *_tight(one),
        *_disk(one),
        *_node_reasons(one),
        *card_reasons(workload, one.gpu, one.estimate.count, one.hours),
        *_dearer_slower(one, field),
        *_oversized(one, field),
        *_host(one),
        *_idle(one),
        *_offload(workload),
        *_evidence(one),
        *_stock(one),
        *_lookalike(one),
    ]
    if not found:
        found = list(_least_bad(one, field))
    if one.offer.is_sample:
        found.append(Note("sample-price", None, {"currency": one.bill.cheapest.currency}))
    return _once(found)


def in_favour(one: Candidate, field: Field, workload: Workload, roles: Iterable[Role]) -> tuple[Note, ...]:
    """Everything for a choice, the weightiest first."""
    found = [
        *_role_reasons(one, field, set(roles)),
        *_headroom(one),
        *_card_strengths(one, workload),
        *_limited_by(one, workload),
        *_plan_reasons(one.bill),
    ]
    return _once(found)


def _role_reasons(one: Candidate, field: Field, roles: set[Role]) -> Iterator[Note]:
    yield from _limits_aside(one, field, roles) if field.unmet else _praise(one, field, roles)
    if one is not field.recommended and "fastest" not in roles and _ratio(one, field.recommended) > 1 + NOTICEABLE:
        faster = round((_ratio(one, field.recommended) - 1) * 100)
        yield Note("faster", None, {**_versus(one, field.recommended), "percent": faster})


def _praise(one: Candidate, field: Field, roles: set[Role]) -> Iterator[Note]:
    """What a choice is among those that fit and keep the limits."""
    money: Figures = {"total": str(one.total), "currency": one.bill.cheapest.currency, "of": len(field.all)}
    if len(field.all) == 1 and one in field.all:
        yield Note("only-choice", None, {**named(one.gpu), **money})
        return
    if "cheapest" in roles:
        yield Note("cheapest", None, {**money, **_hours(one)})
    if "fastest" in roles:
        yield Note("fastest", None, {**_pace(one), "of": len(field.all)})
    if "recommended" in roles and not roles & {"cheapest", "fastest"}:
        yield Note("best-value", None, {**money, **_hours(one), **_versus(one, field.cheapest)})
    if one is field.recommended and field.spared is not None:
        yield _fewer_cards(one, field.spared)


def _fewer_cards(one: Candidate, rival: Candidate) -> Note:
    """That the number of cards decided, and what that costs."""
    figures: Figures = {**_versus(one, rival), "count": one.offer.count}
    saves = one.total - rival.total
    if saves > 0:
        money: Figures = {
            "saves": str(saves),
            "currency": one.bill.cheapest.currency,
            "percent": percent(saves, one.total),
        }
        figures |= money
    elif (faster := round((_ratio(rival, one) - 1) * 100)) > 0:
        figures |= {"faster_percent": faster, "more": str(-saves), "currency": one.bill.cheapest.currency}
    return Note("fewer-cards", None, figures)


def _limits_aside(one: Candidate, field: Field, roles: set[Role]) -> Iterator[Note]:
    """What a choice is where none keeps the limits."""
    if one is field.recommended:
        yield Note("nearest", "constraints", named(one.gpu))
    if "cheapest" in roles and len(field.all) > 1:
        money: Figures = {"total": str(one.total), "currency": one.bill.cheapest.currency}
        yield Note("cheapest-limits-aside", "constraints", {**money, **_hours(one)})
    if "fastest" in roles and len(field.all) > 1:
        yield Note("fastest-limits-aside", "constraints", _pace(one))


def _headroom(one: Candidate) -> Iterator[Note]:
    memory = one.estimate.memory
    if memory is None or one.estimate.fit != "fits":
        return
    spare = spare_gib(one.estimate)
    figures: Figures = {"spare_gib": spare, "percent": percent(spare, memory.usable_gib), "high_gib": memory.high_gib}
    yield Note("memory-headroom", None, {**figures, "usable_gib": memory.usable_gib})


def _card_strengths(one: Candidate, workload: Workload) -> Iterator[Note]:
    gpu, count = one.gpu, one.estimate.count
    if double_precision(workload) and has_fast_fp64(gpu):
        yield Note("fast-fp64", None, fp64_values(gpu))
    if gpu.ecc and (workload.scenario == "science" or wants_ecc(workload, one.hours)):
        yield Note("has-ecc", None, named(gpu))
    if gpu.mig_instances and ("mig" in workload.constraints.require or _many_users(workload)):
        yield Note("mig", None, {**named(gpu), "instances": gpu.mig_instances})
    if _asks_fp8(workload) and gpu.fp8_tensor_tflops:
        yield Note("fp8", "weight_format", {**named(gpu), "tflops": gpu.fp8_tensor_tflops})
    if count > 1 and gpu.nvlink_gb_s and count <= gpu.nvlink_group:
        yield Note("nvlink", None, {**named(gpu), "gb_s": gpu.nvlink_gb_s, "count": count})
    if count == 1 and gpu.slug.startswith("a800-"):
        yield Note("nvlink-single", None, {**named(gpu), "gb_s": A800_NVLINK_GB_S, "full_gb_s": A100_NVLINK_GB_S})


def _many_users(workload: Workload) -> bool:
    return workload.task == "inference" and int(workload.get("concurrency", 1)) > 1


def _limited_by(one: Candidate, workload: Workload) -> Iterator[Note]:
    speed, gpu = one.estimate.speed, one.gpu
    if speed is None:
        return
    if speed.limited_by == "memory-bandwidth":
        yield Note("bandwidth-bound", None, {**named(gpu), "gb_s": gpu.memory_bandwidth_gb_s})
    elif speed.limited_by == "compute":
        rate, kind = _rate_used(gpu, workload)
        yield Note("compute-bound", None, {**named(gpu), "tflops": rate, "arithmetic": kind})


def _rate_used(gpu: Gpu, workload: Workload) -> tuple[float, str]:
    """The peak rate the work runs at, and its name."""
    precision = workload.get("precision")
    if double_precision(workload):
        return gpu.fp64_tflops or 0.0, "FP64"
    if workload.scenario == "science" or precision == "fp32":
        return gpu.fp32_tflops, "FP32"
    if precision == "tf32" and gpu.tf32_tensor_tflops:
        return gpu.tf32_tensor_tflops, "TF32"
    if gpu.fp16_tensor_fp32acc_tflops:
        return gpu.fp16_tensor_fp32acc_tflops, "FP16, FP32 accumulation"
    return gpu.fp32_tflops, "FP32"


def _plan_reasons(bill: Bill) -> Iterator[Note]:
    best = bill.cheapest
    others = [cost for cost in bill.costs if cost.kind != best.kind and cost.total > best.total]
    long, short = {"week", "month"}, {"minute", "hour"}
    if best.kind in long and (rivals := [cost for cost in others if cost.kind in short]):
        rival = min(rivals, key=lambda cost: cost.total)
        yield _plan_note("long-term-plan", best.kind, rival.kind, rival.total - best.total, bill)
    if best.kind in short and (rivals := [cost for cost in others if cost.kind not in short]):
        rival = min(rivals, key=lambda cost: cost.total)
        yield _plan_note("short-term-plan", best.kind, rival.kind, rival.total - best.total, bill)


def _plan_note(code: str, plan: str, other: str, saves: Decimal, bill: Bill) -> Note:
    figures: Figures = {"plan": plan, "other_plan": other, "saves": str(saves), "currency": bill.cheapest.currency}
    return Note(code, None, figures)


def _tight(one: Candidate) -> Iterator[Note]:
    memory = one.estimate.memory
    if one.estimate.fit != "tight" or memory is None:
        return
    figures: Figures = {
        "low_gib": memory.low_gib,
        "high_gib": memory.high_gib,
        "usable_gib": memory.usable_gib,
        "over_gib": memory.high_gib - memory.usable_gib,
    }
    yield Note("tight", None, {**named(one.gpu), **figures})


def _node_reasons(one: Candidate) -> Iterator[Note]:
    if one.offer.nodes > 1:
        speed = one.offer.network_gbit_s or 0
        figures: Figures = {"count": one.offer.count, "nodes": one.offer.nodes, "gbit_s": speed}
        yield Note("two-nodes", None, {**named(one.gpu), **figures})


def _dearer_slower(one: Candidate, field: Field) -> Iterator[Note]:
    rival = field.cheapest if one is field.recommended else field.recommended
    if one.total > rival.total * Decimal(1 + NOTICEABLE):
        more = one.total - rival.total
        figures: Figures = {
            "more": str(more),
            "percent": percent(more, rival.total),
            "currency": one.bill.cheapest.currency,
        }
        yield Note("dearer", None, {**_versus(one, rival), **figures})
    fastest = field.fastest if one is field.recommended else field.recommended
    if fastest is None or fastest is one:
        return
    ratio = _ratio(fastest, one)
    if ratio > 1 + NOTICEABLE:
        figures = {"percent": round((1 - 1 / ratio) * 100)}
        if one.span_hours is not None and fastest.span_hours is not None:
            figures["more_hours"] = one.span_hours - fastest.span_hours
        yield Note("slower", None, {**_versus(one, fastest), **figures})


def _oversized(one: Candidate, field: Field) -> Iterator[Note]:
    memory = one.estimate.memory
    smallest = min((other.gpu.vram_gb for other in field.all), default=0.0)
    if memory is None or one.gpu.vram_gb <= smallest or one.total <= field.cheapest.total:
        return
    if memory.high_gib < ROOMY_SHARE * memory.usable_gib:
        figures: Figures = {
            "needed_gib": memory.per_gpu_gib,
            "usable_gib": memory.usable_gib,
            "percent": percent(memory.usable_gib - memory.per_gpu_gib, memory.usable_gib),
            "more": str(one.total - field.cheapest.total),
            "currency": one.bill.cheapest.currency,
        }
        yield Note("oversized", None, {**_versus(one, field.cheapest), **figures})


def _host(one: Candidate) -> Iterator[Note]:
    host, offer = one.estimate.host, one.offer
    if host.ram_gib > offer.ram_gib * offer.nodes:
        yield Note("host-ram-short", None, {"needed_gib": host.ram_gib, "has_gib": offer.ram_gib * offer.nodes})
    if host.cpu_cores > offer.cpu_cores * offer.nodes:
        yield Note("host-cpu-short", None, {"needed": host.cpu_cores, "has": offer.cpu_cores * offer.nodes})


def _disk(one: Candidate) -> Iterator[Note]:
    """A disk too small for the job, and what the missing room costs while the machine runs, where its plan names a price."""
    missing_gb = disk_gb(one.estimate) - one.offer.disk_gb * one.offer.nodes
    if missing_gb <= 0:
        return
    figures: Figures = {"needed_gb": disk_gb(one.estimate), "has_gb": one.offer.disk_gb * one.offer.nodes}
    plan = one.offer.plan(one.bill.cheapest.kind)
    per_day = Decimal(str(plan.get("disk_price_per_gb_day_running", "0"))) if plan else Decimal(0)
    if per_day:
        price = round_to(per_day * missing_gb, digits(one.bill.cheapest.currency))
        figures |= {"missing_gb": missing_gb, "price": str(price), "currency": one.bill.cheapest.currency}
    yield Note("host-disk-short", None, figures)


def disk_gb(estimate: Estimate) -> int:
    """Disk the job wants in whole GB, the unit disks are rented in."""
    return math.ceil(estimate.host.disk_gib * GIB / GB)


def _idle(one: Candidate) -> Iterator[Note]:
    idle = one.bill.idle_hours
    if idle is not None and one.bill.paid_hours and idle / one.bill.paid_hours > NOTICEABLE:
        figures: Figures = {
            "hours": float(idle),
            "percent": percent(idle, one.bill.paid_hours),
            "plan": one.bill.cheapest.kind,
        }
        yield Note("idle-cost", None, figures)


def _offload(workload: Workload) -> Iterator[Note]:
    kind = workload.get("offload")
    if kind not in {None, "none"}:
        yield Note("offload-slow", "offload", {"kind": str(kind)})


def _evidence(one: Candidate) -> Iterator[Note]:
    memory, speed = one.estimate.memory, one.estimate.speed
    if speed is None:
        yield Note("speed-unknown", None, named(one.gpu))
    if not one.estimate.evidence or (memory is not None and memory.tier in SPARSE_TIERS):
        width = 0 if memory is None else percent(memory.high_gib - memory.low_gib, memory.per_gpu_gib)
        wide: Figures = {"percent": width} if width >= WIDE_PERCENT else {}
        yield Note("sparse-evidence", None, {**named(one.gpu), "facts": len(one.estimate.evidence), **wide})


def _stock(one: Candidate) -> Iterator[Note]:
    if one.offer.stock == "scarce":
        yield Note("scarce-stock", None, {**named(one.gpu), "count": one.offer.count})


def _lookalike(one: Candidate) -> Iterator[Note]:
    if one.gpu.slug in LOOKALIKES:
        other, fewer, cores = LOOKALIKES[one.gpu.slug]
        yield Note("lookalike", None, {**named(one.gpu), "other_name": other, "other_cores": fewer, "cores": cores})


def host_falls_short(one: Candidate) -> bool:
    """Whether the machine has less RAM than the job needs: it would swap or be ended."""
    return one.estimate.host.ram_gib > one.offer.ram_gib * one.offer.nodes


def host_needed(one: Candidate) -> Note:
    """The host the job needs beside the cards, and the one it gets."""
    host, offer = one.estimate.host, one.offer
    figures: Figures = {
        "ram_gib": host.ram_gib,
        "cpu_cores": host.cpu_cores,
        "disk_gb": disk_gb(one.estimate),
        "has_ram_gib": offer.ram_gib * offer.nodes,
        "has_cores": offer.cpu_cores * offer.nodes,
        "has_disk_gb": offer.disk_gb * offer.nodes,
    }
    return Note("host-needed", None, figures)


def states_are_not_all(workload: Workload, estimate: Estimate) -> Iterator[Note]:
    """What training all weights takes beside the states that tables list."""
    memory = estimate.memory
    if workload.task != "training" or memory is None or "optimizer" not in memory.parts:
        return
    states = sum(size for name, size in memory.parts.items() if name in HELD_STATES)
    more = memory.per_gpu_gib - states
    if memory.parts["optimizer"] > 1 and more > STATES_WORTH_SAYING * memory.per_gpu_gib:
        figures: Figures = {
            "states_gib": states,
            "more_gib": more,
            "percent": percent(more, states),
            "count": estimate.count,
        }
        yield Note("states-not-all", "method", figures)


def many_requests_at_four_bits(workload: Workload) -> Iterator[Note]:
    """4-bit weights under many requests: smaller, not faster."""
    kind, at_once = workload.get("weight_format"), int(workload.get("concurrency", 1))
    if (
        workload.scenario == "llm"
        and workload.task == "inference"
        and kind in FOUR_BIT_FORMATS
        and at_once >= MANY_REQUESTS
    ):
        yield Note("four-bit-many", "weight_format", {"format": str(kind), "concurrency": at_once})


def stopped_machine(offer: Offer) -> Note | None:
    """What a stopped machine still costs under the hourly plan, and that its card is not kept."""
    plan = offer.plan("hour")
    if plan is None:
        return None
    currency = str(plan["currency"])
    if plan.get("stopped_gpu_billed"):
        return Note("stopped-billed", None, {"per_hour": str(plan["unit_price"]), "currency": currency})
    beyond = max(Decimal(0), Decimal(str(offer.disk_gb)) - Decimal(str(plan.get("free_disk_gb", 0))))
    per_day = beyond * Decimal(str(plan.get("disk_price_per_gb_day_stopped", "0")))
    return Note(
        "stopped-not-kept",
        None,
        {"price": str(per_day.quantize(Decimal("0.01"))), "disk_gb": float(beyond), "currency": currency},
    )


def price_terms(one: Candidate, catalogue: Catalogue) -> Note | None:
    """What the prices hold: tax, storage, region and the day they are of."""
    plan = one.offer.plan(one.bill.cheapest.kind)
    if plan is None:
        return None
    included = bool(plan.get("prices_include_tax"))
    percent_ = str(plan.get("tax_percent", "0"))
    code = "price-terms-taxed" if included else "price-terms-plus-tax" if Decimal(percent_) else "price-terms"
    figures: Figures = {
        **named(one.gpu),
        "plan": one.bill.cheapest.kind,
        "tax_percent": percent_,
        "free_disk_gb": float(str(plan.get("free_disk_gb", 0))),
        "region": one.offer.region,
        "date": catalogue.as_of.astimezone(ZONE).date().isoformat(),
        "count": one.offer.count,
    }
    return Note(code, None, figures)


def _least_bad(one: Candidate, field: Field) -> Iterator[Note]:
    """What is left to say against a card that nothing above speaks against."""
    roomiest = field.roomiest
    if roomiest is not one and spare_gib(roomiest.estimate) > spare_gib(one.estimate) + 1:
        figures: Figures = {"spare_gib": spare_gib(one.estimate), "other_spare_gib": spare_gib(roomiest.estimate)}
        yield Note("less-headroom", None, {**_versus(one, roomiest), **figures})
    elif not one.gpu.ecc:
        yield Note("no-ecc", None, named(one.gpu))
    elif one.estimate.hours_high is not None and one.hours is not None:
        yield Note("may-take-longer", None, {"hours": one.hours, "high_hours": one.estimate.hours_high})
    elif one.estimate.memory is not None:
        memory = one.estimate.memory
        yield Note("estimate-spread", None, {"low_gib": memory.low_gib, "high_gib": memory.high_gib})


def _ratio(one: Candidate, other: Candidate) -> float:
    """How many times as fast `one` is; 1 where a speed is unknown."""
    mine, theirs = rate_of(one.estimate.speed), rate_of(other.estimate.speed)
    return mine / theirs if mine and theirs else 1.0


def _versus(one: Candidate, other: Candidate) -> Figures:
    return {
        **named(one.gpu),
        "other": other.gpu.slug,
        "other_name": plain_name(other.gpu),
        "other_count": other.estimate.count,
    }


def _hours(one: Candidate) -> Figures:
    return {} if one.span_hours is None else {"hours": one.span_hours}


def _pace(one: Candidate) -> Figures:
    """How fast it is: the hours where the work has an end, else the speed."""
    speed = one.estimate.speed
    return _hours(one) or ({} if speed is None else {"speed": speed.value, "unit": speed.unit})


def remedy(
    estimate: Estimate, failures: Iterable[Note] = (), total: Decimal | None = None, currency: str = ""
) -> Note | None:
    """What would do: the limit that would have to give, or the change that makes a job surely fit; None where no single one does."""
    broken = {note.code: note for note in failures}
    if broken:
        return _allowing(broken, str(total), currency) if total is not None else None
    if estimate.fit == "fits":
        return None
    return next((note for note in estimate.warnings if note.code in REMEDIES and _suffices(note, estimate)), None)


def _allowing(broken: Mapping[str, Note], total: str, currency: str) -> Note | None:
    """What would have to be allowed of deadline and budget; None where another limit is in the way as well."""
    late = broken.get("deadline-missed")
    money: Figures = {"total": total, "currency": currency}
    match sorted(broken), late:
        case ["deadline-missed"], Note():
            return Note("allow-hours", "constraints.deadline_hours", {"hours": late.values["hours"]})
        case ["over-budget"], None:
            return Note("allow-budget", "constraints.budget", money)
        case ["deadline-missed", "over-budget"], Note():
            return Note("allow-both", "constraints", {"hours": late.values["hours"], **money})
        case _:
            return None


def _suffices(note: Note, estimate: Estimate) -> bool:
    """Whether what a change saves covers what is missing; a change without a figure was worked out to fit."""
    saves, memory = note.values.get("saves_gib"), estimate.memory
    return saves is None or memory is None or memory.high_gib - float(saves) <= memory.usable_gib


def _once(notes: Iterable[Note]) -> tuple[Note, ...]:
    found: dict[str, Note] = {}
    for note in notes:
        found.setdefault(note.code, note)
    return tuple(found.values())
