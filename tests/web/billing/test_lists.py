"""Lists, search, export and figures: what is on the screen is what comes out, and each sees their own."""

import csv
import io
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from django.utils import timezone

from billing.actions.decision import Visitor, quote_accept, quote_decline
from billing.actions.step import quote_revise, quote_withdraw
from billing.models import Quote
from billing.queries import QuoteFilter, ageing, quotes_listed
from tests.web.billing.conftest import CONTACT, a_line, a_quote, a_sent_quote, head

GPU_3090 = {"kind": "gpu", "sku": "rtx-3090-24g-x1", "gpu": "rtx-3090-24g", "title": "RTX 3090 24G"}
GPU_4090 = {"kind": "gpu", "sku": "rtx-4090-24g-x1", "gpu": "rtx-4090-24g", "title": "RTX 4090 24G"}
ADDRESS = "/en/sales/quotes/"


@pytest.fixture
def some(sam, sue):
    """Five quotations: sam's draft, sent, accepted and declined ones, sue's draft."""
    draft = a_quote(sam, [a_line(**GPU_3090, unit_price=Decimal(10))])
    sent, _link = a_sent_quote(sam, [a_line(**GPU_4090, unit_price=Decimal(900))])
    accepted, link = a_sent_quote(sam, [a_line(**GPU_4090), a_line(**GPU_3090)])
    quote_accept(link=link, name="W", visitor=Visitor(None), now=timezone.now())
    declined, link = a_sent_quote(sam, [a_line(**GPU_3090, unit_price=Decimal(5))], purpose="Other purpose")
    quote_decline(link=link, name="", reason="", visitor=Visitor(None), now=timezone.now())
    Quote.objects.filter(pk__in=[sent.pk, accepted.pk]).update(scenario="llm")
    hers = a_quote(sue)
    return {"draft": draft, "sent": sent, "accepted": accepted, "declined": declined, "hers": hers}


def listed(client, query=""):
    return [row["number"] for row in client.get(ADDRESS + query).context["rows"]]


def names(some, *keys):
    return [some[key].number for key in keys]


def test_each_sees_their_own_managers_all(client, some, sam, sue, max_):
    for user, keys in ((sam, 4), (sue, 1), (max_, 5)):
        client.force_login(user)
        assert len(listed(client)) == keys
    client.force_login(max_)
    assert listed(client, "?mine=on") == []


@pytest.mark.parametrize(
    ("query", "keys"),
    [
        ("?state=sent", ["sent"]),
        ("?state=draft", ["draft"]),
        ("?scenario=llm", ["accepted", "sent"]),
        ("?gpu=rtx-4090-24g", ["accepted", "sent"]),
        ("?q=4090", ["accepted", "sent"]),
        ("?q=other+PURPOSE", ["declined"]),
        ("?q=wang+sample", ["declined", "accepted", "sent", "draft"]),
        ("?q=nothing", []),
        ("?sort=total", ["declined", "draft", "accepted", "sent"]),
        ("?sort=-total", ["sent", "accepted", "draft", "declined"]),
        ("?sort=number", ["draft", "sent", "accepted", "declined"]),
        ("?sort=nonsense&state=nonsense&page=999", ["declined", "accepted", "sent", "draft"]),
    ],
)
def test_search_filters_and_sort(client, some, sam, query, keys):
    client.force_login(sam)
    assert listed(client, query) == names(some, *keys)


def test_search_by_number(client, some, sam):
    client.force_login(sam)
    assert listed(client, f"?q={some['draft'].number}") == names(some, "draft")


def test_export_is_what_is_on_the_screen(client, some, sam):
    client.force_login(sam)
    answer = client.get(ADDRESS + "?gpu=rtx-4090-24g&sort=total&format=csv")
    assert answer["Content-Type"].startswith("text/csv")
    text = answer.content.decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text)))
    assert rows[0][:4] == ["Number", "Customer", "State", "Total"]
    assert [row[0] for row in rows[1:]] == names(some, "accepted", "sent")
    assert [row[3] for row in rows[1:]] == ["127.14", "2862.00"]
    shown = client.get(ADDRESS + "?gpu=rtx-4090-24g&sort=total").context["rows"]
    assert [row["total"].replace(",", "") for row in shown] == [row[3] for row in rows[1:]]


def test_export_has_every_page(client, sam):
    for _n in range(30):
        a_quote(sam)
    client.force_login(sam)
    assert len(listed(client)) == 25
    assert len(listed(client, "?page=2")) == 5
    assert client.get(ADDRESS + "?format=csv").content.decode().count("Q-") == 30


def test_export_holds_no_formulas(client, sam):
    a_quote(sam, contact=replace(CONTACT, organisation="=HYPERLINK(1)"))
    client.force_login(sam)
    assert "'=HYPERLINK(1)" in client.get(ADDRESS + "?format=csv").content.decode()


def test_expired_counts_as_expired_before_anybody_writes_it_down(client, some, sam):
    later = timezone.now() + timedelta(days=16)
    for state, keys in (("expired", ["sent"]), ("sent", [])):
        found = quotes_listed(sam, QuoteFilter(state=state), later, "Asia/Shanghai")
        assert [quote.number for quote in found] == names(some, *keys)


def test_figures(client, some, sam, max_):
    client.force_login(sam)
    page = client.get("/en/sales/figures/")
    by_scenario, by_gpu = (group["rows"] for group in page.context["groups"])
    found = {row["name"]: (row["item"].sent, row["item"].accepted, row["item"].rate_percent) for row in by_scenario}
    assert found == {"Large language models": (2, 1, 50), "Other": (1, 0, 0)}
    found = {row["name"]: (row["item"].sent, row["item"].accepted, row["item"].declined) for row in by_gpu}
    assert found == {"RTX 4090 24G": (2, 1, 0), "RTX 3090 24G": (2, 1, 1)}
    bands = {(band.since, band.through): band.total for band in page.context["bands"]}
    assert bands[0, 7] == 2
    client.force_login(max_)
    assert client.get("/en/sales/figures/").context["bands"][0].total == 3


def test_what_was_sent_is_what_became_of_it(client, some, sam):
    """Withdrawn and revised ones are among those that were sent."""
    lines, now = [a_line(**GPU_4090)], timezone.now()
    for revised in (False, True):
        sent, _link = a_sent_quote(sam, lines)
        gone = quote_withdraw(quote=sent, expected_version=sent.version, by=sam, now=now)
        if revised:
            quote_revise(
                quote=gone,
                by=sam,
                expected_version=gone.version,
                now=now,
                head=head(),
                lines=lines,
                catalogue_version=0,
            )
    client.force_login(sam)
    groups = client.get("/en/sales/figures/").context["groups"]
    for row in (row["item"] for group in groups for row in group["rows"]):
        assert row.sent == row.accepted + row.declined + row.expired + row.withdrawn + row.open
        assert min(row.open, row.withdrawn) >= 0
    (cards,) = (row["item"] for row in groups[1]["rows"] if row["name"] == "RTX 4090 24G")
    assert (cards.sent, cards.accepted, cards.withdrawn, cards.open) == (4, 1, 1, 2)


@pytest.mark.usefixtures("example")
def test_cards_are_named_in_the_readers_language(client, sam):
    a_sent_quote(sam, [a_line(kind="gpu", sku="rtx-4090-48g-x1", gpu="rtx-4090-48g", title="RTX 4090 48G（改装）")])
    client.force_login(sam)
    for page in (client.get(ADDRESS), client.get("/en/sales/figures/")):
        assert "RTX 4090 48G (modified)" in page.content.decode()
        assert "改装" not in page.content.decode()


def test_ageing_by_days(some, sam):
    bands = ageing(sam, timezone.now() + timedelta(days=10), "Asia/Shanghai")
    assert [band.total for band in bands] == [0, 2, 0, 0, 0]
    bands = ageing(sam, timezone.now() + timedelta(days=70), "Asia/Shanghai")
    assert [band.total for band in bands] == [0, 0, 0, 0, 1]  # the sent one has run out by then


def test_number_of_queries_does_not_grow(client, sam, django_assert_max_num_queries):
    for _n in range(12):
        a_sent_quote(sam)
    client.force_login(sam)
    with django_assert_max_num_queries(12):
        client.get(ADDRESS)
    with django_assert_max_num_queries(25):
        client.get(f"/en/sales/quotes/{Quote.objects.first().number}/")
