"""A form that is sent twice, by an impatient finger or by going back, makes one quotation."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction

from billing.models import Quote
from tests.web.billing.conftest import a_quote, posted

NEW = "/en/sales/quotes/new/"
LINE = {"kind": "text", "title": "Setup", "unit_price": "5"}


def key_of(page) -> str:
    key = str(page.context["key"])
    assert f'name="key" value="{key}"' in page.content.decode()
    return key


@pytest.fixture
def seller(client, example, sam):
    client.force_login(sam)
    return client


def test_the_key_lives_through_preview_and_added_lines(seller):
    key = key_of(seller.get(NEW))
    for do in ("preview", "add-text", "save"):
        page = seller.post(NEW, posted([LINE | {"title": ""}], do=do, key=key))
        assert key_of(page) == key
    assert key_of(seller.get(NEW)) != key


def test_what_was_typed_after_going_back_is_not_lost(seller):
    key = key_of(seller.get(NEW))
    assert seller.post(NEW, posted([LINE], key=key)).status_code == 302
    page = seller.post(NEW, posted([LINE | {"title": "Another"}], key=key))
    text = page.content.decode()
    assert page.status_code == 409
    assert f"was saved before, as {Quote.objects.get().number}" in text
    assert 'value="Another"' in text
    assert seller.post(NEW, posted([LINE | {"title": "Another"}], key=key_of(page))).status_code == 302
    assert Quote.objects.count() == 2


@pytest.mark.parametrize("key", ["", "x", "\x00", "9" * 5000, "٣" * 32])
def test_a_key_that_is_none_is_no_fault(seller, key):
    assert seller.post(NEW, posted([LINE], key=key)).status_code == 302


def test_the_database_refuses_a_second_quotation_of_a_form(sam, sue):
    key = uuid4()
    quotes = [a_quote(sam), a_quote(sam), a_quote(sue)]
    for mine in (quotes[0], quotes[2]):
        Quote.objects.filter(pk=mine.pk).update(form_key=key)
    with pytest.raises(IntegrityError), transaction.atomic():
        Quote.objects.filter(pk=quotes[1].pk).update(form_key=key)
