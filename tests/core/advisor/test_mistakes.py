"""The usual mistakes, one by one, as 141 public questions make them: what the advisor says where a workload makes one."""

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from django.utils import translation

from advisor.doctor.diagnosis import diagnose
from advisor.doctor.reading import read
from advisor.library import library
from advisor.presets import PRESETS
from advisor.recommend import Recommendation, recommend, to_dict
from advisor.sentences import recommendation_in_words
from advisor.sizing.answer import Note
from advisor.sizing.estimate import estimate
from advisor.sizing.parsing.workload import parse_workload
from catalog.example import example_catalogue
from catalog.snapshot import Catalogue

NOW = datetime(2026, 3, 2, 10, tzinfo=UTC)
KNOWN = library()
LLAMA = {"scenario": "llm", "task": "inference", "model": "llama-3.1-8b", "engine": "vllm", "weight_format": "bf16"}
FLUX = {
    "scenario": "aigc",
    "task": "image-generation",
    "model": "flux.1-dev",
    "weight_format": "bf16",
    "width": 1024,
    "height": 1024,
    "steps": 28,
    "batch": 1,
}
FULL = {
    "scenario": "llm",
    "task": "training",
    "model": "qwen2.5-7b",
    "method": "full",
    "framework": "deepspeed",
    "sharding": "zero3",
    "sequence_tokens": 4096,
}


def ask(workload: dict[str, Any], catalogue: Catalogue | None = None) -> Recommendation:
    return recommend(parse_workload(workload, KNOWN.models, KNOWN.gpus), catalogue or example_catalogue(), KNOWN, NOW)


def found(notes: Any, code: str) -> Note:
    return next(note for note in notes if note.code == code)


def codes(notes: Any) -> set[str]:
    return {note.code for note in notes}


def advised(answer: Recommendation, code: str) -> Any:
    return next(one for one in answer.advice if one.note.code == code)


def told(answer: Recommendation, code: str, language: str = "en") -> str:
    """The sentence of a code, wherever in the answer it stands."""
    with translation.override(language):
        words = recommendation_in_words(to_dict(answer))
    notes = [*words["warnings"], *words["questions"], *words["assumptions"], *words["advice"]]
    notes += [note for choice in words["choices"] for note in (*choice["reasons"], *choice["warnings"])]
    return next(note["text"] for note in notes if note["code"] == code)


def only(gpus: set[str]) -> Catalogue:
    example = example_catalogue()
    return replace(example, offers=tuple(offer for offer in example.offers if offer.gpu in gpus))


# 1. More cards taken for more memory or more speed


def test_1_a_second_card_says_what_it_buys_per_unit_of_money():
    split = ask({**LLAMA, "engine": "llama.cpp", "weight_format": "q4_k_m", "sharding": "pipeline"})
    values = advised(split, "second-card-useless").note.values
    assert float(values["ratio"]) < 1.05
    assert float(values["cost_percent"]) == pytest.approx(100, abs=3)
    sharing = ask(
        {
            "scenario": "vision",
            "task": "training",
            "model": "resnet-50",
            "image_size": 224,
            "batch": 128,
            "precision": "amp",
        }
    )
    values = advised(sharing, "second-card").note.values
    assert float(values["ratio"]) > 1.5
    expected = 100 * float(values["ratio"]) / (1 + float(values["cost_percent"]) / 100)
    assert float(values["worth_percent"]) == pytest.approx(expected, abs=2)
    assert "%" in told(sharing, "second-card")


# 2. A bigger card for what a length causes


@pytest.mark.parametrize(
    ("workload", "code", "field"),
    [
        (
            {**LLAMA, "context_tokens": 131_072, "concurrency": 4, "prompt_tokens": 1000, "output_tokens": 500},
            "cap-context",
            "context_tokens",
        ),
        ({**FLUX, "width": 2048, "height": 2048}, "smaller-images", "width"),
        (
            {
                "scenario": "aigc",
                "task": "video-generation",
                "model": "hunyuanvideo",
                "width": 1280,
                "height": 720,
                "frames": 129,
                "steps": 50,
            },
            "fewer-frames",
            "frames",
        ),
    ],
)
def test_2_the_cap_that_makes_the_cheap_card_do_is_named(workload, code, field):
    advice = advised(ask(workload), code)
    assert field in advice.changes
    assert advice.changes[field] < workload[field]
    assert advice.outcome.code in {"then-cheaper", "then-faster"}


def test_2_the_models_own_maximum_is_not_taken_for_the_need():
    gpu = KNOWN.gpus["rtx-4090-24g"]
    answer = estimate({**LLAMA, "prompt_tokens": 1000, "output_tokens": 500}, gpu, 1, KNOWN)
    note = found(answer.warnings, "context-cap")
    assert float(note.values["tokens"]) == 1500
    assert float(note.values["cache_gib_at_max"]) > 15


# 3. Tables of states taken as the need of full fine-tuning


def test_3_what_comes_on_top_of_the_states_is_said_with_figures():
    answer = ask(FULL)
    note = found(answer.warnings, "states-not-all")
    memory = answer.choices[0].estimate.memory
    assert memory is not None
    assert float(note.values["states_gib"]) + float(note.values["more_gib"]) == pytest.approx(memory.per_gpu_gib)
    assert float(note.values["more_gib"]) > 5
    assert "states-not-all" not in codes(ask({**FULL, "method": "lora"}).warnings)


# 4. The host is the limit


def test_4_the_host_a_job_needs_is_stated_and_a_machine_without_it_never_comes_first():
    spilling = {**FLUX, "offload": "sequential"}
    answer = ask(spilling)
    best = answer.choices[0]
    note = found(answer.assumptions, "host-needed")
    assert float(note.values["ram_gib"]) == best.estimate.host.ram_gib
    assert best.estimate.host.ram_gib <= best.offer.ram_gib * best.offer.nodes
    short = [one for one in answer.choices if one.estimate.host.ram_gib > one.offer.ram_gib * one.offer.nodes]
    assert short
    assert all("host-ram-short" in codes(one.reasons_against) for one in short)
    loading = {
        "scenario": "vision",
        "task": "training",
        "model": "resnet-50",
        "image_size": 224,
        "batch": 256,
        "precision": "amp",
    }
    assert "loader-cores" in codes(estimate(loading, KNOWN.gpus["rtx-4090-24g"], 1, KNOWN).warnings)


def test_4_a_disk_too_small_is_said_first_of_every_choice_with_what_the_rest_costs():
    answer = ask(PRESETS["alphafold3"].workload)
    needed = found(answer.assumptions, "host-needed").values["disk_gb"]
    short = [one for one in answer.choices if one.offer.disk_gb * one.offer.nodes < needed]
    assert answer.choices[0] in short
    for one in short:
        note = found(one.reasons_against[:2], "host-disk-short")
        missing = needed - one.offer.disk_gb * one.offer.nodes
        assert note.values["needed_gb"] == needed
        assert note.values["missing_gb"] == missing
        assert note.values["price"] == str((Decimal("0.0066") * missing).quantize(Decimal("0.01")))


def test_4_need_and_spare_make_what_is_usable_as_shown():
    for preset in ("alphafold3", "qwen-image", "sdxl-images", "serve-8b-16"):
        for one in ask(PRESETS[preset].workload).choices:
            note = next((note for note in one.reasons_for if note.code == "memory-headroom"), None)
            if note is not None:
                need, usable = round(one.estimate.memory.per_gpu_gib, 1), round(one.estimate.memory.usable_gib, 1)
                assert note.values["spare_gib"] == pytest.approx(usable - need, abs=1e-6)


# 5. Spilling taken for running


def test_5_fits_means_resident_and_spilling_says_its_price():
    gpu = KNOWN.gpus["rtx-4090-24g"]
    assert estimate(FLUX, gpu, 1, KNOWN).fit == "does_not_fit"
    spilling = estimate({**FLUX, "offload": "sequential"}, gpu, 1, KNOWN)
    assert float(found(spilling.warnings, "offload-slow").values["seconds_per_sample"]) > 0
    for one in ask(FLUX).advice:
        if one.note.code == "offload" and one.speed_ratio is not None:
            assert float(one.note.values["times"]) == pytest.approx(1 / one.speed_ratio)
            assert float(one.note.values["times"]) >= 1


def test_5_spilling_is_not_advised_where_each_piece_costs_more():
    answer = ask(FLUX)
    best = answer.choices[0]
    for one in answer.advice:
        if one.note.code == "offload" and one.outcome.code == "then-cheaper" and one.speed_ratio:
            assert float(one.total / best.total) / one.speed_ratio < 1


# 6. nvidia-smi read as need or as use


def test_6_what_an_engine_takes_is_told_apart_from_what_the_job_needs():
    answer = estimate({**LLAMA, "prompt_tokens": 500, "output_tokens": 200}, KNOWN.gpus["a100-sxm-80g"], 1, KNOWN)
    note = found(answer.warnings, "engine-preallocates")
    assert float(note.values["takes_gib"]) > 2 * float(note.values["needs_gib"])
    table = """
|   0  NVIDIA GeForce RTX 4090        Off |   00000000:01:00.0 Off |                  Off |
| 30%   45C    P2             70W /  450W |   22100MiB /  24564MiB |      0%      Default |
"""
    found_ = diagnose(read("| NVIDIA-SMI 550.54.15   Driver Version: 550.54.15   CUDA Version: 12.4 |" + table))
    assert found_.cause == "card-full"
    assert "reserved-is-not-needed" in codes(found_.actions)


# 7. Precision by card


def test_7_precision_the_card_lacks_is_said():
    a100 = KNOWN.gpus["a100-sxm-80g"]
    assert "no-fp8" in codes(estimate({**LLAMA, "weight_format": "fp8"}, a100, 1, KNOWN).warnings)
    v100 = KNOWN.gpus["v100-sxm-32g"]
    training = {**FULL, "method": "lora", "precision": "bf16-mixed"}
    assert "no-bf16" in codes(estimate(training, v100, 1, KNOWN).warnings)
    double = {
        "scenario": "science",
        "task": "simulation",
        "application": "linear-algebra",
        "precision": "double",
        "memory_gib": 8,
    }
    geforce = next(one for one in ask(double).choices if one.gpu.startswith("rtx-"))
    assert "slow-fp64" in codes(geforce.reasons_against)


def test_7_four_bits_are_not_praised_as_fast_under_many_requests():
    many = ask({**LLAMA, "weight_format": "awq", "concurrency": 128, "prompt_tokens": 500, "output_tokens": 300})
    assert "four-bit-many" in codes(many.warnings)
    assert "1,724" in told(many, "four-bit-many")
    few = ask({**LLAMA, "weight_format": "awq", "concurrency": 1})
    assert "four-bit-many" not in codes(few.warnings)


# 8. Hours guessed


def test_8_hours_are_asked_back_not_guessed():
    answer = ask(FULL)
    assert "how-many-epochs" in codes(answer.questions)
    assert all(choice.estimate.hours is None for choice in answer.choices)
    assert "paid-by-the-hour" in codes(answer.assumptions)
    with_data = ask({**FULL, "demand": {"amount": 3, "unit": "epochs", "samples": 52_000}})
    assert "how-many-epochs" not in codes(with_data.questions)
    assert with_data.choices[0].estimate.hours is not None


# 9. Stopped taken for free, and the same card taken for waiting


def test_9_a_stopped_machine_still_costs_and_its_card_is_not_kept():
    answer = ask(LLAMA)
    best = answer.choices[0]
    plan = best.offer.plan("hour")
    assert plan is not None
    note = found(answer.assumptions, "stopped-not-kept")
    beyond = Decimal(best.offer.disk_gb) - Decimal(str(plan["free_disk_gb"]))
    expected = max(beyond, Decimal(0)) * Decimal(str(plan["disk_price_per_gb_day_stopped"]))
    assert Decimal(str(note.values["price"])) == expected.quantize(Decimal("0.01"))
    billed = replace(
        example_catalogue(),
        offers=tuple(
            replace(offer, plans=tuple({**one, "stopped_gpu_billed": True} for one in offer.plans))
            for offer in example_catalogue().offers
        ),
    )
    assert "stopped-billed" in codes(ask(LLAMA, billed).assumptions)


def test_9_stock_of_a_kind_is_not_what_an_order_gets():
    scarce = replace(
        example_catalogue(), offers=tuple(replace(offer, stock="scarce") for offer in example_catalogue().offers)
    )
    assert "scarce-stock" in codes(ask(LLAMA, scarce).choices[0].reasons_against)
    gone = replace(
        example_catalogue(), offers=tuple(replace(offer, stock="out") for offer in example_catalogue().offers)
    )
    assert not ask(LLAMA, gone).choices


# 10. Prices read without count, term, tax, storage, region, date


@pytest.mark.parametrize(
    ("included", "percent", "code"),
    [(True, "6", "price-terms-taxed"), (False, "6", "price-terms-plus-tax"), (False, "0", "price-terms")],
)
def test_10_a_price_says_count_term_tax_storage_region_and_date(included, percent, code):
    example = replace(example_catalogue(), as_of=datetime(2026, 11, 30, 16, 33, tzinfo=UTC))
    terms = {"prices_include_tax": included, "tax_percent": percent}
    answer = ask(
        LLAMA,
        replace(
            example,
            offers=tuple(replace(one, plans=tuple({**plan, **terms} for plan in one.plans)) for one in example.offers),
        ),
    )
    note, best = found(answer.assumptions, code), answer.choices[0]
    assert note.values["count"] == best.count
    assert note.values["plan"] == best.cheapest_plan
    assert note.values["region"] == best.offer.region
    assert note.values["date"] == "2026-12-01", "the day of the shop's clock, not of the server's"
    for language in ("en", "zh-hans"):
        assert str(note.values["date"]) in told(answer, code, language)


# 11. The card's name believed over the machine


def test_11_modified_and_lookalike_cards_are_to_be_checked_on_the_machine():
    answer = ask(FLUX, only({"rtx-4090-48g"}))
    assert "modified-card" in codes(answer.choices[0].reasons_against)
    answer = ask(LLAMA, only({"rtx-4090-24g"}))
    values = found(answer.choices[0].reasons_against, "lookalike").values
    assert values["cores"] == KNOWN.gpus["rtx-4090-24g"].cuda_cores
    assert values["other_cores"] == KNOWN.gpus["rtx-4090d-24g"].cuda_cores


# 12. Half-stated questions


def test_12_the_one_missing_fact_is_asked_back_with_the_answer_for_each_case():
    answer = ask({"scenario": "llm", "task": "training", "model": "qwen2.5-7b"})
    note = found(answer.questions, "ask-framework")
    gpu = KNOWN.gpus[answer.choices[0].gpu]
    for case in str(note.values["cases"]).split(", "):
        name, gib, _unit = case.rsplit(" ", 2)
        sized = estimate(
            {"scenario": "llm", "task": "training", "model": "qwen2.5-7b", "framework": name},
            gpu,
            answer.choices[0].count,
            KNOWN,
        )
        assert sized.memory is not None
        assert float(gib) == pytest.approx(sized.memory.per_gpu_gib, abs=0.06)
    assert len(str(note.values["cases"]).split(", ")) == 3
    science = ask({"scenario": "science", "task": "simulation", "application": "linear-algebra", "memory_gib": 8})
    assert "which-precision" in codes(science.questions)


def test_12_what_was_told_is_not_asked_and_what_is_done_already_not_advised():
    answer = ask({"scenario": "llm", "task": "training", "model": "qwen2.5-7b"})
    assert "use-lora" not in {one.note.code for one in answer.advice}
    assert "checkpoint" not in {one.note.code for one in answer.advice}
    named = ask({"scenario": "llm", "task": "training", "model": "qwen2.5-7b", "framework": "unsloth"})
    assert "ask-framework" not in codes(named.questions)


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-3-70b", "qwen2.5-14b"])
@pytest.mark.parametrize("method", ["full", "lora"])
def test_what_would_do_really_would(model, method):
    answer = ask({"scenario": "llm", "task": "training", "model": model, "method": method, "sequence_tokens": 4096})
    for one in (*answer.choices, *answer.rejected):
        if one.remedy is None or "saves_gib" not in one.remedy.values or one.estimate is None:
            continue
        memory = one.estimate.memory
        assert memory is not None
        assert memory.high_gib - float(one.remedy.values["saves_gib"]) <= memory.usable_gib
