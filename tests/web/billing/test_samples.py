"""The sample sales of the demo: made once, by the real actions, and marked as samples wherever somebody looks."""

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from billing.models import OutboxMail, Quote, QuoteLink, QuoteRequest
from billing.models.choices import QuoteState
from billing.samples import DOMAIN, Staff, load_sample_sales
from tests.web.billing.conftest import a_quote

ADDRESS = "http://shop.example:8000"


@pytest.fixture
def staff(example, sam, sue, max_):
    max_.groups.add(Group.objects.get(name="sales"))
    return Staff(sam, sue, max_)


def load(staff: Staff) -> int:
    return load_sample_sales(staff=staff, now=timezone.now(), address=ADDRESS)


def test_every_state_is_there_once_and_again_changes_nothing(staff):
    made = load(staff)
    assert made == QuoteRequest.objects.count() + Quote.objects.count() > 15
    assert set(Quote.objects.values_list("state", flat=True)) == set(QuoteState.values)
    assert set(QuoteRequest.objects.values_list("state", flat=True)) == set(QuoteRequest.State.values)
    mails = OutboxMail.objects.count()
    assert load(staff) == 0
    assert OutboxMail.objects.count() == mails


def test_all_are_marked_and_reach_nobody(staff):
    load(staff)
    for row in (*QuoteRequest.objects.all(), *(quote.customer for quote in Quote.objects.all())):
        assert row.email.endswith(f"@{DOMAIN}")
        assert "（示例）" in row.organisation or "(sample)" in row.organisation
    staff_addresses = set(User.objects.values_list("email", flat=True)) | {"sales@example.com"}
    for to in OutboxMail.objects.values_list("recipient", flat=True):
        assert to in staff_addresses or to.endswith(f"@{DOMAIN}")
    assert all(quote.revision.snapshot["is_sample"] for quote in Quote.objects.filter(state="sent"))


def test_where_somebody_works_already_nothing_is_added(staff):
    a_quote(staff.sales)
    assert load(staff) == 0
    assert not QuoteRequest.objects.exists()


def test_customers_and_staff_see_them(client, staff):
    load(staff)
    for link in QuoteLink.objects.select_related("revision"):
        assert client.get(f"/en/q/{link.token}/").status_code == 200
    assert f"{ADDRESS}/zh-hans/q/" in OutboxMail.objects.filter(recipient=f"wang@{DOMAIN}").first().body
    client.force_login(staff.manager)
    for path in ("", "quotes/", "figures/", *(f"quotes/{quote.number}/" for quote in Quote.objects.all())):
        assert client.get(f"/en/sales/{path}").status_code == 200
