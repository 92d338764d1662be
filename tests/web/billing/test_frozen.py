"""What was sent never changes by itself: prices, names, plans and settings move on, the quotation does not."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.db import DatabaseError, transaction
from django.utils import timezone

from billing.document import document_of
from billing.models import AuditEntry, Quote, QuoteLine, Revision, Seller
from billing.quote_snapshot import check_code
from catalog.models import Gpu, Plan, Price
from tests.web.billing.conftest import a_quote, a_sent_quote, posted

GPU_LINE = {"sku": "rtx-3090-24g-x2", "plan_kind": "day", "periods": "3"}


@pytest.fixture
def drafted(client, example, sam):
    """A draft with a machine at its list price, made through the page."""
    client.force_login(sam)
    assert client.post("/en/sales/quotes/new/", posted([GPU_LINE])).status_code == 302
    return Quote.objects.get()


def step(client, quote, verb, **more):
    quote.refresh_from_db()
    return client.post(f"/en/sales/quotes/{quote.number}/step/", {"verb": verb, "version": quote.version} | more)


def raise_prices(by: str = "2") -> None:
    """Everything costs twice as much, the card has another name, the plans other rules."""
    for price in Price.objects.all():
        price.unit_price *= Decimal(by)
        price.save()
    for gpu in Gpu.objects.filter(slug="rtx-3090-24g"):
        gpu.name = "Renamed"
        gpu.save()
    for plan in Plan.objects.all():
        plan.tax_percent = Decimal(13)
        plan.save()


def test_nothing_changes_what_was_sent(client, drafted):
    step(client, drafted, "send")
    sent = Revision.objects.get()
    before = dict(sent.snapshot)
    pages = [f"/en/sales/quotes/{drafted.number}/", f"/en/q/{sent.links.get().token}/"]
    paper = [client.get(page).context["doc"] for page in pages]
    raise_prices()
    seller = Seller.objects.current()
    seller.name, seller.timezone, seller.tax_percent = "Other Ltd", "America/Los_Angeles", Decimal(20)
    seller.save()
    sent.refresh_from_db()
    assert sent.snapshot == before
    assert [client.get(page).context["doc"] for page in pages] == paper
    assert "166.20" in client.get(pages[1]).content.decode()  # 27.70 x 2 cards x 3 days
    assert "Renamed" not in client.get(pages[1]).content.decode()


def test_a_draft_keeps_its_prices_too(client, drafted):
    raise_prices()
    row = QuoteLine.objects.get()
    line = GPU_LINE | {"row": str(row.pk), "unit_price": "27.7", "title": row.title}
    client.post(f"/en/sales/quotes/{drafted.number}/edit/", posted([line], version=drafted.version))
    assert QuoteLine.objects.get().unit_price == Decimal("27.7")
    assert QuoteLine.objects.get().list_price == Decimal("27.7")
    assert Revision.objects.get().catalogue_version == 1  # the version the prices are from, not the newest


def test_the_database_refuses_changes_of_a_frozen_revision(sam):
    quote, _link = a_sent_quote(sam)
    revision = quote.revision
    for change in (
        lambda: Revision.objects.filter(pk=revision.pk).update(gross=0, net=0, tax=0),
        lambda: Revision.objects.filter(pk=revision.pk).update(snapshot={}),
        lambda: Revision.objects.filter(pk=revision.pk).update(snapshot=None, frozen_at=None),
        lambda: QuoteLine.objects.update(unit_price=1),
        lambda: QuoteLine.objects.all().delete(),
        lambda: QuoteLine.objects.create(revision=revision, position=9, unit_price=1),
        lambda: AuditEntry.objects.update(who="x"),
        lambda: AuditEntry.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_check_code_tells_a_changed_copy(sam):
    quote, _link = a_sent_quote(sam)
    snapshot = quote.revision.snapshot
    assert check_code(snapshot) == snapshot["check_code"]
    assert check_code(snapshot | {"payment": "never"}) != snapshot["check_code"]


def test_revision_keeps_prices_unless_asked(client, drafted):
    step(client, drafted, "send")
    raise_prices()
    assert step(client, drafted, "revise").status_code == 302
    drafted.refresh_from_db()
    assert drafted.revision.number == 2
    assert drafted.revision.lines.get().unit_price == Decimal("27.7")
    page = client.get(f"/en/sales/quotes/{drafted.number}/differences/")
    assert [item["what"] for item in page.context["differences"]] == []
    step(client, drafted, "send")
    step(client, drafted, "revise", prices="today")
    drafted.refresh_from_db()
    assert drafted.revision.number == 3
    assert drafted.revision.lines.get().unit_price == Decimal("55.4")
    old = client.get(f"/en/sales/quotes/{drafted.number}/?revision=1")
    assert old.context["doc"]["revision"] == 1
    assert "revision 3 has replaced it" in old.content.decode()
    assert client.get(f"/en/sales/quotes/{drafted.number}/quote.pdf?revision=1").status_code == 200
    assert client.get(f"/en/sales/quotes/{drafted.number}/?revision=9").status_code == 404
    page = client.get(f"/en/sales/quotes/{drafted.number}/differences/?with=1").content.decode()
    assert "27.7" in page
    assert "55.4" in page


def test_duplicate_takes_todays_prices_and_says_so(client, drafted):
    raise_prices()
    answer = client.post(f"/en/sales/quotes/{drafted.number}/duplicate/", follow=True)
    copy = Quote.objects.exclude(pk=drafted.pk).get()
    assert copy.revision.lines.get().unit_price == Decimal("55.4")
    assert copy.revision.lines.get().title == "RTX 3090 24G"
    changes = {item["what"]: (item["old"], item["new"]) for item in answer.context["differences"]}
    assert changes["unit price"] == ("27.7", "55.4")


def test_hand_set_price_survives_date_customer_and_plan_of_others(client, drafted):
    """An old fault elsewhere: changing only the date replaced the price a person had set."""
    row = QuoteLine.objects.get()
    by_hand = GPU_LINE | {"row": str(row.pk), "unit_price": "20.5", "discount_percent": "10", "discount_amount": "1.5"}
    client.post(f"/en/sales/quotes/{drafted.number}/edit/", posted([by_hand], version=drafted.version))
    row = QuoteLine.objects.get()
    assert (row.unit_price, row.hand_set, row.list_price) == (Decimal("20.5"), True, Decimal("27.7"))
    drafted.refresh_from_db()
    again = by_hand | {"row": str(row.pk)}
    later = str(timezone.localdate() + timedelta(days=30))
    client.post(
        f"/en/sales/quotes/{drafted.number}/edit/",
        posted([again], version=drafted.version, valid_until=later, contact="Dr Li", tax_percent="13"),
    )
    row = QuoteLine.objects.get()
    assert row.unit_price == Decimal("20.5")
    assert (row.discount_percent, row.discount_amount) == (
        Decimal(10),
        Decimal("1.5"),
    )  # kept apart, neither made of the other
    drafted.refresh_from_db()
    assert drafted.customer.contact == "Dr Li"


def test_changing_the_machine_takes_its_list_price(client, drafted):
    row = QuoteLine.objects.get()
    other = {
        "sku": "rtx-4090-24g-x1",
        "plan_kind": "hour",
        "periods": "5",
        "row": str(row.pk),
        "unit_price": "27.7",
        "title": "RTX 3090 24G",
    }
    client.post(f"/en/sales/quotes/{drafted.number}/edit/", posted([other], version=drafted.version))
    row = QuoteLine.objects.get()
    assert (row.title, row.hand_set) == ("RTX 4090 24G", False)
    assert row.unit_price == row.list_price == Decimal("2.3")
    assert Revision.objects.get().catalogue_version == 1


def test_switching_tax_out_converts_list_prices(client, drafted):
    row = QuoteLine.objects.get()
    line = GPU_LINE | {"row": str(row.pk), "unit_price": "27.7", "title": row.title}
    client.post(
        f"/en/sales/quotes/{drafted.number}/edit/",
        posted([line], version=drafted.version, prices_include_tax=None),
    )
    row = QuoteLine.objects.get()
    assert row.unit_price == row.list_price == Decimal("26.13207547")
    drafted.refresh_from_db()
    assert drafted.revision.gross == Decimal("166.20")


def test_a_draft_and_its_document_agree(sam):
    quote = a_quote(sam)
    doc = document_of(quote.revision)
    assert Decimal(doc["totals"]["gross"]) == quote.revision.gross
    assert doc["words"]["gross"] == "63.57"
