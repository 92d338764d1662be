"""What a pasted error or `nvidia-smi` table says, as numbers. Pure: text in, values out; never raises, whatever the text.

Sizes come in the words of their makers: PyTorch, vLLM, llama.cpp and ComfyUI count in GiB/MiB (2**30/2**20), TensorFlow's "G" is 2**30 too,
`nvidia-smi` in MiB, DeepSpeed's estimator writes "GB" for 2**30.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod
from typing import Any, Literal

MAX_TEXT = 200_000
"""Characters read of a paste: the message stands near its end or its start, so a longer one is read from both."""

Kind = Literal[
    "pytorch",
    "comfyui",
    "vllm-kv-cache",
    "vllm-no-cache-blocks",
    "vllm-startup",
    "llama-cpp",
    "llama-cpp-log",
    "tensorflow",
    "jax",
    "cuda",
    "nvidia-smi",
    "host-memory",
    "bf16-unsupported",
    "fp8-unsupported",
    "deepspeed-estimate",
    "no-stock",
    "unknown",
]

UNIT_GIB = {
    "b": 2**-30,
    "bytes": 2**-30,
    "kib": 2**-20,
    "kb": 2**-20,
    "mib": 2**-10,
    "mb": 2**-10,
    "m": 2**-10,
    "gib": 1.0,
    "gb": 1.0,
    "g": 1.0,
    "tib": 1024.0,
}
SIZE = r"(?<!\d)(?<!\d[.,])(\d{1,3}(?:,\d{3}){1,6}\.\d{1,20}|\d{1,20}(?:[.,]\d{1,20})?)\s*(bytes|[KMGT]i?B|[KMGT]|B)\b"
MOST_CARD_GIB = 1_024
"""More no card has, and no program gets in one piece on one."""
MOST_HOST_GIB = 65_536
"""More no machine has, no model file is and no cache takes."""
MOST_TOKENS = 100_000_000
"""Longer no context is."""
DTYPE_BYTES = {
    "float": 4,
    "float32": 4,
    "half": 2,
    "float16": 2,
    "bfloat16": 2,
    "double": 8,
    "float64": 8,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "bool": 1,
}


@dataclass(frozen=True, slots=True)
class Process:
    """A process on the card as the message names it; `own` where it is the one that failed."""

    pid: int | None
    gib: float
    name: str = ""
    own: bool = False


@dataclass(frozen=True, slots=True)
class Device:
    """One row of `nvidia-smi`."""

    name: str
    used_gib: float
    total_gib: float
    utilisation_percent: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """Figures found, GiB; None where the text does not say."""

    kind: Kind = "unknown"
    card: str | None = None
    device: int | None = None
    total_gib: float | None = None
    free_gib: float | None = None
    allocated_gib: float | None = None
    reserved_unallocated_gib: float | None = None
    tried_gib: float | None = None
    in_use_by_process_gib: float | None = None
    processes: tuple[Process, ...] = ()
    devices: tuple[Device, ...] = ()
    max_tokens: int | None = None
    cache_tokens: int | None = None
    needed_cache_gib: float | None = None
    available_cache_gib: float | None = None
    utilisation: float | None = None
    tensor_parallel: int | None = None
    file_gib: float | None = None
    parameters_b: float | None = None
    file_type: str | None = None
    compute_capability: float | None = None
    model: str | None = None
    logits: bool = False
    float32_model: bool = False
    signal: int | None = None
    truncated: bool = False
    absurd: bool = False
    """A figure of the text cannot be right; it is left out."""


def _gib(match: re.Match[str] | None, group: int = 1) -> float | None:
    if match is None or match[group] is None:
        return None
    digits = match[group]
    plain = digits.replace(",", "") if "," in digits and "." in digits else digits.replace(",", ".")
    return float(plain) * UNIT_GIB[match[group + 1].lower()]


def _find(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(pattern, text, re.IGNORECASE)


def _line(text: str, *patterns: str) -> tuple[re.Match[str], ...] | None:
    """The matches on the first line that has all patterns in this order. One search each: no text makes it slow."""
    first, *rest = (re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    start = 0
    while match := first.search(text, start):
        end = text.find("\n", match.end())
        end = len(text) if end < 0 else end
        found = [match]
        for pattern in rest:
            if not (match := pattern.search(text, found[-1].end(), end)):
                break
            found.append(match)
        else:
            return tuple(found)
        start = end
    return None


def _size(pattern: str, text: str) -> float | None:
    """The size that stands where `{}` is in `pattern`; the last occurrence, since a log's last error is the one that ended it."""
    found = list(re.finditer(pattern.replace("{}", SIZE), text, re.IGNORECASE))
    return _gib(found[-1]) if found else None


CARD = re.compile(
    r"\b((?:NVIDIA\s+)?(?:GeForce\s+)?(?:Tesla\s+)?(?:RTX|GTX|A100|A800|H100|H800|H200|H20|V100S?|L40S?|L20|L4|T4|A40|A10G?|P100|P40|B200|RTX A\d{4})"
    r"(?:[\s-]?(?:\d{4}|A\d{4}))?(?:\s?(?:Ti|SUPER|D|Ada))*(?:[\s-](?:SXM\d?|PCIE|PCIe))?(?:[\s-]?\d{2,3}\s?GB?)?)\b",
    re.IGNORECASE,
)


def read(text: str) -> Reading:
    """Read one paste. Unknown text gives `kind="unknown"`, never an exception."""
    truncated = len(text) > MAX_TEXT
    if truncated:
        text = text[: MAX_TEXT // 2] + "\n" + text[-MAX_TEXT // 2 :]
    text = text.replace("\r\n", "\n").replace("\x00", "")
    reading = _believed(_first(text))
    card = CARD.search(text)
    # "DeepSeek-V3" and "T4" in prose are rare; "L4" and "A10" inside words are excluded by the word boundary
    model = _find(r"model(?:_name_or_path|_path)?\s*[=:]\s*['\"]?([\w./-]{3,120})", text)
    return replace(
        reading,
        card=reading.card or (" ".join(card[1].split()) if card else None),
        model=reading.model or (model[1] if model else None),
        truncated=truncated,
    )


def _first(text: str) -> Reading:
    """The most telling reader wins: what names its cause before what only says `out of memory`."""
    for reader in READERS:
        if reading := reader(text):
            return reading
    return Reading()


CARD_FIGURES = (
    "total_gib",
    "free_gib",
    "allocated_gib",
    "reserved_unallocated_gib",
    "tried_gib",
    "in_use_by_process_gib",
    "available_cache_gib",
)
HOST_FIGURES = ("needed_cache_gib", "file_gib")
ON_THE_HOST: frozenset[Kind] = frozenset({"host-memory", "deepspeed-estimate"})


def _believed(reading: Reading) -> Reading:
    """The reading without figures that cannot be right: nothing is advised by them and nobody is shown them."""
    most = {name: float(MOST_HOST_GIB if reading.kind in ON_THE_HOST else MOST_CARD_GIB) for name in CARD_FIGURES}
    most |= dict.fromkeys(HOST_FIGURES, float(MOST_HOST_GIB))
    most |= {"max_tokens": MOST_TOKENS, "cache_tokens": MOST_TOKENS}
    wrong = [name for name, limit in most.items() if (getattr(reading, name) or 0) > limit]
    sizes = [process.gib for process in reading.processes] + [device.total_gib for device in reading.devices]
    full = [device for device in reading.devices if device.used_gib > device.total_gib]
    if not wrong and not full and max(sizes, default=0.0) <= MOST_CARD_GIB:
        return reading
    left_out: dict[str, Any] = dict.fromkeys(wrong)
    return replace(reading, **left_out, processes=(), devices=(), absurd=True)


def _vllm_cache(text: str) -> Reading | None:
    old = _find(
        r"max seq len \((\d{1,11})\) is larger than the maximum number of tokens that can be stored in KV cache \((\d{1,11})\)",
        text,
    )
    # since 0.8: "To serve at least one request with the models's max seq len (32768), (4.50 GiB KV cache is needed, which is larger than the
    # available KV cache memory (1.20 GiB). Based on the available memory, the estimated maximum model length is 8704."
    new = _find(r"max seq len \((\d{1,11})\),?\s*\(?" + SIZE + r" KV cache is needed", text)
    if not old and not new:
        return None
    match = old or new
    assert match
    estimate = _find(r"estimated maximum model length is (\d{1,11})", text)
    blocks = _find(r"# ?(?:GPU|CUDA) blocks:\s*(\d{1,11})", text)
    tokens = int(old[2]) if old else int(estimate[1]) if estimate else int(blocks[1]) * 16 if blocks else None
    parallel = _find(r"tensor_parallel_size\s*=\s*(\d{1,11})", text)
    share = _find(r"gpu_memory_utilization[`'\"]?\s*[=:]\s*(0\.\d{1,9}|1\.0)", text)
    return Reading(
        kind="vllm-kv-cache",
        max_tokens=int(match[1]),
        cache_tokens=tokens,
        needed_cache_gib=_gib(new, 2) if new else None,
        available_cache_gib=_size(r"available KV cache memory \({}", text),
        tensor_parallel=int(parallel[1]) if parallel else None,
        utilisation=float(share[1]) if share else None,
    )


def _vllm_blocks(text: str) -> Reading | None:
    return Reading(kind="vllm-no-cache-blocks") if _find(r"No available memory for the cache blocks", text) else None


def _vllm_startup(text: str) -> Reading | None:
    match = _find(
        r"Free memory on device[^(]{0,80}\((\d{1,6}(?:\.\d{1,9})?)/(\d{1,6}(?:\.\d{1,9})?) ?GiB\) on startup is less than desired GPU memory utilization \((0?\.\d{1,9}|1\.0)",
        text,
    )
    return match and Reading(
        kind="vllm-startup", free_gib=float(match[1]), total_gib=float(match[2]), utilisation=float(match[3])
    )


def _fp8(text: str) -> Reading | None:
    return (
        Reading(kind="fp8-unsupported")
        if _line(text, "fp8e4nv", "not supported") or _line(text, "float8", "supported on", r"8\.9|9\.0|arch")
        else None
    )


def _bf16(text: str) -> Reading | None:
    if not _find(
        r"bfloat16 is only supported on gpus? with compute capability|does not support bfloat16", text
    ) and not _line(text, "bf16", "not supported"):
        return None
    own = _find(r"gpu has compute capability (\d{1,3}\.\d{1,3})", text)
    card = _find(r"your ([\w\s-]{2,60}?) gpu has compute capability", text)
    return Reading(
        kind="bf16-unsupported", compute_capability=float(own[1]) if own else None, card=card[1] if card else None
    )


def _comfyui(text: str) -> Reading | None:
    if not _find(
        r"would exceed allowed memory|Currently allocated\s*:|Allocation on device|Got an OOM, unloading all loaded models",
        text,
    ):
        return None
    return Reading(
        kind="comfyui",
        allocated_gib=_size(r"Currently allocated\s*:\s*{}", text),
        tried_gib=_size(r"Requested\s*:\s*{}", text) or _size(r"Tried to allocate {}", text),
        total_gib=_size(r"Device limit\s*:\s*{}", text) or _size(r"total capacity of {}", text),
        free_gib=_size(r"Free \(according to CUDA\)\s*:\s*{}", text),
    )


def _pytorch(text: str) -> Reading | None:
    tried = _size(r"CUDA out of memory\.?\s+Tried to allocate {}", text) or _size(r"Tried to allocate {}", text)
    if tried is None:
        return None
    device = list(re.finditer(r"\bGPU (\d{1,3})\b", text))
    total = _size(r"total capacity of {}", text) or _size(r"{} total capacity", text)
    allocated = _size(r"{} is allocated by PyTorch", text) or _size(r"{} already allocated", text)
    unallocated = _size(r"{} is reserved by PyTorch but unallocated", text)
    if (
        unallocated is None
        and (reserved := _size(r"{} reserved in total by PyTorch", text)) is not None
        and allocated is not None
    ):
        unallocated = max(reserved - allocated, 0.0)
    mine = _size(r"this process has {} memory in use", text)
    processes = tuple(
        Process(pid=int(match[1]), gib=_gib(match, 2) or 0.0)
        for match in re.finditer(r"Process (\d{1,11}) has " + SIZE + " memory in use", text, re.IGNORECASE)
    )
    return Reading(
        kind="pytorch",
        device=int(device[-1][1]) if device else None,
        total_gib=total,
        free_gib=_size(r"of which {} is free", text)
        if _size(r"of which {} is free", text) is not None
        else _size(r"{} free", text),
        allocated_gib=allocated,
        reserved_unallocated_gib=unallocated,
        tried_gib=tried,
        in_use_by_process_gib=mine,
        processes=_which_is_own(processes, mine, allocated, unallocated),
        logits=bool(_find(r"logits", text)),
        float32_model=bool(_find(r"torch\.float32|dtype=float32", text)),
    )


CONTEXT_AT_MOST_GIB = 1.6
"""What context, kernels and NCCL of one process may take beside PyTorch's own figures."""


def _which_is_own(
    processes: tuple[Process, ...], mine: float | None, allocated: float | None, unallocated: float | None
) -> tuple[Process, ...]:
    """In a container PyTorch does not know its own pid and lists itself as `Process N`: the one whose size is its own."""
    if mine is not None or allocated is None:
        return processes
    held = allocated + (unallocated or 0.0)
    best = min(processes, key=lambda process: abs(process.gib - held), default=None)
    if best is None or not held - 0.05 <= best.gib <= held + CONTEXT_AT_MOST_GIB:
        return processes
    return tuple(replace(process, own=process is best) for process in processes)


def _llama_cpp(text: str) -> Reading | None:
    failed = _size(r"allocating {} on device \d+: cudaMalloc failed: out of memory", text)
    failed_bytes = _find(
        r"(?:failed to allocate|unable to allocate) (?:CUDA\d+|buffer|CUDA) ?buffer(?: of size (\d{1,15}))?", text
    )
    if failed is None and not failed_bytes:
        return None
    if failed is None and failed_bytes and failed_bytes[1]:
        failed = int(failed_bytes[1]) * 2**-30
    device = _find(r"on device (\d{1,3}): cudaMalloc", text)
    log = _llama_cpp_log(text)
    held = [
        (_gib(match) or 0.0)
        for match in re.finditer(r"CUDA\d+ (?:model|KV|compute) buffer(?: size)?\s*=\s*" + SIZE, text, re.IGNORECASE)
    ]
    return replace(
        log or Reading(),
        kind="llama-cpp",
        tried_gib=failed,
        device=int(device[1]) if device else None,
        allocated_gib=sum(held) if held else None,
        max_tokens=_integer(r"n_ctx(?:_per_seq)?\s*=\s*(\d{1,11})", text),
    )


def _llama_cpp_log(text: str) -> Reading | None:
    size = _size(r"(?:model size|file size)\s*=\s*{}", text)
    if size is None:
        return None
    kind = _find(r"(?:model ftype|file type)\s*=\s*([^\n]{1,40})", text)
    parameters = _find(r"model params\s*=\s*(\d{1,9}(?:\.\d{1,9})?) ?B", text)
    return Reading(
        kind="llama-cpp-log",
        file_gib=size,
        file_type=kind[1].strip() if kind else None,
        parameters_b=float(parameters[1]) if parameters else None,
        max_tokens=_integer(r"n_ctx_train\s*=\s*(\d{1,11})", text),
    )


def _integer(pattern: str, text: str) -> int | None:
    match = _find(pattern, text)
    return int(match[1]) if match else None


def _tensorflow(text: str) -> Reading | None:
    shape = _find(r"OOM when allocating tensor with shape\[([\d, ]*)\] and type (\w+)", text)
    failed = _size(r"failed to allocate {}", text)
    if not shape and (failed is None or not _find(r"tensorflow|bfc_allocator|StreamExecutor|cuda_driver\.cc", text)):
        return None
    tried = failed
    if shape:
        sides = [side for side in shape[1].replace(" ", "").split(",") if side][:8]
        if all(len(side) < 12 for side in sides):
            tried = prod(map(int, sides)) * DTYPE_BYTES.get(shape[2].lower(), 4) * 2**-30
    limit = _find(r"Limit:\s*(\d{6,15})", text)
    used = _find(r"InUse:\s*(\d{6,15})", text)
    created = _line(text, "Created device ", r"with (\d{1,9}) MB memory", r"name: ([^,\n]{1,80})")
    return Reading(
        kind="tensorflow",
        tried_gib=tried,
        total_gib=int(limit[1]) * 2**-30 if limit else int(created[1][1]) / 1024 if created else None,
        allocated_gib=int(used[1]) * 2**-30 if used else None,
        card=created[2][1].strip() if created else None,
    )


def _jax(text: str) -> Reading | None:
    found = _line(text, "RESOURCE_EXHAUSTED", r"(?:allocate|allocating) (\d{1,15}) ?bytes")
    return Reading(kind="jax", tried_gib=int(found[1][1]) * 2**-30) if found else None


def _deepspeed(text: str) -> Reading | None:
    rows = [
        (_gib(match) or 0.0)
        for match in re.finditer(r"^[ \t]{0,40}[\d.]{1,12} ?GB\s*\|\s*" + SIZE, text, re.IGNORECASE | re.MULTILINE)
    ]
    if not rows or not _find(r"per GPU", text):
        return None
    parameters = _find(r"Model with (\d{1,11})M total params", text)
    memory = _find(r"-(\d{2})GB\b", text)
    return Reading(
        kind="deepspeed-estimate",
        allocated_gib=min(rows),
        parameters_b=int(parameters[1]) / 1000 if parameters else None,
        total_gib=float(memory[1]) if memory else None,
    )


def _nvidia_smi(text: str) -> Reading | None:
    memory = list(re.finditer(r"(?<!\d)(\d{1,12})\s*MiB\s*/\s*(\d{1,12})\s*MiB\s*\|(?:\s*(\d{1,3})%)?", text))
    if not memory:
        return None
    names = [
        match[1].strip()
        for match in re.finditer(
            r"^\|[ \t]{1,9}\d{1,3}[ \t]{1,40}((?:NVIDIA|Tesla|GeForce|Quadro|RTX|A\d)[^|\n]{0,80}?)[ \t]{2}",
            text,
            re.MULTILINE,
        )
    ]
    names = [re.sub(r"\s+(?:On|Off)$", "", name) for name in names]
    devices = tuple(
        Device(
            name=names[index] if index < len(names) else "",
            used_gib=int(match[1]) / 1024,
            total_gib=int(match[2]) / 1024,
            utilisation_percent=int(match[3]) if match[3] else None,
        )
        for index, match in enumerate(memory[:64])
    )
    processes = tuple(
        Process(pid=int(match[2]), gib=int(match[4]) / 1024, name=match[3].strip()[-60:])
        for match in re.finditer(
            r"^\|[ \t]{1,9}(\d{1,3})[ \t]{1,40}(?:\S{1,9}[ \t]{1,40}\S{1,9}[ \t]{1,40})?(\d{2,9})[ \t]{1,40}[CG+]{1,3}[ \t]{1,40}([^\n]{1,200}?)[ \t]{1,80}(\d{1,6})MiB[ \t]{0,40}\|",
            text,
            re.MULTILINE,
        )
    )
    fullest = max(devices, key=lambda device: device.used_gib / max(device.total_gib, 1e-9))
    return Reading(
        kind="nvidia-smi",
        devices=devices,
        processes=processes,
        card=fullest.name or None,
        total_gib=fullest.total_gib,
        free_gib=max(fullest.total_gib - fullest.used_gib, 0.0),
    )


def _host(text: str) -> Reading | None:
    killed = _find(
        r"exitcode:?\s*-9\b|Out of memory: Killed process|^Killed$|oom-?kill|SIGKILL|signal 9\b|returncode -9", text
    ) or re.search(r"^[ \t]{0,40}Killed[ \t]{0,40}$", text, re.MULTILINE)
    allocator = _find(
        r"DefaultCPUAllocator: (?:can't|not enough)|Cannot allocate memory|std::bad_alloc|MemoryError", text
    )
    workers = _line(text, "DataLoader worker", "killed by signal") or _find(
        r"insufficient shared memory \(shm\)|Bus error", text
    )
    if not (killed or allocator or workers):
        return None
    return Reading(kind="host-memory", signal=9 if killed else None, tried_gib=_size(r"you tried to allocate {}", text))


def _stock(text: str) -> Reading | None:
    return (
        Reading(kind="no-stock")
        if _find(
            r"not enough free GPUs|no (?:longer )?available (?:GPU )?instances|insufficient capacity|库存不足|无可用",
            text,
        )
        else None
    )


def _cuda(text: str) -> Reading | None:
    return (
        Reading(kind="cuda")
        if _find(
            r"CUDA error: out of memory|CUDA_ERROR_OUT_OF_MEMORY|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED|cudaErrorMemoryAllocation|out of memory|显存不足|爆显存",
            text,
        )
        else None
    )


READERS = (
    _fp8,
    _bf16,
    _vllm_cache,
    _vllm_startup,
    _vllm_blocks,
    _comfyui,
    _pytorch,
    _llama_cpp,
    _tensorflow,
    _jax,
    _deepspeed,
    _host,
    _nvidia_smi,
    _llama_cpp_log,
    _stock,
    _cuda,
)


def others(processes: Iterable[Process]) -> tuple[Process, ...]:
    """The processes that are not the failed one."""
    return tuple(process for process in processes if not process.own)
