"""The plan comparison as a page: answers by address, errors at their fields, both languages."""

import pytest

from catalog.models import Price

HOURS = {"sku": "rtx-3090-24g-x1", "pattern": "hours", "hours": "27", "starts": "1"}


@pytest.mark.parametrize("language", ["zh-hans", "en"])
def test_first_visit_has_an_answer(client, example, language):
    response = client.get(f"/{language}/plans/")
    assert response.status_code == 200
    assert len(response.context["rows"]) == 5


def test_known_figures(client, example):
    page = client.get("/en/plans/", HOURS)
    totals = {row.kind: row.total for row in page.context["rows"]}
    assert totals["hour"] == "35.64"  # 27 x 1.32
    assert page.context["mix"]["total"] == min(totals.values(), key=lambda text: float(text.replace(",", ""))) or (
        float(page.context["mix"]["total"]) < 35.64
    )
    assert "35.64" in page.content.decode()


def test_a_prepaid_total_says_what_it_is_made_of(client, example):
    made_of = {row.kind: row.made_of for row in client.get("/en/plans/", HOURS).context["rows"]}
    assert made_of == {"minute": "", "hour": "", "day": "Day card × 1 + Hourly × 3", "week": "", "month": ""}
    page = client.get("/en/plans/", HOURS | {"sku": "rtx-4090-24g-x2"}).content.decode()
    assert "Day card × 1 + Hourly × 3" in page, "counted for one card, like the list price"
    assert "then hourly" in page


def test_weekly(client, example):
    query = {
        "sku": "rtx-4090-24g-x2",
        "pattern": "weekly",
        "days": ["mon", "fri"],
        "from": "22:00",
        "to": "06:00",
        "weeks": "2",
    }
    page = client.get("/en/plans/", query)
    assert page.status_code == 200
    hourly = next(row for row in page.context["rows"] if row.kind == "hour")
    assert hourly.lines[0]["quantity"] == "64"  # 4 nights of 8 h on 2 cards


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"sku": "no-such"}, "sku"),
        ({"hours": "-1"}, "hours"),
        ({"hours": "two"}, "hours"),
        ({"hours": ""}, "hours"),
        ({"starts": "0"}, "starts"),
        ({"pattern": "weekly", "weeks": "2", "from": "9", "to": "10:00", "days": "mon"}, "from"),
        ({"pattern": "weekly", "weeks": "2", "from": "09:00", "to": "10:00"}, "days"),
    ],
)
def test_errors_stand_at_their_field(client, example, change, field):
    page = client.get("/en/plans/", HOURS | change)
    assert page.status_code == 422
    assert field in page.context["form"].errors
    assert f'href="#id_{field}' in page.content.decode()


@pytest.mark.parametrize(
    ("hours", "told"),
    [
        ("1000000000", ["At most 87600."]),
        ("1e400", ["At most 87600."]),
        ("1.00000000001", ["At most 3 decimals."]),
        ("-1", ["At least 0."]),
    ],
)
def test_one_mistake_is_told_once(client, example, hours, told):
    page = client.get("/en/plans/", HOURS | {"hours": hours})
    assert page.status_code == 422
    assert page.context["form"].errors == {"hours": told}


def test_nothing_priced(client, example):
    Price.objects.all().delete()
    assert "No machine has a price yet" in client.get("/en/plans/").content.decode()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_chart_marks_the_own_hours_and_says_the_same_as_a_table(client, example, language):
    page = client.get(f"/{language}/plans/", HOURS).content.decode()
    chart = page[page.index('<figure class="chart') : page.index("</figure>")]
    assert chart.count('class="ln"') == 5
    assert 'class="you dash"' in chart
    assert 'role="img" aria-label="' in chart
    assert chart.count('class="pt"') == 3, "day, week and month card each overtake the hour once"
    assert "<table>" in chart
    assert "style=" not in chart


def test_a_timetable_is_not_marked_on_a_chart_of_one_run(client, example):
    weekly = {"pattern": "weekly", "days": ["mon", "tue"], "from": "09:00", "to": "18:00", "weeks": "4"}
    page = client.get("/en/plans/", HOURS | weekly).content.decode()
    assert 'class="you dash"' not in page
    assert "has no place on this chart" in page


def test_idle_money_is_told(client, example):
    page = client.get("/en/plans/", {**HOURS, "sku": "rtx-3090-24g-x1"}).content.decode()
    idle = page[page.index('id="h-idle"') :]
    for amount in ("19.80", "83.16", "13.20", "4.62", "8.58"):
        assert amount in idle, amount


def test_terms_bought_one_after_the_other_are_one_line(client, example):
    page = client.get("/en/plans/", {"sku": "rtx-4090-24g-x2", "pattern": "hours", "hours": "87600", "starts": "1000"})
    mix = page.context["mix"]
    assert sum(bought["count"] for bought in mix["purchases"]) + mix["more"] > 100
    assert len(mix["purchases"]) <= 8
    assert "Month card × 1" in page.content.decode()


@pytest.mark.parametrize(
    "question",
    [
        {
            "pattern": "weekly",
            "days": "mon",
            "from": "09:00",
            "to": "18:00",
            "weeks": "2",
            "hours": "-3",
            "starts": "x",
        },
        {"pattern": "hours", "hours": "5", "from": "9", "weeks": "0", "days": "someday"},
    ],
)
def test_mistakes_in_the_other_patterns_fields_are_passed_over(client, example, question):
    assert client.get("/en/plans/", {"sku": "rtx-3090-24g-x1", **question}).status_code == 200


def test_a_time_that_cannot_be_read_is_told_with_an_example(client, example):
    question = {
        "sku": "rtx-3090-24g-x1",
        "pattern": "weekly",
        "days": "mon",
        "from": "9",
        "to": "18:00",
        "weeks": "999",
    }
    text = client.get("/en/plans/", question).content.decode()
    assert "as in 09:00" in text
    assert "At most 520." in text
