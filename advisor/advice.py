"""What would change the answer, and its price: each change is really run, never guessed. Pure."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from advisor.costs import plans_of
from advisor.reasons import FOUR_BIT_FORMATS, LOW_BIT_FORMATS, MANY_REQUESTS, double_precision, named
from advisor.recommendation import Advice
from advisor.sizing.answer import Note, Value
from advisor.sizing.fields import FIELDS
from advisor.sizing.workload import Workload
from advisor.survey import Candidate, CardSurvey, Survey, Turned, has_fast_fp64, plain_name, with_whole_bill
from billing.costing.break_even import break_evens
from billing.costing.moments import HOUR
from billing.idle import usage_of
from catalog.snapshot import Offer

WORTH_SAYING = 0.05
"""A change that saves less than this share of money, time or memory is not worth a line."""
MOST_ADVICE = 8
IDLE_HOURS = 10
"""A night: what leaving the machine on over it costs is said once."""
HALF_PRECISION = frozenset({None, "fp32", "fp16", "bf16"})
PRICE_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000}
LONG_CACHE_TOKENS = 8192
PLAIN_PIXELS = 1024
"""Sides from which a picture is worth making smaller."""
OPEN_FIELDS = frozenset({"engine", "framework"})
"""Left open where they were not told: no other software is advised in place of a guess."""

SPEED_UP = frozenset(
    {
        "batch-more",
        "cache-latents",
        "chunk-logits",
        "fewer-frames",
        "mixed-precision",
        "other-framework",
        "quantise",
        "shard",
        "shorter-context",
        "smaller-images",
        "unquantise",
        "use-lora",
        "use-qlora",
    }
)
"""Changes that can make the same card faster; what only saves memory is never praised for speed."""
TIGHT_SHARE = Decimal("0.6")
"""A tight fit this much cheaper than the recommended one is worth ten minutes of trying."""

type Changes = Mapping[str, Any]
type Recommend = Callable[[Workload], Candidate | None]
"""What is recommended for a workload under its own priority and limits; None where nothing can run it."""


@dataclass(frozen=True, slots=True)
class _Change:
    """One thing to do differently: its code, the fields it sets, the figures of its sentence."""

    code: str
    fields: Changes
    values: Mapping[str, Value] = dataclasses.field(default_factory=dict)


def advise(
    survey: Survey, recommended: Candidate | None, cards: Sequence[CardSurvey], recommend_for: Recommend
) -> tuple[Advice, ...]:
    """Changes worth knowing, the most helpful first. `recommend_for`: what is recommended for other answers."""
    found = [
        one
        for change in _changes(_as_taken(survey.workload, recommended))
        if (one := _run(survey.workload, recommended, change, recommend_for)) is not None
    ]
    found.sort(key=_use)
    if recommended is not None:
        found = [*_try_tight(cards, recommended), *found[: MOST_ADVICE - 3]]
        found += [*_more_cards(survey, recommended), *_renting(survey, recommended, cards)]
    return tuple(found[:MOST_ADVICE])


def _use(advice: Advice) -> tuple[bool, float]:
    """Money saved first, then time."""
    saved = -float(advice.total_delta) if advice.total_delta is not None else 0.0
    return (saved <= 0, -saved if saved > 0 else -(advice.speed_ratio or 1.0))


def _as_taken(workload: Workload, recommended: Candidate | None) -> Workload:
    """The workload with the defaults it was answered by: nothing is advised that is done already."""
    if recommended is None:
        return workload
    known = {field.name for field in FIELDS.get((workload.scenario, workload.task), ())} - OPEN_FIELDS
    taken = {note.field: note.values.get("value") for note in recommended.estimate.assumptions if note.field in known}
    told = {str(name): value for name, value in taken.items() if value is not None}
    return dataclasses.replace(workload, fields={**told, **workload.fields})


def _changed(workload: Workload, changes: Changes) -> Workload:
    fields = {name: value for name, value in {**workload.fields, **changes}.items() if value is not None}
    return dataclasses.replace(workload, fields=fields)


def _run(workload: Workload, recommended: Candidate | None, change: _Change, recommend_for: Recommend) -> Advice | None:
    """What is recommended once the change is made; None where nothing is gained by it."""
    changed = _changed(workload, change.fields)
    best = recommend_for(changed)
    if best is None or best.failures or (recommended is not None and not _gains(change, best, recommended, workload)):
        return None
    return _advice(change, changed, best, recommended)


def _gains(change: _Change, best: Candidate, recommended: Candidate, workload: Workload) -> bool:
    """Whether the recommendation after a change is the better one: clearly cheaper, or faster for no more, or surely fitting at last."""
    if best.estimate.fit != "fits" or (best.span_hours is None) != (recommended.span_hours is None):
        return False
    if recommended.failures or recommended.estimate.fit == "tight":
        return True
    if workload.priority == "fastest":
        return _is_faster(best, recommended) or (_is_cheaper(best, recommended) and not _is_faster(recommended, best))
    if _is_cheaper(best, recommended):
        return _worth(change, best, recommended)
    dearer = best.total > recommended.total * Decimal(1 + WORTH_SAYING)
    other = best.offer is not recommended.offer
    return (other or change.code in SPEED_UP) and _is_faster(best, recommended) and not dearer


def _is_cheaper(one: Candidate, other: Candidate) -> bool:
    return one.total < other.total * Decimal(1 - WORTH_SAYING)


def _is_faster(one: Candidate, other: Candidate) -> bool:
    return (one.rate or 0.0) > (other.rate or 0.0) * (1 + WORTH_SAYING)


def _worth(change: _Change, best: Candidate, recommended: Candidate) -> bool:
    """Whether spilling saves money per piece of work, not only per hour of a card that is slower for it."""
    if change.code != "offload" or not (best.rate and recommended.rate):
        return True
    per_piece = float(best.total / recommended.total)
    if best.span_hours is None:
        per_piece *= recommended.rate / best.rate
    return per_piece < 1 - WORTH_SAYING


def _hourly(offer: Offer) -> Decimal:
    """Price per hour of the whole offer as a yardstick, from the hourly plan or else the first one sold."""
    plan = offer.plan("hour") or offer.plans[0]
    price = Decimal(str(plan["unit_price"])) * 3600 / PRICE_SECONDS[str(plan["price_per"])]
    return price * offer.count if plan.get("per", "gpu") == "gpu" else price * offer.nodes


def _advice(change: _Change, workload: Workload, best: Candidate, recommended: Candidate | None) -> Advice:
    memory = best.estimate.memory
    before = recommended.estimate.memory if recommended else None
    saved = None
    if memory is not None and before is not None:
        saved = before.per_gpu_gib - memory.per_gpu_gib
    values: dict[str, Value] = {**change.values, **named(best.gpu), "count": best.offer.count}
    if change.code == "offload" and recommended is not None and best.rate and recommended.rate:
        values["times"] = recommended.rate / best.rate
    return Advice(
        note=Note(change.code, next(iter(change.fields), None), values),
        changes=change.fields,
        outcome=_outcome(best, recommended),
        workload=workload.to_dict(),
        memory_gib=memory.per_gpu_gib if memory else None,
        memory_saved_gib=saved,
        **_answer(best, recommended),
    )


def _outcome(best: Candidate, recommended: Candidate | None) -> Note:
    """What a change leads to: another card and what that saves, or the same card and what it gains."""
    values: dict[str, Value] = {
        **named(best.gpu),
        "count": best.offer.count,
        "total": str(best.total),
        "currency": best.bill.cheapest.currency,
    }
    if recommended is None:
        return Note("then-possible", None, values)
    other, faster = best.offer is not recommended.offer, _is_faster(best, recommended)
    if _is_cheaper(best, recommended) and (other or not faster):
        return Note("then-cheaper", None, {**values, "saves": str(recommended.total - best.total)})
    if faster and best.rate and recommended.rate:
        gained = round((best.rate / recommended.rate - 1) * 100)
        return Note("then-other-faster" if other else "then-faster", None, {**values, "percent": gained})
    return Note("then-possible" if other else "then-fits", None, values)


def _answer(best: Candidate, recommended: Candidate | None) -> dict[str, Any]:
    """The answer after a change, and how it differs from the recommended one."""
    answer: dict[str, Any] = {
        "gpu": best.gpu.slug,
        "count": best.offer.count,
        "sku": best.offer.sku,
        "hours": best.span_hours,
        "total": best.total,
        "currency": best.bill.cheapest.currency,
    }
    if recommended is not None:
        answer["total_delta"] = best.total - recommended.total
        if best.span_hours is not None and recommended.span_hours is not None:
            answer["hours_delta"] = best.span_hours - recommended.span_hours
        if best.rate and recommended.rate:
            answer["speed_ratio"] = best.rate / recommended.rate
    return answer


def _try_tight(cards: Sequence[CardSurvey], recommended: Candidate) -> Iterator[Advice]:
    """A much cheaper offer that may hold the work: worth a short trial before the dear one is taken."""
    tight = [one for card in cards for one in card.candidates if one.estimate.fit == "tight" and not one.failures]
    best = min(tight, key=lambda one: one.total, default=None)
    if best is None or recommended.estimate.fit != "fits" or best.total > recommended.total * TIGHT_SHARE:
        return
    memory = best.estimate.memory
    values: dict[str, Value] = {
        **named(best.gpu),
        "count": best.offer.count,
        "total": str(best.total),
        "saves": str(recommended.total - best.total),
        "currency": best.bill.cheapest.currency,
    }
    if memory is not None:
        values |= {"low_gib": memory.low_gib, "high_gib": memory.high_gib, "usable_gib": memory.usable_gib}
        yield Advice(
            note=Note("try-tight", None, values),
            changes={},
            memory_gib=memory.per_gpu_gib,
            **_answer(best, recommended),
        )


def _more_cards(survey: Survey, recommended: Candidate) -> Iterator[Advice]:
    """What the next larger count of the same card really buys."""
    counts = [one for one in survey.catalogue.offers_of(recommended.gpu.slug) if one.count > recommended.offer.count]
    if not counts:
        return
    offer = min(counts, key=lambda one: one.count)
    estimate = survey.prepared.on(recommended.gpu, offer.count)
    found = survey.look(recommended.gpu, offer)
    if isinstance(found, Turned):
        return
    one = with_whole_bill(found, survey.usages)
    if estimate.speed is None or not recommended.rate or not one.rate:
        return
    ratio = one.rate / recommended.rate
    values: dict[str, Value] = {
        **named(recommended.gpu),
        "count": offer.count,
        "from_count": recommended.offer.count,
        "ratio": ratio,
        **_price_of(one, recommended, ratio),
    }
    code = "second-card" if ratio > 1 + WORTH_SAYING else "second-card-useless"
    memory = estimate.memory.per_gpu_gib if estimate.memory else None
    yield Advice(note=Note(code, None, values), changes={}, memory_gib=memory, **_answer(one, recommended))


def _price_of(one: Candidate, recommended: Candidate, ratio: float) -> dict[str, Value]:
    """What more cards cost beside fewer, in per cent where that says something; empty where the money stays the same."""
    more = one.total - recommended.total
    if not more or not recommended.total:
        return {}
    cost = round(float(more / recommended.total) * 100)
    if not cost:
        return {"more" if more > 0 else "saves": str(abs(more)), "currency": one.bill.cheapest.currency}
    if cost < 0:
        return {"saves_percent": -cost}
    work = 1.0 if one.span_hours is not None and recommended.span_hours is not None else ratio
    worth = round(work * float(recommended.total / one.total) * 100)
    return {"cost_percent": cost} if worth == 100 else {"cost_percent": cost, "worth_percent": worth}


def _renting(survey: Survey, recommended: Candidate, cards: Sequence[CardSurvey]) -> Iterator[Advice]:
    """Advice about how to rent, not what."""
    if double_precision(survey.workload) and has_fast_fp64(recommended.gpu):
        yield from _split(survey, recommended, cards)
    offer, currency = recommended.offer, recommended.bill.cheapest.currency
    hourly = offer.plan("hour")
    if hourly is not None:
        values: dict[str, Value] = {f"{kind}_hours": hours for kind, hours in _pays_from(offer).items()}
        if len(values) == 3:
            yield Advice(note=Note("plan-break-even", "schedule", values), changes={}, currency=currency)
        waste: dict[str, Value] = {"hours": IDLE_HOURS, "total": str(_hourly(offer) * IDLE_HOURS), "currency": currency}
        yield Advice(note=Note("left-running", None, waste), changes={}, currency=currency)


def _pays_from(offer: Offer) -> Mapping[str, int]:
    """Prepaid kind -> the first whole hour of one run at which it is charged less than the hourly plan."""
    kinds = {plan.name: kind for kind, plan in plans_of(offer)}
    pairs = break_evens([plan for _kind, plan in plans_of(offer)], usage_of(offer, HOUR))
    found = {
        kinds[pair.cheaper]: pair.from_hour
        for pair in pairs
        if pair.from_hour is not None and "hour" in {kinds[name] for name in pair.between}
    }
    return {kind: found[kind] for kind in ("day", "week", "month") if kind in found}


def _split(survey: Survey, recommended: Candidate, cards: Sequence[CardSurvey]) -> Iterator[Advice]:
    """Double precision: try the flow on a cheap card, compute on the fast one."""
    cheap = [
        one
        for card in cards
        for one in card.candidates
        if one.estimate.fit == "fits" and _hourly(one.offer) < _hourly(recommended.offer)
    ]
    if not cheap:
        return
    best = min(cheap, key=lambda one: _hourly(one.offer))
    currency = recommended.bill.cheapest.currency
    values: dict[str, Value] = {
        **named(best.gpu),
        "per_hour": str(_hourly(best.offer)),
        "other_name": plain_name(recommended.gpu),
        "other_per_hour": str(_hourly(recommended.offer)),
        "currency": currency,
    }
    yield Advice(
        note=Note("split-prototype", "stage", values),
        changes={},
        gpu=best.gpu.slug,
        count=best.offer.count,
        sku=best.offer.sku,
        currency=currency,
    )


def _changes(workload: Workload) -> Iterator[_Change]:
    """Every change that makes sense for a work of this kind."""
    maker = _MAKERS.get((workload.scenario, workload.task))
    if maker is not None:
        yield from maker(workload)


def _quantised(workload: Workload, name: str, formats: tuple[str, ...]) -> Iterator[_Change]:
    for format_ in formats:
        if format_ != workload.get(name):
            yield _Change("quantise", {name: format_}, {"format": format_, "from": str(workload.get(name) or "bf16")})


def _llm_inference(workload: Workload) -> Iterator[_Change]:
    kind, engine = workload.get("weight_format"), workload.get("engine")
    llama = engine == "llama.cpp"
    if kind in HALF_PRECISION:
        yield from _quantised(workload, "weight_format", ("q8_0", "q4_k_m") if llama else ("int8", "awq"))
    elif kind not in FOUR_BIT_FORMATS | LOW_BIT_FORMATS:
        yield from _quantised(workload, "weight_format", ("q4_k_m",) if llama else ("awq",))
    tokens = workload.get("prompt_tokens", 1024) + workload.get("output_tokens", 512)
    concurrency = workload.get("concurrency", 1)
    cap = workload.get("context_tokens")
    if cap and cap > tokens:
        yield _Change("cap-context", {"context_tokens": tokens}, {"tokens": tokens, "from": cap})
    if tokens * concurrency >= LONG_CACHE_TOKENS and workload.get("kv_cache_format") in HALF_PRECISION:
        yield _Change("quantise-cache", {"kv_cache_format": "fp8"}, {"format": "fp8"})
    if concurrency > 1:
        half = concurrency // 2
        yield _Change("fewer-at-once", {"concurrency": half}, {"concurrency": half, "from": concurrency})
    if kind in FOUR_BIT_FORMATS and concurrency >= MANY_REQUESTS and not llama:
        yield _Change("unquantise", {"weight_format": "bf16"}, {"format": "bf16", "from": str(kind)})
    side = workload.get("image_size")
    if isinstance(side, int) and workload.get("images") and side >= PLAIN_PIXELS:
        yield _Change("smaller-images", {"image_size": side // 2}, {"pixels": side // 2, "from": side})
    yield _Change("batch-more", {"concurrency": concurrency * 4}, {"batch": concurrency * 4, "from": concurrency})


def _llm_training(workload: Workload) -> Iterator[_Change]:
    method = workload.get("method") or "full"
    if method in {"full", "freeze"}:
        yield _Change("use-lora", {"method": "lora"}, {"from": method})
    if method in {"full", "freeze", "lora", "dora"}:
        yield _Change("use-qlora", {"method": "qlora"}, {"from": method})
    yield from _training_common(workload, "micro_batch")
    tokens = workload.get("sequence_tokens", 2048)
    if tokens >= 1024:
        yield _Change("shorter-context", {"sequence_tokens": tokens // 2}, {"tokens": tokens // 2, "from": tokens})
    if method == "full" and workload.get("sharding") in {None, "ddp"}:
        yield _Change("shard", {"sharding": "zero3"}, {"sharding": "zero3"})
    if not workload.get("chunked_cross_entropy") and not workload.get("fused_cross_entropy"):
        yield _Change("chunk-logits", {"chunked_cross_entropy": True})
    if method in {"lora", "qlora"} and workload.get("framework") not in {None, "unsloth"}:
        framework = str(workload.get("framework"))
        yield _Change("other-framework", {"framework": "unsloth"}, {"framework": "unsloth", "from": framework})


def _training_common(workload: Workload, batch: str) -> Iterator[_Change]:
    if not workload.get("gradient_checkpointing"):
        yield _Change("checkpoint", {"gradient_checkpointing": True})
    size = workload.get(batch, 1)
    if size > 1:
        yield _Change("smaller-batch", {batch: max(1, size // 2)}, {"batch": max(1, size // 2), "from": size})
    if workload.get("method", "full") == "full" and workload.get("optimizer") in {None, "adamw"}:
        yield _Change("optimizer-8bit", {"optimizer": "adamw-8bit"}, {"optimizer": "adamw-8bit"})


def _generation(workload: Workload) -> Iterator[_Change]:
    if workload.get("weight_format") in HALF_PRECISION:
        yield from _quantised(workload, "weight_format", ("fp8",))
    if workload.get("offload", "none") == "none":
        yield _Change("offload", {"offload": "model"}, {"kind": "model"})
    if not workload.get("vae_tiling"):
        yield _Change("vae-tiling", {"vae_tiling": True})
    size = workload.get("batch", 1)
    if size > 1:
        yield _Change("fewer-per-batch", {"batch": max(1, size // 2)}, {"batch": max(1, size // 2), "from": size})
    width, height = workload.get("width"), workload.get("height")
    if width and height and width * height > PLAIN_PIXELS**2:
        smaller = {"width": max(256, width // 32 * 16), "height": max(256, height // 32 * 16)}
        pixels: Mapping[str, Value] = {
            "pixels": f"{smaller['width']} × {smaller['height']}",
            "from": f"{width} × {height}",
        }
        yield _Change("smaller-images", smaller, pixels)
    frames = workload.get("frames")
    if frames and frames > 16:
        yield _Change("fewer-frames", {"frames": frames // 2 + 1}, {"frames": frames // 2 + 1, "from": frames})


def _diffusion_training(workload: Workload) -> Iterator[_Change]:
    if workload.get("method") in {None, "full"}:
        yield _Change("use-lora", {"method": "lora"}, {"from": "full"})
    yield from _training_common(workload, "micro_batch")
    if not workload.get("cached_latents"):
        yield _Change("cache-latents", {"cached_latents": True})


def _transcription(workload: Workload) -> Iterator[_Change]:
    engine = workload.get("engine")
    if engine in {"openai-whisper", "transformers"}:
        yield _Change("other-framework", {"engine": "faster-whisper"}, {"framework": "faster-whisper", "from": engine})
    if workload.get("weight_format") in HALF_PRECISION:
        yield from _quantised(workload, "weight_format", ("int8",))
    batch = workload.get("batch", 1)
    if batch < 8 and not workload.get("streams"):
        yield _Change("batch-more", {"batch": 8}, {"batch": 8, "from": batch})
    if batch > 8:
        yield _Change("fewer-per-batch", {"batch": batch // 2}, {"batch": batch // 2, "from": batch})


def _vision(workload: Workload) -> Iterator[_Change]:
    if workload.get("precision") in {"fp32", "tf32"}:
        yield _Change("mixed-precision", {"precision": "amp"}, {"from": str(workload.get("precision"))})
    batch = workload.get("batch")
    if batch and batch > 1:
        code = "smaller-batch" if workload.task == "training" else "fewer-per-batch"
        yield _Change(code, {"batch": batch // 2}, {"batch": batch // 2, "from": batch})


def _simulation(workload: Workload) -> Iterator[_Change]:
    mixed = {"openmm", "gromacs", "amber", "namd", "lammps"}
    if workload.get("precision") == "double" and workload.get("application") in mixed:
        yield _Change("mixed-precision", {"precision": "mixed"}, {"from": "double"})
    if workload.get("precision") == "single" and workload.get("application") == "cfd-lbm":
        yield _Change("quantise", {"precision": "fp32-fp16"}, {"format": "fp32-fp16", "from": "single"})


_MAKERS: Mapping[tuple[str, str], Callable[[Workload], Iterator[_Change]]] = {
    ("llm", "inference"): _llm_inference,
    ("llm", "training"): _llm_training,
    ("aigc", "image-generation"): _generation,
    ("aigc", "image-editing"): _generation,
    ("aigc", "video-generation"): _generation,
    ("aigc", "image-training"): _diffusion_training,
    ("aigc", "video-training"): _diffusion_training,
    ("speech", "transcription"): _transcription,
    ("vision", "training"): _vision,
    ("vision", "inference"): _vision,
    ("science", "simulation"): _simulation,
}
