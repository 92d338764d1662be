"""The result page: the answer first, every figure agreeing with every other, every state a page."""

import re
from decimal import Decimal
from html import unescape

import pytest
from django.urls import reverse
from django.utils.translation import override

from advisor.models import PresetAnswer
from advisor.presets import PRESETS
from advisor.tasks import build_table
from catalog.models import Price, Sku

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("example")]
LANGUAGES = ("en", "zh-hans")
JOB = {"scenario": "llm", "task": "training", "model": "qwen-14b", "method": "qlora", "sequence_tokens": "2048",
       "framework": "transformers", "amount": "20000000", "unit": "tokens"}  # fmt: skip


def url(language: str = "en") -> str:
    with override(language):
        return reverse("advisor:result")


def get(client, language: str = "en", **answers):
    response = client.get(url(language), answers)
    return response, unescape(response.content.decode())


def ranked(page: str) -> list[str]:
    """The choices drawn in full."""
    return re.findall(r'<li class="rank.*?</div>\s*</li>', page, re.S)


@pytest.mark.parametrize(("language", "slug"), [(LANGUAGES[n % 2], slug) for n, slug in enumerate(sorted(PRESETS))])
def test_every_common_job_has_a_whole_page(client, language, slug):
    response, page = get(client, language, preset=slug)
    assert response.status_code == 200
    assert page.count("<h1") == 1
    assert "style=" not in page
    assert not re.search(r"\bNone\b(?! in stock)", re.sub(r"<[^>]*>", " ", page))
    assert len(response.content) < 130_000
    assert 'id="evidence"' in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_order_is_that_of_the_design(client, language):
    _response, page = get(client, language, **JOB)
    places = [
        page.index(mark)
        for mark in (
            'class="key"',
            'class="panel verdict"',
            'class="gauge"',
            'id="ranking"',
            'id="time"',
            'id="hours"',
            'id="change"',
            'id="evidence"',
        )
    ]
    assert places == sorted(places)


def test_figures_agree_for_a_reader_with_a_calculator(client):
    _response, page = get(client, **JOB)
    formula = re.search(r'id="how-memory">([\d. +]+) = ([\d.]+) GiB', page)
    assert sum(Decimal(part) for part in formula[1].split(" + ")) == Decimal(formula[2])
    need, usable, spare = (
        Decimal(figure) for figure in re.search(r"([\d.]+) of ([\d.]+) GiB usable, ([\d.]+) spare", page).groups()
    )
    assert need + spare == usable
    assert need == Decimal(formula[2])
    lines = re.search(r'id="how-cost">(.*?)</p>', page).group(1)
    amounts = [Decimal(text.replace(",", "")) for text in re.findall(r"= (-?[\d,.]+)", lines)]
    assert sum(amounts[:-1]) == amounts[-1]
    assert f"¥{amounts[-1]}" in re.search(r"<title>(.*?)</title>", page).group(1)


def test_the_cheapest_cell_is_the_cost(client):
    _response, page = get(client, **JOB)
    for row in ranked(page):
        cost = re.search(r'<dl class="reads">.*?</small>([\d.,]+)', row, re.S).group(1)
        best = re.search(r'class="best">.*?</small>([\d.,]+)', row, re.S).group(1)
        assert cost == best
        assert row.count("<dt>") == 2 + 6


def test_every_choice_has_a_reason_for_and_one_against(client):
    _response, page = get(client, **JOB)
    rows = ranked(page)
    assert len(rows) >= 3
    for row in rows:
        assert 1 <= row.count('class="pro"') <= 2 or "Tight" in row
        assert 1 <= row.count('class="con"') <= 2
        assert row.count('class="how"') <= 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_charts_have_their_data_as_a_table(client, language):
    _response, page = get(client, language, **JOB)
    for name in ("time", "hours"):
        figure = re.search(rf'<figure class="chart" id="{name}">.*?</figure>', page, re.S).group()
        assert 'role="img" aria-label="' in figure
        assert figure.count("<tr>") >= 4
    points = re.search(r'id="time">.*?</figure>', page, re.S).group()
    assert (
        points.count("<circle") + points.count('class="warn"') - points.count('class="ring"')
        == points.count("<tr>") - 1
    )


def test_what_would_change_it_leads_to_answers(client):
    _response, page = get(client, **JOB)
    change = re.search(r'id="change".*?</section>', page, re.S).group()
    hrefs = re.findall(r'<a [^>]*?href="(/[^"]+)"', change)
    assert hrefs
    for href in hrefs[:12]:
        assert client.get(href).status_code == 200


def test_every_figure_of_the_verdict_opens_where_it_comes_from(client):
    _response, page = get(client, **JOB)
    verdict = re.search(r'class="panel verdict".*?</section>', page, re.S).group()
    for name in ("how-cost", "how-time", "how-memory"):
        assert f'href="#{name}"' in verdict
        assert page.count(f'id="{name}"') == 1


def test_every_choice_says_how_its_figures_come_about(client):
    _response, page = get(client, **JOB)
    for row in ranked(page):
        sums = re.search(r"How it comes about</summary>(.*?)</details>", row, re.S).group(1)
        cost = re.search(r'<dl class="reads">.*?</small>([\d.,]+)', row, re.S).group(1)
        amounts = [Decimal(one.replace(",", "")) for one in re.findall(r"= ([\d.,]+)<br>", sums)]
        assert sum(amounts) == Decimal(cost.replace(",", ""))
        parts, total = re.search(r"([^>]*?) = ([\d.]+) GiB", sums).groups()
        assert sum(Decimal(one) for one in re.findall(r" ([\d.]+)(?: \+|$)", parts)) == Decimal(total)


def test_a_question_about_software_is_answered_with_one_click(client):
    _response, page = get(client, **{**JOB, "framework": ""})
    asked = re.search(r"Which framework trains it.*?</div></div>", page, re.S).group()
    hrefs = re.findall(r'<a href="([^"]+)"', asked)
    assert len(hrefs) == 3
    for href in hrefs:
        assert "framework=" in href
        assert "Which framework" not in unescape(client.get(href).content.decode())


def test_what_stands_against_every_card_stands_once(client):
    _response, page = get(client, scenario="llm", task="training", model="llama-2-70b", method="full", max_gpus="1")
    folded = re.search(r'id="rejected".*?</details>', page, re.S).group()
    rows = re.findall(r'<tr><th scope="row">.*?</tr>', folded)
    cells = [re.findall(r"<td>(.*?)</td>", row) for row in rows]
    for column in list(zip(*cells, strict=True))[1:]:
        assert len(set(column)) > 1


def test_memory_after_a_change_is_told_where_nothing_fitted_before(client):
    _response, page = get(client, scenario="llm", task="training", model="llama-2-70b", method="full", max_gpus="1")
    change = re.search(r'class="swap".*?</ul>', page, re.S).group()
    assert "same memory" not in change
    assert "GiB" in change


def test_the_shared_address_gives_the_same_answer(client):
    _response, page = get(client, **JOB)
    shared = re.search(r'id="url" readonly value="([^"]+)"', page).group(1)
    again = unescape(client.get(shared.removeprefix("http://testserver")).content.decode())
    assert re.search(r'id="answer">(.*?)</h1>', again, re.S).group(1) == re.search(
        r'id="answer">(.*?)</h1>', page, re.S
    ).group(1)


# -- bases and states


def test_without_an_amount_the_answer_is_a_price_an_hour(client):
    answers = {name: value for name, value in JOB.items() if name not in ("amount", "unit")}
    _response, page = get(client, **answers)
    assert "an hour." in page
    assert "Compared for one million tokens" in page


def test_open_ended_use_is_priced_by_its_schedule(client):
    _response, page = get(
        client,
        scenario="llm",
        task="inference",
        model="llama-3-8b",
        concurrency="16",
        hours_per_day="8",
        days_per_week="5",
        weeks="4",
    )
    assert "for 160 hours of use" in page


def test_several_cards_say_so(client):
    _response, page = get(client, preset="train-7b-full")
    assert re.search(r"Rent <b>\d+\xa0× ", page)
    assert "Memory on each card" in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_fits(client, language):
    response, page = get(
        client, language, scenario="llm", task="training", model="deepseek-v3", method="full", max_gpus="1"
    )
    assert response.status_code == 200
    assert 'id="answer"' in page
    assert 'id="ranking"' not in page
    assert 'id="rejected"' in page


def test_limits_that_cannot_be_kept_are_said(client):
    _response, page = get(client, **{**JOB, "amount": "20000000000"}, deadline_hours="1", budget="1")
    assert "keeps every limit" in page
    assert "flash warn" in page


@pytest.mark.parametrize(("language", "words"), [("en", "every limit"), ("zh-hans", "满足全部限制")])
@pytest.mark.parametrize("limits", [{"deadline_hours": "1", "budget": "1"}, {"host_ram_gib": "4000"}])
def test_that_no_offer_keeps_every_limit_is_said_once(client, language, words, limits):
    _response, page = get(client, language, **{**JOB, "amount": "20000000000"}, **limits)
    assert page.count(words) == 1
    assert '<li class="pro">' in ranked(page)[0]


def test_out_of_stock_cards_are_not_chosen_and_say_why(client):
    Sku.objects.filter(gpu__slug="rtx-4090-48g").update(stock="out")
    _response, page = get(client, **JOB)
    assert "rtx-4090-48g-1" not in page
    rejected = re.search(r'id="rejected".*?</details>', page, re.S).group()
    assert "RTX 4090 48G" in rejected
    assert "None in stock" in rejected


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_prices_still_sizes_the_job(client, language):
    response, page = get(client, language, **JOB, currency="USD")
    assert response.status_code == 200
    assert 'class="flash warn bar"' in page
    assert re.search(r"GiB (usable|可用)|可用 [\d.]+ GiB", page)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_empty_catalogue_is_said(client, language):
    Price.objects.all().delete()
    Sku.objects.all().delete()
    response, page = get(client, language, **JOB)
    assert response.status_code == 200
    assert 'class="flash warn bar"' in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_broken_address_names_every_mistake(client, language):
    response, page = get(
        client, language, scenario="llm", task="training", model="lama-3-8b", micro_batch="-3", colour="red"
    )
    assert response.status_code == 422
    assert re.search(r'class="errors".*?</div>', page, re.S).group().count("<li><a href") == 3


def test_a_ten_thousand_field_address_is_refused_politely(client):
    response = client.get(url(), {f"x{i}": "1" for i in range(1500)})
    assert response.status_code in (400, 422)


def test_unknown_preset_names_lead_to_the_door(client):
    assert client.get(url(), {"preset": "nothing"}).status_code in (302, 422)


# -- the precomputed table


def test_a_common_job_is_answered_from_the_table_while_it_is_current(client, django_assert_max_num_queries):
    build_table(["yolo-100k"], "CNY")
    _response, fresh = get(client, preset="yolo-100k")
    row = PresetAnswer.objects.get(preset="yolo-100k")
    row.answer["choices"][0]["total"] = "123.45"
    row.answer["choices"][0]["mix"] = None
    row.save()
    _response, stored = get(client, preset="yolo-100k")
    assert "123.45" in stored
    assert "123.45" not in fresh


def test_a_table_of_an_older_catalogue_is_never_shown(client):
    build_table(["yolo-100k"], "CNY")
    row = PresetAnswer.objects.get(preset="yolo-100k")
    row.answer["choices"][0]["total"] = "123.45"
    row.save()
    Sku.objects.filter(gpu__slug="rtx-3060-12g").update(stock="out")
    _response, page = get(client, preset="yolo-100k")
    assert "123.45" not in page


@pytest.mark.parametrize(("language", "words"), [("zh-hans", "十次有九次"), ("en", "9 times in 10")])
def test_a_stored_answer_shows_the_interval_of_its_time(client, language, words):
    """Stored figures are rounded: time by the clock and on the card are compared as the reader sees them."""
    build_table(["finetune-7b-qlora"], "CNY")
    page = client.get(f"/{language}/advise/result/?preset=finetune-7b-qlora").content.decode()
    reads = page[page.index('<dl class="reads">') :][:3000]
    assert words in reads
    assert "by the clock" not in reads


def test_a_prepaid_cost_says_the_terms_and_hours_it_is_made_of(client):
    _response, page = get(client, preset="yolo-100k")
    told = re.findall(r"Day ×(\d+)(?:<span[^>]*>[^<]*</span>)?</dt><dd>.{,80}</dd><dd><small>([^<]*)</small>", page)
    assert told
    for terms, made_of in told:
        assert re.fullmatch(rf"{terms} day cards? \+ [\d,]+ hours?", made_of), made_of
