"""The component gallery: only with DEBUG, both languages, every class of the design's components in our own markup."""

import re

import pytest
from django.conf import settings as project_settings
from django.test import Client

pytestmark = pytest.mark.django_db
COMPONENTS = (
    "btn main",
    "btn stop",
    "btn small",
    "back",
    "seg",
    "chips",
    "errors",
    "field bad",
    "hint",
    "err",
    "opt",
    "check",
    "paste",
    "fit yes",
    "fit tight",
    "fit no",
    "tag pick",
    "tag ex",
    "pro",
    "con",
    "how",
    "cup",
    "over",
    "near",
    "chart",
    "hb",
    "busy",
    "empty",
    "rank pick",
    "plans",
    "tbl pin",
    "swap",
    "flash",
    "flash warn",
    "flash bad",
    "still",
    "fold",
    "steps",
    "kv panel",
    "reads",
)


def test_the_gallery_is_not_public(client: Client) -> None:
    assert not project_settings.DEBUG
    assert client.get("/en/gallery/").status_code == 404


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_gallery_shows_every_component(client: Client, settings: object, language: str) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    response = client.get(f"/{language}/gallery/")
    page = response.content.decode()
    assert response.status_code == 200
    shown = set(re.findall(r'class="([^"]+)"', page))
    words = {word for names in shown for word in names.split()}
    for component in COMPONENTS:
        assert set(component.split()) <= words, component
    assert not re.search(r"\sstyle=|\son\w+=", page)
    assert ("组件与状态" in page) == (language == "zh-hans")
