"""The way back from a quotation or a request leads to the result in the reader's language."""

from decimal import Decimal

import pytest
from django.utils import timezone

from billing.actions.step import quote_send
from billing.models import Quote, QuoteRequest, Revision
from billing.policy import Authority
from tests.web.billing.conftest import a_quote

ADDRESS = "/zh-hans/advise/result/?preset=yolo-100k"


@pytest.mark.parametrize(("language", "there"), [("en", ADDRESS.replace("zh-hans", "en")), ("zh-hans", ADDRESS)])
def test_the_result_is_in_the_readers_language(client, sam, language, there):
    asked = QuoteRequest.objects.create(
        contact="W",
        email="w@example.com",
        language="zh-hans",
        consented_at=timezone.now(),
        advice={"address": ADDRESS},
    )
    client.force_login(sam)
    assert f'href="{there}"' in client.get(f"/{language}/sales/requests/{asked.pk}/").content.decode()


@pytest.mark.parametrize(("language", "there"), [("en", ADDRESS.replace("zh-hans", "en")), ("zh-hans", ADDRESS)])
def test_so_it_is_on_the_customers_page(client, sam, language, there):
    quote = a_quote(sam)
    Revision.objects.filter(pk=quote.current_id).update(advice={"address": ADDRESS})
    authority = Authority(Decimal(100), may_price_freely=True)
    sent = quote_send(
        quote=Quote.objects.get(pk=quote.pk),
        by=sam,
        expected_version=quote.version,
        authority=authority,
        now=timezone.now(),
        link_address=str,
    )
    token = sent.revision.links.get().token
    assert f'href="{there}"' in client.get(f"/{language}/q/{token}/").content.decode()
