"""Before anything is loaded, and loading itself."""

import pytest
from django.contrib.auth import get_user_model

from catalog.actions import load_example_catalogue
from catalog.models import CatalogueChange, CatalogueVersion
from catalog.queries import current_catalogue, current_version

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(db):
    return get_user_model().objects.create_user("editor")


def test_loading_twice_changes_nothing(staff):
    first = load_example_catalogue(by=staff)
    assert first.version == 1
    assert CatalogueVersion.objects.get().by == staff
    assert CatalogueChange.objects.count() == first.rows > 400
    second = load_example_catalogue(by=staff)
    assert (second.rows, second.version) == (0, None)
    assert current_version() == 1


def test_an_empty_catalogue_is_one_too(db):
    empty = current_catalogue("CNY")
    assert (empty.version, empty.gpus, empty.offers, empty.is_sample) == (0, {}, (), False)


def test_empty_catalogue(client, db):
    for url in ("/en/cards/", "/zh-hans/cards/", "/en/cards/compare/"):
        assert client.get(url).status_code == 200
    assert client.get("/en/cards/rtx-3090-24g/").status_code == 404
