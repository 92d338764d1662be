"""A wrong plan is refused at its field; one that is wrong nevertheless drops out of what is sold, and takes nothing else with it."""

import pytest
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from catalog.models import Plan, Price
from catalog.queries import _tell_once, current_catalogue
from tests.web.catalog.test_catalogue_admin import _form

pytestmark = pytest.mark.django_db
PUBLIC = (
    "/en/cards/",
    "/en/plans/",
    "/en/advise/result/?scenario=llm&task=training&model=llama-3-8b&amount=1e8&unit=tokens",
    "/en/cards/rtx-4090-24g/",
    "/api/v1/plans",
    "/api/v1/skus",
)


@pytest.fixture
def staff(client, example):
    client.force_login(get_user_model().objects.create_superuser("boss"))
    with override("en"):
        yield


def _change(client, plan, **said):
    url = reverse("admin:catalog_plan_change", args=[plan.pk])
    begins = timezone.localtime(plan.valid_from)
    moment = {"valid_from_0": f"{begins:%Y-%m-%d}", "valid_from_1": f"{begins:%H:%M:%S}"}
    return client.post(url, _form(client, url) | moment | said)


@pytest.mark.parametrize(
    ("name", "said", "field", "words"),
    [
        ("hourly", {"currency": "USD"}, "currency", "prices under this plan in another currency"),
        ("hourly", {"valid_from_0": "2099-01-01"}, "valid_from", "weekly"),
        ("hourly", {"is_active": ""}, "is_active", "weekly"),
        ("hourly", {"minimum_seconds": "2147483647"}, "minimum_seconds", "31622400"),
        ("hourly", {"cap_hours_per_month": "0"}, "cap_hours_per_month", "1 to 1000000"),
        ("weekly", {"term_count": "521"}, "term_count", "520"),
        ("weekly", {"unused": "refund_clawback"}, "unused", "list price"),
        ("weekly", {"disk_price_per_gb_day_running": "9999999999"}, "disk_price_per_gb_day_running", "1000000000"),
    ],
)
def test_the_admin_refuses_what_money_cannot_be_counted_by_and_names_field_and_limit(
    client, staff, name, said, field, words
):
    weekly, hourly = (Plan.objects.get(name=one) for one in ("weekly", "hourly"))
    weekly.after_term, weekly.on_demand_plan = "on_demand", hourly
    weekly.save()
    assert _change(client, Plan.objects.get(name=name)).status_code == 302, "as it is, it is right"
    page = _change(client, Plan.objects.get(name=name), **said)
    assert page.status_code == 200
    told = page.context["adminform"].form.errors
    assert words in " ".join(told[field]), told


def test_a_sum_beyond_the_limit_is_refused(client, staff):
    price = Price.objects.first()
    price.unit_price = 10**9 + 1
    with pytest.raises(ValidationError, match="1000000000"):
        price.clean()


BROKEN = [
    ("hourly", {"cap_hours_per_month": 0}),
    ("hourly", {"minimum_seconds": 2147483647}),
    ("hourly", {"currency": "USD"}),
    ("hourly", {"valid_from": timezone.now().replace(year=2099)}),
    ("hourly", {"is_active": False}),
    ("weekly", {"term_count": 32767}),
    ("weekly", {"unused": "refund_clawback"}),
]


@pytest.mark.parametrize(("name", "columns"), BROKEN)
def test_a_plan_broken_nevertheless_takes_no_page_with_it(client, example, name, columns):
    Plan.objects.filter(name="weekly").update(after_term="on_demand", on_demand_plan=Plan.objects.get(name="hourly"))
    QuerySet.update(Plan.objects.filter(name=name), **columns)
    Plan.objects.filter(name="monthly").update(is_sample=False)  # a new version, so that nothing kept is shown
    for path in PUBLIC:
        assert client.get(path).status_code == 200, path
    body = {"workload": {"scenario": "llm", "task": "inference", "model": "llama-3-8b"}}
    assert client.post("/api/v1/recommendations", body, content_type="application/json").status_code == 200
    sold = {plan["name"] for offer in current_catalogue("CNY").offers for plan in offer.plans}
    assert "weekly" not in sold
    assert "monthly" in sold or name == "hourly"


def test_staff_and_the_log_are_told(client, staff, caplog):
    _tell_once.cache_clear()
    QuerySet.update(Plan.objects.filter(name="weekly"), term_count=600)
    page = client.get(reverse("admin:catalog_plan_changelist")).content.decode()
    assert "weekly (CNY): a figure of it or of its price is beyond its limits" in page
    assert any("weekly (CNY) is not sold" in line for line in caplog.messages)
