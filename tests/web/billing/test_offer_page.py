"""The customer's page: what the link allows, and what it never does."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from billing.actions.decision import NotOpen, Visitor, quote_accept, quote_decline
from billing.actions.step import link_revoke, quote_expire, quote_revise, quote_withdraw
from billing.drafts import head_of, lines_of
from billing.models import Decision, OutboxMail, Quote, QuoteLink, Revision, Seller
from billing.models.quote_link import SIGNER
from billing.tasks import expire_quotes
from tests.web.billing.conftest import a_sent_quote, head

NAME = {"name": "W. Wang", "agree": "on"}


@pytest.fixture
def sent(sam):
    return a_sent_quote(sam)


def path(link: QuoteLink, more: str = "") -> str:
    return f"/en/q/{link.token}/{more}"


def revise(quote: Quote, by) -> Quote:
    return quote_revise(
        quote=quote,
        by=by,
        expected_version=quote.version,
        now=timezone.now(),
        head=head_of(quote.revision),
        lines=lines_of(quote.revision),
        catalogue_version=0,
    )


def later(days: float):
    return timezone.now() + timedelta(days=days)


@pytest.mark.parametrize("change", ["first", "last", "no-signature", "other", "empty-secret", "long"])
def test_wrong_links_are_all_the_same_404(client, sent, change):
    token = sent[1].token
    wrong = {
        "first": ("A" if token[0] != "A" else "B") + token[1:],
        "last": token[:-1] + ("A" if token[-1] != "A" else "B"),
        "no-signature": token.split(".")[0],
        "other": SIGNER.sign("another-secret"),
        "empty-secret": SIGNER.sign(""),
        "long": "x" * 2000,
    }[change]
    for more in ("", "accept/", "decline/", "quote.pdf", "quote.xlsx"):
        page = client.get(f"/en/q/{wrong}/{more}")
        assert page.status_code == 404
        assert sent[0].number not in page.content.decode()
    assert client.post(f"/en/q/{wrong}/accept/", NAME).status_code == 404


def test_numbers_are_no_way_in(client, sent):
    for guess in (sent[0].number, sent[0].pk, sent[1].pk, sent[1].secret):
        assert client.get(f"/en/q/{guess}/").status_code == 404


@pytest.mark.parametrize("more", ["", "accept/", "decline/", "quote.pdf", "quote.xlsx"])
def test_nothing_leaks(client, sent, more):
    page = client.get(path(sent[1], more))
    assert page.status_code == 200
    assert page["Referrer-Policy"] == "no-referrer"
    assert page["X-Robots-Tag"] == "noindex, nofollow, noarchive"
    assert page["Cache-Control"] == "private, no-store"
    assert "Disallow: /*/q/" in client.get("/robots.txt").content.decode()


def test_forms_work_without_referrer_and_cookie(sent):
    strict = Client(enforce_csrf_checks=True)
    assert strict.post(path(sent[1], "accept/"), NAME, headers={"Origin": "null"}).status_code == 302
    assert Decision.objects.get().kind == "accepted"


def test_reading_changes_nothing(client, sent):
    for more in ("", "accept/", "decline/"):
        client.get(path(sent[1], more))
        client.head(path(sent[1], more))
    assert client.get(path(sent[1], "question/")).status_code == 405
    sent[0].refresh_from_db()
    assert sent[0].state == "sent"
    assert not Decision.objects.exists()


def test_first_opening_is_kept(client, sent):
    client.get(path(sent[1]))
    seen = QuoteLink.objects.get().seen_at
    assert seen is not None
    client.get(path(sent[1]))
    assert QuoteLink.objects.get().seen_at == seen


def test_decline_with_a_reason(client, sent):
    assert client.post(path(sent[1], "decline/"), {"name": "W", "reason": "Too dear"}).status_code == 302
    assert client.post(path(sent[1], "decline/"), {"name": "W", "reason": "again"}).status_code == 302
    assert Decision.objects.get().reason == "Too dear"
    assert "You have declined" in client.get(path(sent[1])).content.decode()
    assert client.post(path(sent[1], "accept/"), NAME).status_code == 409
    assert "Too dear" in OutboxMail.objects.get(subject__startswith="已谢绝").body


@pytest.mark.parametrize("typed", [{}, {"name": ""}, {"name": "  "}])
def test_accepting_with_nothing_names_both_fields(client, sent, typed):
    answer = client.post(path(sent[1], "accept/"), typed)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert "2 things to change" in text
    assert 'href="#id_name"' in text
    assert 'href="#id_agree"' in text
    assert not Decision.objects.exists()


@pytest.mark.parametrize("more", ["", "quote.pdf", "quote.xlsx"])
def test_what_is_only_read_takes_no_post(sent, more):
    answer = Client(enforce_csrf_checks=True).post(path(sent[1], more))
    assert answer.status_code == 405
    assert answer["Allow"] == "GET, HEAD"


def test_questions_are_limited_for_each_quotation_and_nothing_typed_is_lost(client, sent):
    for number in range(5):
        assert client.post(path(sent[1], "question/"), {"msg": f"Question {number}"}).status_code == 302
    mails = OutboxMail.objects.count()
    page = client.post(path(sent[1], "question/"), {"msg": "Two cards more, please"})
    assert page.status_code == 429
    assert 0 < int(page["Retry-After"]) <= 3600
    text = page.content.decode()
    assert "Two cards more, please" in text
    assert "was not sent" in text
    assert Seller.objects.current().email in text
    assert OutboxMail.objects.count() == mails
    chinese = client.post(path(sent[1], "question/").replace("/en/", "/zh-hans/"), {"msg": "再加两张卡"})
    assert chinese.status_code == 429
    assert "没有发出" in chinese.content.decode()


def test_a_question_reaches_sales(client, sent):
    answer = client.post(path(sent[1], "question/"), {"msg": "Two cards more?"})
    assert answer.status_code == 302
    assert answer["Location"] == path(sent[1]) + "#main"
    assert "Sales will answer" in client.get(path(sent[1])).content.decode()
    assert "Sales will answer" not in client.get(path(sent[1])).content.decode()
    mail = OutboxMail.objects.get(subject__contains="的提问")
    assert mail.recipient == "sam@example.com"
    assert "Two cards more?" in mail.body
    assert client.post(path(sent[1], "question/"), {"msg": ""}).status_code == 422


def test_an_old_link_says_it_is_superseded(client, sent, sam):
    quote, old = sent
    revised = revise(quote, sam)
    page = client.get(path(old))
    assert page.status_code == 200
    assert "replaced by a newer one" in page.content.decode()
    assert "63.57" in page.content.decode()
    assert "Accept<" not in page.content.decode()
    assert client.get(path(old, "quote.pdf")).status_code == 200
    assert client.get(path(old, "accept/")).status_code == 302
    assert client.post(path(old, "accept/"), NAME).status_code == 409
    assert client.post(path(old, "decline/"), {"reason": "x"}).status_code == 409
    with pytest.raises(NotOpen, match="superseded"):
        quote_accept(link=old, name="x", visitor=Visitor(None), now=timezone.now())
    assert not Decision.objects.exists()
    assert revised.revision.number == 2


def test_an_expired_draft_or_offer_cannot_be_accepted(client, sam):
    """An old fault elsewhere: an expired quotation could still be signed through its link."""
    quote, link = a_sent_quote(sam, valid_until=timezone.localdate())
    with pytest.raises(NotOpen, match="expired"):
        quote_accept(link=link, name="x", visitor=Visitor(None), now=later(1))
    assert not quote_expire(quote_id=quote.pk, now=timezone.now())
    assert quote_expire(quote_id=quote.pk, now=later(1))
    assert not quote_expire(quote_id=quote.pk, now=later(1))
    assert "has run out" in client.get(path(link)).content.decode()
    assert client.post(path(link, "accept/"), NAME).status_code == 409


def test_the_clock_writes_expiry_down(sam, monkeypatch):
    a_sent_quote(sam, valid_until=timezone.localdate())
    assert expire_quotes() == 0
    moment = later(1)
    monkeypatch.setattr("billing.tasks.timezone.now", lambda: moment)
    assert expire_quotes() == 1
    assert expire_quotes() == 0
    assert Quote.objects.get().state == "expired"


def test_what_was_accepted_in_time_stays_accepted(sent):
    quote_accept(link=sent[1], name="W", visitor=Visitor("10.0.0.1"), now=timezone.now())
    assert not quote_expire(quote_id=sent[0].pk, now=later(400))
    with pytest.raises(NotOpen, match="accepted"):
        quote_decline(link=sent[1], name="", reason="", visitor=Visitor(None), now=timezone.now())


def test_withdrawn(client, sent, sam):
    quote_withdraw(quote=sent[0], by=sam, expected_version=sent[0].version, now=timezone.now(), reason="typo")
    assert "withdrawn" in client.get(path(sent[1])).content.decode()
    assert client.post(path(sent[1], "accept/"), NAME).status_code == 409


def test_revoked_links_are_404(client, sent, sam):
    link_revoke(quote=sent[0], by=sam, now=timezone.now())
    assert client.get(path(sent[1])).status_code == 404
    assert client.post(path(sent[1], "accept/"), NAME).status_code == 404
    sent[1].refresh_from_db()
    with pytest.raises(NotOpen, match="link"):
        quote_accept(link=sent[1], name="x", visitor=Visitor(None), now=timezone.now())


def test_links_run_out(client, sent):
    QuoteLink.objects.update(expires_at=timezone.now())
    assert client.get(path(sent[1])).status_code == 404


def test_a_new_link_replaces_the_old(client, sent, sam):
    client.force_login(sam)
    client.post(f"/en/sales/quotes/{sent[0].number}/link/", {"do": "renew"})
    assert client.get(path(sent[1])).status_code == 404
    new = QuoteLink.objects.get(revoked_at=None)
    assert client.get(path(new)).status_code == 200


def test_a_declined_offer_may_be_made_again(sent, sam):
    quote_decline(link=sent[1], name="", reason="", visitor=Visitor(None), now=timezone.now())
    sent[0].refresh_from_db()
    again = revise(sent[0], sam)
    assert (again.state, again.revision.number) == ("draft", 2)
    assert Revision.objects.get(number=1).decision.kind == "declined"


@pytest.mark.parametrize(
    ("page", "paper", "button", "state"),
    [
        ("en", "zh-hans", "Accept", "待接受"),
        ("zh-hans", "zh-hans", "接受报价", "待接受"),
        ("zh-hans", "en", "接受报价", "Waiting for your answer"),
    ],
)
def test_the_paper_speaks_its_own_language_whole_and_the_page_the_readers(client, sam, page, paper, button, state):
    _quote, link = a_sent_quote(sam, language=paper)
    text = client.get(f"/{page}/q/{link.token}/").content.decode()
    before, sheet = text.split('<article class="paper"')
    sheet, after = sheet.split("</article>")
    assert f">{button}</a>" in before.replace("</svg>", ">")
    assert f">{state}<" in sheet
    assert state not in before + after


def test_language_of_the_quotation_is_kept_in_both_frames(client, sam):
    _quote, link = a_sent_quote(sam, language="zh-hans", purpose="训练")
    for language in ("en", "zh-hans"):
        text = client.get(f"/{language}/q/{link.token}/").content.decode()
        assert "报价单" in text
        assert "陆拾叁元伍角柒分" in text
    assert head().language == "en"
    assert Decimal("63.57") == Quote.objects.get().revision.gross
