"""PostgreSQL keeps no NUL: whoever sends one, in an address, a form or a body, is answered, never with 500."""

import pytest
from django.contrib.auth.models import User

pytestmark = pytest.mark.django_db
ADDRESSES = (
    "/en/cards/?{}=a%00b",
    "/en/cards/compare/?{}=a%00b",
    "/en/plans/?{}=a%00b",
    "/en/advise/result/?scenario=llm&{}=a%00b",
    "/en/login/?{}=a%00b",
)
NAMES = ("q", "cmp", "currency", "region", "sku", "model", "preset", "next", "gpu", "hours", "framework", "plan")


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize("name", NAMES)
def test_in_an_address(client, address, name):
    assert client.get(address.format(name)).status_code in {200, 302, 400, 404, 422}


@pytest.mark.parametrize("path", ["/en/cards/a%00b/", "/en/models/a%00b/", "/en/q/a%00b/", "/en/measurements/a%00b/"])
def test_in_a_path(client, path):
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("page", ["/en/login/", "/en/admin/login/"])
def test_in_the_sign_in(client, page):
    User.objects.create_superuser("root", password="right horse")
    answer = client.post(page, {"username": "ro\0ot", "password": "right horse"})
    assert answer.status_code == 200
    assert "Null characters are not allowed." in answer.content.decode()
    assert client.post(page, {"username": "root", "password": "right\0horse"}).status_code == 200


@pytest.mark.parametrize("path", ["gpus/a%00b", "gpus?gpu=a%00b", "skus?gpu=a%00b", "plans?currency=%00", "models/%00"])
def test_in_the_api(client, path):
    assert client.get(f"/api/v1/{path}").status_code in {400, 404, 422}
