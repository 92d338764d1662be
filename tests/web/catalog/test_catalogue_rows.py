"""Rows, constraints, versions: what the database itself refuses, and that no write goes unrecorded."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import IntegrityError, NotSupportedError, transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from catalog.actions import load_example_catalogue, load_spec_sheets, price_set
from catalog.example import EXAMPLE_SINCE, example_catalogue
from catalog.models import CatalogueChange, CatalogueVersion, Gpu, Image, Plan, Price, Region, Sku, SkuImage, recorded
from catalog.queries import currencies_on_sale, current_catalogue, current_version

pytestmark = pytest.mark.django_db
LATER = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def staff(db):
    return get_user_model().objects.create_user("editor")


def test_loading_again_keeps_what_staff_edited(example, staff):
    sku = Sku.objects.get(code="rtx-3090-24g-x1")
    plan = Plan.objects.get(name="hourly")
    price_set(by=staff, sku=sku, plan=plan, unit_price=Decimal("1.50"), valid_from=LATER)
    Gpu.objects.filter(slug="t4-16g").update(notes="checked")
    load_example_catalogue(by=None)
    assert current_catalogue("CNY", LATER).offer("rtx-3090-24g-x1").plan("hour")["unit_price"] == "1.5"
    assert Gpu.objects.get(slug="t4-16g").notes == "checked"
    assert load_spec_sheets(by=staff, overwrite=True).rows == 1
    assert Gpu.objects.get(slug="t4-16g").notes != "checked"


def test_database_and_files_give_the_same_catalogue(example, django_assert_num_queries):
    with django_assert_num_queries(2):
        stored = current_catalogue("CNY", LATER)
    files = example_catalogue()
    assert stored.version == 1
    assert stored.gpus == files.gpus
    assert list(stored.gpus) == list(files.gpus)
    assert stored.offers == files.offers
    assert stored.is_sample


def test_prices_are_read_at_the_moment_asked_for(example):
    assert not current_catalogue("CNY", EXAMPLE_SINCE - timedelta(seconds=1)).priced_offers
    assert len(current_catalogue("CNY", EXAMPLE_SINCE).priced_offers) == 42
    usd = current_catalogue("USD", LATER)
    assert len(usd.offers) == 42
    assert not usd.priced_offers
    assert currencies_on_sale(LATER) == ["CNY"]


def test_prices_of_one_plan_never_overlap(example):
    price = Price.objects.select_related("sku", "plan").first()
    twin = Price(
        sku=price.sku, plan=price.plan, currency="CNY", unit_price=1, valid_during=DateTimeTZRange(LATER, None)
    )
    with pytest.raises(ValidationError, match=r"End it first|先结束"):
        twin.full_clean()
    with pytest.raises(IntegrityError, match="price_no_overlap"), transaction.atomic():
        twin.save()
    with pytest.raises(IntegrityError, match="price_no_overlap"), transaction.atomic():
        Price.objects.bulk_create([twin])
    price.valid_during = DateTimeTZRange(EXAMPLE_SINCE, LATER)
    price.save()
    twin.save()
    assert Price.objects.on_sale("CNY", LATER).get(sku=price.sku, plan=price.plan) == twin


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"unit_price": Decimal(0)}, "price_above_zero"),
        ({"unit_price": Decimal(-1)}, "price_above_zero"),
        ({"currency": "cny"}, "price_currency"),
        ({"valid_during": DateTimeTZRange(None, LATER)}, "price_begins"),
        ({"valid_during": DateTimeTZRange(LATER, LATER)}, "price_begins"),
    ],
)
def test_the_database_refuses_such_prices(example, fields, name):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Price.objects.filter(pk=Price.objects.values("pk")[:1]).update(**fields)


@pytest.mark.parametrize(
    ("code", "fields", "name"),
    [
        ("rtx-3090-24g-x1", {"count": 3}, "sku_count"),
        ("rtx-3090-24g-x1", {"link": "pcie"}, "sku_link_joins_cards"),
        ("rtx-3090-24g-x2", {"link": "none"}, "sku_link_joins_cards"),
        ("rtx-3090-24g-x2", {"nvlink_group": 1}, "sku_nvlink_group"),
        ("a800-sxm-80g-x16", {"network_gbit_s": None}, "sku_network_joins_nodes"),
        ("a800-sxm-80g-x16", {"nodes": 3}, "sku_even_spread"),
        ("a800-sxm-80g-x16", {"nodes": 0}, "sku_n"),
        ("a800-sxm-80g-x8", {"network_gbit_s": 100}, "sku_network_joins_nodes"),
        ("a800-sxm-80g-x8", {"ram_gib": 0}, "sku_has_a_host"),
    ],
)
def test_the_database_refuses_such_machines(example, code, fields, name):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Sku.objects.filter(code=code).update(**fields)


@pytest.mark.parametrize(
    ("plan", "fields", "name"),
    [
        ("hourly", {"term_unit": "day", "term_count": 1}, "plan_term_fits_kind"),
        ("daily", {"term_unit": "week"}, "plan_term_fits_kind"),
        ("daily", {"term_count": None}, "plan_term_fits_kind"),
        ("daily", {"price_per": "hour"}, "plan_term_fits_kind"),
        ("daily", {"day_means": ""}, "plan_term_has_a_length"),
        ("daily", {"on_demand_plan": None}, "plan_on_demand_named"),
        ("daily", {"after_term": "stop"}, "plan_on_demand_named"),
        ("hourly", {"unused": "refund_pro_rata"}, "plan_only_terms_end"),
        ("hourly", {"billing_step_seconds": 7}, "plan_billing_step"),
        ("hourly", {"minimum_charge": -1}, "plan_no_negative_money"),
        ("hourly", {"tax_percent": 101}, "plan_no_negative_money"),
        ("hourly", {"currency": "YUAN"[:3].lower()}, "plan_currency"),
    ],
)
def test_the_database_refuses_such_plans(example, plan, fields, name):
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        Plan.objects.filter(name=plan).update(**fields)


def test_no_nvlink_where_the_card_has_none(example):
    sku = Sku.objects.get(code="rtx-4090-24g-x2")
    sku.link, sku.nvlink_group = "nvlink", 2
    with pytest.raises(ValidationError) as refused:
        sku.full_clean()
    assert "RTX 4090 24G" in refused.value.message_dict["link"][0]


def test_a_plan_goes_on_only_as_pay_as_you_go_of_its_currency(example):
    daily = Plan.objects.get(name="daily")
    daily.on_demand_plan = Plan.objects.get(name="weekly")
    with pytest.raises(ValidationError) as refused:
        daily.full_clean()
    assert "on_demand_plan" in refused.value.message_dict


def test_a_price_in_another_currency_than_its_plan_is_refused_and_never_shown(example):
    price = Price.objects.select_related("plan").first()
    price.currency = "USD"
    with pytest.raises(ValidationError) as refused:
        price.clean()
    assert "currency" in refused.value.message_dict
    price.save()
    assert not current_catalogue("USD", LATER).priced_offers


def test_price_set_ends_the_running_price_and_keeps_history(example, staff):
    sku, plan = Sku.objects.get(code="rtx-4090-24g-x1"), Plan.objects.get(name="hourly")
    price_set(by=staff, sku=sku, plan=plan, unit_price=Decimal("2.123456"), valid_from=LATER)
    hour = lambda at: current_catalogue("CNY", at).offer(sku.code).plan("hour")["unit_price"]  # noqa: E731
    assert hour(LATER - timedelta(microseconds=1)) == "2.3"
    assert hour(LATER) == "2.123456"
    assert current_version() == 2
    assert CatalogueVersion.objects.get(number=2).by == staff
    changes = CatalogueChange.objects.filter(version=2)
    assert {change.action for change in changes} == {"created", "changed"}
    ended = changes.get(action="changed")
    assert list(ended.after) == ["valid_during"]
    price_set(by=staff, sku=sku, plan=plan, unit_price=Decimal("2.1234560"), valid_from=LATER)
    assert current_version() == 2
    price_set(by=staff, sku=sku, plan=plan, unit_price=Decimal("2.2"), valid_from=LATER)
    assert hour(LATER) == "2.2"
    with pytest.raises(ValidationError):
        price_set(by=staff, sku=sku, plan=plan, unit_price=Decimal("2"), valid_from=EXAMPLE_SINCE - timedelta(days=1))
    assert current_version() == 3


def test_every_way_of_writing_makes_a_version(example):
    expected = 1

    def made() -> None:
        nonlocal expected
        expected += 1
        assert current_version() == expected

    sku = Sku.objects.get(code="rtx-3090-24g-x1")
    sku.stock = "scarce"
    sku.save()
    made()
    Sku.objects.filter(gpu__slug="rtx-3090-24g").update(stock="out")
    made()
    assert CatalogueChange.objects.filter(version=expected).count() == 4
    rows = list(Sku.objects.filter(gpu__slug="rtx-3060-12g"))
    for row in rows:
        row.ram_gib += 1
    Sku.objects.bulk_update(rows, ["ram_gib"])
    made()
    Region.objects.create(code="sg", name="Singapore", name_zh="新加坡")
    made()
    Region.objects.update_or_create(code="sg", defaults={"name": "Singapore 1"})
    made()
    Region.objects.bulk_create([Region(code="de", name="Frankfurt", name_zh="法兰克福")])
    made()
    Region.objects.filter(code="de").delete()
    made()
    Region.objects.get(code="sg").delete()
    made()
    image = Image.objects.get(code="comfyui-cuda-12.8")
    sku.images.remove(image)
    made()
    sku.images.add(image)
    made()
    sku.images.set(Image.objects.exclude(pk=image.pk))
    made()
    assert set(CatalogueChange.objects.values_list("model", flat=True)) == {
        "gpu",
        "image",
        "plan",
        "price",
        "region",
        "sku",
        "skuimage",
    }


def test_writes_that_change_nothing_make_no_version(example):
    sku = Sku.objects.get(code="rtx-3090-24g-x1")
    sku.save()
    Sku.objects.filter(pk=sku.pk).update(stock=sku.stock)
    Sku.objects.none().update(stock="out")
    Region.objects.update_or_create(code="cn-east", defaults={"name_zh": "华东（示例）"})
    price = Price.objects.filter(sku=sku).first()
    price.unit_price = f"{price.unit_price:.3f}00"
    price.save()
    sku.images.set(sku.images.all())
    SkuImage.objects.filter(sku__code="no-such").delete()
    assert current_version() == 1


def _create_and_fail(code):
    with recorded(by=None, why="fails"):
        Region.objects.create(code=code, name=code, name_zh=code)
        raise ZeroDivisionError


def test_one_block_is_one_version_and_a_failed_piece_leaves_no_trace(example, staff):
    with recorded(by=staff, why="two at once") as recording:
        Region.objects.create(code="sg", name="Singapore", name_zh="新加坡")
        with pytest.raises(ZeroDivisionError):
            _create_and_fail("de")
        Region.objects.create(code="us", name="Virginia", name_zh="弗吉尼亚")
    assert recording.version.number == current_version() == 2
    assert recording.version.by == staff
    assert sorted(recording.version.changes.values_list("label", flat=True)) == ["sg", "us"]
    with pytest.raises(ZeroDivisionError):
        _create_and_fail("jp")
    assert current_version() == 2


def test_upserts_that_would_hide_the_old_values_are_refused(example):
    with pytest.raises(NotSupportedError):
        Region.objects.bulk_create(
            [Region(code="cn-east", name="x", name_zh="x")],
            update_conflicts=True,
            unique_fields=["code"],
            update_fields=["name"],
        )


def test_words_of_the_querysets(example):
    now = LATER
    assert Sku.objects.rentable().count() == Sku.objects.visible().count() - Sku.objects.filter(stock="out").count()
    assert Sku.objects.priced("CNY", now).count() == 42
    assert Sku.objects.priced("USD", now).count() == 0
    Gpu.objects.filter(slug="rtx-3090-24g").update(is_visible=False)
    Region.objects.filter(code="cn-north").update(is_active=False)
    catalogue = current_catalogue("CNY", now)
    assert "rtx-3090-24g" not in catalogue.gpus
    assert not catalogue.offers_of("rtx-3090-24g")
    assert {offer.region for offer in catalogue.offers} == {"cn-east"}
    Plan.objects.filter(name="monthly").update(is_active=False)
    assert {len(offer.plans) for offer in current_catalogue("CNY", now).offers} == {4}


def test_images_say_which_cards_they_run_on(example):
    old, new = Image.objects.get(code="pytorch-2.4-cuda-12.1"), Image.objects.get(code="pytorch-2.8-cuda-12.8")
    blackwell = Gpu.objects.get(slug="rtx-5090-32g").compute_capability
    assert not old.runs_on(blackwell)
    assert new.runs_on(blackwell)
