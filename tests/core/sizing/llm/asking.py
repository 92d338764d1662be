"""Short ways to ask the language-model core."""

from functools import lru_cache

from advisor.library import library
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Rate
from advisor.sizing.llm import InferenceJob, TrainingJob, prepare
from advisor.sizing.parsing.workload import parse_workload

LIBRARY = library()
BIG = "a100-sxm-80g"


def job(**fields: object) -> InferenceJob | TrainingJob:
    """The prepared job of an LLM workload; `task` is training where a method is named."""
    task = "training" if "method" in fields else "inference"
    return prepare(parse_workload({"scenario": "llm", "task": task, **fields}, LIBRARY.models), LIBRARY)


def gpu(slug: str = BIG) -> Gpu:
    return LIBRARY.gpus[slug]


def parts(slug: str = BIG, count: int = 1, **fields: object) -> dict[str, float]:
    load = job(**fields).load(gpu(slug), count)
    assert load is not None
    return dict(load.parts)


def memory(slug: str = BIG, count: int = 1, **fields: object) -> float:
    return sum(parts(slug, count, **fields).values())


def rate(slug: str = BIG, count: int = 1, **fields: object) -> Rate:
    found = job(**fields).rate(gpu(slug), count)
    assert found is not None
    return found


def codes(slug: str = BIG, count: int = 1, **fields: object) -> set[str]:
    return {note.code for note in job(**fields).notes(gpu(slug), count)}


@lru_cache(maxsize=1)
def dense_models() -> tuple[str, ...]:
    """Library models without experts, between one and a hundred billion parameters."""
    rows = LIBRARY.models.items()
    return tuple(
        slug
        for slug, row in rows
        if row["scenario"] == "llm" and "MoE" not in row["attention_kind"] and 1 <= float(row["params_b"]) <= 100
    )
