"""The data files: every number has a source, the example is marked as sample and follows the guide's order."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.example import EXAMPLE_PRICES, csv_rows, example_catalogue, example_terms, spec_rows
from catalog.plan_rules import PLAN_DEFAULTS
from catalog.snapshot import PLAN_KINDS, plan_rules
from catalog.specs import COLUMNS, SPEC, SPECS, derivations_by_column, sources_by_column, spec_text, spec_value

GUIDE_ORDER = [
    "rtx-3060-12g",
    "rtx-3080-20g",
    "rtx-3090-24g",
    "rtx-4080-super-32g",
    "rtx-4090-24g",
    "rtx-4090-48g",
    "a100-pcie-40g",
    "a800-pcie-80g",
]
LEVELS = {
    "rtx-3060-12g": "0.6",
    "rtx-3080-20g": "0.95",
    "rtx-3090-24g": "1.32",
    "rtx-4080-super-32g": "1.98",
    "rtx-4090-24g": "2.3",
    "rtx-4090-48g": "2.98",
    "a100-pcie-40g": "4.6",
    "a800-pcie-80g": "6.9",
}


def test_every_card_has_all_columns_in_one_form():
    rows = spec_rows()
    assert len(rows) == 33
    assert all(tuple(row) == COLUMNS for row in rows.values())
    memory = [Decimal(row["vram_gb"]) for row in rows.values()]
    assert memory == sorted(memory)


@pytest.mark.parametrize("slug", GUIDE_ORDER)
def test_every_number_on_a_guide_card_has_a_source_or_a_derivation(slug):
    row = spec_rows()[slug]
    sources, derived = sources_by_column(row["sources"]), derivations_by_column(row["derived_cells"])
    numbers = [spec.name for spec in SPECS if spec.kind != "text" and row[spec.name]]
    assert [name for name in numbers if name not in sources and name not in derived] == []


def test_derived_figures_name_how():
    derived = derivations_by_column(spec_rows()["rtx-3060-12g"]["derived_cells"])
    assert derived["sm_count"] == "3584 CUDA cores / 128 per SM"
    assert set(derived) <= set(SPEC)


@pytest.mark.parametrize(
    ("text", "meant"), [("1.290", "1.29"), ("12", "12"), ("", ""), ("560", "560"), ("0", "0"), ("82.60", "82.6")]
)
def test_a_figure_is_written_one_way(text, meant):
    spec = SPEC["fp64_tflops"]
    assert spec_text(spec, spec_value(spec, text)) == meant


def test_compute_capability_keeps_its_decimal():
    assert spec_rows()["rtx-5090-32g"]["compute_capability"] == "12.0"


@pytest.mark.parametrize("text", ["n/a", "-1", "1e400000", "nan", "inf"])
def test_what_is_no_figure_is_refused_by_column_name(text):
    with pytest.raises(ValueError, match="fp64_tflops"):
        spec_value(SPEC["fp64_tflops"], text)


@given(st.decimals(min_value=0, max_value=10**7, places=4, allow_nan=False, allow_infinity=False))
def test_writing_a_figure_loses_nothing(value):
    spec = SPEC["fp32_tflops"]
    text = spec_text(spec, value)
    assert Decimal(text) == value
    assert "E" not in text.upper()


def test_example_is_sample_data_in_file_and_values():
    first = EXAMPLE_PRICES.read_text(encoding="utf-8").splitlines()[0]
    assert "SAMPLE DATA" in first
    catalogue = example_catalogue()
    assert catalogue.is_sample
    assert all(offer.is_sample for offer in catalogue.offers)
    assert {row["is_sample"] for row in csv_rows(EXAMPLE_PRICES)} == {"yes"}


def _price(slug, kind, count=1):
    offer = next(offer for offer in example_catalogue().offers_of(slug) if offer.count == count)
    plan = offer.plan(kind)
    return Decimal(plan["unit_price"])


def test_example_prices_follow_the_guide_order_and_public_levels():
    hours = [_price(slug, "hour") for slug in GUIDE_ORDER]
    assert hours == sorted(set(hours))
    for slug, level in LEVELS.items():
        assert abs(_price(slug, "hour") / Decimal(level) - 1) <= Decimal("0.02")
    assert _price("a100-sxm-40g", "hour") > _price("a100-pcie-40g", "hour")
    assert _price("a800-sxm-80g", "hour") > _price("a800-pcie-80g", "hour")


@pytest.mark.parametrize("slug", sorted({offer.gpu for offer in example_catalogue().offers}))
def test_minutes_cost_a_little_more_and_terms_less_than_hours(slug):
    hour = _price(slug, "hour")
    assert hour < _price(slug, "minute") * 60 < hour * Decimal("1.1")
    assert _price(slug, "day") < 24 * hour
    assert _price(slug, "week") < min(168 * hour, 7 * _price(slug, "day"))
    assert _price(slug, "month") < min(720 * hour, 4 * _price(slug, "week"))


def test_no_price_of_a_term_is_a_fake_discount_on_another_count():
    for slug in {offer.gpu for offer in example_catalogue().offers}:
        assert {offer.count for offer in example_catalogue().offers_of(slug)} >= {1, 2, 4, 8}


def test_nvlink_is_told_as_it_is():
    """C76: pairs for the 3090 and PCIe boards, boards of eight for SXM, never for RTX 40; sixteen cards are two nodes."""
    for offer in example_catalogue().offers:
        nvlink = Decimal(example_catalogue().gpus[offer.gpu]["nvlink_gb_s"] or 0)
        if offer.gpu.startswith(("rtx-3060", "rtx-3080", "rtx-40")):
            assert (offer.link == "nvlink", offer.nvlink_group, nvlink) == (False, 1, 0)
        if offer.link == "nvlink":
            assert nvlink > 0
            assert offer.count == 2 or "-sxm-" in offer.gpu
        if offer.count == 16:
            assert offer.nodes == 2
            assert offer.nvlink_group == 8
            assert offer.network_gbit_s
            assert "-sxm-" in offer.gpu
        assert (offer.link == "none") == (offer.count == 1)


def test_plans_are_in_the_contracts_words():
    for offer in example_catalogue().offers:
        assert [plan["kind"] for plan in offer.plans] == list(PLAN_KINDS)
        names = {plan["name"] for plan in offer.plans}
        for plan in offer.plans:
            known = {
                *PLAN_DEFAULTS,
                "name",
                "currency",
                "unit_price",
                "price_per",
                "day_means",
                "week_means",
                "month_means",
            }
            assert set(plan_rules(plan)) <= known
            assert isinstance(plan["unit_price"], str)
            assert plan["currency"] == "CNY"
            assert plan.get("on_demand_plan", "hourly") in names
            assert (plan.get("term") is not None) == (plan["kind"] in {"day", "week", "month"})
    assert example_terms().plans["minute"]["billing_step_seconds"] == 60
    assert example_terms().plans["hour"]["billing_step_seconds"] == 3600
