"""Whoever does something too often is told when to come back, on a page of the house; nobody is turned away because the cache is gone."""

from time import time

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings
from django.urls import path
from redis.exceptions import ConnectionError as CacheGone

from catalog.limits import Limit, TooMany, network
from config.urls import urlpatterns as project

pytestmark = pytest.mark.django_db
TWICE = Limit("test-twice", most=2, seconds=540)


def held(request):
    TWICE.hold("somebody", "Or write to us.")
    return HttpResponse("done")


urlpatterns = [path("held/", held), path("api/v1/held", held), *project]


@pytest.mark.parametrize(
    ("header", "words", "when"),
    [("en", "Too much at once", "in 9 minutes"), ("zh-hans", "一下子太多了", "9 分钟后")],
)
@override_settings(ROOT_URLCONF=__name__)
def test_too_often_is_a_page_that_says_when_to_come_back(client: Client, header: str, words: str, when: str) -> None:
    for _ in range(2):
        assert client.get("/held/").status_code == 200
    answer = client.get("/held/", headers={"accept-language": header})
    assert answer.status_code == 429
    assert 530 <= int(answer["Retry-After"]) <= 540
    assert "no-store" in answer["Cache-Control"]
    page = answer.content.decode()
    assert words in page
    assert when in " ".join(page.replace("<b>", "").replace("</b>", "").split())
    assert "Or write to us." in page
    posted = client.post("/held/").content.decode()
    assert posted.count("<li") == page.count("<li")
    assert posted != page


@override_settings(ROOT_URLCONF=__name__)
def test_below_the_api_it_is_a_problem(client: Client) -> None:
    for _ in range(2):
        client.get("/api/v1/held")
    answer = client.get("/api/v1/held")
    assert answer.status_code == 429
    assert answer["content-type"] == "application/problem+json"
    assert answer["Retry-After"] == "540"


def test_each_counts_alone_and_refusals_do_not_lengthen_the_wait() -> None:
    for _ in range(2):
        TWICE.hold("a")
    for _ in range(5):
        with pytest.raises(TooMany) as refused:
            TWICE.hold("a")
        assert 0 < refused.value.seconds <= 540
    TWICE.hold("b")


def test_the_wait_ends() -> None:
    short = Limit("test-short", most=1, seconds=1)
    short.hold("a")
    end = time() + 5
    while True:
        try:
            short.hold("a")
            break
        except TooMany:
            assert time() < end


def test_without_the_cache_nobody_is_turned_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_values, **_more):
        raise CacheGone("connection refused")

    for name in ("get", "add", "incr"):
        monkeypatch.setattr(f"catalog.limits.cache.{name}", gone)
    for _ in range(5):
        TWICE.hold("a")


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("nonsense\x00 of a header" + "x" * 500, "?"),
        (None, "?"),
    ],
)
def test_a_network_counts_not_each_of_its_addresses(address: str | None, counted: str) -> None:
    assert network(address) == counted
