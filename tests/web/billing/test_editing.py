"""The edit form: without JavaScript, with live totals, and with two people at once."""

from datetime import date
from decimal import Decimal

import pytest

from billing.models import Quote, QuoteLine
from tests.web.billing.conftest import a_quote, posted

NEW = "/en/sales/quotes/new/"


@pytest.fixture
def seller(client, example, sam):
    client.force_login(sam)
    return client


def test_adding_a_line_keeps_what_was_typed(seller):
    typed = posted(
        [{"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "periods": "9"}], do="add-storage", contact="Half wri"
    )
    page = seller.post(NEW, typed)
    assert page.status_code == 200
    forms = page.context["editor"].lines.forms
    assert [form.sells for form in forms] == ["gpu", "storage"]
    assert forms[0]["periods"].value() == "9"
    assert "Half wri" in page.content.decode()
    assert not Quote.objects.exists()


def test_removed_lines_are_gone(seller):
    lines = [
        {"kind": "text", "title": "A", "unit_price": "1"},
        {"kind": "text", "title": "B", "unit_price": "2", "remove": "on"},
    ]
    seller.post(NEW, posted(lines))
    assert QuoteLine.objects.get().title == "A"


@pytest.mark.parametrize("htmx", [True, False])
def test_totals_follow(seller, htmx):
    lines = [
        {"sku": "rtx-3090-24g-x2", "plan_kind": "hour", "periods": "10"},
        {"kind": "storage", "count": "100", "periods": "30"},
        {"kind": "traffic", "count": "50", "unit_price": "0.8"},
        {
            "kind": "text",
            "title": "Help",
            "count": "2",
            "unit_price": "100",
            "discount_percent": "50",
            "discount_amount": "10",
        },
    ]
    page = seller.post(NEW, posted(lines, do="preview"), headers={"HX-Request": "true"} if htmx else {})
    assert page.status_code == 200
    text = page.content.decode()
    assert text.lstrip().startswith("<!doctype") is not htmx
    doc = page.context["doc"]
    assert [line["amount"] for line in doc["lines"]] == ["26.40", "19.80", "40.00", "90.00"]
    assert "176.20" in text
    assert page.context["needs_approval"]
    assert not Quote.objects.exists()
    assert "HX-Request" in page["Vary"]


@pytest.mark.parametrize("row", ["²", "٣", "999999999999999999999", "-1", "x"])
def test_a_row_that_is_none_counts_as_new_or_is_refused(seller, row):
    page = seller.post(NEW, posted([{"row": row, "kind": "text", "title": "A", "unit_price": "1"}]))
    assert page.status_code in (302, 422)


@pytest.mark.parametrize(("until", "right"), [("9999-12-31", False), ("0001-01-01", False), ("2027-01-31", True)])
def test_a_year_that_cannot_be_meant_is_asked_about(seller, until, right, monkeypatch):
    monkeypatch.setattr("billing.forms.timezone.localdate", lambda: date(2026, 11, 30))
    page = seller.post(NEW, posted([{"kind": "text", "title": "A", "unit_price": "1"}], valid_until=until))
    assert page.status_code == (302 if right else 422)
    assert Quote.objects.exists() == right
    if not right:
        assert "Check the year" in page.content.decode()


def test_a_sum_too_large_to_add_up_names_the_field_as_the_form_does(seller):
    lines = [{"kind": "text", "title": "A", "unit_price": "1", "count": "9999999999", "periods": "9"}]
    page = seller.post(NEW, posted(lines))
    assert page.status_code == 422
    assert "lines[0]" not in page.content.decode()
    assert "Count must be at most" in page.content.decode()


def test_unfinished_totals_say_what_is_missing(seller):
    page = seller.post(NEW, posted([{"kind": "text", "title": "x"}], do="preview"), headers={"HX-Request": "true"})
    assert page.status_code == 422
    assert 'href="#id_lines-0-unit_price"' in page.content.decode()


@pytest.mark.parametrize(
    ("line", "field"),
    [
        ({"sku": ""}, "sku"),
        ({"sku": "nothing-x1"}, "sku"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": ""}, "plan_kind"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "discount_percent": "101"}, "discount_percent"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "count": "-1"}, "count"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "periods": "1e400"}, "periods"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "unit_price": "abc"}, "unit_price"),
        ({"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "unit_price": "NaN"}, "unit_price"),
        ({"kind": "text", "title": ""}, "title"),
    ],
)
def test_errors_stand_at_their_field(seller, line, field):
    page = seller.post(NEW, posted([line]))
    assert page.status_code == 422
    assert field in page.context["editor"].lines.forms[0].errors
    assert f'href="#id_lines-0-{field}"' in page.content.decode()
    assert not Quote.objects.exists()


def test_no_lines_no_quotation(seller):
    page = seller.post(NEW, posted([]))
    assert page.status_code == 422
    assert "Add at least one line." in page.content.decode()


@pytest.mark.parametrize("field", ["contact", "email", "valid_until", "currency", "tax_percent"])
def test_head_and_customer_are_needed(seller, field):
    page = seller.post(NEW, posted([{"kind": "text", "title": "x", "unit_price": "1"}], **{field: ""}))
    assert page.status_code == 422
    assert f'href="#id_{field}"' in page.content.decode()


def test_the_second_is_told_and_loses_nothing(client, example, sam, max_):
    quote = a_quote(sam)
    address = f"/en/sales/quotes/{quote.number}/edit/"

    def typed(price, version):
        row = QuoteLine.objects.get()
        line = {"kind": "text", "title": "Setup", "count": "3", "unit_price": price, "row": str(row.pk)}
        return posted([line], version=version, payment=f"pays {price}")

    mine, theirs = typed("11", quote.version), typed("22", quote.version)
    client.force_login(max_)
    assert client.post(address, theirs).status_code == 302
    client.force_login(sam)
    page = client.post(address, mine)
    assert page.status_code == 409
    text = page.content.decode()
    assert "max changed this quotation" in text
    assert "pays 11" in text
    assert ("22", "11") in {(item["old"], item["new"]) for item in page.context["differences"]}
    assert QuoteLine.objects.get().unit_price == Decimal(22)
    assert client.post(address, mine | {"version": page.context["version"]}).status_code == 302
    assert QuoteLine.objects.get().unit_price == Decimal(11)


def test_a_step_on_an_outdated_page_does_nothing(client, sam):
    quote = a_quote(sam)
    client.force_login(sam)
    Quote.objects.filter(pk=quote.pk).update(version=9)
    client.post(f"/en/sales/quotes/{quote.number}/step/", {"verb": "send", "version": quote.version})
    quote.refresh_from_db()
    assert quote.state == "draft"


def test_editing_what_was_sent_begins_with_a_revision(client, sam):
    quote = a_quote(sam)
    client.force_login(sam)
    client.post(f"/en/sales/quotes/{quote.number}/step/", {"verb": "send", "version": quote.version})
    answer = client.post(
        f"/en/sales/quotes/{quote.number}/edit/", posted([{"kind": "text", "title": "x", "unit_price": "1"}], version=2)
    )
    assert answer.status_code == 302
    assert QuoteLine.objects.get().title == "Setup"


def test_a_price_out_of_thin_air_needs_a_manager(seller, max_):
    """Another currency or a plan that is not sold has no list price: no limit on discounts can hold there."""
    line = {"sku": "rtx-3090-24g-x1", "plan_kind": "hour", "unit_price": "0.01"}
    seller.post(NEW, posted([line], currency="USD"))
    quote = Quote.objects.get()
    address = f"/en/sales/quotes/{quote.number}/step/"
    seller.post(address, {"verb": "send", "version": quote.version})
    quote.refresh_from_db()
    assert quote.state == "draft"
    assert "no list price" in seller.get(f"/en/sales/quotes/{quote.number}/").content.decode()
    seller.post(address, {"verb": "submit", "version": quote.version})
    seller.force_login(max_)
    quote.refresh_from_db()
    seller.post(address, {"verb": "approve", "version": quote.version})
    quote.refresh_from_db()
    assert quote.state == "approved"


def test_editing_voids_an_approval(client, sam, max_):
    quote = a_quote(sam)
    Quote.objects.filter(pk=quote.pk).update(state="approved")
    client.force_login(sam)
    line = {"kind": "text", "title": "x", "unit_price": "1"}
    client.post(f"/en/sales/quotes/{quote.number}/edit/", posted([line], version=quote.version))
    quote.refresh_from_db()
    assert quote.state == "draft"
