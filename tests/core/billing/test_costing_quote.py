"""Totals of quotations: what must agree, agrees, in every rounding and currency."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.costing.money import digits, round_money
from billing.costing.quote_totals import parse_quote, quote_totals, totals
from tests.core.billing.costing_help import errors_of


def quote(*lines: dict, **fields: object) -> dict:
    return {"currency": "CNY", "rounding": "line", "lines": list(lines), **fields}


def money(places: int, most: int = 10**6) -> st.SearchStrategy[str]:
    return st.integers(0, most * 10**places).map(lambda n: str(Decimal(n).scaleb(-places)))


quotes = st.fixed_dictionaries(
    {
        "currency": st.sampled_from(["CNY", "JPY", "KWD"]),
        "rounding": st.sampled_from(["unit", "line", "total"]),
        "money_rounding": st.sampled_from(["up", "half_up", "half_even", "down"]),
        "tax_percent": st.sampled_from(["0", "6", "13", "5.5", "23"]),
        "prices_include_tax": st.booleans(),
        "lines": st.lists(
            st.fixed_dictionaries(
                {"quantity": money(2, 100), "unit_price": money(6, 1000)},
                optional={"discount_percent": money(1, 99), "discount_amount": money(3, 500)},
            ),
            min_size=1,
            max_size=12,
        ),
    }
)


@given(given_quote=quotes)
def test_net_and_tax_are_gross_and_lines_add_up(given_quote: dict) -> None:
    found = totals(parse_quote(given_quote))
    for amounts in (found.total, *found.lines):
        assert Fraction(amounts.net) + Fraction(amounts.tax) == Fraction(amounts.gross)
        assert min(amounts.net, amounts.tax, amounts.gross) >= 0
        assert all(
            -value.as_tuple().exponent == digits(given_quote["currency"]) for value in (amounts.net, amounts.tax)
        )
    for column in ("net", "tax", "gross"):
        assert sum(Fraction(getattr(line, column)) for line in found.lines) == Fraction(getattr(found.total, column))


@given(given_quote=quotes)
def test_the_decimal_context_does_not_matter(given_quote: dict) -> None:
    want = quote_totals(given_quote)
    with localcontext(prec=2):
        assert quote_totals(given_quote) == want


@given(given_quote=quotes)
def test_printed_tax_is_the_rate_of_what_is_printed(given_quote: dict) -> None:
    if given_quote["rounding"] == "unit" or given_quote["prices_include_tax"]:
        return
    found = totals(parse_quote(given_quote))
    rate = Fraction(given_quote["tax_percent"]) / 100
    printed = [found.total] if given_quote["rounding"] == "total" else found.lines
    for amounts in printed:
        exact = Fraction(amounts.net) * rate
        assert amounts.tax == round_money(exact, given_quote["currency"], given_quote["money_rounding"])


def test_percent_then_fixed_and_per_line() -> None:
    line = {"quantity": "2", "unit_price": "100", "discount_percent": "10", "discount_amount": "5"}
    assert quote_totals(quote(line))["net"] == "175.00"
    assert quote_totals(quote(line, rounding="unit"))["net"] == "175.00"
    assert quote_totals(quote(line, rounding="total"))["net"] == "175.00"


def test_a_fixed_discount_never_reaches_into_another_line() -> None:
    lines = ({"quantity": "1", "unit_price": "30", "discount_amount": "45"}, {"quantity": "1", "unit_price": "10"})
    for rounding in ("unit", "line", "total"):
        assert quote_totals(quote(*lines, rounding=rounding))["net"] == "10.00"


def test_eighty_one_lines() -> None:
    lines = [{"quantity": "1", "unit_price": "0.123456"}] * 81
    found = quote_totals(quote(*lines, rounding="total", tax_percent="13"))
    assert found["net"] == "10.00"
    assert sum(Decimal(line["net"]) for line in found["lines"]) == Decimal("10.00")
    assert quote_totals(quote(*lines))["net"] == "9.72"


def test_three_and_no_digits() -> None:
    line = {"quantity": "3", "unit_price": "0.33333"}
    assert quote_totals(quote(line, currency="KWD"))["net"] == "1.000"
    assert quote_totals(quote({"quantity": "1", "unit_price": "734.57"}, currency="JPY"))["net"] == "735"


def test_inclusive_by_unit_and_total() -> None:
    line = {"quantity": "3", "unit_price": "100"}
    taxed = {"tax_percent": "6", "prices_include_tax": True}
    assert quote_totals(quote(line, rounding="unit", **taxed))["net"] == "283.02"
    assert quote_totals(quote(line, rounding="line", **taxed))["net"] == "283.02"
    assert quote_totals(quote(line, rounding="unit", **taxed))["gross"] == "300.00"


@pytest.mark.parametrize(
    ("broken", "path", "code"),
    [
        ({"currency": "XXX"}, "currency", "unknown-currency"),
        ({"rounding": "lines"}, "rounding", "unknown-value"),
        ({"tax_percent": "101"}, "tax_percent", "too-large"),
        ({"tax_percent": "-1"}, "tax_percent", "too-small"),
        ({"tax_percent": True}, "tax_percent", "wrong-type"),
        ({"prices_include_tax": "yes"}, "prices_include_tax", "wrong-type"),
        ({"discount": "5"}, "discount", "unknown-field"),
        ({"lines": []}, "lines", "empty"),
        ({"lines": {}}, "lines", "not-a-list"),
        ({"lines": [{}] * 3000}, "lines", "too-many"),
        ({"lines": ["x"]}, "lines[0]", "not-an-object"),
        ({"lines": [{"quantity": "1"}]}, "lines[0].unit_price", "missing"),
        ({"lines": [{"quantity": "-1", "unit_price": "1"}]}, "lines[0].quantity", "too-small"),
        ({"lines": [{"quantity": "1", "unit_price": "1e300"}]}, "lines[0].unit_price", "too-large"),
        ({"lines": [{"quantity": "1", "unit_price": "1e-300"}]}, "lines[0].unit_price", "too-many-decimals"),
        ({"lines": [{"quantity": "1", "unit_price": "NaN"}]}, "lines[0].unit_price", "not-a-number"),
        ({"lines": [{"quantity": float("inf"), "unit_price": "1"}]}, "lines[0].quantity", "not-a-number"),
        ({"lines": [{"quantity": "1", "unit_price": "1,5"}]}, "lines[0].unit_price", "not-a-number"),
        ({"lines": [{"quantity": "1", "unit_price": "1_000"}]}, "lines[0].unit_price", "not-a-number"),
        ({"lines": [{"quantity": "1", "unit_price": "１"}]}, "lines[0].unit_price", "not-a-number"),
    ],
)
def test_named_errors(broken: dict, path: str, code: str) -> None:
    assert errors_of(quote_totals, quote({"quantity": "1", "unit_price": "1"}, **broken)) == [(path, code)]
