"""The admin: every list opens and searches in few queries, and what staff save is one version under their name."""

import re
from datetime import timedelta

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.urls import reverse
from django.utils import timezone

from catalog.admin import SkuAdmin
from catalog.models import CatalogueChange, CatalogueVersion, Gpu, Image, Plan, Price, Region, Sku
from catalog.queries import current_version

pytestmark = pytest.mark.django_db
MODELS = (Gpu, Sku, Plan, Price, Region, Image, CatalogueVersion, CatalogueChange)


@pytest.fixture
def staff(client, example):
    user = get_user_model().objects.create_superuser("boss")
    client.force_login(user)
    return user


def test_every_list_opens_searches_and_shows_a_row(client, staff, django_assert_max_num_queries):
    for model in MODELS:
        assert admin.site.is_registered(model)
        name = f"admin:catalog_{model._meta.model_name}"
        with django_assert_max_num_queries(14):
            assert client.get(reverse(f"{name}_changelist")).status_code == 200
        found = client.get(reverse(f"{name}_changelist"), {"q": "3090"})
        assert found.status_code == 200
        row = model.objects.first()
        assert client.get(reverse(f"{name}_change", args=[row.pk])).status_code == 200


def test_a_search_finds(client, staff):
    html = client.get(reverse("admin:catalog_sku_changelist"), {"q": "4090 48"}).content.decode()
    assert "rtx-4090-48g-x1" in html
    assert "rtx-3090-24g-x1" not in html


def _form(client, url):
    """What a browser would post back unchanged."""
    page = client.get(url)
    adminform = page.context["adminform"]
    data = {}
    forms = [
        adminform.form,
        *(form for formset in page.context["inline_admin_formsets"] for form in formset.formset.forms),
    ]
    for formset in page.context["inline_admin_formsets"]:
        forms.append(formset.formset.management_form)
    for form in forms:
        for bound in form:
            value = bound.value()
            if isinstance(value, (list, tuple)):
                data |= {f"{bound.html_name}_{n}": part for n, part in enumerate(value)}
            elif value is True:
                data[bound.html_name] = "on"
            elif value is not None and value is not False:
                data[bound.html_name] = value
    return data


def test_saving_a_machine_is_one_version_under_the_users_name(client, staff):
    sku = Sku.objects.get(code="rtx-3090-24g-x1")
    url = reverse("admin:catalog_sku_change", args=[sku.pk])
    data = _form(client, url)
    assert client.post(url, data).status_code == 302
    assert current_version() == 1, "saved without a change"
    data |= {"ram_gib": 99, "sku_images-0-DELETE": "on"}
    assert client.post(url, data).status_code == 302
    version = CatalogueVersion.objects.get(number=2)
    assert version.by == staff
    assert sorted((change.model, change.action) for change in version.changes.all()) == [
        ("sku", "changed"),
        ("skuimage", "deleted"),
    ]
    assert version.changes.get(model="sku").after == {"ram_gib": 99}


def test_editing_stock_in_the_list_is_one_version(client, staff):
    url = reverse("admin:catalog_sku_changelist") + "?gpu__id__exact=" + str(Gpu.objects.get(slug="rtx-3090-24g").pk)
    page = client.get(url)
    formset = page.context["cl"].formset
    data = {"form-TOTAL_FORMS": 4, "form-INITIAL_FORMS": 4, "_save": "1"}
    for n, form in enumerate(formset.forms):
        data |= {f"form-{n}-id": form.instance.pk, f"form-{n}-stock": "out", f"form-{n}-is_active": "on"}
    assert client.post(url, data).status_code == 302
    assert current_version() == 2
    assert CatalogueChange.objects.filter(version=2).count() == 4


def test_a_machine_that_breaks_a_rule_is_told(client, staff):
    url = reverse("admin:catalog_sku_change", args=[Sku.objects.get(code="rtx-4090-24g-x2").pk])
    page = client.post(url, _form(client, url) | {"link": "nvlink", "nvlink_group": 2})
    assert page.status_code == 200
    assert "link" in page.context["adminform"].form.errors
    assert current_version() == 1


def test_a_price_that_holds_can_be_ended_but_not_rewritten(client, staff):
    price = Price.objects.first()
    url = reverse("admin:catalog_price_change", args=[price.pk])
    page = client.get(url)
    assert "unit_price" not in page.context["adminform"].form.fields
    end = timezone.now() + timedelta(days=1)
    data = {
        "valid_during_0": price.valid_during.lower,
        "valid_during_1": end.strftime("%Y-%m-%d %H:%M:%S"),
        "is_sample": "on",
    }
    assert client.post(url, data).status_code == 302
    assert current_version() == 2
    price.refresh_from_db()
    assert price.valid_during.upper is not None
    assert client.post(reverse("admin:catalog_price_delete", args=[price.pk]), {"post": "yes"}).status_code == 403
    add = {
        "sku": price.sku_id,
        "plan": price.plan_id,
        "currency": "CNY",
        "unit_price": "9.99",
        "valid_during_0": timezone.now().strftime("%Y-%m-%d %H:%M:%S"),
        "valid_during_1": "",
    }
    clash = client.post(reverse("admin:catalog_price_add"), add)
    assert clash.status_code == 200
    assert clash.context["adminform"].form.errors
    assert current_version() == 2
    later = add | {"valid_during_0": (end + timedelta(days=1)).strftime("%Y-%m-%d %H:%M:%S")}
    assert client.post(reverse("admin:catalog_price_add"), later).status_code == 302
    assert current_version() == 3


def test_a_price_to_come_may_be_changed_and_taken_back(client, staff):
    price = Price.objects.first()
    price.valid_during = DateTimeTZRange(timezone.now() + timedelta(days=5), None)
    price.save()
    assert (
        "unit_price"
        in client.get(reverse("admin:catalog_price_change", args=[price.pk])).context["adminform"].form.fields
    )
    assert client.post(reverse("admin:catalog_price_delete", args=[price.pk]), {"post": "yes"}).status_code == 302
    assert not Price.objects.filter(pk=price.pk).exists()
    assert CatalogueChange.objects.filter(action="deleted", model="price").count() == 1


def test_history_is_read_only(client, staff):
    version = CatalogueVersion.objects.get()
    assert (
        client.post(reverse("admin:catalog_catalogueversion_change", args=[version.pk]), {"why": "x"}).status_code
        == 403
    )
    assert client.get(reverse("admin:catalog_catalogueversion_add")).status_code == 403


def _page(client, name, *args, **query):
    answer = client.get(reverse(f"admin:catalog_{name}", args=args), query)
    assert answer.status_code == 200
    return answer.content.decode()


def test_figures_are_shown_as_people_write_them(client, staff):
    price = Price.objects.get(sku__code="rtx-3060-12g-x1", plan__name="daily", unit_price="12.6")
    plan = Plan.objects.get(name="per-minute")
    card = Gpu.objects.get(slug="rtx-3060-12g")
    pages = {
        "form of a begun price": _page(client, "price_change", price.pk),
        "prices": _page(client, "price_changelist"),
        "machine": _page(client, "sku_change", price.sku_id),
        "plan": _page(client, "plan_change", plan.pk),
        "card": _page(client, "gpu_change", card.pk),
        "cards": _page(client, "gpu_changelist"),
        "changes": _page(client, "cataloguechange_changelist", q="rtx-3060-12g-x1, daily"),
    }
    for name, page in pages.items():
        assert not re.search(r"\d\.\d{2}\d*?0{3,}\b|\d\.0{3,}\b|0E-\d", page), name
        assert "00:00+00:00" not in page, name
    assert not re.search(r"\bNone\b|∅", pages["form of a begun price"] + pages["changes"])
    for name in ("form of a begun price", "prices", "machine", "changes"):
        assert "12.60" in pages[name], name
    assert 'value="0.0066"' in pages["plan"]
    assert 'name="minimum_charge" value="0.00"' in pages["plan"]
    assert 'name="memory_bandwidth_gb_s" value="360"' in pages["card"]
    assert "rtx-3060-12g-x1, daily: 12.60 CNY" in pages["form of a begun price"]


def test_a_price_that_has_begun_can_be_ended_and_nothing_else(client, staff):
    price = Price.objects.first()
    url = reverse("admin:catalog_price_change", args=[price.pk])
    tomorrow = (timezone.localtime() + timedelta(days=1)).strftime("%Y-%m-%d %H:%M:%S")
    start = timezone.localtime(price.valid_during.lower).strftime("%Y-%m-%d %H:%M:%S")
    posted = {"valid_during_0": start, "valid_during_1": tomorrow, "unit_price": "1", "is_sample": "on"}
    assert client.post(url, posted).status_code == 302
    after = Price.objects.get(pk=price.pk)
    assert after.unit_price == price.unit_price
    assert after.valid_during.upper is not None


def test_a_change_says_what_was_and_what_is(client, staff):
    sku = Sku.objects.get(code="rtx-3060-12g-x1")
    Sku.objects.filter(pk=sku.pk).update(stock="low", ram_gib=32)
    changes = _page(client, "cataloguechange_changelist", q="rtx-3060-12g-x1", action="changed")
    assert "→ low" in changes
    assert "24 → 32" in changes


def test_stock_is_in_sight_beside_the_machine(client, staff):
    assert SkuAdmin.list_display[:3] == ("code", "stock", "is_active")


@pytest.mark.parametrize("name", ["gpu", "sku", "plan", "price", "region", "image", "catalogueversion"])
def test_a_nul_in_any_input_is_no_fault_of_ours(client, staff, name):
    lists = reverse(f"admin:catalog_{name}_changelist")
    site = admin.site.get_model_admin({model._meta.model_name: model for model in MODELS}[name])
    fields = [one for one in site.list_filter if isinstance(one, str)]
    for query in ({"q": "a\0b"}, *({field: "a\0b"} for field in fields), *({f"{f}__exact": "a\0b"} for f in fields)):
        answer = client.get(lists, query)
        assert answer.status_code in {200, 302, 400}, query
    assert client.get(f"{lists}a_00b/change/").status_code in {302, 400}
    term = {"term": "a\0b", "app_label": "catalog", "model_name": "price", "field_name": "sku"}
    assert client.get(reverse("admin:autocomplete"), term).status_code in {200, 400}


def test_a_nul_in_a_form_is_told_at_its_field(client, staff):
    answer = client.post(
        reverse("admin:catalog_region_add").replace("zh-hans", "en"),
        {"code": "a\0b", "name": "c\0d", "timezone": "Asia/Tokyo"},
    )
    assert answer.status_code == 200
    assert "Null characters are not allowed." in answer.content.decode()


def test_a_choice_not_made_is_said_in_the_readers_language(client, staff):
    page = client.get(reverse("admin:catalog_plan_add").replace("/en/", "/zh-hans/")).content.decode()
    assert "请选择" in page
    assert "- Select an option -" not in page


WRONG_KEYS = ("NaN", "1e308", "\x00", "9999-12-31", "9" * 5000, "-1", "٣")


@pytest.mark.parametrize(
    ("name", "field"),
    [("price", "sku"), ("price", "plan"), ("plan", "on_demand_plan"), ("sku", "gpu"), ("sku", "sku_images-0-image")],
)
def test_a_made_up_choice_is_no_choice(client, staff, name, field):
    url = reverse(f"admin:catalog_{name}_add")
    form = {name: value for name, value in _form(client, url).items() if value is not None}
    for value in WRONG_KEYS:
        page = client.post(url, form | {field: value})
        assert page.status_code == 200
        forms = [page.context["adminform"].form]
        forms += [one for formset in page.context["inline_admin_formsets"] for one in formset.formset.forms]
        told = [error for one in forms for errors in one.errors.as_data().values() for error in errors]
        assert "invalid_choice" in {error.code for error in told}, value[:20]
