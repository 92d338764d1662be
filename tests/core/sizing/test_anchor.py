"""What measurements of the same or near work do to a computed figure."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.library import gpus
from advisor.sizing.anchor import Anchors, Modelled, better_card, shape_of
from advisor.sizing.evidence import fact_of
from advisor.sizing.job import Load, Rate

GPUS = gpus()
A100 = GPUS["a100-sxm-80g"]


def beside(value, computed, *, gpu="a100-sxm-80g", count=1, memory=True, bound=None, ident="X1", **work):
    """A fact of `value` where the formula says `computed`."""
    row = {
        "id": ident,
        "workload": {"scenario": "llm", "task": "inference", "model": "m", **work},
        "gpu": gpu,
        "count": count,
        "metric": "memory_gib_per_gpu" if memory else "speed",
        "value": value,
        "unit": "GiB" if memory else "tokens_per_second",
        "source": "a/b@1234567 c.md",
        "quality": "measured",
        "bound": bound,
        "usable_for": ["memory" if memory else "speed"],
    }
    fact = fact_of(row)
    shape = shape_of(fact.workload, fact.metric)
    return Modelled(fact, fact.workload, "k", "s", math.log(value / computed), computed, shape)


def on_memory(facts, computed, **work):
    load = Load({"weights": computed}, "k", stack="s")
    asked = {"scenario": "llm", "task": "inference", "model": "m", **work}
    return Anchors(facts, asked, GPUS, None).on_memory(load, 1, computed, stack_said=True)


def on_speed(facts, computed, gpu=A100, count=1, **work):
    rate = Rate(computed, "tokens_per_second", "compute", "k", stack="s")
    asked = {"scenario": "llm", "task": "inference", "model": "m", **work}
    return Anchors(facts, asked, GPUS, None).on_speed(rate, gpu, count, stack_said=True)


def test_the_very_work_measured_is_the_answer():
    found = on_memory([beside(20.0, 16.0, prompt_tokens=1024)], 16.0, prompt_tokens=1024)
    assert found.factor * 16.0 == pytest.approx(20.0)
    assert found.tier == "anchored"


def test_a_near_work_corrects_and_brackets():
    facts = [beside(20.0, 16.0, prompt_tokens=1024)]
    more = on_memory(facts, 17.0, prompt_tokens=2048)
    less = on_memory(facts, 15.0, prompt_tokens=512)
    assert more.tier == "known-stack"
    assert more.factor * 17.0 >= 20.0
    assert less.factor * 15.0 <= 20.0


def test_a_lower_bound_lifts_but_corrects_nothing():
    facts = [beside(20.0, 10.0, bound="at_least", prompt_tokens=1024)]
    found = on_memory(facts, 10.0, prompt_tokens=2048)
    assert found.factor * 10.0 == pytest.approx(20.0)
    assert found.floor == 20.0
    assert found.known == 0


def test_other_settings_do_not_bracket():
    facts = [beside(40.0, 40.0, weight_format="bf16", prompt_tokens=1024)]
    assert on_memory(facts, 12.0, weight_format="int4", prompt_tokens=4096).factor * 12.0 == pytest.approx(12.0)


def test_software_left_open_is_never_anchored():
    load = Load({"weights": 16.0}, "k", stack="s")
    anchors = Anchors([beside(20.0, 16.0)], {"model": "m"}, GPUS, None)
    assert anchors.on_memory(load, 1, 16.0, stack_said=False).tier == "unknown-stack"


SIZES = st.integers(0, 12).map(lambda power: 2**power)


@given(
    st.lists(st.tuples(SIZES, SIZES, st.floats(0.5, 2.0)), max_size=8),
    st.tuples(SIZES, SIZES),
    st.tuples(SIZES, SIZES),
)
def test_more_never_needs_less(measured, one, other):
    def formula(prompt, users):
        return 10 + prompt * users / 1024

    facts = [
        beside(formula(p, u) * noise, formula(p, u), prompt_tokens=p, concurrency=u, ident=f"X{i}")
        for i, (p, u, noise) in enumerate(measured)
    ]
    small = (min(one[0], other[0]), min(one[1], other[1]))
    large = (max(one[0], other[0]), max(one[1], other[1]))
    figures = [
        on_memory(facts, formula(*size), prompt_tokens=size[0], concurrency=size[1]).factor * formula(*size)
        for size in (small, large)
    ]
    assert figures[0] <= figures[1] * (1 + 1e-9)


@given(
    st.lists(st.tuples(st.sampled_from(sorted(GPUS)), st.floats(0.3, 3.0)), max_size=6),
    st.sampled_from(sorted(GPUS)),
    st.sampled_from(sorted(GPUS)),
)
def test_a_card_better_in_every_figure_is_never_slower(measured, one, other):
    better, worse = GPUS[one], GPUS[other]
    if not better_card(better, worse):
        return

    def formula(gpu):
        return gpu.memory_bandwidth_gb_s / 10

    facts = [
        beside(formula(GPUS[slug]) * noise, formula(GPUS[slug]), gpu=slug, memory=False, ident=f"X{i}")
        for i, (slug, noise) in enumerate(measured)
    ]
    fast, slow = (on_speed(facts, formula(gpu), gpu).factor * formula(gpu) for gpu in (better, worse))
    assert fast >= slow * (1 - 1e-9)


def test_a_measurement_on_another_card_is_scaled_to_this_one():
    facts = [beside(100.0, 80.0, gpu="rtx-3090-24g", memory=False)]
    found = on_speed(facts, 200.0)
    assert found.tier == "anchored"
    assert 200.0 < found.factor * 200.0 < 250.0


def test_speed_far_from_what_was_measured_is_left_to_the_formula():
    facts = [beside(100.0, 50.0, memory=False, prompt_tokens=64, concurrency=1)]
    found = on_speed(facts, 50.0, prompt_tokens=65536, concurrency=512)
    assert found.factor == pytest.approx(1.0, abs=0.02)
    assert found.tier == "new-model"
