"""From the figures of an error to its cause, what to change, and how much memory would end it. Pure: values in, coded values out."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from advisor.doctor.reading import MOST_CARD_GIB, Reading, others
from advisor.sizing.answer import Note
from advisor.sizing.gpu import Gpu

Cause = Literal[
    "too-little-memory",
    "fragmentation",
    "other-process",
    "kv-cache-too-large",
    "nothing-left-for-cache",
    "preallocation",
    "host-memory",
    "precision-unsupported",
    "states-only-estimate",
    "weights-only",
    "no-stock",
    "room-left",
    "card-full",
    "out-of-memory-unstated",
    "figure-wrong",
    "unknown",
]

HEADROOM = 1.1
"""What ended at X would have asked for more afterwards: later layers, later steps, longer samples."""
BLOCK_TOKENS = 16
"""vLLM hands out its cache in blocks of 16 tokens."""
CACHE_SHARE_OF_FILE = 0.12
"""Cache and compute buffer beside a GGUF file at a few thousand tokens: 5-12 % of 7B-32B files."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """`cause` and `figures` say what happened; `actions` what to change, the cheapest first; `questions` what would decide it.

    `need_gib`: the least memory per card that would have passed this point; None where the text does not tell or no card helps.
    """

    reading: Reading
    cause: Cause
    figures: Note
    actions: tuple[Note, ...] = ()
    questions: tuple[Note, ...] = ()
    need_gib: float | None = None
    needs_bigger_card: bool = False


def diagnose(reading: Reading, cache_bytes_per_token: float | None = None) -> Diagnosis:
    """What happened and what to do.

    `cache_bytes_per_token`: 16-bit KV cache of the model named in the text or by the reader, where it is known.
    """
    if reading.absurd:
        return Diagnosis(
            reading,
            "figure-wrong",
            Note("figure-beyond-any-card", values={"most": MOST_CARD_GIB}),
            (Note("check-shapes"),),
            (Note("ask-whole-message"), Note("ask-card")),
        )
    match reading.kind:
        case "vllm-kv-cache":
            return _cache(reading, cache_bytes_per_token)
        case "vllm-no-cache-blocks":
            return _no_blocks(reading)
        case "vllm-startup":
            return _startup(reading)
        case "bf16-unsupported":
            return _no_bf16(reading)
        case "fp8-unsupported":
            return Diagnosis(
                reading,
                "precision-unsupported",
                Note("fp8-needs-8.9"),
                (Note("use-four-bit"), Note("take-fp8-card"), Note("fp8-weights-only")),
                (Note("ask-card"),),
            )
        case "host-memory":
            return Diagnosis(
                reading,
                "host-memory",
                Note("host-killed" if reading.signal else "host-allocation"),
                (Note("more-host-ram"), Note("less-offload"), Note("fewer-loader-workers"), Note("load-in-shards")),
                (Note("ask-host-ram"),),
            )
        case "deepspeed-estimate":
            return _states(reading)
        case "llama-cpp-log":
            return _file(reading)
        case "nvidia-smi":
            return _table(reading)
        case "no-stock":
            return Diagnosis(
                reading, "no-stock", Note("stock-of-the-host"), (Note("other-host"), Note("term-plan-keeps-card"))
            )
        case "cuda":
            return Diagnosis(
                reading,
                "out-of-memory-unstated",
                Note("no-figures"),
                (Note("look-at-nvidia-smi"), Note("smaller-batch"), Note("use-four-bit")),
                (Note("ask-card"), Note("ask-model"), Note("ask-whole-message")),
            )
        case "unknown":
            return Diagnosis(reading, "unknown", Note("not-an-error-we-know"), (), (Note("ask-whole-message"),))
        case _:
            return _allocator(reading)


def _cache(reading: Reading, bytes_per_token: float | None) -> Diagnosis:
    longest, held = reading.max_tokens or 0, reading.cache_tokens
    per_token_gib = bytes_per_token / 2**30 if bytes_per_token else None
    if per_token_gib is None and reading.needed_cache_gib and longest:
        per_token_gib = reading.needed_cache_gib / longest
    if held is None and per_token_gib and reading.available_cache_gib:
        held = int(reading.available_cache_gib / per_token_gib)
    figures: dict[str, str | int | float | bool] = {"asked": longest}
    actions: list[Note] = []
    if held is not None:
        figures["held"] = held
        cap = held // BLOCK_TOKENS * BLOCK_TOKENS
        if cap:
            actions.append(Note("set-max-model-len", values={"cap": cap}))
    if per_token_gib and longest:
        figures["needed_gib"] = round(per_token_gib * longest, 2)
    close = held is not None and longest and held >= 0.85 * longest
    raise_share = Note("raise-utilisation", values={"now": reading.utilisation or 0.9})
    actions = [raise_share, *actions] if close else [*actions, raise_share]
    actions += [Note("cache-fp8"), Note("use-four-bit"), Note("tensor-parallel")]
    questions = [Note("ask-length-needed")]
    if reading.card is None:
        questions.insert(0, Note("ask-card"))
    if bytes_per_token is None and reading.needed_cache_gib is None:
        questions.append(Note("ask-model"))
    return Diagnosis(
        reading,
        "kv-cache-too-large",
        Note("cache-holds-fewer" if held is not None else "cache-too-small", values=figures),
        tuple(actions),
        tuple(questions),
    )


def _no_blocks(reading: Reading) -> Diagnosis:
    return Diagnosis(
        reading,
        "nothing-left-for-cache",
        Note("weights-fill-the-card"),
        (
            Note("raise-utilisation", values={"now": reading.utilisation or 0.9}),
            Note("use-four-bit"),
            Note("tensor-parallel"),
            Note("bigger-card"),
        ),
        (Note("ask-card"), Note("ask-model")),
        needs_bigger_card=True,
    )


def _startup(reading: Reading) -> Diagnosis:
    free, total = reading.free_gib or 0.0, reading.total_gib or 0.0
    share = int(free / total * 100) / 100 if total else 0.0
    return Diagnosis(
        reading,
        "other-process",
        Note(
            "card-not-empty-at-start",
            values={"free": round(free, 2), "total": round(total, 2), "share": reading.utilisation or 0.9},
        ),
        (Note("end-other-process"), Note("lower-utilisation", values={"share": max(share - 0.01, 0.0)})),
    )


def _no_bf16(reading: Reading) -> Diagnosis:
    return Diagnosis(
        reading,
        "precision-unsupported",
        Note("bf16-needs-8.0", values={"have": reading.compute_capability or 7.0}),
        (Note("load-as-fp16"), Note("no-flash-attention-2"), Note("no-fp8-either")),
    )


def _states(reading: Reading) -> Diagnosis:
    figures: dict[str, str | int | float | bool] = {"states": round(reading.allocated_gib or 0.0, 2)}
    if reading.total_gib:
        figures["total"] = reading.total_gib
    return Diagnosis(
        reading,
        "states-only-estimate",
        Note("states-are-a-lower-bound", values=figures),
        (Note("checkpoint"), Note("smaller-batch"), Note("shard-more"), Note("bigger-card")),
        (Note("ask-sequence-and-batch"),),
        need_gib=(reading.allocated_gib or 0.0) * 1.3 or None,
        needs_bigger_card=True,
    )


def _file(reading: Reading) -> Diagnosis:
    size = reading.file_gib or 0.0
    return Diagnosis(
        reading,
        "weights-only",
        Note(
            "file-plus-cache", values={"file": round(size, 2), "need": round(size * (1 + CACHE_SHARE_OF_FILE) + 0.5, 1)}
        ),
        (Note("smaller-quant"), Note("shorter-context"), Note("split-layers-adds-memory-not-speed")),
        (Note("ask-context"),),
        need_gib=size * (1 + CACHE_SHARE_OF_FILE) + 0.5,
    )


def _table(reading: Reading) -> Diagnosis:
    total = reading.total_gib or 0.0
    used = total - (reading.free_gib or 0.0)
    figures = Note(
        "smi-shows",
        values={
            "used": round(used, 1),
            "total": round(total, 1),
            "devices": len(reading.devices),
            "processes": len(reading.processes),
        },
    )
    if total and used / total >= 0.85:
        return Diagnosis(
            reading,
            "card-full",
            figures,
            (Note("reserved-is-not-needed"), Note("end-other-process"), Note("measure-allocated")),
            (Note("ask-what-runs"),),
        )
    return Diagnosis(
        reading,
        "room-left",
        figures,
        (Note("host-may-be-the-limit"), Note("measure-allocated")),
        (Note("ask-whole-message"),),
    )


def _allocator(reading: Reading) -> Diagnosis:
    """PyTorch, ComfyUI, TensorFlow, JAX and llama.cpp: an allocation that failed, with figures beside it."""
    tried, held = reading.tried_gib or 0.0, reading.allocated_gib
    total, unallocated = reading.total_gib, reading.reserved_unallocated_gib or 0.0
    strangers = sum(process.gib for process in others(reading.processes))
    if total and not reading.processes and reading.in_use_by_process_gib is not None and reading.free_gib is not None:
        strangers = max(total - reading.free_gib - reading.in_use_by_process_gib, 0.0)
    elif (
        total
        and held is not None
        and reading.free_gib is not None
        and not reading.processes
        and reading.in_use_by_process_gib is None
    ):
        strangers = max(
            total - reading.free_gib - held - unallocated - 1.0, 0.0
        )  # 1.0: this process's own context and kernels
    figures: dict[str, str | int | float | bool] = {"tried": round(tried, 2)}
    for name, value in (("allocated", held), ("total", total), ("free", reading.free_gib)):
        if value is not None:
            figures[name] = round(value, 2)
    figures["unallocated"] = round(unallocated, 2)
    figures["others"] = round(strangers, 2)
    need = (held + tried) * HEADROOM if held is not None else None
    if total and strangers > max(0.08 * total, 1.0) and held is not None and held + tried <= total:
        return Diagnosis(
            reading,
            "other-process",
            Note("others-hold", values=figures),
            (Note("end-other-process"), Note("own-card")),
            need_gib=need,
        )
    if unallocated >= tried and total and unallocated > 0.08 * total:
        actions = [Note("expandable-segments"), Note("smaller-batch")]
        if reading.logits:
            actions[1:1] = [Note("fused-loss"), Note("logits-stay-on-card")]
        return Diagnosis(
            reading, "fragmentation", Note("reserved-unused", values=figures), tuple(actions), need_gib=need
        )
    if held is not None or reading.kind in ("llama-cpp", "jax", "tensorflow"):
        return Diagnosis(
            reading,
            "too-little-memory",
            Note("asked-beyond-the-card", values=figures),
            tuple(_remedies(reading)),
            need_gib=need,
            needs_bigger_card=True,
        )
    return Diagnosis(
        reading,
        "out-of-memory-unstated",
        Note("tried-only", values=figures),
        tuple(_remedies(reading)),
        (Note("ask-card"), Note("ask-whole-message")),
        needs_bigger_card=True,
    )


def _remedies(reading: Reading) -> Iterable[Note]:
    """What to change before a bigger card, by the program that failed."""
    match reading.kind:
        case "llama-cpp":
            yield from (Note("shorter-context"), Note("smaller-quant"), Note("fewer-layers-on-card"))
        case "comfyui":
            yield from (Note("lower-resolution"), Note("vae-tiling"), Note("fp8-weights"), Note("lowvram"))
        case "tensorflow" | "jax":
            yield from (Note("smaller-batch"), Note("no-preallocation"), Note("mixed-precision"))
        case _:
            if reading.logits:
                yield from (Note("fused-loss"), Note("logits-stay-on-card"))
            if reading.total_gib and reading.allocated_gib and reading.allocated_gib > 0.9 * reading.total_gib:
                yield Note("half-precision")
            yield from (Note("smaller-batch"), Note("checkpoint"), Note("use-four-bit"), Note("lora-instead"))


def cards_that_end_it(diagnosis: Diagnosis, gpus: Mapping[str, Gpu]) -> tuple[str, ...]:
    """Slugs of the given cards with the memory (and the precision) the diagnosis asks for, smallest first; empty where none is needed."""
    reading = diagnosis.reading
    ordered = sorted(gpus.values(), key=lambda gpu: (gpu.usable_gib, gpu.slug))
    if reading.kind == "fp8-unsupported":
        return tuple(gpu.slug for gpu in ordered if gpu.fp8_tensor_tflops)
    need = diagnosis.need_gib
    if need is None or not (diagnosis.needs_bigger_card or reading.kind == "llama-cpp-log"):
        return ()
    return tuple(gpu.slug for gpu in ordered if gpu.usable_gib >= need)
