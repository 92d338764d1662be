"""Who sees what: every page of quotations, walked as a stranger, as a colleague, as staff without the role."""

import pytest
from django.contrib.auth.models import User
from django.urls import get_resolver

from billing.models import Quote, QuoteRequest
from billing.urls import urlpatterns
from tests.web.billing.conftest import a_quote, a_sent_quote

PUBLIC = {"plans", "ask", "asked", "offer", "accept", "decline", "question", "offer-pdf", "offer-xlsx"}
STAFF = {pattern.name for pattern in urlpatterns} - PUBLIC


@pytest.fixture
def addresses(sam):
    """One address per staff page, with things that exist and belong to sam."""
    quote, _link = a_sent_quote(sam)
    mail = quote.mails.get()
    asked = QuoteRequest.objects.create(contact="x", email="x@example.com", consented_at=quote.sent_at, owner=sam)
    values = {"number": quote.number, "pk": asked.pk}
    found = {}
    for pattern in urlpatterns:
        if pattern.name in STAFF:
            path = str(pattern.pattern)
            path = path.replace("mails/<int:pk>", f"mails/{mail.pk}")
            for name, value in values.items():
                path = path.replace(f"<int:{name}>", str(value)).replace(f"<str:{name}>", str(value))
            found[pattern.name] = f"/en/{path}"
    return found


def test_every_route_is_public_or_guarded():
    assert {pattern.name for pattern in urlpatterns} == PUBLIC | STAFF
    assert len(STAFF) == 16
    assert get_resolver()


@pytest.mark.parametrize("method", ["get", "post"])
def test_strangers_are_sent_to_the_sign_in(client, addresses, method):
    for name, address in addresses.items():
        answer = getattr(client, method)(address)
        assert answer.status_code in (302, 405), name
        if answer.status_code == 302:
            assert "/login/" in answer["Location"], name


@pytest.mark.parametrize("method", ["get", "post"])
def test_staff_without_the_role_are_refused(client, addresses, method):
    client.force_login(User.objects.create_user("operator", is_staff=True))
    for name, address in addresses.items():
        assert getattr(client, method)(address).status_code in (403, 405), name


def test_a_colleague_finds_nothing(client, addresses, sue):
    client.force_login(sue)
    before = list(Quote.objects.values())
    for name, address in addresses.items():
        for method in ("get", "post"):
            status = getattr(client, method)(address).status_code
            shared = {"inbox", "quotes", "new", "figures"}
            assert status in ({200, 405, 422} if name in shared else {404, 405}), (name, method)
    assert list(Quote.objects.values()) == before
    assert "Sample University" not in client.get("/en/sales/quotes/").content.decode()
    assert Quote.objects.first().number not in client.get("/en/sales/quotes/?format=csv").content.decode()


@pytest.mark.parametrize("number", ["%00", "Q-2026-0001%00", "%27", "²"])
def test_numbers_that_are_none_are_404(client, sam, number):
    client.force_login(sam)
    for page in ("", "edit/", "quote.pdf", "differences/"):
        assert client.get(f"/en/sales/quotes/{number}/{page}").status_code == 404


def test_the_owner_and_a_manager_open_everything(client, addresses, sam, max_):
    for user in (sam, max_):
        client.force_login(user)
        for name, address in addresses.items():
            assert client.get(address).status_code in (200, 302, 404 if name == "differences" else 405, 405), name


def test_sales_may_not_approve_what_they_see(client, sam):
    quote = a_quote(sam)
    Quote.objects.filter(pk=quote.pk).update(state="awaiting_approval")
    client.force_login(sam)
    for verb in ("approve", "return"):
        client.post(f"/en/sales/quotes/{quote.number}/step/", {"verb": verb, "version": quote.version})
        quote.refresh_from_db()
        assert quote.state == "awaiting_approval"


def test_unknown_steps_are_404(client, sam):
    quote = a_quote(sam)
    client.force_login(sam)
    for verb in ("", "accept", "expire", "edit", "x" * 500):
        answer = client.post(f"/en/sales/quotes/{quote.number}/step/", {"verb": verb, "version": quote.version})
        assert answer.status_code == 404


def test_first_to_take_a_request_has_it(client, sam, sue):
    asked = QuoteRequest.objects.create(contact="x", email="x@example.com", consented_at="2026-01-01T00:00Z")
    client.force_login(sue)
    client.post(f"/en/sales/requests/{asked.pk}/take/")
    client.force_login(sam)
    assert client.post(f"/en/sales/requests/{asked.pk}/take/").status_code == 404
    asked.refresh_from_db()
    assert asked.owner == sue


def test_admin_pages_open(admin_client, sam):
    a_sent_quote(sam)
    for name in [
        "seller",
        "discountlimit",
        "customer",
        "quoterequest",
        "quote",
        "revision",
        "outboxmail",
        "auditentry",
        "decision",
        "quotelink",
        "numbersequence",
    ]:
        page = admin_client.get(f"/en/admin/billing/{name}/")
        assert page.status_code == 200, name
    revision = Quote.objects.get().revision
    assert admin_client.get(f"/en/admin/billing/revision/{revision.pk}/change/").status_code == 200
    link = revision.links.get()
    assert link.secret not in admin_client.get(f"/en/admin/billing/quotelink/{link.pk}/change/").content.decode()


def test_staff_find_the_inbox_and_the_way_out(client, example, sam):
    assert "/sales/" not in client.get("/en/plans/").content.decode()
    client.force_login(sam)
    page = client.get("/en/plans/").content.decode()
    assert 'href="/en/sales/"' in page
    assert client.post("/en/logout/").status_code == 302
    assert client.get("/en/sales/").status_code == 302
