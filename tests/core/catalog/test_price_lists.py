"""Price lists read without a database: encodings, decimal signs, names, per card or in total, doubt and refusal."""

import io
import json
from decimal import Decimal

import pytest
from django.utils.translation import override
from hypothesis import given
from hypothesis import strategies as st
from openpyxl import Workbook

from catalog.example import EXAMPLE_PRICES, example_catalogue, spec_rows
from catalog.importing.columns import understand
from catalog.importing.matching import cards_named, is_heading, is_several
from catalog.importing.numbers import possible_signs, proved_sign, read_number
from catalog.importing.preview import Answers, look
from catalog.importing.reading import MOST_BYTES, UnreadableList, decode, read_table
from catalog.plan_slot import PlanSlot
from catalog.snapshot import Catalogue

PLANS = [
    PlanSlot("hourly", "hour", "CNY", "hour", "gpu"),
    PlanSlot("daily", "day", "CNY", "day", "gpu"),
    PlanSlot("monthly", "month", "CNY", "month", "gpu"),
    PlanSlot("per-minute", "minute", "CNY", "minute", "gpu"),
    PlanSlot("weekly", "week", "CNY", "week", "gpu"),
    PlanSlot("hourly", "hour", "USD", "hour", "gpu"),
]


@pytest.fixture(autouse=True)
def _english():
    with override("en"):
        yield


@pytest.fixture
def catalogues():
    cny = example_catalogue()
    bare = tuple(
        type(offer)(**{**{name: getattr(offer, name) for name in offer.__slots__}, "plans": ()}) for offer in cny.offers
    )
    return {"CNY": cny, "USD": Catalogue(1, cny.as_of, "USD", False, cny.gpus, bare)}


def _look(text, catalogues, name="list.csv", **answers):
    data = text if isinstance(text, bytes) else text.encode()
    return look(read_table(data, name), Answers(**answers), catalogues, PLANS)


@pytest.mark.parametrize(
    ("encoding", "taken"),
    [("utf-8", "utf-8"), ("utf-8-sig", "utf-8-sig"), ("gb18030", "gb18030"), ("gbk", "gb18030"), ("utf-16", "utf-16")],
)
def test_encodings_are_taken_and_told(catalogues, encoding, taken):
    text = "显卡,币种,价格（小时）\nRTX 3090,CNY,1.40\n"
    preview = _look(text.encode(encoding), catalogues)
    assert preview.notes[0] == f"Read as {taken}."
    assert [(change.sku, change.unit_price) for change in preview.changes] == [("rtx-3090-24g-x1", Decimal("1.40"))]


@given(st.text(alphabet=st.characters(codec="gb18030", exclude_categories=["Cs"]), min_size=1))
def test_what_was_written_in_gb18030_is_read_back_unless_it_is_utf8_too(text):
    data = text.encode("gb18030")
    found, taken = decode(data)
    if taken == "gb18030":
        assert found == text


@pytest.mark.parametrize(
    ("texts", "sign"),
    [
        (["9,99"], "comma"),
        (["1.355,90", "12"], "comma"),
        (["0,75"], "comma"),
        (["5,6"], "comma"),
        (["1,355.90"], "point"),
        (["1.88", "0.10"], "point"),
        (["12", "7"], "point"),
        (["0.123", "1.355"], "point"),
        (["1,234"], None),
        (["1.234"], None),
        (["9,99", "9.99"], None),
    ],
)
def test_the_decimal_sign_is_proved_or_left_open(texts, sign):
    assert proved_sign(texts) == sign


@given(st.decimals(min_value=0, max_value=10**9, places=2, allow_nan=False))
def test_a_price_written_either_way_is_read_exactly(value):
    point = f"{value:,.2f}"
    comma = point.translate(str.maketrans(",.", ".,"))
    assert read_number(point, "point") == value
    assert read_number(comma, "comma") == value
    assert possible_signs(point) == {"point"}
    assert possible_signs(comma) == {"comma"}


@pytest.mark.parametrize("text", ["", "free", "1,2,3", "1.2.3", "-5", "1e5", "NaN", ",5", "1,,000"])
def test_what_is_no_number_is_none(text):
    assert read_number(text, "point") is None or text == "1,2,3"
    assert read_number(text, "comma") is None or text == "1.2.3"


def test_an_open_decimal_sign_is_asked_then_followed(catalogues):
    text = 'gpu,currency,price_per_hour\nRTX 3090,CNY,"1,355"\n'
    asked = _look(text, catalogues)
    assert not asked.proposals
    assert "point or a comma" in asked.questions[0]
    assert "1,355" in asked.questions[0]
    said = _look(text, catalogues, decimal_sign="comma")
    assert said.changes[0].unit_price == Decimal("1.355")
    assert _look(text, catalogues, decimal_sign="point").flagged[0].unit_price == 1355


def test_semicolon_lists_with_commas(catalogues):
    preview = _look("gpu;currency;price_per_hour\nRTX 3090;CNY;1,45\nRTX 4090;CNY;2,2\n", catalogues)
    assert [change.unit_price for change in preview.changes] == [Decimal("1.45"), Decimal("2.2")]
    assert any("';'" in note for note in preview.notes)


@pytest.mark.parametrize(
    ("name", "vram", "link", "slugs"),
    [
        ("RTX 4090", "24", "", ["rtx-4090-24g"]),
        ("NVIDIA GeForce RTX 4090 24GB", None, "", ["rtx-4090-24g"]),
        ("4090", None, "", ["rtx-4090-24g"]),
        ("RTX 4090", None, "", ["rtx-4090-24g"]),
        ("RTX 4090 48G", None, "", ["rtx-4090-48g"]),
        ("RTX_4090", "48", "", ["rtx-4090-48g"]),
        ("rtx-4090-24g", None, "", ["rtx-4090-24g"]),
        ("Tesla T4", "16", "", ["t4-16g"]),
        ("A100 (80 GB)", None, "", ["a100-pcie-80g", "a100-sxm-80g"]),
        ("NVIDIA A100 NVLink", "80", "", ["a100-pcie-80g", "a100-sxm-80g"]),
        ("A100", "80", "SXM4", ["a100-sxm-80g"]),
        ("A100 PCIe", "40", "", ["a100-pcie-40g"]),
        ("NVIDIA HGX H100 SXM", "80", "", ["h100-sxm-80g"]),
        ("RTX 4090 Ti", "24", "", []),
        ("RTX 3090", "12", "", []),
        ("no-GPU mode", "0", "", []),
        ("L40", None, "", ["l40-48g"]),
        ("L4", None, "", ["l4-24g"]),
    ],
)
def test_names_of_cards(name, vram, link, slugs):
    assert cards_named(name, Decimal(vram) if vram else None, link, spec_rows()) == slugs


def test_rows_that_are_no_price():
    assert is_several("L4, A5000, 3090")
    assert is_heading(["GPU", "Price"], ["gpu", "price"])
    assert not is_heading(["RTX 3090", "1.3"], ["gpu", "price"])


def test_columns_say_currency_unit_and_per_in_their_names():
    columns = {
        column.name: column
        for column in understand(
            ["price_usd_hour", "Per-GPU", "payg_price", "price_cny_per_month", "每卡单价（元/小时）"]
        ).prices
    }
    assert (columns["price_usd_hour"].currency, columns["price_usd_hour"].unit) == ("USD", "hour")
    assert columns["Per-GPU"].per_gpu
    assert columns["payg_price"].thousandths is None
    assert (columns["price_cny_per_month"].unit, columns["price_cny_per_month"].thousandths) == ("month", False)
    assert (
        columns["每卡单价（元/小时）"].unit,
        columns["每卡单价（元/小时）"].per_gpu,
        columns["每卡单价（元/小时）"].currency,
    ) == ("hour", True, "CNY")


def test_thousandths_of_a_yuan_are_asked_for(catalogues):
    text = "gpu,currency,payg_price\nRTX 3090,CNY,1380\n"
    asked = _look(text, catalogues, price_unit="hour")
    assert any("thousandths" in question for question in asked.questions)
    said = _look(text, catalogues, price_unit="hour", money_unit="thousandth")
    assert said.changes[0].unit_price == Decimal("1.38")
    whole = _look(text, catalogues, price_unit="hour", money_unit="whole")
    assert "not plausible" in " ".join(whole.flagged[0].flags)


def test_currency_unit_and_per_are_asked_for_where_the_list_is_silent(catalogues):
    asked = _look("gpu,count,price\nRTX 3090,2,2.60\n", catalogues)
    text = " ".join(asked.questions)
    for word in ("--currency", "--unit", "--per"):
        assert word in text
    machine = _look("gpu,count,price\nRTX 3090,2,2.60\n", catalogues, currency="CNY", price_unit="hour", per="machine")
    assert machine.changes[0].unit_price == Decimal("1.3")
    card = _look("gpu,count,price\nRTX 3090,2,2.60\n", catalogues, currency="CNY", price_unit="hour", per="gpu")
    assert card.changes[0].unit_price == Decimal("2.6")


def test_a_total_given_as_price_per_card_is_doubted(catalogues):
    rows = "gpu,count,currency,price_per_hour\nRTX 3090,1,CNY,1.30\nRTX 3090,4,CNY,5.20\nRTX 3090,8,CNY,1.31\n"
    card = _look(rows, catalogues, per="gpu")
    assert [change.sku for change in card.changes] == ["rtx-3090-24g-x1", "rtx-3090-24g-x8"]
    assert "a total" in " ".join(card.flagged[0].flags)
    machine = _look(rows, catalogues, per="machine")
    doubted = {proposal.sku: " ".join(proposal.flags) for proposal in machine.flagged}
    assert "no more than one card" in doubted["rtx-3090-24g-x8"]
    assert "rtx-3090-24g-x4" in {change.sku for change in machine.changes}


def test_a_bid_floor_or_a_jump_is_doubted(catalogues):
    preview = _look(
        "gpu,currency,price_per_hour\nRTX 3090,CNY,0.01\nRTX 4090,CNY,4.61\nA100 40G PCIe,CNY,9.2\nRTX 3060,CNY,0.31\n",
        catalogues,
    )
    assert [(proposal.sku, len(proposal.flags)) for proposal in preview.flagged] == [
        ("rtx-3090-24g-x1", 2),
        ("rtx-4090-24g-x1", 1),
    ]
    assert [change.sku for change in preview.changes] == ["a100-pcie-40g-x1", "rtx-3060-12g-x1"], (
        "twice and half are still allowed"
    )


def test_rows_refused_each_with_its_reason(catalogues):
    text = (
        "gpu,count,currency,price_per_hour\n"
        "RTX 3090,0.5,CNY,1.3\nRTX 3090,3,CNY,1.3\nno-GPU mode,1,CNY,0.10\nRTX 3090,1,CNY,\nRTX 3090,1,XXZ,1.3\n"
        'gpu,count,currency,price_per_hour\n"L4, 3090",1,CNY,1.3\nRTX 3090,1,CNY,0\nA100,1,CNY,4.5\nRTX 3090,1,CNY,1.4\nRTX 3090,1,CNY,1.4\nRTX 3090,1,CNY,1.5\n'
    )
    preview = _look(text, catalogues, per="gpu")
    assert [row for row, _why in preview.refused] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 13]
    whys = dict(preview.refused)
    assert "whole number of cards" in whys[2]
    assert "no machine with 3" in whys[3]
    assert "no card of the catalogue" in whys[4]
    assert whys[5] == "no price"
    assert "no currency of the shop" in whys[6]
    assert whys[7] == "repeats the heading"
    assert "several cards" in whys[8]
    assert "more than zero" in whys[9]
    assert "row 11" in whys[13].lower()
    assert [change.unit_price for change in preview.changes] == [Decimal("1.4")]
    assert any("Row 12 repeats" in note for note in preview.notes)


def test_the_example_list_reads_as_what_it_is(catalogues):
    preview = look(read_table(EXAMPLE_PRICES.read_bytes(), EXAMPLE_PRICES.name), Answers(), catalogues, PLANS)
    assert not preview.questions
    assert len(preview.proposals) == 210
    assert not preview.changes
    assert not preview.flagged
    assert not preview.refused


def test_excel_keeps_what_was_typed(catalogues):
    book = Workbook()
    book.active.append(["gpu", "currency", "price_per_minute"])
    book.active.append(["RTX 3090", "CNY", 0.0229])
    data = io.BytesIO()
    book.save(data)
    preview = _look(data.getvalue(), catalogues, name="list.xlsx")
    assert preview.changes[0].unit_price == Decimal("0.0229")
    assert preview.changes[0].plan.name == "per-minute"


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"", "a.csv"),
        (b"one\n1\n", "a.csv"),
        (b"a,a\n1,2\n", "a.csv"),
        (b"\x00\x01\x02", "a.csv"),
        (b"\xff\xff\xff,\x80", "a.csv"),
        (b"PK\x03\x04 not a book", "a.xlsx"),
        (b"{}", "a.json"),
        (b"[1, 2]", "a.json"),
        (b"[" * 100_000, "a.json"),
        (b"%PDF-1.4", "a.pdf"),
        (b"x" * (MOST_BYTES + 1), "a.csv"),
        (b"a,b\n" + b"1,2\n" * 20_001, "a.csv"),
    ],
)
def test_what_is_no_list_gets_a_sentence(data, name):
    with pytest.raises(UnreadableList) as refused:
        read_table(data, name)
    assert str(refused.value).endswith(".")


def _shared_list(shared, name, catalogues, **answers):
    return look(read_table((shared / "cases/prices" / name).read_bytes(), name), Answers(**answers), catalogues, PLANS)


def test_autodl_list(shared, catalogues):
    preview = _shared_list(shared, "autodl-cny-transcribed.csv", catalogues)
    assert {proposal.sku: proposal.unit_price for proposal in preview.proposals} == {
        "rtx-3090-24g-x1": Decimal("1.32"),
        "rtx-4090-24g-x1": Decimal("1.88"),
    }
    refused = dict(preview.refused)
    assert set(refused) == {4, 5, 6}
    assert "a800-pcie-80g-x1, a800-sxm-80g-x1" in refused[5]
    assert "no card of the catalogue" in refused[6]


def test_runpod_list_per_second(shared, catalogues):
    preview = _shared_list(shared, "runpod-serverless-per-second.csv", catalogues)
    assert not preview.proposals, "A100 may be either board, the others are groups or not for rent"
    assert sum("several cards" in why for _row, why in preview.refused) == 4
    one = _look("gpu,vram_gb,currency,price_per_second\nA100 PCIe,40,USD,0.00016\n", catalogues)
    assert one.changes[0].unit_price == Decimal("0.576"), "per second to per hour, exactly"


def test_fullstack_list_checks_the_total(shared, catalogues):
    asked = _shared_list(shared, "fullstack-cloud-gpus.csv", catalogues)
    assert {word for question in asked.questions for word in ("--currency", "--unit") if word in question} == {
        "--currency",
        "--unit",
    }
    preview = _shared_list(shared, "fullstack-cloud-gpus.csv", catalogues, currency="USD", price_unit="hour")
    assert len(preview.proposals) + len(preview.refused) >= 200
    mismatch = _look(
        "GPU Type,GPUs,On-demand,Per-GPU\nRTX 3090,4,4.00,4.00\n", catalogues, currency="USD", price_unit="hour"
    )
    assert "is not the total 4.00" in " ".join(mismatch.flagged[0].flags)


def test_offerings_json(shared, catalogues):
    preview = _shared_list(shared, "tardellirs-offerings.json", catalogues)
    assert not preview.questions
    spot = sum("spot" in why for _row, why in preview.refused)
    said = json.loads((shared / "cases/prices/tardellirs-offerings.json").read_text())
    assert spot == sum(row["is_spot"] for row in said)
    assert {proposal.plan.currency for proposal in preview.proposals} == {"USD"}
    assert "rtx-4090-24g-x1" in {proposal.sku for proposal in preview.proposals}
    assert any("another price for the same machine" in why for _row, why in preview.refused)
