"""Offers as plain values: what discounts give away, how hours become periods, lines at list prices, differences."""

from dataclasses import replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.line_pricing import lines_of_advice, price_for, priced_line
from billing.offer import Contact, Head, Offer, OfferLine, periods_of
from billing.policy import Authority, deepest_discount_percent, needs_approval, sells_unlisted
from billing.revision_diff import revision_differences
from catalog.example import example_catalogue

CURRENCIES = ["CNY", "USD", "JPY", "KWD"]
D = Decimal
HEAD = Head(date(2026, 12, 15), "en", "CNY", "line", D(6), True, "", "", "", "")
CONTACT = Contact("Sample", "Wang", "w@example.com", "", "en")

prices = st.decimals(0, 100_000, places=8, allow_nan=False, allow_infinity=False)
percents = st.decimals(0, 100, places=4)
lines = st.builds(
    OfferLine,
    count=st.decimals(0, 1000, places=4),
    periods=st.decimals(0, 1000, places=4),
    units_each=st.integers(1, 16),
    unit_price=prices,
    list_price=st.none() | prices,
    discount_percent=percents,
    discount_amount=st.decimals(0, 10_000, places=3),
)
offers = st.builds(
    Offer,
    currency=st.sampled_from(CURRENCIES),
    rounding=st.sampled_from(["unit", "line", "total"]),
    tax_percent=st.decimals(0, 100, places=3),
    prices_include_tax=st.booleans(),
    lines=st.lists(lines, min_size=1, max_size=8),
)


@given(offers)
def test_totals_hold_together(offer):
    totals = offer.totals()
    total = totals.total
    assert total.net + total.tax == total.gross
    assert min(total.net, total.tax, total.gross) >= 0
    for name in ("net", "tax", "gross"):
        assert sum((getattr(line, name) for line in totals.lines), D(0)) == getattr(total, name)


@given(offers)
def test_discount_is_between_nothing_and_all(offer):
    assert 0 <= deepest_discount_percent(offer) <= 100


def line(**changes):
    return OfferLine(**{"unit_price": D(100), "list_price": D(100)} | changes)


def offer(*found):
    return Offer("CNY", "line", D(6), False, found)


@pytest.mark.parametrize(
    ("found", "given_away"),
    [
        (line(), "0"),
        (line(unit_price=D(90)), "10"),
        (line(discount_percent=D(10)), "10"),
        (line(discount_amount=D(25)), "25"),
        (line(unit_price=D(90), discount_percent=D(10), discount_amount=D(1)), "20"),
        (line(unit_price=D(120), discount_percent=D(10)), "0"),
        (line(discount_amount=D(500)), "100"),
        (line(list_price=None, discount_percent=D(7)), "7"),
        (line(count=D(0)), "0"),
    ],
)
def test_every_way_to_give_something_away_counts(found, given_away):
    assert deepest_discount_percent(offer(found)) == D(given_away)


@given(
    percent=st.decimals(0, 100, places=3),
    price=st.decimals("0.01", 100_000, places=8),
    quantity=st.decimals("0.01", 1000, places=4),
    rounding=st.sampled_from(["line", "total"]),
    included=st.booleans(),
)
def test_the_percentage_that_was_entered_is_the_one_told(percent, price, quantity, rounding, included):
    one = line(unit_price=price, list_price=price, count=quantity, discount_percent=percent)
    assert deepest_discount_percent(Offer("CNY", rounding, D(6), included, [one])) == percent


def test_units_rounded_away_count_as_given_away():
    one = line(unit_price=D("0.0049"), list_price=D("0.0051"), count=D(1000))
    assert deepest_discount_percent(Offer("CNY", "unit", D(6), False, [one])) == 100


def test_the_deepest_line_counts():
    assert deepest_discount_percent(offer(line(count=D(1000)), line(discount_percent=D(50)))) == 50


def test_limit_itself_is_allowed():
    sales = Authority(D(10))
    assert not needs_approval(D("10.000"), False, sales)
    assert needs_approval(D("10.001"), False, sales)


def test_a_machine_without_a_list_price_is_for_those_who_approve():
    assert sells_unlisted([line(kind="gpu", list_price=None)])
    assert not sells_unlisted([line(kind="text", list_price=None), line(kind="gpu")])
    assert needs_approval(D(0), True, Authority(D(100)))
    assert not needs_approval(D(0), True, Authority(D(0), may_price_freely=True))


@pytest.mark.parametrize(
    ("hours", "starts", "rules", "periods"),
    [
        ("27", 1, {"price_per": "hour", "billing_step_seconds": 3600}, "27"),
        ("26.9", 1, {"price_per": "hour", "billing_step_seconds": 3600}, "27"),
        ("10.5", 3, {"price_per": "hour", "billing_step_seconds": 3600}, "12"),
        ("0.01", 1, {"price_per": "minute", "billing_step_seconds": 60}, "1"),
        ("1.5", 1, {"price_per": "minute", "billing_step_seconds": 60}, "90"),
        ("24", 1, {"price_per": "day", "term": {"unit": "day", "count": 1}}, "1"),
        ("25", 1, {"price_per": "day", "term": {"unit": "day", "count": 1}}, "2"),
        ("169", 1, {"price_per": "week", "term": {"unit": "week", "count": 1}}, "2"),
        ("720", 1, {"price_per": "month", "term": {"unit": "month", "count": 1}, "month_means": "30d"}, "1"),
        ("725", 1, {"price_per": "month", "term": {"unit": "month", "count": 1}, "month_means": "730h"}, "1"),
        ("0", 1, {"price_per": "hour"}, "0"),
    ],
)
def test_hours_become_periods(hours, starts, rules, periods):
    assert periods_of(D(hours), starts, rules) == D(periods)


@given(st.decimals(0, 10_000, places=3), st.integers(1, 20), st.sampled_from([1, 60, 3600, 86400]))
def test_periods_cover_the_hours(hours, starts, step):
    rules = {"price_per": "hour", "billing_step_seconds": step}
    periods = periods_of(hours, starts, rules)
    # rounded half up at four decimals: at most half of one of them short
    assert Fraction(periods) >= Fraction(hours) - Fraction(1, 20_000)
    assert Fraction(periods) <= Fraction(hours) + Fraction(starts * step, 3600) + Fraction(1, 20_000)


def test_line_takes_todays_list_price():
    catalogue = example_catalogue()
    found = priced_line(OfferLine(kind="gpu", sku="rtx-3090-24g-x2", plan_kind="hour"), catalogue, HEAD)
    assert (found.unit_price, found.list_price, found.units_each, found.unit) == (D("1.32"), D("1.32"), 2, "hour")
    assert found.title == "RTX 3090 24G"
    assert found.is_sample
    assert not found.hand_set
    assert "kind" not in found.plan


def test_tax_is_taken_out_of_a_price_that_includes_it():
    assert price_for("106", replace(HEAD, prices_include_tax=False), tax_percent="6", prices_include_tax=True) == 100
    assert price_for("100", HEAD, tax_percent="6", prices_include_tax=False) == 106
    assert price_for("1.32", HEAD, tax_percent="6", prices_include_tax=True) == D("1.32")


def test_what_is_no_longer_sold_keeps_its_price():
    before = OfferLine(kind="gpu", sku="gone-x1", plan_kind="hour", unit_price=D("1.5"), title="Old card")
    after = priced_line(before, example_catalogue(), HEAD)
    assert (after.unit_price, after.title, after.hand_set) == (D("1.5"), "Old card", True)


@pytest.mark.parametrize("nonsense", [{}, {"sku": "none"}, {"sku": None, "hours": "x"}])
def test_unreadable_advice_is_passed_over(nonsense):
    assert lines_of_advice([nonsense], example_catalogue(), HEAD) == ()


def test_advice_becomes_lines():
    wanted = {"sku": "rtx-3090-24g-x2", "gpu": "rtx-3090-24g", "count": 4, "plan": "week", "hours": 200}
    found = lines_of_advice([wanted], example_catalogue(), HEAD)[0]
    assert (found.count, found.units_each, found.periods, found.plan_kind) == (2, 2, 2, "week")
    assert found.quantity == 8


@pytest.mark.parametrize("hours", ["nan", "inf", "-5", "1e99", "", None, [1]])
def test_absurd_hours_count_as_one(hours):
    wanted = {"sku": "rtx-3090-24g-x1", "count": 1, "plan": "hour", "hours": hours}
    assert lines_of_advice([wanted], example_catalogue(), HEAD)[0].periods == 1


def test_differences_name_what_changed():
    old = (HEAD, (OfferLine(kind="gpu", sku="a", title="A", unit_price=D("2.30")), OfferLine(title="Setup")), CONTACT)
    new = (
        replace(HEAD, tax_percent=D(13)),
        (OfferLine(kind="gpu", sku="a", title="A", unit_price=D("2.10")), OfferLine(title="Training")),
        replace(CONTACT, contact="Li"),
    )
    found = [(item.where, item.line, item.field, item.old, item.new) for item in revision_differences(old, new)]
    assert found == [
        ("customer", None, "contact", "Wang", "Li"),
        ("head", None, "tax_percent", "6", "13"),
        ("line", 1, "unit_price", "2.3", "2.1"),
        ("line", 2, "title", "Setup", "Training"),
    ]


def test_a_removed_first_line_is_one_difference():
    kept = OfferLine(kind="gpu", sku="b", title="B")
    old = (HEAD, (OfferLine(kind="gpu", sku="a", title="A"), kept), CONTACT)
    found = revision_differences(old, (HEAD, (kept,), CONTACT))
    assert [(item.field, item.old, item.new) for item in found] == [("line", "A", "")]


@given(st.lists(lines, max_size=5))
def test_nothing_differs_from_itself(found):
    version = (HEAD, tuple(found), CONTACT)
    assert revision_differences(version, version) == ()


@pytest.mark.parametrize(
    ("language", "title"), [("en", "RTX 4090 48G (modified)"), ("zh-hans", "RTX 4090 48G（改装）")]
)
def test_a_modified_card_is_called_so_in_the_quotations_language(language: str, title: str) -> None:
    catalogue = example_catalogue()
    line = OfferLine(kind="gpu", sku="rtx-4090-48g-x1", plan_kind="hour")
    assert priced_line(line, catalogue, replace(HEAD, language=language)).title == title
