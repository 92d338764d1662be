"""Rounding, digits, sharing: exact, by the named rule, whatever the caller's decimal context."""

import decimal
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, ROUND_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.costing.errors import FieldError
from billing.costing.money import ROUNDINGS, add, allocate, digits, plain, round_money, round_to

MODES = {"up": ROUND_UP, "down": ROUND_DOWN, "half_up": ROUND_HALF_UP, "half_even": ROUND_HALF_EVEN}
amounts = st.decimals(min_value=-(10**9), max_value=10**9, places=6)


@given(amount=amounts, rule=st.sampled_from(ROUNDINGS), currency=st.sampled_from(["CNY", "JPY", "KWD"]))
def test_rounds_like_the_decimal_module(amount: Decimal, rule: str, currency: str) -> None:
    with decimal.localcontext(decimal.Context(prec=60)):
        want = amount.quantize(Decimal(1).scaleb(-digits(currency)), rounding=MODES[rule])
    assert round_money(amount, currency, rule) == want


@given(amount=amounts, rule=st.sampled_from(ROUNDINGS))
def test_the_callers_context_does_not_matter(amount: Decimal, rule: str) -> None:
    want, shares = round_money(amount, "CNY", rule), [Fraction(1, 3), Fraction(2)]
    twice, parts = add([want, want], "CNY"), allocate(want, shares, "CNY")
    with decimal.localcontext(decimal.Context(prec=2, traps=[decimal.Inexact, decimal.Rounded])):
        assert round_money(amount, "CNY", rule).compare_total(want) == 0
        assert add([want, want], "CNY").compare_total(twice) == 0
        assert allocate(want, shares, "CNY") == parts
    assert Fraction(twice) == 2 * Fraction(want)


@pytest.mark.parametrize(
    ("currency", "count"), [("CNY", 2), ("USD", 2), ("JPY", 0), ("KRW", 0), ("KWD", 3), ("BHD", 3)]
)
def test_digits(currency: str, count: int) -> None:
    assert digits(currency) == count


@pytest.mark.parametrize("currency", ["RMB", "cny", "", "¥", None, 5, "CNY ", ["CNY"]])
def test_unknown_currency(currency: object) -> None:
    with pytest.raises(FieldError) as caught:
        digits(currency, "plans[0].currency")
    assert (caught.value.path, caught.value.code) == ("plans[0].currency", "unknown-currency")
    assert caught.value.sentence


def test_lower_case_currency_is_offered_in_upper_case() -> None:
    with pytest.raises(FieldError, match="Nearest: CNY"):
        digits("cny")


shares = st.lists(st.fractions(min_value=0, max_value=10**6), min_size=1, max_size=90)


@given(shares=shares, currency=st.sampled_from(["CNY", "JPY", "KWD"]))
def test_allocated_parts_add_up_and_stay_near(shares: list[Fraction], currency: str) -> None:
    total = round_money(sum(shares), currency, "half_up")
    parts = allocate(total, shares, currency)
    assert sum(map(Fraction, parts)) == Fraction(total)
    unit = Fraction(1, 10 ** digits(currency))
    assert all(abs(Fraction(part) - share) < unit for part, share in zip(parts, shares, strict=True))
    assert all(part >= 0 for part in parts)


def test_eighty_one_lines_lose_nothing() -> None:
    shares = [Fraction("0.333333")] * 81
    assert sum(allocate(Decimal("27.00"), shares, "CNY")) == Decimal("27.00")


@pytest.mark.parametrize("price", ["1.99", "4.99", "0.1", "1.88", "2.98", "0.000001"])
def test_price_times_count_is_exact(price: str) -> None:
    for count in range(1, 1001):
        with decimal.localcontext(decimal.Context(prec=60)):
            want = (Decimal(price) * count).quantize(Decimal("0.01"), rounding=ROUND_HALF_UP)
        assert round_money(Fraction(price) * count, "CNY", "half_up") == want


def test_plain_drops_zeros_but_not_digits() -> None:
    assert str(plain(Fraction(576))) == "576"
    assert str(plain(Fraction(1, 3))) == "0.333333"
    assert str(plain(Fraction("1.5"), at_least=2)) == "1.50"
    assert str(plain(Fraction(100))) == "100"


def test_rounding_one_third_three_times_is_not_more_than_one() -> None:
    assert round_to(Fraction(2, 3) * 3, 2, "up") == Decimal("2.00")
