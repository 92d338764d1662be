"""The card list, a card, cards side by side: figures, filters, order, languages, mistakes."""

import re
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from catalog.cards import cards_of, cheaper_from_hours, peaks_against_measured
from catalog.example import example_catalogue
from catalog.models import Gpu, Plan, Price, Sku

pytestmark = pytest.mark.django_db
LANGUAGES = ("zh-hans", "en")


def _rows(html: str) -> list[str]:
    return re.findall(r'<tr id="([a-z0-9-]+)"', html)


def _text(response) -> str:
    return response.content.decode()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_shows_every_priced_card_with_its_figures(client, example, language, django_assert_max_num_queries):
    with django_assert_max_num_queries(3):
        response = client.get(f"/{language}/cards/")
    html = _text(response)
    assert response.status_code == 200
    assert len(_rows(html)) == 10
    row = re.search(r'<tr id="rtx-3090-24g">.*?</tr>', html, re.S).group()
    for figure in ("1.32", "27.70", "570.00", ">936<", ">71<", "0.56", "112.5"):
        assert figure in row
    assert ("示例价" if language == "zh-hans" else "sample price") in html
    assert ("改装" if language == "zh-hans" else "modified") in re.search(
        r'<tr id="rtx-4090-48g">.*?</tr>', html, re.S
    ).group()
    assert "style=" not in html.replace("stylesheet", "")
    assert "RTX 5090 32G" in html


def test_numbers_sort_as_numbers(client, example):
    hours = _rows(_text(client.get("/en/cards/?sort=hour")))
    assert hours[:3] == ["rtx-3060-12g", "rtx-3080-20g", "rtx-3090-24g"]
    assert hours[-1] == "a800-sxm-80g"
    assert _rows(_text(client.get("/en/cards/?sort=-hour"))) == hours[::-1]
    memory = _rows(_text(client.get("/en/cards/?sort=-vram")))
    assert memory[0].endswith("80g")
    assert memory[-1] == "rtx-3060-12g"
    fp8 = _rows(_text(client.get("/en/cards/?sort=-fp8")))
    assert fp8[0].startswith("rtx-4090")
    assert not fp8[-1].startswith("rtx-40")
    assert _rows(_text(client.get("/en/cards/?sort=fp8")))[-1] == fp8[-1], "unknown stays last"


@pytest.mark.parametrize(
    ("query", "there", "gone"),
    [
        ("min_vram=40", "a100-pcie-40g", "rtx-4080-super-32g"),
        ("max_hour=1.32", "rtx-3090-24g", "rtx-4080-super-32g"),
        ("require=ecc", "rtx-4090-24g", "rtx-3090-24g"),
        ("require=nvlink", "rtx-3090-24g", "rtx-4090-24g"),
        ("require=fp8", "rtx-4090-24g", "a100-pcie-40g"),
        ("require=mig&require=nvlink", "a800-sxm-80g", "rtx-3090-24g"),
        ("require=fp64", "a100-pcie-40g", "rtx-4090-24g"),
        ("stock_card=1", "rtx-4090-24g", "rtx-4090-48g"),
        ("region=cn-north", "a800-sxm-80g", "rtx-3090-24g"),
    ],
)
def test_filters(client, example, query, there, gone):
    rows = _rows(_text(client.get(f"/en/cards/?{query}")))
    assert there in rows
    assert gone not in rows


def test_filters_keep_the_order_and_the_ticks(client, example):
    html = _text(client.get("/en/cards/?min_vram=24&sort=-hour&cmp=rtx-3090-24g&require=nvlink"))
    assert re.search(r'value="rtx-3090-24g" checked', html)
    link = next(href for href in re.findall(r'href="(\?[^"]*)"', html) if "sort=-bandwidth" in href)
    assert {"min_vram=24", "require=nvlink", "cmp=rtx-3090-24g"} <= set(link[1:].split("&amp;"))
    assert re.search(r'name="require" value="nvlink" checked', html)


def test_out_of_stock_can_be_left_out(client, example):
    Sku.objects.filter(gpu__slug="rtx-3060-12g").update(stock="out")
    assert "rtx-3060-12g" in _rows(_text(client.get("/en/cards/")))
    assert "rtx-3060-12g" not in _rows(_text(client.get("/en/cards/?stock=1")))


@pytest.mark.parametrize(
    "query",
    [
        "min_vram=lots",
        "min_vram=-1",
        "min_vram=1e400",
        "max_hour=NaN",
        "region=moon",
        "require=rgb",
        "sort=name;drop",
        "currency=XXZ",
        "currency=%00",
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_filter_is_told_and_nothing_breaks(client, example, query, language):
    response = client.get(f"/{language}/cards/?{query}")
    assert response.status_code == 422
    html = _text(response)
    assert 'class="errors' in html
    assert 'role="alert"' in html


def test_htmx_gets_the_results_alone_and_history_the_page(client, example):
    partial = client.get("/en/cards/?min_vram=48", headers={"HX-Request": "true"})
    assert _text(partial).lstrip().startswith('<div id="results">')
    assert "<html" not in _text(partial)
    assert "HX-Request" in partial.headers["Vary"]
    whole = client.get("/en/cards/", headers={"HX-Request": "true", "HX-History-Restore-Request": "true"})
    assert "<html" in _text(whole)


def test_a_currency_without_prices_says_so(client, example):
    html = _text(client.get("/en/cards/?currency=usd"))
    assert "Nothing has a price in USD" in html
    assert 'href="?currency=CNY"' in html
    page = _text(client.get("/en/cards/rtx-3090-24g/?currency=USD"))
    assert "no price in USD" in page


def test_prices_in_a_second_currency(client, example):
    hourly = Plan.objects.get(name="hourly")
    dollar = Plan.objects.create(
        name="hourly", kind="hour", currency="USD", price_per="hour", valid_from=hourly.valid_from
    )
    sku = Sku.objects.get(code="rtx-3090-24g-x1")
    cny = Price.objects.get(sku=sku, plan=hourly)
    Price.objects.create(
        sku=sku, plan=dollar, currency="USD", unit_price=Decimal("0.185"), valid_during=cny.valid_during
    )
    html = _text(client.get("/en/cards/?currency=USD&sort=hour"))
    assert _rows(html)[0] == "rtx-3090-24g", "sorted in the shown currency, cards without a price last"
    assert "0.185" in html
    assert "$" in html


def test_no_sample_notice_once_nothing_is_sample(client, example):
    before = _text(client.get("/en/cards/"))
    Sku.objects.update(is_sample=False)
    Price.objects.update(is_sample=False)
    html = _text(client.get("/en/cards/"))
    assert not re.findall(r"sample (price|stock|data)", html)
    assert "sample price" in before


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_card_has_a_page(client, example, language):
    for slug, row in example_catalogue().gpus.items():
        response = client.get(f"/{language}/cards/{slug}/")
        assert response.status_code == 200
        assert row["name"].removesuffix(" (modified)") in _text(response)


def test_a_card_page_says_what_matters(client, example, django_assert_max_num_queries):
    with django_assert_max_num_queries(4):
        html = _text(client.get("/en/cards/rtx-3090-24g/"))
    for text in (
        "FP16, FP32 accumulation",
        "FP16, FP16 accumulation",
        "Peak is not speed",
        "GA102 whitepaper",
        "936.2",
        "0.0231",
        "PyTorch 2.8",
    ):
        assert text in html
    assert "Cheaper than hourly from" in html
    assert re.search(r"432<small>&nbsp;h", html)
    assert "570.90" not in html
    assert "They include 6% tax." in html
    assert "NVLink bridges join two" in html


def test_a_modified_card_warns_and_a_new_card_warns_about_old_images(client, example):
    html = _text(client.get("/en/cards/rtx-4090-48g/"))
    assert "not a product of NVIDIA" in html
    assert "No official specification" in html
    assert "not a product of NVIDIA" not in _text(client.get("/en/cards/rtx-4090-24g/"))
    sku = Sku.objects.get(code="rtx-3060-12g-x1")
    sku.gpu = Gpu.objects.get(slug="rtx-5090-32g")
    sku.save()
    assert "no build for this card" in _text(client.get("/en/cards/rtx-5090-32g/"))


def test_sixteen_cards_are_two_machines(client, example):
    html = _text(client.get("/en/cards/a800-sxm-80g/"))
    assert "2 machines, 1600 Gbit/s between them" in html


@pytest.mark.parametrize("language", LANGUAGES)
def test_side_by_side(client, example, language, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        response = client.get(f"/{language}/cards/compare/?cmp=rtx-3090-24g&cmp=rtx-4090-24g&cmp=a100-pcie-40g")
    html = _text(response)
    assert response.status_code == 200
    html = html.replace("<b>", "").replace("</b>", "")
    for figure in (">905<", ">1,301<", ">1,396<", "330.3", "165.2", ">5,418<"):
        assert figure in html
    assert "lambdal/deeplearning-benchmark" in html
    best = re.findall(r'<td class="best"><span class="n">([^<]+)</span>', html)
    assert {"40", "330.3", "312", "9.7", "1.32"} <= set(best)


def test_the_peak_ratio_is_never_shown_as_speed(client, example):
    html = _text(client.get("/en/cards/compare/?cmp=rtx-4090-24g,rtx-3090-24g"))
    assert "training measured 1.4–1.8 times as fast, not the 2.3 times of the FP16 peaks" in html


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("cmp=rtx-3090-24g", "at least two"),
        ("cmp=rtx-3090-24g&cmp=rtx-3090-24g", "at least two"),
        ("cmp=rtx-3090-24g&cmp=rtx-4090-24&cmp=t4-16g", "Did you mean rtx-4090-24g?"),
        ("cmp=" + "x" * 5000, "There is no card called"),
        ("cmp=t4-16g,l4-24g,a10-24g,a40-48g,l40-48g", "At most four"),
        ("cmp=rtx-3090-24g,rtx-4090-24g&currency=gold", "There is no currency"),
    ],
)
def test_a_wrong_comparison_is_told(client, example, query, says):
    response = client.get(f"/en/cards/compare/?{query}")
    assert response.status_code == 422
    assert says in _text(response)


def test_break_even_hours_hold_on_a_calculator():
    for card in cards_of(example_catalogue()):
        for kind, hours in card.break_even.items():
            assert hours * card.hour > card.prices[kind] >= (hours - 1) * card.hour
    assert cheaper_from_hours(Decimal(25), Decimal(1), "day") is None


def test_measured_ratios_come_from_the_published_figures():
    cards = {card.slug: card for card in cards_of(example_catalogue())}
    (pair,) = peaks_against_measured([cards["rtx-3090-24g"], cards["rtx-4090-24g"]])
    assert (pair.fast.slug, pair.slow.slug) == ("rtx-4090-24g", "rtx-3090-24g")
    assert pair.training_least == Decimal(1301) / 905
    assert pair.training_most == Decimal(93) / 52
    assert pair.least < Decimal("1.1"), "lattice Boltzmann gains almost nothing"


def test_prices_change_with_time_on_the_page(client, example):
    sku, plan = Sku.objects.get(code="rtx-3090-24g-x1"), Plan.objects.get(name="hourly")
    price = Price.objects.get(sku=sku, plan=plan)
    price.valid_during = type(price.valid_during)(price.valid_during.lower, datetime(2026, 2, 1, tzinfo=UTC))
    price.save()
    row = re.search(r'<tr id="rtx-3090-24g">.*?</tr>', _text(client.get("/en/cards/")), re.S).group()
    assert "1.32" not in row


def test_sources_are_told_in_the_readers_language(client, example):
    """Their prose is translated; what has none, a repository's path, stays as it is."""
    said = set(
        re.findall(
            r'<span lang="en">([^<]*)</span>',
            _text(client.get("/zh-hans/cards/compare/?cmp=rtx-3090-24g,rtx-4090-24g")),
        )
    )
    for card in cards_of(example_catalogue()):
        page = _text(client.get(f"/zh-hans/cards/{card.slug}/"))
        notes = "".join(re.findall(r'<p class="note">(.*?)</p>', page))
        said |= set(re.findall(r'<span lang="en">([^<]*)</span>', notes))
    prose = {text for text in said if re.search(r"[a-z]{2,} [a-z]{2,} [a-z]{2,}", text)}
    assert not prose
    assert "TechPowerUp GPU database as carried by" in _text(client.get("/en/cards/rtx-3090-24g/"))
