"""When we are broken: a page in the visitor's language that needs neither session nor database."""

import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError
from django.test import Client

from catalog import views

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor() -> Client:
    """Signed in, so that a page which asks who it is would read the session."""
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.create_user("signed-in-visitor"))
    return client


@pytest.mark.parametrize(("language", "words"), [("en", "We are away for a moment"), ("zh-hans", "我们暂时离开一下")])
@pytest.mark.parametrize("error", [OperationalError("connection refused"), InterfaceError("connection closed")])
def test_no_database_is_503_with_a_time_to_come_back(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, language: str, words: str
) -> None:
    def gone(*_values: object) -> None:
        raise error

    monkeypatch.setattr(views, "current_catalogue", gone)
    response = visitor.get(f"/{language}/cards/")
    assert response.status_code == 503
    assert response["Retry-After"] == "60"
    assert words in response.content.decode()


def test_a_fault_of_ours_is_500_and_reads_nothing(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: pytest.FixtureRequest
) -> None:
    def broken(*_values: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(views, "currencies_on_sale", broken)
    monkeypatch.setattr(views, "current_catalogue", broken)
    monkeypatch.setattr(views.Region.objects, "visible", list)
    with django_assert_num_queries(0):  # type: ignore[operator]
        response = visitor.get("/en/cards/")
    page = response.content.decode()
    assert response.status_code == 500
    assert "Something broke on our side" in page
    assert "signed-in-visitor" not in page
    assert "ZeroDivisionError" not in page
