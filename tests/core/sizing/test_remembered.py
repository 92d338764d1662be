"""Answers at hand are those that would be worked out, only sooner; what is kept is bounded."""

import tracemalloc
from dataclasses import replace

from advisor.library import library
from advisor.sizing.estimate import MOST_ANSWERS, estimate, prepare

KNOWN = library()
WORK = {"scenario": "llm", "task": "inference", "model": "llama-3.1-8b", "engine": "vllm", "weight_format": "bf16"}


def test_asked_again_is_the_same_answer_as_worked_out() -> None:
    gpu = KNOWN.gpus["rtx-4090-24g"]
    first, again = estimate(WORK, gpu, 1, KNOWN), estimate(WORK, gpu, 1, KNOWN)
    assert first is again
    assert prepare(WORK, KNOWN).worked_out(gpu, 1) == again


def test_a_card_of_the_same_name_with_other_figures_is_worked_out_afresh() -> None:
    gpu = KNOWN.gpus["rtx-4090-24g"]
    slower = replace(gpu, memory_bandwidth_gb_s=gpu.memory_bandwidth_gb_s / 2)
    before, after = estimate(WORK, gpu, 1, KNOWN), estimate(WORK, slower, 1, KNOWN)
    assert before.speed is not None
    assert after.speed is not None
    assert after.speed.value < before.speed.value


def test_a_changed_work_is_another_work() -> None:
    gpu, asked = KNOWN.gpus["rtx-4090-24g"], dict(WORK)
    before = estimate(asked, gpu, 1, KNOWN)
    asked["prompt_tokens"] = 16_000
    after = estimate(asked, gpu, 1, KNOWN)
    assert before.memory is not None
    assert after.memory is not None
    assert after.memory.per_gpu_gib > before.memory.per_gpu_gib


def test_kept_answers_are_bounded() -> None:
    ready = prepare(WORK, KNOWN)
    gpu = KNOWN.gpus["rtx-4090-24g"]
    for count in range(1, MOST_ANSWERS + 40):
        ready.on(gpu, count, with_evidence=False)
    assert len(ready._answers) <= MOST_ANSWERS


def test_other_works_push_out_the_oldest() -> None:
    gpu = KNOWN.gpus["rtx-4090-24g"]

    def ask(numbers: range) -> None:
        for tokens in numbers:
            estimate({**WORK, "prompt_tokens": tokens}, gpu, 1, KNOWN)

    ask(range(100, 250))
    tracemalloc.start()
    ask(range(250, 330))
    settled = tracemalloc.get_traced_memory()[0]
    ask(range(330, 480))
    grown = tracemalloc.get_traced_memory()[0] - settled
    tracemalloc.stop()
    assert grown < 2_000_000, f"{grown} bytes more after 150 other works"
