"""Guessing passwords is stopped, on the sign-in page and in the admin, without locking an account or the colleagues of whoever guesses."""

import pytest
from django.contrib.auth.models import User

from config.sign_in import ACCOUNT_GUESSES, NETWORK_GUESSES

pytestmark = pytest.mark.django_db
HERE, THERE = "203.0.113.7", "203.0.113.8"


@pytest.mark.parametrize("page", ["/en/login/", "/en/admin/login/"])
def test_guessing_is_stopped_for_that_address_alone(client, page):
    User.objects.create_superuser("root", password="right horse")
    wrong, right = ({"username": "root", "password": word} for word in ("wrong", "right horse"))
    for _ in range(ACCOUNT_GUESSES.most):
        assert client.post(page, wrong, REMOTE_ADDR=HERE).status_code == 200
    refused = client.post(page, right, REMOTE_ADDR=HERE)
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 600
    assert "Forgotten your password?" in refused.content.decode()
    assert client.post(page, right, REMOTE_ADDR=THERE).status_code == 302


def test_the_wait_is_short_and_a_right_password_counts_for_nothing(client):
    User.objects.create_user("sam", password="right horse")
    for _ in range(ACCOUNT_GUESSES.most + 1):
        assert (
            client.post("/en/login/", {"username": "sam", "password": "right horse"}, REMOTE_ADDR=HERE).status_code
            == 302
        )
        client.logout()
    assert ACCOUNT_GUESSES.seconds <= 600
    assert client.post("/en/login/", {"username": "sam", "password": "x"}, REMOTE_ADDR=HERE).status_code == 200


@pytest.mark.parametrize("page", ["/en/login/", "/en/admin/login/"])
def test_a_colleague_in_the_same_network_signs_in_all_the_same(client, page):
    for name in ("root", "sam"):
        User.objects.create_superuser(name, password="right horse")
    for _ in range(ACCOUNT_GUESSES.most + 1):
        client.post(page, {"username": "root", "password": "wrong"}, REMOTE_ADDR=HERE)
    for name, status in (("root", 429), ("ROOT", 429), ("sam", 302)):
        told = client.post(page, {"username": name, "password": "right horse"}, REMOTE_ADDR=HERE)
        assert told.status_code == status, name


def test_one_password_on_every_name_is_stopped_too(client):
    User.objects.create_user("sam", password="right horse")
    for n in range(NETWORK_GUESSES.most):
        NETWORK_GUESSES.count(HERE)
        if n == 0:
            assert client.post("/en/login/", {"username": "a", "password": "x"}, REMOTE_ADDR=HERE).status_code == 200
    right = {"username": "sam", "password": "right horse"}
    assert client.post("/en/login/", right, REMOTE_ADDR=HERE).status_code == 429
    assert client.post("/en/login/", right, REMOTE_ADDR=THERE).status_code == 302
