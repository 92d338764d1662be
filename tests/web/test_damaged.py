"""Damaged and oversized requests get a page that names the fault, and one line in the log."""

import io
import logging

import pytest
from django.http import HttpResponseRedirect
from django.test import Client, override_settings
from django.urls import path

from config.logs import DamagedRequests
from config.urls import urlpatterns as project

pytestmark = pytest.mark.django_db
handler400 = "config.pages.bad_request"


def onwards(_request):
    """As the wizard leads on with every answer in the address."""
    return HttpResponseRedirect("/en/?answer=" + "x" * 17_000)


urlpatterns = [path("onwards/", onwards), *project]


@pytest.fixture
def log():
    """What the console would show."""
    console = next(
        one for one in logging.root.handlers if any(isinstance(rule, DamagedRequests) for rule in one.filters)
    )
    said = io.StringIO()
    before = console.setStream(said)
    yield said
    console.setStream(before)


def _lines(log):
    return [line for line in log.getvalue().splitlines() if line]


def _one_warning(log):
    assert len(_lines(log)) == 1, log.getvalue()
    assert " WARNING " in log.getvalue()
    return True


def test_answers_longer_than_an_address_are_told_so(client, log):
    with override_settings(ROOT_URLCONF=__name__):
        page = client.get("/onwards/", headers={"accept-language": "en"})
    assert page.status_code == 413
    assert "Your answers are too long" in page.content.decode()
    assert "16,384" in page.content.decode()
    assert _one_warning(log)


def test_too_many_fields_are_told_so_in_one_line(client, log):
    page = client.post("/en/ask/", {f"f{n}": "1" for n in range(3000)})
    assert page.status_code == 413
    assert "2,000 fields" in page.content.decode()
    assert _one_warning(log)


def test_a_broken_boundary_is_one_line(log):
    page = Client().post("/en/ask/", b"--x\r\nbroken", content_type="multipart/form-data; boundary=" + "é" * 3)
    assert page.status_code == 400
    assert _one_warning(log)


def test_a_fault_of_ours_keeps_its_traceback(log):
    try:
        raise ZeroDivisionError
    except ZeroDivisionError:
        logging.getLogger("django.request").exception("Internal Server Error")
    assert "Traceback" in log.getvalue()
