"""Other answers tried beside a result: the small multiples answer in place, and as a page where there is no script."""

import re
from html import unescape
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override

from advisor.presets import PRESETS

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("example")]
JOB = {"scenario": "llm", "task": "training", "model": "qwen-14b", "method": "qlora", "sequence_tokens": "2048",
       "framework": "transformers", "amount": "20000000", "unit": "tokens"}  # fmt: skip
HTMX = {"HX-Request": "true"}


def whole(client, language: str = "en", **answers) -> str:
    with override(language):
        return unescape(client.get(reverse("advisor:result"), answers).content.decode())


def bars(text: str) -> dict[str, tuple[str, str]]:
    """Id of a bar -> its address and its GiB with the verdict."""
    found = re.findall(
        r'<li><a id="([^"]+)" href="([^"]+)".*?<span class="r n">([\d.,]+) .*?class="sr">([^<]+)', text, re.S
    )
    return {key: (href, f"{need} {fit}") for key, href, need, fit in found}


def tried(client, href: str, was: str) -> str:
    return unescape(client.get(f"{href}&{urlencode({'was': was})}", headers=HTMX).content.decode())


def test_a_bar_answers_in_place_and_keeps_the_cards(client):
    page = whole(client, **JOB)
    was = re.search(r'name="was" value="([^"]+)"', page).group(1)
    first = bars(page)
    href, told = first["micro_batch-2"]
    part = tried(client, href, was)
    assert "<html" not in part
    assert 'hx-swap-oob="innerHTML"' in part
    need, fit = told.split(" ", 1)
    said = re.search(r'id="what-if-answer".*?</div>', part, re.S).group()
    assert need in said
    assert fit in said
    again = bars(part)
    assert again.keys() == first.keys()
    assert re.search(r'id="micro_batch-2"[^>]*aria-current="true"', part)
    assert again["micro_batch-2"][1] == told
    assert again["method-1"][1] != first["method-1"][1]


def test_what_is_said_is_what_the_whole_answer_says(client):
    page = whole(client, **JOB)
    was = re.search(r'name="was" value="([^"]+)"', page).group(1)
    for key, (href, _told) in bars(page).items():
        said = re.search(r'id="what-if-answer".*?</div>', tried(client, href, was), re.S).group()
        answer = unescape(client.get(href).content.decode())
        if re.search(rf'id="{key}"[^>]*aria-current', page):
            assert said == 'id="what-if-answer" hx-swap-oob="innerHTML"></div>'
            continue
        named = re.findall(r"<b>([^<]+)</b>", said)[1:]
        heading = re.search(r'id="answer">(.*?)</h1>', answer, re.S).group(1)
        assert re.findall(r"<b>([^<]+)</b>", heading) == named


def test_back_is_the_first_answer(client):
    page = whole(client, **JOB)
    was = re.search(r'name="was" value="([^"]+)"', page).group(1)
    href = bars(page)["sequence_tokens-4"][0]
    part = tried(client, href, was)
    back = re.search(r'hx-get="([^"]+)" hx-push-url="[^"]+">Back', part).group(1)
    assert parse_qs(urlsplit(back).query) == parse_qs(was)
    assert bars(tried(client, back, was)) == bars(page)


@pytest.mark.parametrize("slug", sorted(PRESETS)[::6])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_every_bar_of_the_common_jobs_answers(client, slug, language):
    page = whole(client, language, preset=slug)
    shown = bars(page)
    if not shown:
        assert 'id="what-if"' not in page
        return
    was = re.search(r'name="was" value="([^"]+)"', page).group(1)
    for href, _told in list(shown.values())[::3]:
        response = client.get(f"{href}&{urlencode({'was': was})}", headers=HTMX)
        assert response.status_code == 200
        assert bars(unescape(response.content.decode())).keys() >= shown.keys()


@pytest.mark.parametrize(
    "was",
    [
        "",
        "scenario=llm",
        "%ff",
        "model=" + "9" * 5000,
        "scenario=llm&task=training&was=was",
        "scenario=vision&task=training&model=yolov8x&batch=16",
    ],
)
def test_a_spoilt_first_address_still_answers(client, was):
    with override("en"):
        response = client.get(reverse("advisor:result"), {**JOB, "was": was}, headers=HTMX)
    assert response.status_code == 200
    assert "qwen-14b" in response.content.decode()
