"""What nobody may offer: nothing at all, more off than there is, terms nobody reads. Refused at the field, and by the database."""

from dataclasses import replace
from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from billing.costing.errors import CostingErrors
from billing.models import Quote, QuoteLine, Revision
from billing.models.revision import TERMS_LENGTH
from tests.web.billing.conftest import a_line, a_quote, a_sent_quote, posted

NEW = "/en/sales/quotes/new/"


@pytest.fixture
def seller(client, example, sam):
    client.force_login(sam)
    return client


def wrong(page, field: str) -> str:
    form = page.context["editor"].lines.forms[0]
    return str(form.errors[field][0])


def test_a_fixed_discount_over_the_sum_is_an_error_at_its_field(seller):
    line = {"kind": "text", "title": "Setup", "count": "2", "unit_price": "50", "discount_percent": "10"}
    page = seller.post(NEW, posted([line | {"discount_amount": "90.01"}]))
    assert page.status_code == 422
    assert wrong(page, "discount_amount") == "Fixed discount is more than the line comes to: at most 90."
    assert not Quote.objects.exists()
    assert seller.post(NEW, posted([line | {"discount_amount": "90"}])).status_code == 302


def test_over_the_list_price_as_well(seller):
    line = {"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "periods": "1", "discount_amount": "5000"}
    assert "at most" in wrong(seller.post(NEW, posted([line])), "discount_amount")


@pytest.mark.parametrize("field", ["count", "periods"])
def test_nothing_counted_is_an_error_at_its_field(seller, field):
    page = seller.post(NEW, posted([{"sku": "rtx-3090-24g-x1", "plan_kind": "hour", field: "0"}]))
    assert page.status_code == 422
    assert "is 0: write how many, or remove the line." in wrong(page, field)
    chinese = seller.post(
        NEW.replace("/en/", "/zh-hans/"), posted([{"kind": "text", "title": "x", "unit_price": "1", "count": "0"}])
    )
    assert "请写明数量" in wrong(chinese, "count")


def test_terms_have_a_length(seller):
    line = {"kind": "text", "title": "Setup", "unit_price": "5"}
    page = seller.post(NEW, posted([line], terms="x" * (TERMS_LENGTH + 1)))
    assert page.status_code == 422
    assert "terms" in page.context["editor"].head.errors
    assert seller.post(NEW, posted([line], terms="x" * TERMS_LENGTH)).status_code == 302


@pytest.mark.parametrize(
    "line", [a_line(count=Decimal(0)), a_line(periods=Decimal(0)), a_line(discount_amount=Decimal("59.98"))]
)
def test_no_other_way_in(sam, line):
    with pytest.raises(CostingErrors):
        a_quote(sam, [line])
    assert not Quote.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"count": 0},
        {"periods": 0},
        {"units_each": 0},
        {"discount_amount": 60},
        {"discount_percent": 99, "discount_amount": 1},
    ],
)
def test_the_database_refuses_it_too(sam, change):
    row = a_quote(sam).revision.lines.get()
    with pytest.raises(IntegrityError), transaction.atomic():
        QuoteLine.objects.filter(pk=row.pk).update(**change)
    with pytest.raises(IntegrityError), transaction.atomic():
        Revision.objects.filter(pk=row.revision_id).update(terms="x" * (TERMS_LENGTH + 1))


def test_a_copy_at_lower_prices_takes_no_more_off_than_there_is(seller, sam):
    """Fixed discounts are kept on a copy; prices are today's."""
    line = a_line(
        kind="gpu", sku="rtx-3090-24g-x1", gpu="rtx-3090-24g", plan_kind="hour", title="Card", unit="hour",
        count=Decimal(1), unit_price=Decimal(900), discount_amount=Decimal(800),
    )  # fmt: skip
    quote, _link = a_sent_quote(sam, [replace(line, list_price=Decimal(900))])
    assert seller.post(f"/en/sales/quotes/{quote.number}/duplicate/").status_code == 302
    copied = Quote.objects.exclude(pk=quote.pk).get().revision.lines.get()
    assert 0 < copied.discount_amount <= copied.unit_price < 800
