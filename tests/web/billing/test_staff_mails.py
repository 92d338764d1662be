"""Mails to staff are in the shop's language; what the customer wrote stays as it was written, and customers are written to in theirs."""

import pytest
from django.utils import timezone

from billing.actions.decision import Visitor, quote_accept, quote_question
from billing.actions.quote_request import quote_request_create
from billing.actions.step import quote_submit
from billing.models import OutboxMail, Quote, Seller
from tests.web.billing.conftest import a_quote, a_sent_quote

ASKED = {"organisation": "", "contact": "W. Wang", "email": "w@example.com", "phone": "", "message": "Soon, please"}
SUBJECTS = {
    "zh-hans": {"approval": "待审批", "request": "的新请求", "question": "的提问", "decided": "已接受"},
    "en": {
        "approval": "Approval wanted",
        "request": "New request",
        "question": "Question about",
        "decided": "Accepted: ",
    },
}


def to_staff() -> dict[str, OutboxMail]:
    """By recipient and order: everything not sent to the customer."""
    mails = OutboxMail.objects.exclude(recipient__in=["wang@example.com", "w@example.com"]).order_by("pk")
    return dict(zip(("approval", "request", "question", "decided"), mails, strict=True))


@pytest.mark.parametrize("shop", ["zh-hans", "en"])
@pytest.mark.parametrize("customer", ["zh-hans", "en"])
def test_staff_read_the_shops_language(sam, shop, customer):
    seller = Seller.objects.current()
    seller.language = shop
    seller.save()
    quote = a_quote(sam, language=customer)
    quote_submit(quote=quote, by=sam, expected_version=quote.version, quote_url="https://shop.example/q")
    quote_request_create(
        contact=ASKED, language=customer, advice=None, address=None, inbox_url="https://shop.example/i"
    )
    _sent, link = a_sent_quote(sam, language=customer)
    quote_question(link=link, text="Two cards more?", now=timezone.now())
    quote_accept(link=link, name="W. Wang", visitor=Visitor("127.0.0.1"), now=timezone.now())
    found = to_staff()
    for kind, words in SUBJECTS[shop].items():
        assert words in found[kind].subject, kind
    assert "Two cards more?" in found["question"].body
    assert "Soon, please" in found["request"].body
    assert found["question"].recipient == found["decided"].recipient == "sam@example.com"
    to_customer = OutboxMail.objects.filter(recipient="wang@example.com").latest("pk")
    assert ("你已接受" in to_customer.subject or "报价单" in to_customer.subject) is (customer == "zh-hans")
    assert Quote.objects.filter(state="accepted").count() == 1
