"""The frame around every page: languages, theme, errors, health, and what search engines may see."""

import json
import re

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.test import Client
from django.urls import get_resolver

from config import offline

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("here", "there"), [("zh-hans", "en"), ("en", "zh-hans")])
def test_the_language_switch_leads_to_the_same_page_with_its_answers(client: Client, here: str, there: str) -> None:
    page = client.get(f"/{here}/doctor/?a=1").content.decode()
    assert f'href="/{there}/doctor/?a=1"' in page
    hreflangs = dict(re.findall(r'hreflang="([\w-]+)" href="http://testserver(/[^"]*)"', page))
    assert hreflangs == {"zh-Hans": "/zh-hans/doctor/?a=1", "en": "/en/doctor/?a=1"}


@pytest.mark.parametrize(
    ("header", "where"), [("en-US,en;q=0.9", "/en/"), ("zh-CN", "/zh-hans/"), ("fr", "/zh-hans/"), ("", "/zh-hans/")]
)
def test_the_front_door_speaks_the_visitors_language_chinese_first(client: Client, header: str, where: str) -> None:
    answer = client.get("/", headers={"accept-language": header})
    assert answer.status_code == 302
    assert answer["Location"] == where


def test_the_theme_is_kept_and_the_way_back_stays_on_this_site(client: Client) -> None:
    answer = client.post("/theme", {"theme": "dark", "next": "/en/doctor/"})
    assert answer["Location"] == "/en/doctor/"
    assert 'data-theme="dark"' in client.get("/en/doctor/").content.decode()
    assert client.post("/theme", {"theme": "x", "next": "https://elsewhere.example/"})["Location"] == "/"
    assert "data-theme" not in client.get("/en/doctor/").content.decode()
    for elsewhere in (
        "//elsewhere.example/",
        "/\\elsewhere.example",
        "/\n/elsewhere",
        "javascript:alert(1)",
        "en/doctor/",
        "",
    ):
        assert client.post("/theme", {"theme": "x", "next": elsewhere})["Location"] == "/"
    long = "/en/advise/result/?model=" + "a" * 6_000
    assert client.post("/theme", {"theme": "x", "next": long})["Location"] == long


def test_errors_are_pages_in_the_visitors_language(client: Client) -> None:
    assert "没有这个页面" in client.get("/zh-hans/no-such-page/").content.decode()
    english = client.get("/en/no-such-page/")
    assert english.status_code == 404
    assert "There is no such page" in english.content.decode()
    assert client.get("/en/cards/no-such-card/").status_code == 404


def test_a_host_that_is_not_ours_is_refused_with_a_page(settings) -> None:
    settings.ALLOWED_HOSTS = ["testserver"]
    answer = Client(raise_request_exception=False).get("/en/", headers={"host": "elsewhere.example"})
    assert answer.status_code == 400
    page = answer.content.decode()
    assert "This request cannot be read" in page
    assert "elsewhere.example" not in page


@pytest.mark.parametrize(("language", "words"), [("en", "There is no such page"), ("zh-hans", "没有这个页面")])
def test_errors_below_the_api_are_problem_details(client: Client, language: str, words: str) -> None:
    answer = client.get("/api/v1/no-such-call", headers={"accept-language": language})
    assert answer.status_code == 404
    assert answer["content-type"] == "application/problem+json"
    assert answer.json()["title"] == words


@pytest.mark.parametrize("what", ["estimates", "plan-comparisons", "diagnoses"])
def test_a_body_that_is_too_large_is_not_called_our_fault(client: Client, what: str) -> None:
    body = '{"text": "' + "x" * 2_600_000 + '"}'
    answer = client.post(f"/api/v1/{what}", body, content_type="application/json", headers={"accept-language": "en"})
    assert answer.status_code == 413
    assert answer.json()["title"] == "The body is larger than this API takes."


def test_a_body_in_chunks_is_refused_in_words_not_read_as_empty(client: Client) -> None:
    answer = client.generic(
        "POST", "/api/v1/estimates", b"", content_type="application/json", headers={"transfer-encoding": "chunked"}
    )
    assert answer.status_code == 411
    assert answer["content-type"] == "application/problem+json"
    assert "Content-Length" in answer.json()["detail"]


def test_a_wrong_method_or_media_type_is_named(client: Client) -> None:
    for answer in (client.delete("/api/v1/gpus"), client.post("/api/v1/estimates", "x", content_type="text/plain")):
        assert answer["content-type"] == "application/problem+json"
        assert "{" not in answer.json()["title"]


def test_too_large_a_form_is_told_politely(client: Client) -> None:
    answer = client.post("/en/doctor/", {"paste": "x" * 3_000_000})
    assert answer.status_code == 413
    assert "2.5 MB" in answer.content.decode()


def test_health(client: Client) -> None:
    assert client.get("/livez").content == b"ok\n"
    assert client.get("/readyz").json() == {"database": "ok", "cache": "ok"}
    assert b"cardwise_requests_total" in client.get("/metrics").content
    assert client.get("/metrics", headers={"x-forwarded-for": "1.2.3.4"}).status_code == 404


def test_a_made_up_method_is_no_label_of_its_own(client: Client) -> None:
    client.generic("MADEUP123", "/livez")
    assert b"MADEUP123" not in client.get("/metrics").content


def test_robots_and_sitemap(client: Client) -> None:
    assert "Disallow: /*/q/" in client.get("/robots.txt").content.decode()
    assert "<loc>http://testserver/en/cards/</loc>" in client.get("/sitemap.xml").content.decode()


def test_no_page_allows_inline_script_or_style(client: Client) -> None:
    answer = client.get("/en/")
    policy = answer["Content-Security-Policy"]
    assert "unsafe" not in policy
    page = answer.content.decode()
    assert not re.search(r"<script(?![^>]*src=)|\sstyle=|\son\w+=", page)


OPEN = {
    "livez",
    "readyz",
    "metrics",
    "robots",
    "sitemap",
    "theme",
    "front-door",
    "login",
    "logout",
    "api-schema",
    "api-docs",
    "gallery",
}


def routes(patterns: list, prefix: str = "") -> list[str]:
    found = []
    for pattern in patterns:
        if hasattr(pattern, "url_patterns"):
            space = f"{pattern.namespace}:" if pattern.namespace else ""
            if pattern.namespace != "admin":
                found += routes(pattern.url_patterns, prefix + space)
        elif pattern.name:
            found.append(prefix + pattern.name)
    return found


def test_every_route_has_a_name() -> None:
    assert set(routes(get_resolver().url_patterns)) >= OPEN


def test_the_offline_worker_names_every_language_and_only_files_that_exist(client: Client) -> None:
    response = client.get("/worker.js")
    assert response["Content-Type"].startswith("text/javascript")
    kept = json.loads(response.content.decode().split("= ", 1)[1].split(";\n", 1)[0])
    assert set(kept["pages"]) == {code for code, _name in settings.LANGUAGES}
    for address in kept["pages"].values():
        assert client.get(address).status_code == 200
    for name in offline.KEPT:
        assert finders.find(name), name
