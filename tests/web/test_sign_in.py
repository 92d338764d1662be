"""Guessing passwords is stopped, on the sign-in page and in the admin, without locking anybody's account."""

import pytest
from django.contrib.auth.models import User

from config.sign_in import GUESSES

pytestmark = pytest.mark.django_db
HERE, THERE = "203.0.113.7", "203.0.113.8"


@pytest.mark.parametrize("page", ["/en/login/", "/en/admin/login/"])
def test_guessing_is_stopped_for_that_address_alone(client, page):
    User.objects.create_superuser("root", password="right horse")
    wrong, right = ({"username": "root", "password": word} for word in ("wrong", "right horse"))
    for _ in range(GUESSES.most):
        assert client.post(page, wrong, REMOTE_ADDR=HERE).status_code == 200
    refused = client.post(page, right, REMOTE_ADDR=HERE)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 600
    assert "Forgotten your password?" in refused.content.decode()
    assert client.post(page, right, REMOTE_ADDR=THERE).status_code == 302


def test_the_wait_is_short_and_a_right_password_counts_for_nothing(client):
    User.objects.create_user("sam", password="right horse")
    for _ in range(GUESSES.most + 1):
        assert (
            client.post("/en/login/", {"username": "sam", "password": "right horse"}, REMOTE_ADDR=HERE).status_code
            == 302
        )
        client.logout()
    assert GUESSES.seconds <= 600
    assert client.post("/en/login/", {"username": "sam", "password": "x"}, REMOTE_ADDR=HERE).status_code == 200
