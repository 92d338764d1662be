"""A form that is sent four times at the same moment makes one quotation."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from billing.models import NumberSequence, Quote
from catalog.actions import load_example_catalogue
from config.roles import sync_roles
from tests.web.billing.conftest import person, posted

NEW = "/en/sales/quotes/new/"


@pytest.mark.django_db(transaction=True)
def test_at_the_same_moment():
    load_example_catalogue(by=None)
    sync_roles()
    first = Client()
    first.force_login(person("sam", "sales"))
    form = posted([{"kind": "text", "title": "Setup", "unit_price": "5"}], key=str(first.get(NEW).context["key"]))

    def send(_time: int) -> str:
        other = Client()
        other.cookies["sessionid"] = first.cookies["sessionid"].value
        try:
            return str(other.post(NEW, form)["Location"])
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        places = set(threads.map(send, range(4)))
    assert places == {f"/en/sales/quotes/{Quote.objects.get().number}/"}
    assert NumberSequence.objects.get().last == 1
