"""One network cannot keep the costly pages and the API to itself; real people, however many behind one address, do not notice."""

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse
from redis.exceptions import ConnectionError as CacheGone

from catalog.limits import Limit
from config.limits import COSTLY, _tell_once

pytestmark = pytest.mark.django_db
HERE, THERE, PROXY = "9.9.9.9", "9.9.9.10", "10.0.0.2"  # those set aside for documents count as private
DOCTOR = "/en/doctor/"


@pytest.fixture
def three_a_minute(settings):
    settings.PAGE_RATE = "3/min"
    settings.API_RATE = "3/min"
    return Client()


def statuses(client, times, path=DOCTOR, **more):
    return [client.get(path, **more).status_code for _ in range(times)]


def test_one_network_past_the_limit_waits_the_others_do_not(three_a_minute):
    assert statuses(three_a_minute, 4, REMOTE_ADDR=HERE) == [200, 200, 200, 429]
    refused = three_a_minute.get(DOCTOR, REMOTE_ADDR=HERE)
    assert 0 < int(refused["Retry-After"]) <= 60
    assert reverse("api-docs") in refused.content.decode()
    assert statuses(three_a_minute, 1, REMOTE_ADDR=THERE) == [200]


def test_cheap_pages_and_customers_links_are_never_refused(three_a_minute):
    for path in ("/en/", "/en/guide/", "/en/login/", "/livez", "/en/ask/"):
        assert statuses(three_a_minute, 5, path, REMOTE_ADDR=HERE) == [200] * 5, path


def test_every_costly_page_is_a_page():
    for name in COSTLY:
        assert reverse(name)


def test_staff_are_not_counted_out(three_a_minute):
    three_a_minute.force_login(User.objects.create_user("sam"))
    assert statuses(three_a_minute, 6, REMOTE_ADDR=HERE) == [200] * 6


def test_behind_a_proxy_each_visitor_counts_alone(three_a_minute, monkeypatch):
    monkeypatch.setattr("rest_framework.settings.api_settings.NUM_PROXIES", 1)
    for visitor in (HERE, THERE):
        told = statuses(three_a_minute, 4, REMOTE_ADDR=PROXY, headers={"x-forwarded-for": visitor})
        assert told == [200, 200, 200, 429]


def test_no_header_lifts_the_limit_where_no_proxy_is_known_and_the_log_says_so_once(three_a_minute, caplog):
    _tell_once.cache_clear()
    told = [
        three_a_minute.get(DOCTOR, REMOTE_ADDR=PROXY, headers={"x-forwarded-for": f"9.9.9.{n}"}).status_code
        for n in range(5)
    ]
    assert told == [200, 200, 200, 429, 429]
    assert sum("NUM_PROXIES is 0" in line for line in caplog.messages) == 1
    told = statuses(three_a_minute, 4, REMOTE_ADDR=HERE, headers={"x-forwarded-for": "made up"})
    assert told == [200, 200, 200, 429]


def test_without_the_cache_everybody_is_served(three_a_minute, monkeypatch):
    def gone(*_values, **_more):
        raise CacheGone("connection refused")

    for name in ("get_many", "add", "incr", "set"):
        monkeypatch.setattr(f"catalog.limits.cache.{name}", gone)
    assert statuses(three_a_minute, 6, REMOTE_ADDR=HERE) == [200] * 6
    assert statuses(three_a_minute, 6, "/api/v1/models", REMOTE_ADDR=HERE) == [200] * 6


def test_the_api_has_its_own_limit_and_its_own_shape(three_a_minute):
    assert statuses(three_a_minute, 3, "/api/v1/models", REMOTE_ADDR=HERE) == [200] * 3
    refused = three_a_minute.get("/api/v1/models", REMOTE_ADDR=HERE, headers={"accept-language": "en"})
    assert refused.status_code == 429
    assert refused["content-type"] == "application/problem+json"
    assert 0 < int(refused["Retry-After"]) <= 60
    assert statuses(three_a_minute, 1, REMOTE_ADDR=HERE) == [200]


def test_no_rate_is_no_limit_and_a_wrong_one_is_named_at_the_start(settings):
    settings.PAGE_RATE = ""
    assert statuses(Client(), 5) == [200] * 5
    settings.PAGE_RATE = "many"
    with pytest.raises(ImproperlyConfigured, match="many"):
        Client().get(DOCTOR)


@pytest.mark.parametrize(
    ("rate", "most", "seconds"), [("300/min", 300, 60), ("5/s", 5, 1), ("10/hour", 10, 3600), ("7/day", 7, 86400)]
)
def test_rates_are_written_as_people_write_them(rate, most, seconds):
    assert Limit.of("x", rate) == Limit("x", most, seconds)
