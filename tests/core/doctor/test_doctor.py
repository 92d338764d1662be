"""The doctor reads what programs really print, says what happened, and never falls over a text."""

import dataclasses
import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor.doctor.diagnosis import cards_that_end_it, diagnose
from advisor.doctor.reading import MAX_TEXT, read
from advisor.doctor.sentences import sentence
from advisor.library import gpus

OLD = (
    "RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 23.69 GiB total capacity; 21.10 GiB already allocated; "
    "512.00 MiB free; 22.50 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb"
)
NEW = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB. GPU 1 has a total capacity of 23.64 GiB of which 41.75 MiB is free. "
    "Including non-PyTorch memory, this process has 23.60 GiB memory in use. Of the allocated memory 23.19 GiB is allocated by PyTorch, "
    "and 5.97 MiB is reserved by PyTorch but unallocated."
)
SHARED = (
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 23.69 GiB of which 300.00 MiB is free. "
    "Process 111 has 14.00 GiB memory in use. Process 222 has 9.30 GiB memory in use. Of the allocated memory 8.60 GiB is allocated by PyTorch, "
    "and 120.00 MiB is reserved by PyTorch but unallocated."
)
COMFY = (
    "torch.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 20.11 GiB\n"
    "Requested               : 3.00 GiB\nDevice limit            : 23.99 GiB\nFree (according to CUDA): 0 bytes\n"
    "PyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB"
)
LLAMA = (
    "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc failed: out of memory\n"
    "llama_kv_cache_init: failed to allocate buffer for kv cache\nllm_load_tensors: CUDA0 model buffer size =  4685.30 MiB"
)
TENSORFLOW = (
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor with shape[64,1024,128,128] and type float on "
    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\nLimit: 10737418240 InUse: 9663676416"
)
VLLM_NEW = (
    "ValueError: To serve at least one request with the models's max seq len (32768), (4.50 GiB KV cache is needed, which is larger than the available "
    "KV cache memory (1.20 GiB). Based on the available memory, the estimated maximum model length is 8704. Try increasing `gpu_memory_utilization`"
)
SMI = """
+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|-----------------------------------------+------------------------+----------------------+
| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |
|   0  NVIDIA GeForce RTX 3090        On  | 00000000:01:00.0 Off   |                  N/A |
| 30%   45C    P2            120W /  350W |   22528MiB /  24576MiB |     97%      Default |
|   1  NVIDIA GeForce RTX 3090        On  | 00000000:02:00.0 Off   |                  N/A |
| 30%   31C    P8             20W /  350W |       3MiB /  24576MiB |      0%      Default |
| Processes:                                                                              |
|    0   N/A  N/A      4242      C   python train.py                             22520MiB |
"""


def test_old_pytorch_wording() -> None:
    reading = read(OLD)
    assert (reading.kind, reading.device, reading.total_gib, reading.allocated_gib, reading.tried_gib) == (
        "pytorch",
        0,
        23.69,
        21.10,
        2.0,
    )
    assert reading.reserved_unallocated_gib == pytest.approx(1.4)
    assert reading.free_gib == 0.5
    assert diagnose(reading).cause == "too-little-memory"
    assert diagnose(reading).need_gib == pytest.approx(23.1 * 1.1)


def test_new_pytorch_wording_and_the_card_that_ends_it() -> None:
    diagnosis = diagnose(read(NEW))
    assert diagnosis.reading.device == 1
    assert diagnosis.cause == "too-little-memory"
    cards = cards_that_end_it(diagnosis, gpus())
    assert "rtx-3090-24g" not in cards
    assert "rtx-4080-super-32g" in cards
    assert list(cards) == sorted(cards, key=lambda slug: (gpus()[slug].usable_gib, slug))


def test_another_process_is_told_from_ones_own() -> None:
    diagnosis = diagnose(read(SHARED))
    assert [process.pid for process in diagnosis.reading.processes if process.own] == [222]
    assert diagnosis.cause == "other-process"
    assert diagnosis.figures.values["others"] == 14.0
    assert cards_that_end_it(diagnosis, gpus()) == ()


def test_comfyui() -> None:
    reading = read(COMFY)
    assert (reading.kind, reading.allocated_gib, reading.tried_gib, reading.total_gib, reading.free_gib) == (
        "comfyui",
        20.11,
        3.0,
        23.99,
        0.0,
    )


def test_llama_cpp() -> None:
    reading = read(LLAMA)
    assert (reading.kind, reading.tried_gib, reading.device) == ("llama-cpp", 16.0, 0)
    assert reading.allocated_gib == pytest.approx(4685.30 / 1024)
    assert next(action.code for action in diagnose(reading).actions) == "shorter-context"


def test_tensorflow_counts_the_tensor() -> None:
    reading = read(TENSORFLOW)
    assert (reading.kind, reading.tried_gib, reading.total_gib, reading.allocated_gib) == ("tensorflow", 4.0, 10.0, 9.0)


def test_vllm_both_wordings_name_the_cap() -> None:
    new = diagnose(read(VLLM_NEW))
    assert (
        new.reading.max_tokens,
        new.reading.cache_tokens,
        new.reading.needed_cache_gib,
        new.reading.available_cache_gib,
    ) == (32768, 8704, 4.5, 1.2)
    assert new.cause == "kv-cache-too-large"
    assert next(action for action in new.actions if action.code == "set-max-model-len").values["cap"] == 8704


def test_nvidia_smi_names_the_fullest_card() -> None:
    diagnosis = diagnose(read(SMI))
    assert [round(device.used_gib) for device in diagnosis.reading.devices] == [22, 0]
    assert diagnosis.reading.card == "NVIDIA GeForce RTX 3090"
    assert diagnosis.reading.processes[0].pid == 4242
    assert diagnosis.cause == "card-full"


EXPECTED = {
    "Q012": "kv-cache-too-large",
    "Q013": "kv-cache-too-large",
    "Q014": "kv-cache-too-large",
    "Q019": "weights-only",
    "Q020": "weights-only",
    "Q036": "fragmentation",
    "Q039": "states-only-estimate",
    "Q049": "too-little-memory",
    "Q050": "precision-unsupported",
    "Q004": "host-memory",
    "Q024": "precision-unsupported",
    "Q067": "too-little-memory",
    "Q122": "no-stock",
}


def test_pastes_of_real_people(shared: Path) -> None:
    cases = [json.loads(line) for line in (shared / "cases" / "oom_pastes.jsonl").read_text().splitlines()]
    assert {case["id"]: diagnose(read(case["paste"])).cause for case in cases} == EXPECTED


def test_the_cap_of_a_published_case_is_what_the_cache_holds(shared: Path) -> None:
    paste = "max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (39024)"
    diagnosis = diagnose(read(paste), cache_bytes_per_token=131072)  # Llama-3.1-8B: 2 x 32 layers x 8 heads x 128 x 2 B
    assert diagnosis.figures.values == {"asked": 131072, "held": 39024, "needed_gib": 16.0}
    assert diagnosis.actions[0].values["cap"] == 39024


def test_a_file_needs_more_than_itself() -> None:
    diagnosis = diagnose(read("print_info: file size   = 17.34 GiB (4.88 BPW)"))
    cards = cards_that_end_it(diagnosis, gpus())
    assert "rtx-3090-24g" in cards
    assert "rtx-4080-super-16g" not in cards


def test_a_pasted_megabyte_is_cut_not_refused_and_read_at_both_ends() -> None:
    assert read("x" * 1_000_000 + OLD).kind == "pytorch"
    assert read(OLD + "x" * 1_000_000).truncated
    assert len(OLD) < MAX_TEXT


ABSURD = [
    "CUDA out of memory. Tried to allocate 9999999999 GiB. GPU 0 has a total capacity of 24.00 GiB of which 1.00 GiB is free.",
    "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 88888888.00 GiB of which 1.00 GiB is free.",
    "max seq len (99999999999) is larger than the maximum number of tokens that can be stored in KV cache (39024)",
    "OOM when allocating tensor with shape[9999999,9999999,99999] and type float",
    "RESOURCE_EXHAUSTED: Out of memory while trying to allocate 999999999999999 bytes.",
    "| 30%   50C    P2   300W / 350W |  99999999MiB / 24576MiB |    100%      Default |",
    "| 30%   50C    P2   300W / 350W |  30000MiB / 24576MiB |    100%      Default |",
    "print_info: file size   = 99999999.34 GiB (4.88 BPW)",
    "DefaultCPUAllocator: can't allocate memory: you tried to allocate 99999999999999999999 bytes.",
]


@pytest.mark.parametrize("text", ABSURD)
def test_a_figure_that_cannot_be_right_is_said_to_be_so_and_never_given_back(text: str) -> None:
    diagnosis = diagnose(read(text))
    assert diagnosis.cause == "figure-wrong"
    assert diagnosis.need_gib is None
    assert cards_that_end_it(diagnosis, gpus()) == ()
    said = " ".join(map(sentence, (diagnosis.figures, *diagnosis.actions, *diagnosis.questions)))
    assert not re.search(r"\d{5}|[1-9]\.\d{2,}", said)
    kept = dataclasses.asdict(diagnosis.reading)
    assert all(value < 10**6 for value in kept.values() if isinstance(value, int | float))


@pytest.mark.parametrize(
    ("written", "gib"), [("1,234.50 MiB", 1.2056), ("1234567.00 MiB", None), ("700.00 GiB", 700), ("3,5 GiB", 3.5)]
)
def test_sizes_are_read_whole_or_not_at_all(written: str, gib: float | None) -> None:
    tried = read(f"CUDA out of memory. Tried to allocate {written}").tried_gib
    assert tried is None if gib is None else tried == pytest.approx(gib, rel=1e-3)


@given(st.text(max_size=400))
@example("")
@example("GPU 0 has a total capacity of 99999999999999 GiB Tried to allocate 1 GiB")
@example("max seq len (0) is larger than the maximum number of tokens that can be stored in KV cache (0)")
@example("OOM when allocating tensor with shape[] and type float")
def test_nonsense_is_answered_politely(text: str) -> None:
    diagnosis = diagnose(read(text))
    assert diagnosis.figures.code
    assert diagnosis.need_gib is None or diagnosis.need_gib >= 0


@pytest.mark.parametrize(
    "piece",
    [
        "float8 supported on ",
        "fp8e4nv",
        "bf16",
        "Created device with 1 MB memory ",
        "RESOURCE_EXHAUSTED allocate ",
        "DataLoader worker",
        "Free memory on device ",
        " \n",
        "\n",
        "| 0 12 C" + " " * 190,
        "|  0  a a ",
        "1",
        "1.",
        "model=",
        "NVIDIA ",
        "Process 1 has 1 GiB ",
    ],
)
def test_no_text_makes_reading_slow(piece: str) -> None:
    text = piece * (MAX_TEXT // len(piece))
    start = time.process_time()
    read(text)
    assert time.process_time() - start < 3  # bounded searches take a tenth of a second; unbounded ones took minutes


@pytest.mark.parametrize("digits", [50, 5_000])
@pytest.mark.parametrize(
    "text",
    [
        "max seq len ({}) is larger than the maximum number of tokens that can be stored in KV cache ({})",
        "Tried to allocate 1 GiB. GPU {} Process {} has 1 GiB memory in use",
        "unable to allocate CUDA0 buffer of size {}",
        "OOM when allocating tensor with shape[{},{}] and type float",
        "tensorflow failed to allocate 1 GiB Limit: {} InUse: {} Created device x with {} MB memory name: A",
        "model size = 4 GiB\nmodel params = {} B",
        "1.00GB | 1.00GB per GPU Model with {}M total params",
        "RESOURCE_EXHAUSTED: allocate {} bytes",
    ],
)
def test_endless_numbers_are_answered(text: str, digits: int) -> None:
    need = diagnose(read(text.replace("{}", "9" * digits))).need_gib
    assert need is None or 0 <= need < float("inf")


@given(st.floats(0.01, 200), st.floats(0.01, 200), st.floats(0, 50))
def test_what_was_held_and_asked_is_always_needed(allocated: float, tried: float, free: float) -> None:
    text = (
        f"CUDA out of memory. Tried to allocate {tried:.2f} GiB. GPU 0 has a total capacity of 80.00 GiB of which {free:.2f} GiB is free. "
        f"Of the allocated memory {allocated:.2f} GiB is allocated by PyTorch, and 0.00 MiB is reserved by PyTorch but unallocated."
    )
    need = diagnose(read(text)).need_gib
    assert need is not None
    assert need >= round(allocated, 2) + round(tried, 2)
