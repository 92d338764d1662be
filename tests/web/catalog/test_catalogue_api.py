"""The catalogue's API: decimal strings, units in names, sample flags, pages that lose and repeat nothing."""

from decimal import Decimal

import pytest
from django.urls import reverse

from catalog.models import Gpu, Plan, Price, Region, Sku

pytestmark = pytest.mark.django_db
API = "/api/v1/"


def _all(client, path, **query):
    rows, after = [], ""
    while after is not None:
        answer = client.get(API + path, {**query, "after": after}).json()
        rows += answer["results"]
        after = answer["next_after"]
    return rows


def test_cards(client, example, django_assert_num_queries):
    with django_assert_num_queries(2):
        answer = client.get(API + "gpus").json()
    assert answer["catalogue_version"] == 1
    assert answer["is_sample"] is False
    cards = {card["slug"]: card for card in answer["results"]}
    assert len(cards) == 33
    card = cards["rtx-3090-24g"]
    assert card["vram_gb"] == "24"
    assert card["memory_bandwidth_gb_s"] == "936.2"
    assert card["fp16_tensor_dense_fp32acc_tflops"] == "71"
    assert card["compute_capability"] == "8.6"
    assert card["fp8_tensor_dense_tflops"] is None
    assert card["cuda_cores"] == 10496
    assert card["sources"]["nvlink_gb_s"]
    assert cards["rtx-4090-48g"]["modified"] is True
    assert cards["rtx-4090-48g"]["name"] == "RTX 4090 48G"
    assert [Decimal(card["vram_gb"]) for card in answer["results"]] == sorted(
        Decimal(card["vram_gb"]) for card in answer["results"]
    )
    assert not any(isinstance(value, float) for card in cards.values() for value in card.values())


def test_one_card(client, example):
    assert client.get(API + "gpus/a100-pcie-40g").json()["fp64_tflops"] == "9.7"
    missing = client.get(API + "gpus/rtx-9090")
    assert missing.status_code == 404
    assert missing.headers["Content-Type"] == "application/problem+json"
    Gpu.objects.filter(slug="a100-pcie-40g").update(is_visible=False)
    assert client.get(API + "gpus/a100-pcie-40g").status_code == 404


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({"min_vram_gb": "80"}, 10),
        ({"modified": "true"}, 3),
        ({"rentable": "true"}, 10),
        ({"rentable": "false"}, 23),
        ({"architecture": "turing"}, 1),
    ],
)
def test_card_filters(client, example, query, count):
    assert len(client.get(API + "gpus", query).json()["results"]) == count


def test_machines_with_prices(client, example, django_assert_num_queries):
    with django_assert_num_queries(4):
        answer = client.get(API + "skus", {"gpu": "rtx-3090-24g", "count": 2}).json()
    assert answer["is_sample"] is True
    assert answer["currency"] == "CNY"
    (sku,) = answer["results"]
    assert (sku["code"], sku["link"], sku["nvlink_group"], sku["nodes"]) == ("rtx-3090-24g-x2", "nvlink", 2, 1)
    prices = {price["kind"]: price for price in sku["prices"]}
    assert prices["hour"]["unit_price"] == "1.32"
    assert prices["minute"]["unit_price"] == "0.0231"
    assert prices["hour"]["per"] == "gpu"
    assert prices["month"]["is_sample"] is True
    assert prices["month"]["valid_until"] is None
    assert {image["framework"] for image in sku["images"]} >= {"PyTorch", "TensorFlow"}


def test_machines_without_a_price_in_the_currency(client, example):
    answer = client.get(API + "skus", {"currency": "usd", "limit": 200}).json()
    assert answer["currency"] == "USD"
    assert len(answer["results"]) == 42
    assert all(sku["prices"] == [] for sku in answer["results"])


def test_plans(client, example, django_assert_num_queries):
    with django_assert_num_queries(2):
        answer = client.get(API + "plans").json()
    plans = {plan["name"]: plan for plan in answer["results"]}
    assert set(plans) == {"per-minute", "hourly", "daily", "weekly", "monthly"}
    assert plans["daily"]["rules"]["term"] == {"unit": "day", "count": 1}
    assert plans["daily"]["rules"]["on_demand_plan"] == "hourly"
    assert plans["per-minute"]["rules"]["billing_step_seconds"] == 60
    assert plans["hourly"]["is_sample"] is True
    assert len(client.get(API + "plans", {"kind": "month"}).json()["results"]) == 1


@pytest.mark.parametrize("order", ["vram_gb", "-vram_gb", "name", "-memory_bandwidth_gb_s"])
@pytest.mark.parametrize("limit", [1, 7, 32, 33])
def test_pages_lose_and_repeat_nothing(client, example, order, limit):
    slugs = [card["slug"] for card in _all(client, "gpus", order=order, limit=limit)]
    assert len(slugs) == len(set(slugs)) == 33
    assert slugs == [card["slug"] for card in _all(client, "gpus", order=order, limit=200)]


def test_a_hundred_rows_with_one_value_and_rows_gone_between_pages(client, example):
    gpu, region = Gpu.objects.get(slug="rtx-3090-24g"), Region.objects.get(code="cn-east")
    Sku.objects.bulk_create(
        Sku(code=f"same-{n:03}", gpu=gpu, count=1, link="none", region=region, cpu_cores=1, ram_gib=1, disk_gb=1)
        for n in range(130)
    )
    codes = [sku["code"] for sku in _all(client, "skus", order="count", limit=20)]
    assert len(codes) == len(set(codes)) == 172
    first = client.get(API + "skus", {"order": "code", "limit": 160}).json()
    Sku.objects.filter(code=first["results"][-1]["code"]).delete()
    rest = client.get(API + "skus", {"order": "code", "limit": 160, "after": first["next_after"]}).json()
    seen = [sku["code"] for sku in first["results"] + rest["results"]]
    assert len(seen) == len(set(seen)) == 172


@pytest.mark.parametrize(
    ("path", "query", "where"),
    [
        ("gpus", {"limit": 0}, "limit"),
        ("gpus", {"limit": 10**9}, "limit"),
        ("gpus", {"after": "nonsense"}, "after"),
        ("gpus", {"after": "bnVsbA"}, "after"),
        ("gpus", {"after": "W1sxXSwyLDNd"}, "after"),
        ("gpus", {"order": "sources"}, "order"),
        ("gpus", {"min_vram_gb": "many"}, "min_vram_gb"),
        ("gpus", {"memory": "24"}, "memory"),
        ("skus", {"count": 3}, "count"),
        ("skus", {"currency": "YEN"}, "currency"),
        ("skus", {"stock": "lots"}, "stock"),
        ("plans", {"kind": "year"}, "kind"),
    ],
)
def test_wrong_questions_are_named(client, example, path, query, where):
    answer = client.get(API + path, query)
    assert answer.status_code == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert where in {error["path"] for error in answer.json()["errors"]}


def test_a_mark_of_another_order_is_refused(client, example):
    mark = client.get(API + "gpus", {"limit": 1, "order": "name"}).json()["next_after"]
    assert client.get(API + "gpus", {"after": mark, "order": "vram_gb"}).status_code == 400


def test_ended_prices_and_plans_are_not_shown(client, example):
    Plan.objects.filter(name="monthly").update(is_active=False)
    kinds = {price["kind"] for sku in _all(client, "skus") for price in sku["prices"]}
    assert kinds == {"minute", "hour", "day", "week"}
    assert "monthly" not in {plan["name"] for plan in client.get(API + "plans").json()["results"]}
    assert Price.objects.filter(plan__name="monthly").count() == 42


def test_routes_are_read_only(client, example):
    for name in ("api-gpus", "api-skus", "api-plans"):
        assert client.post(reverse(name), {}).status_code in {403, 405}
