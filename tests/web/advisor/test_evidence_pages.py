"""Accuracy, models and measurements: every page in both languages, with its numbers and their sources."""

import re

import pytest

from advisor.library import library
from advisor.pages.wizard import model_name
from advisor.views.evidence import accuracy_data

pytestmark = pytest.mark.django_db
LANGUAGES = ("en", "zh-hans")


@pytest.mark.parametrize("language", LANGUAGES)
def test_accuracy_shows_both_judgements_and_the_worst(client, language):
    page = client.get(f"/{language}/accuracy/").content.decode()
    data = accuracy_data()
    assert page.count("<svg class=") >= 3
    assert f"{100 * data['modes']['fact']['targets'][0]['median']:.1f}" in page
    assert f"{100 * data['modes']['source']['targets'][0]['p90']:.1f}" in page
    for one in data["modes"]["fact"]["worst"]:
        assert model_name(one["model"]) in page
    assert "style=" not in page


def test_every_point_is_there_as_csv(client):
    response = client.get("/en/accuracy.csv")
    lines = response.content.decode().strip().splitlines()
    assert len(lines) == len(accuracy_data()["points"]) + 1
    assert lines[0].startswith("id,")


@pytest.mark.parametrize("language", LANGUAGES)
def test_models_lists_every_model_and_links_to_it(client, language):
    page = client.get(f"/{language}/models/").content.decode()
    for slug in library().models:
        assert f"/models/{slug}/" in page


@pytest.mark.parametrize("slug", ["llama-3-8b", "whisper-large-v3", "flux.1-dev", "openmm"])
def test_a_model_shows_its_measurements_with_sources(client, slug):
    page = client.get(f"/en/models/{slug}/").content.decode()
    assert "https://github.com/" in page
    assert "<tbody>" in page


def test_a_model_nobody_measured_says_so(client):
    page = client.get("/en/models/gemma-3-27b/").content.decode()
    assert "Nobody we know has published" in page


def test_unknown_model_and_card_are_not_found(client):
    assert client.get("/en/models/no-such-model/").status_code == 404
    assert client.get("/en/measurements/no-such-card/").status_code == 404


def test_a_card_shows_what_was_measured_on_it(client, example):
    page = client.get("/zh-hans/measurements/rtx-4090-24g/").content.decode()
    assert "Llama-2-7B" in page
    assert "https://github.com/" in page
    assert 'href="/zh-hans/cards/rtx-4090-24g/"' in page


def test_many_measurements_come_in_pages_and_none_is_lost(client):
    first = client.get("/en/measurements/a100-sxm-80g/").content.decode()
    assert len(first.encode()) < 100_000
    numbers = [int(number) for number in re.findall(r'href="\?page=(\d+)"', first)]
    assert numbers == list(range(1, len(numbers) + 1))
    pages = [client.get(f"/en/measurements/a100-sxm-80g/?page={number}").content.decode() for number in numbers]
    ids = [one for page in pages for one in re.findall(r'<tr id="(\w+)">', page)]
    told = int(re.search(r"(\d+) published measurements", first)[1])
    assert len(ids) == len(set(ids)) == told
    for wrong in ("0", "x", "99999"):
        assert client.get(f"/en/measurements/a100-sxm-80g/?page={wrong}").status_code == 200


def test_settings_and_units_stand_in_the_readers_words(client):
    page = client.get("/zh-hans/measurements/rtx-4090-24g/").content.decode()
    for name in ("weight_format", "tokens_per_second", "output_tokens", "True"):
        assert name not in page


def test_a_card_only_known_from_measurements_has_no_page_of_its_own(client, example):
    page = client.get("/en/measurements/gtx-1080-8g/").content.decode()
    assert "Measured on" in page
    assert "/cards/gtx-1080-8g/" not in page


def test_a_model_leads_to_the_advisor_with_its_name_filled_in(client):
    page = client.get("/en/models/llama-3-8b/").content.decode()
    assert 'href="/en/advise/llm/?model=llama-3-8b"' in page
    tasks = client.get("/en/advise/llm/?model=llama-3-8b").content.decode()
    assert "/en/advise/llm/inference/?model=llama-3-8b" in tasks


def test_tables_of_accuracy_count_each_judgement_by_itself(client):
    page = client.get("/en/accuracy/").content.decode()
    lines = {line["name"]: line for line in accuracy_data()["modes"]["source"]["tiers"]}
    few = lines["speed / anchored"]["facts"]
    row = page[page.index("speed · the same work was measured") :][:600]
    assert f'<td class="r">{few}</td>' in row


def test_reading_pages_refuse_writing(client):
    assert client.post("/en/accuracy/").status_code == 405
