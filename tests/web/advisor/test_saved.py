"""Saved results: kept in the browser's session, worked out anew when opened."""

import re
from datetime import UTC, datetime
from html import unescape

import pytest
from django.contrib.sessions.models import Session
from django.urls import reverse
from django.utils.translation import override

from advisor.pages import saved
from advisor.tasks import forget_old_sessions

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("example")]
QUERY = "scenario=llm&task=inference&model=llama-3-8b&concurrency=16"


def address(name: str, language: str = "en") -> str:
    with override(language):
        return reverse(f"advisor:{name}")


def text_of(response) -> str:
    return unescape(response.content.decode())


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_result_is_saved_listed_opened_and_removed(client, language):
    page = text_of(client.get(f"{address('result', language)}?{QUERY}"))
    query = re.search(r'name="query" value="([^"]+)"', page).group(1)
    response = client.post(address("saved", language), {"query": query}, follow=True)
    listed = text_of(response)
    name = re.search(r'id="answer">.*?<b>([^<]+)</b>', page, re.S).group(1)
    assert f"<span>{name}</span>" in listed
    price = re.search(r'id="answer">.*?<b>[^<]+</b>.*?<b>([^<]+)</b>', page, re.S).group(1)
    assert price in re.sub(r"</?(small|span)[^>]*>", "", listed)
    href = re.search(r'<b><a href="([^"]+)"', listed).group(1)
    again = text_of(client.get(href))
    assert 'name="query"' not in again
    assert f'href="{address("saved", language)}"' in again
    key = re.search(r'name="remove" value="([^"]+)"', listed).group(1)
    emptied = text_of(client.post(address("saved", language), {"remove": key}, follow=True))
    assert "saved" not in re.findall(r'<ul class="swap ([^"]+)"', emptied)


def test_the_same_address_is_kept_once_and_the_oldest_gives_way(client):
    for concurrency in (*range(1, saved.MOST + 2), 5):
        client.post(
            address("saved"), {"query": f"scenario=llm&task=inference&model=llama-3-8b&concurrency={concurrency}"}
        )
    entries = client.session[saved.KEY]
    assert len(entries) == saved.MOST
    assert "concurrency=5" in entries[0]["query"]
    assert sum("concurrency=5" in one["query"].split("&") for one in entries) <= 1
    assert not any(one["query"].endswith("concurrency=1") for one in entries)


def test_answers_that_cannot_be_read_are_told_where_they_are_put_right(client):
    response = client.post(
        address("saved"), {"query": "scenario=llm&task=inference&model=llama-3-8b&concurrency=-4"}, follow=True
    )
    assert response.status_code == 422
    assert "concurrency=-4" in response.request["QUERY_STRING"]
    assert saved.KEY not in client.session


@pytest.mark.parametrize(
    "data", [{}, {"query": ""}, {"query": "\x00"}, {"query": "a" * 9000}, {"remove": "\x00"}, {"remove": ""}]
)
def test_spoilt_input_saves_nothing_and_breaks_nothing(client, data):
    response = client.post(address("saved"), data, follow=True)
    assert response.status_code in (200, 422)
    assert not client.session.get(saved.KEY)


def test_a_result_without_a_card_is_no_reason_to_fail(client):
    query = "scenario=llm&task=training&model=llama-2-70b&method=full&max_gpus=1"
    listed = text_of(client.post(address("saved"), {"query": query}, follow=True))
    assert "No card on offer can do this" in listed


def test_others_do_not_see_it(client):
    client.post(address("saved"), {"query": QUERY})
    client.cookies.clear()
    assert 'name="remove"' not in text_of(client.get(address("saved")))


def test_the_list_is_pure():
    at = datetime(2026, 1, 2, tzinfo=UTC)
    entries = [{"query": "a=1", "at": at.isoformat()}]
    assert saved.without(entries, saved.key_of("a=1")) == []
    assert saved.without(entries, "nothing") == entries


def test_a_list_past_its_time_leaves_the_database(client):
    client.post(address("saved"), {"query": QUERY})
    Session.objects.update(expire_date=datetime(2026, 1, 2, tzinfo=UTC))
    forget_old_sessions()
    assert not Session.objects.exists()


def test_what_is_kept_through_a_sign_in_stays_the_visitors(client, django_user_model):
    client.post(address("saved"), {"query": QUERY})
    client.force_login(django_user_model.objects.create_user("visitor"))
    client.post(address("saved"), {"query": QUERY + "0"})
    assert len(client.session[saved.KEY]) == 2
    assert "_auth_user_id" in client.session
