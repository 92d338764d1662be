"""Results saved at the same moment from one browser."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.translation import override

from advisor.pages import saved
from catalog.actions import load_example_catalogue

QUERY = "scenario=llm&task=inference&model=llama-3-8b"


@pytest.mark.django_db(transaction=True)
def test_saves_at_once_lose_nothing(client):
    load_example_catalogue(by=None)
    with override("en"):
        there = reverse("advisor:saved")
    client.post(there, {"query": QUERY})
    cookie = client.cookies["sessionid"].value

    def save(concurrency: int) -> int:
        other = Client()
        other.cookies["sessionid"] = cookie
        try:
            return other.post(
                there, {"query": f"scenario=llm&task=inference&model=llama-3-8b&concurrency={concurrency}"}
            ).status_code
        finally:
            connection.close()

    with ThreadPoolExecutor(6) as threads:
        assert set(threads.map(save, range(1, 7))) == {302}
    assert len(client.session[saved.KEY]) == 7
