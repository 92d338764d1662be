"""Totals of a quotation: net, tax and gross that agree, whichever of the three roundings is set.

Of a line, the percent comes off first, then the fixed sum; nothing falls below zero. Where prices include tax, so does the fixed
sum. Tax is counted on what is printed: the rounded unit, line or total, so that a reader with a calculator finds the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Literal, cast

from billing.costing.errors import CostingErrors, FieldError, type_word
from billing.costing.fields import Fields, raise_all, read_list
from billing.costing.jsonl import line_id
from billing.costing.money import ROUNDINGS, Rounding, add, allocate, digits, round_money, text

RoundBy = Literal["unit", "line", "total"]
FIELDS = ("currency", "rounding", "money_rounding", "tax_percent", "prices_include_tax", "lines")
LINE_FIELDS = ("quantity", "unit_price", "discount_percent", "discount_amount")
BESIDE = ("id", "why", "expected", "source")
"""Keys of a line of cases that are no figures."""
MOST_LINES = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteLine:
    """One line: quantity x unit price, less a percent, less a fixed sum."""

    quantity: Decimal
    unit_price: Decimal
    discount_percent: Decimal = Decimal(0)
    discount_amount: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """What totals are counted from. `rounding`: what is rounded first, each unit, each line or only the total."""

    currency: str
    lines: tuple[QuoteLine, ...]
    rounding: RoundBy = "line"
    money_rounding: Rounding = "half_up"
    tax_percent: Decimal = Decimal(0)
    prices_include_tax: bool = False


@dataclass(frozen=True, slots=True)
class Amounts:
    """Rounded money: net + tax = gross."""

    net: Decimal
    tax: Decimal
    gross: Decimal

    def to_dict(self) -> dict[str, object]:
        """Decimal strings."""
        return {"net": text(self.net), "tax": text(self.tax), "gross": text(self.gross)}


@dataclass(frozen=True, slots=True)
class QuoteTotals:
    """Totals of a quotation; each column of `lines` adds up to its total."""

    total: Amounts
    lines: tuple[Amounts, ...]

    def to_dict(self) -> dict[str, object]:
        """`{"net", "tax", "gross", "lines"}` with decimal strings."""
        return {**self.total.to_dict(), "lines": [line.to_dict() for line in self.lines]}


def parse_quote(value: object) -> Quote:
    """A quotation's figures from their JSON form. Raises CostingErrors with everything wrong, each with its path."""
    errors: list[FieldError] = []
    fields = Fields(value, "", FIELDS, errors)
    currency = "CNY"
    try:
        if fields.has("currency"):
            digits(fields.raw("currency"), "currency")
            currency = str(fields.raw("currency"))
        else:
            fields.note("currency", "missing")
    except FieldError as error:
        errors.append(error)
    quote = Quote(
        currency=currency,
        rounding=cast(RoundBy, fields.choice("rounding", ("unit", "line", "total"), "line")),
        money_rounding=cast(Rounding, fields.choice("money_rounding", ROUNDINGS, "half_up")),
        tax_percent=fields.decimal("tax_percent", "0", maximum=100),
        prices_include_tax=fields.flag("prices_include_tax", default=False),
        lines=_lines(fields),
    )
    fields.finish()
    return quote


def _lines(fields: Fields) -> tuple[QuoteLine, ...]:
    if not fields.has("lines"):
        fields.note("lines", "missing")
        return ()
    try:
        items = read_list(fields.raw("lines"), "lines", maximum=MOST_LINES)
    except FieldError as error:
        fields.errors.append(error)
        return ()
    lines = []
    for index, item in enumerate(items):
        try:
            inner = Fields(item, f"lines[{index}]", LINE_FIELDS, [])
        except CostingErrors as error:
            fields.errors.extend(error.errors)
            continue
        lines.append(
            QuoteLine(
                quantity=inner.decimal("quantity"),
                unit_price=inner.decimal("unit_price"),
                discount_percent=inner.decimal("discount_percent", "0", maximum=100),
                discount_amount=inner.decimal("discount_amount", "0", maximum=10**12),
            )
        )
        fields.errors.extend(inner.errors)
    return tuple(lines)


def totals(quote: Quote) -> QuoteTotals:
    """Net, tax and gross of a quotation and of its lines."""
    if quote.rounding == "total":
        return _rounded_once(quote)
    count = _by_unit if quote.rounding == "unit" else _by_line
    lines = tuple(count(quote, line) for line in quote.lines)
    nets, taxes = [line.net for line in lines], [line.tax for line in lines]
    return QuoteTotals(_with_gross(add(nets, quote.currency), add(taxes, quote.currency), quote.currency), lines)


def quote_totals(value: object) -> dict[str, object]:
    """`{"net", "tax", "gross", "lines": [...]}` of a quotation's JSON form. Raises CostingErrors."""
    return totals(parse_quote(value)).to_dict()


def _with_gross(net: Decimal, tax: Decimal, currency: str) -> Amounts:
    return Amounts(net, tax, add([net, tax], currency))


def _taxed(quote: Quote, charged: Decimal) -> Amounts:
    """Net, tax and gross of a rounded sum in the prices' own terms."""
    if quote.prices_include_tax:
        tax = _round(quote, Fraction(charged) * _rate(quote) / (1 + _rate(quote)))
        return Amounts(add([charged, _negative(tax)], quote.currency), tax, charged)
    return _with_gross(charged, _round(quote, Fraction(charged) * _rate(quote)), quote.currency)


def _negative(amount: Decimal) -> Decimal:
    return amount.copy_negate()


def _rate(quote: Quote) -> Fraction:
    return Fraction(quote.tax_percent) / 100


def _round(quote: Quote, amount: Fraction) -> Decimal:
    return round_money(amount, quote.currency, quote.money_rounding)


def _reduced(line: QuoteLine, unit: Fraction, off: Fraction) -> Fraction:
    """Quantity x unit, less the fixed sum, never below zero."""
    return max(Fraction(0), Fraction(line.quantity) * unit - off)


def _unit(line: QuoteLine) -> Fraction:
    """The exact unit price after the percent."""
    return Fraction(line.unit_price) * (1 - Fraction(line.discount_percent) / 100)


def _by_line(quote: Quote, line: QuoteLine) -> Amounts:
    return _taxed(quote, _round(quote, _reduced(line, _unit(line), Fraction(line.discount_amount))))


def _by_unit(quote: Quote, line: QuoteLine) -> Amounts:
    """Both the net and the gross price of one unit are rounded, then multiplied; tax is the difference."""
    unit, off, more = _unit(line), Fraction(line.discount_amount), 1 + _rate(quote)
    net_unit, net_off = (unit / more, off / more) if quote.prices_include_tax else (unit, off)
    net = _round(quote, _reduced(line, Fraction(_round(quote, net_unit)), net_off))
    gross = _round(quote, _reduced(line, Fraction(_round(quote, net_unit * more)), net_off * more))
    gross = max(net, gross)  # rounded units and an exact discount must not make tax negative
    return Amounts(net, add([gross, _negative(net)], quote.currency), gross)


def _rounded_once(quote: Quote) -> QuoteTotals:
    """Exact lines; only the total is rounded, and laid back on the lines by largest remainder."""
    exact = [_reduced(line, _unit(line), Fraction(line.discount_amount)) for line in quote.lines]
    total = _taxed(quote, _round(quote, sum(exact, Fraction(0))))
    charged = allocate(total.gross if quote.prices_include_tax else total.net, exact, quote.currency)
    rate = _rate(quote) / (1 + _rate(quote)) if quote.prices_include_tax else _rate(quote)
    taxes = allocate(total.tax, [Fraction(part) * rate for part in charged], quote.currency)
    pairs = zip(charged, taxes, strict=True)
    if quote.prices_include_tax:
        lines = [Amounts(add([gross, _negative(tax)], quote.currency), tax, gross) for gross, tax in pairs]
    else:
        lines = [_with_gross(net, tax, quote.currency) for net, tax in pairs]
    return QuoteTotals(total, tuple(lines))


def quote_totals_line(line: object) -> dict[str, object]:
    """One line of `quote_totals --jsonl`: `{"id", "totals"}` or `{"id", "error"}`. Keys of the cases beside the form are passed over."""
    name = line_id(line)
    try:
        if not isinstance(line, Mapping):
            raise_all([FieldError("", "not-an-answerable-line", {"got": type_word(line)})])
        return {"id": name, "totals": quote_totals({key: held for key, held in line.items() if key not in BESIDE})}
    except CostingErrors as error:
        return {"id": name, "error": error.to_dict()}
