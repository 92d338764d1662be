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


@pytest.mark.parametrize("error", [OperationalError("connection refused"), ZeroDivisionError()])
def test_a_form_that_was_sent_is_not_in_the_address_and_the_page_does_not_say_so(
    visitor: Client, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def gone(*_values: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr("django.core.handlers.base.BaseHandler._get_response", gone)
    page = visitor.post("/en/ask/", {"message": "x"}).content.decode()
    assert "in the address" not in page
    assert "the browser sends your form again" in page
    assert "in the address" in visitor.get("/en/ask/").content.decode()


def test_an_expired_form_says_where_what_was_typed_still_is() -> None:
    page = Client(enforce_csrf_checks=True).post("/en/ask/", {"message": "x"})
    assert page.status_code == 403
    assert "in the address" not in page.content.decode()
    assert "what you typed still stands in the form" in page.content.decode()


@pytest.mark.parametrize("path", ["/en/sales/quotes/", "/en/sales/quotes/?format=csv", "/en/cards/", "/api/v1/gpus"])
def test_what_staff_see_is_kept_by_no_cache(visitor: Client, path: str) -> None:
    User.objects.update(is_superuser=True)
    answer = visitor.get(path)
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "private, no-store"
    if path == "/en/cards/":
        assert "no-store" not in Client().get(path).get("Cache-Control", "")
