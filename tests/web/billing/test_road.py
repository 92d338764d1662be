"""From a request to an accepted quotation, page by page."""

import re

import pytest

from billing.asking import signed_advice
from billing.models import Decision, OutboxMail, Quote, QuoteRequest
from tests.web.billing.conftest import posted

ADVICE = {
    "scenario": "llm",
    "summary": "Rent one RTX 3090 24G: about 27 hours, ¥32.88.",
    "workload": {"scenario": "llm", "task": "training", "model": "llama-3-8b"},
    "lines": [{"sku": "rtx-3090-24g-x1", "gpu": "rtx-3090-24g", "count": 1, "plan": "hour", "hours": 26.9}],
    "reasons": [{"tone": "pro", "text": "Fits with 2.8 GiB to spare"}, {"tone": "con", "text": "No ECC"}],
    "address": "/en/advise/result/?scenario=llm",
    "catalogue_version": 1,
}
ASKED = {
    "contact": "Dr Wang",
    "organisation": "Sample University",
    "email": "wang@example.com",
    "phone": "",
    "message": "By Friday, please.",
    "consent": "on",
    "website": "",
}


def ask(client, **changes):
    return client.post("/en/ask/", ASKED | {"advice": signed_advice(ADVICE)} | changes)


def test_the_whole_road(client, example, sam, max_):
    shown = client.post("/en/ask/", {"advice": signed_advice(ADVICE)})
    assert shown.status_code == 200
    assert ADVICE["summary"] in shown.content.decode()
    assert ask(client).status_code == 302
    request = QuoteRequest.objects.get()
    assert request.advice == ADVICE
    assert request.scenario == "llm"
    assert {mail.recipient for mail in OutboxMail.objects.all()} == {"wang@example.com", "sales@example.com"}

    client.force_login(sam)
    assert ADVICE["summary"] in client.get("/en/sales/").content.decode()
    assert "Dr Wang" in client.get(f"/en/sales/requests/{request.pk}/").content.decode()
    form = client.get(f"/en/sales/quotes/new/?request={request.pk}")
    row = form.context["editor"].lines.forms[0].initial
    assert (row["sku"], row["plan_kind"], row["periods"], row["count"]) == ("rtx-3090-24g-x1", "hour", "27", "1")
    line = {"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "periods": "27", "discount_percent": "20"}
    made = client.post(f"/en/sales/quotes/new/?request={request.pk}", posted([line]))
    assert made.status_code == 302
    quote = Quote.objects.get()
    assert quote.number.startswith("Q-2026-0001")
    assert quote.request == request
    assert str(quote.revision.gross) == "28.510"  # 27 x 1.32 less 20 %
    page = client.get(f"/en/sales/quotes/{quote.number}/").content.decode()
    assert "28.51" in page
    assert "Ask for approval" in page
    assert "Send to customer" not in page

    def step(verb, **more):
        quote.refresh_from_db()
        data = {"verb": verb, "version": quote.version} | more
        return client.post(f"/en/sales/quotes/{quote.number}/step/", data)

    step("send")
    quote.refresh_from_db()
    assert quote.state == "draft"
    step("submit")
    quote.refresh_from_db()
    assert quote.state == "awaiting_approval"
    step("approve")
    quote.refresh_from_db()
    assert quote.state == "awaiting_approval"  # sales may not

    client.force_login(max_)
    step("approve")
    quote.refresh_from_db()
    assert quote.state == "approved"
    client.force_login(sam)
    step("send")
    quote.refresh_from_db()
    assert quote.state == "sent"
    mail = OutboxMail.objects.get(quote=quote, recipient="wang@example.com")
    path = re.search(r"http://testserver(/en/q/[^\s]+/)", mail.body)[1]

    client.logout()
    offer = client.get(path)
    assert offer["Referrer-Policy"] == "no-referrer"
    assert "noindex" in offer["X-Robots-Tag"]
    assert "no-store" in offer["Cache-Control"]
    assert "28.51" in offer.content.decode()
    assert ADVICE["reasons"][1]["text"] in offer.content.decode()
    assert client.get(path + "accept/").status_code == 200
    assert client.post(path + "accept/", {"name": ""}).status_code == 422
    assert client.post(path + "accept/", {"name": "W. Wang", "agree": "on"}).status_code == 302
    assert client.post(path + "accept/", {"name": "Other", "agree": "on"}).status_code == 302
    decision = Decision.objects.get()
    assert (decision.kind, decision.name, decision.address) == ("accepted", "W. Wang", "127.0.0.1")
    assert "Accepted by W. Wang" in client.get(path).content.decode()
    quote.refresh_from_db()
    assert quote.state == "accepted"


def test_robots_leave_nothing(client, db):
    assert ask(client, website="http://spam.example").status_code == 302
    assert not QuoteRequest.objects.exists()


def test_no_consent_no_request(client, db):
    page = ask(client, consent="")
    assert page.status_code == 422
    assert not QuoteRequest.objects.exists()


def test_changed_advice_is_refused(client, db):
    page = ask(client, advice=signed_advice(ADVICE)[:-2])
    assert page.status_code == 422
    assert not QuoteRequest.objects.exists()


def test_rate_limit(client, db):
    answers = [ask(client).status_code for _ in range(12)]
    assert answers == [302] * 10 + [429] * 2
    assert QuoteRequest.objects.count() == 10


def test_ask_without_advice(client, db):
    assert client.get("/zh-hans/ask/").status_code == 200
    assert client.post("/zh-hans/ask/", ASKED).status_code == 302
    assert QuoteRequest.objects.get().language == "zh-hans"


@pytest.mark.parametrize("key", ["secret", "SCENARIO"])
def test_advice_has_known_fields(key):
    with pytest.raises(ValueError, match=key):
        signed_advice({key: 1})
