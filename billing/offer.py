"""What a quotation offers, as plain values: lines before they are rows, and what they come to. No database, no clock."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_DOWN, Decimal
from fractions import Fraction
from typing import Literal

from billing.costing.errors import CostingErrors, FieldError
from billing.costing.money import plain, text
from billing.costing.quote_totals import QuoteTotals, parse_quote, totals

type LineKind = Literal["gpu", "storage", "traffic", "text"]

PRICE_DECIMALS = 8
PERIOD_DECIMALS = 4
DISCOUNT_STEP = Decimal("0.001")
SECONDS: Mapping[str, int] = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "month": 2_592_000,
}
"""Seconds in one priced unit; a month counts 30 days unless the plan says otherwise."""
MONTH_SECONDS: Mapping[str, Fraction] = {
    "30d": Fraction(2_592_000),
    "720h": Fraction(2_592_000),
    "730h": Fraction(2_628_000),
    "365d/12": Fraction(31_536_000, 12),
    "calendar": Fraction(2_592_000),
}


@dataclass(frozen=True, slots=True)
class OfferLine:
    """One line. `quantity` = count x units_each x periods; `list_price` is what the catalogue asked when the line was priced.

    `plan` holds the rules of the rental plan as they were then; `hand_set` says that a person chose the unit price.
    """

    kind: LineKind = "text"
    sku: str = ""
    gpu: str = ""
    plan_kind: str = ""
    plan: Mapping[str, object] | None = None
    title: str = ""
    detail: str = ""
    count: Decimal = Decimal(1)
    units_each: int = 1
    periods: Decimal = Decimal(1)
    unit: str = "piece"
    unit_price: Decimal = Decimal(0)
    list_price: Decimal | None = None
    hand_set: bool = False
    is_sample: bool = False
    discount_percent: Decimal = Decimal(0)
    discount_amount: Decimal = Decimal(0)

    @property
    def quantity(self) -> Decimal:
        """Priced units in all."""
        return self.count * self.units_each * self.periods

    @property
    def before_fixed_discount(self) -> Decimal:
        """What the line comes to after the per cent: the most a fixed discount can take off."""
        return plain(Fraction(self.quantity) * Fraction(self.unit_price) * (1 - Fraction(self.discount_percent) / 100))

    def refused(self, path: str) -> list[FieldError]:
        """What nobody may offer: nothing at all, or more off than there is."""
        errors = [
            FieldError(f"{path}.{name}", "nothing-counted") for name in ("count", "periods") if not getattr(self, name)
        ]
        if not errors and self.discount_amount > self.before_fixed_discount:
            most = self.before_fixed_discount.quantize(DISCOUNT_STEP, ROUND_DOWN).normalize()
            errors.append(FieldError(f"{path}.discount_amount", "discount-above-line", {"maximum": f"{most:f}"}))
        return errors


@dataclass(frozen=True, slots=True)
class Offer:
    """Lines with the rules of the money: `rounding` unit, line or total."""

    currency: str
    rounding: str
    tax_percent: Decimal
    prices_include_tax: bool
    lines: Sequence[OfferLine] = field(default_factory=tuple)

    def document(self) -> dict[str, object]:
        """The offer as the costing core reads it."""
        return {
            "currency": self.currency,
            "rounding": self.rounding,
            "tax_percent": text(self.tax_percent),
            "prices_include_tax": self.prices_include_tax,
            "lines": [
                {
                    "quantity": text(line.quantity),
                    "unit_price": text(line.unit_price),
                    "discount_percent": text(line.discount_percent),
                    "discount_amount": text(line.discount_amount),
                }
                for line in self.lines
            ],
        }

    def totals(self) -> QuoteTotals:
        """What it comes to. Raises CostingErrors with the paths of the fields (`lines[0].discount_percent`)."""
        return totals(parse_quote(self.document()))

    def check(self) -> None:
        """Raises CostingErrors where a line is one that nobody may offer."""
        if errors := [error for index, line in enumerate(self.lines) for error in line.refused(f"lines[{index}]")]:
            raise CostingErrors(tuple(errors))

    def at_list_prices(self) -> "Offer":
        """The same lines at list prices and without discounts, to measure what was given away."""
        return Offer(
            self.currency,
            self.rounding,
            self.tax_percent,
            self.prices_include_tax,
            [
                OfferLine(
                    count=line.count,
                    units_each=line.units_each,
                    periods=line.periods,
                    unit_price=line.unit_price if line.list_price is None else line.list_price,
                )
                for line in self.lines
            ],
        )


@dataclass(frozen=True, slots=True)
class Contact:
    """Whom a quotation is for."""

    organisation: str
    contact: str
    email: str
    phone: str
    language: str


@dataclass(frozen=True, slots=True)
class Head:
    """What a revision says beside its lines."""

    valid_until: date
    language: str
    currency: str
    rounding: str
    tax_percent: Decimal
    prices_include_tax: bool
    purpose: str
    payment: str
    start: str
    terms: str

    def offer(self, lines: Sequence[OfferLine]) -> Offer:
        """These lines under this head's rules of money."""
        return Offer(self.currency, self.rounding, self.tax_percent, self.prices_include_tax, tuple(lines))


def periods_of(hours: Decimal, starts: int, rules: Mapping[str, object]) -> Decimal:
    """How many priced units of a plan cover so many running hours: billing steps rounded up per start, terms bought whole."""
    seconds = Fraction(hours) * 3600
    unit = str(rules.get("price_per", "hour"))
    term = rules.get("term")
    if isinstance(term, Mapping):
        length = Fraction(SECONDS[str(term["unit"])]) * int(str(term["count"]))
        if term["unit"] == "month":
            length = MONTH_SECONDS[str(rules.get("month_means") or "30d")] * int(str(term["count"]))
        return Decimal(-(-seconds // length))
    step = int(str(rules.get("billing_step_seconds", 1)))
    piece = max(seconds / starts, Fraction(int(str(rules.get("minimum_seconds", 0)))))
    charged = -(-piece // step) * step * starts
    return plain(Fraction(charged, SECONDS[unit]), PERIOD_DECIMALS)
