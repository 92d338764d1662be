"""Names that stand as proof on paper hold no character that turns or hides others."""

import pytest
from django.contrib.auth.models import User

from billing.models import Decision, QuoteRequest, Revision
from billing.models.quote_line import QuoteLine
from catalog.models import Gpu
from tests.web.billing.conftest import a_sent_quote, posted
from tests.web.billing.test_road import ask

TURNED = "Zoe\u202e gnaW\u200b\u2066"
PLAIN = "Zoe gnaW"


def test_of_a_quotation(client, example, sam):
    client.force_login(sam)
    line = {"kind": "text", "title": TURNED, "detail": TURNED, "unit_price": "5"}
    words = dict.fromkeys(("organisation", "contact", "purpose", "payment", "start", "terms"), TURNED)
    assert client.post("/en/sales/quotes/new/", posted([line], **words)).status_code == 302
    revision, stored = Revision.objects.get(), QuoteLine.objects.get()
    customer = revision.quote.customer
    said = [revision.purpose, revision.payment, revision.start, revision.terms, stored.title, stored.detail]
    assert {*said, customer.organisation, customer.contact} == {PLAIN}


@pytest.mark.parametrize("answer", ["accept", "decline"])
def test_of_who_answers(client, sam, answer):
    _quote, link = a_sent_quote(sam)
    client.post(f"/en/q/{link.token}/{answer}/", {"name": TURNED, "agree": "on"})
    assert Decision.objects.get().name == PLAIN


@pytest.mark.parametrize("name", ["\u200b", "\u202e \u2066", "\ufeff"])
def test_a_name_nobody_sees_accepts_nothing(client, sam, name):
    _quote, link = a_sent_quote(sam)
    assert client.post(f"/en/q/{link.token}/accept/", {"name": name, "agree": "on"}).status_code == 422
    assert not Decision.objects.exists()


def test_of_who_asks(client, db):
    assert ask(client, contact=TURNED, organisation=TURNED, phone="\u202a+86 138\u202c").status_code == 302
    asked = QuoteRequest.objects.get()
    assert (asked.contact, asked.organisation, asked.phone) == (PLAIN, PLAIN, "+86 138")


def test_of_a_card(client, example):
    client.force_login(User.objects.create_superuser("root"))
    card = Gpu.objects.get(slug="rtx-3090-24g")
    address = f"/en/admin/catalog/gpu/{card.pk}/change/"
    form = client.get(address).context["adminform"].form
    values = {name: form[name].value() for name in form.fields}
    data = {name: "" if value is None else value for name, value in values.items() if value is not False}
    page = client.get(address)
    for inline in page.context["inline_admin_formsets"]:
        data |= {
            f"{inline.formset.prefix}-{name}": inline.formset.management_form[name].value()
            for name in ("TOTAL_FORMS", "INITIAL_FORMS")
        }
    answer = client.post(address, data | {"name": TURNED})
    assert answer.status_code == 302, answer.context["errors"]
    card.refresh_from_db()
    assert card.name == PLAIN
