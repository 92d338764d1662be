"""Money: digits per currency, the one rounding function, and sharing a total without losing a cent.

Amounts are exact until they are rounded: a `Fraction` (or a Decimal, which is one). Rounded amounts are Decimals with the
currency's digits. Nothing here depends on the caller's decimal context.
"""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Literal, get_args

from billing.costing.errors import FieldError, nearest, shown

Rounding = Literal["up", "half_up", "half_even", "down"]
ROUNDINGS: tuple[str, ...] = get_args(Rounding)

_TWO_DIGITS = (
    "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW "
    "CNY COP COU CRC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS "
    "INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN "
    "NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC "
    "SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG"
)
_NO_DIGITS = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"
_THREE_DIGITS = "BHD IQD JOD KWD LYD OMR TND"
_FOUR_DIGITS = "CLF UYW"

DIGITS: dict[str, int] = {
    code: count
    for count, codes in ((2, _TWO_DIGITS), (0, _NO_DIGITS), (3, _THREE_DIGITS), (4, _FOUR_DIGITS))
    for code in codes.split()
}
"""ISO 4217 code -> digits after the point (list one of the standard's maintenance agency, SIX; funds codes included)."""


def digits(currency: object, path: str = "currency") -> int:
    """Digits after the point of an ISO 4217 currency. Raises FieldError unknown-currency."""
    if isinstance(currency, str) and currency in DIGITS:
        return DIGITS[currency]
    value = shown(currency)
    raise FieldError(path, "unknown-currency", {"value": value, "suggestion": nearest(value.upper(), DIGITS)})


def round_money(amount: Fraction | Decimal | int, currency: str, rule: Rounding) -> Decimal:
    """An exact amount rounded to the currency's digits.

    `up` away from zero, `down` towards zero, `half_up` ties away from zero, `half_even` ties to the even digit.
    """
    return round_to(amount, digits(currency), rule)


def round_to(amount: Fraction | Decimal | int, places: int, rule: Rounding = "half_up") -> Decimal:
    """An exact number rounded to `places` decimals by the named rule."""
    return from_minor(_minor(amount, places, rule), places)


def _minor(amount: Fraction | Decimal | int, places: int, rule: Rounding) -> int:
    """An exact number as a whole count of its smallest unit, rounded by the named rule."""
    scaled: Fraction = abs(Fraction(amount)) * 10**places
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    twice = 2 * rest
    if (
        (rule == "up" and rest)
        or (rule == "half_up" and twice >= scaled.denominator)
        or (rule == "half_even" and (twice > scaled.denominator or (twice == scaled.denominator and whole % 2)))
    ):
        whole += 1
    return whole if amount >= 0 else -whole


def from_minor(minor: int, places: int) -> Decimal:
    """A count of smallest units (fen, cents) as a Decimal with that many decimals."""
    # built from text, not by arithmetic, which would obey the caller's decimal context
    return Decimal(f"{minor}E-{places}")


def to_minor(amount: Decimal, places: int) -> int:
    """A rounded amount as its count of smallest units."""
    scaled = Fraction(amount) * 10**places
    if scaled.denominator != 1:
        raise ValueError(f"{amount} has more than {places} decimals")
    return int(scaled)


def add(amounts: Sequence[Decimal], currency: str) -> Decimal:
    """The sum of rounded amounts, exact whatever the caller's decimal context."""
    places = digits(currency)
    return from_minor(sum(to_minor(amount, places) for amount in amounts), places)


def allocate(total: Decimal, shares: Sequence[Fraction | Decimal], currency: str) -> tuple[Decimal, ...]:
    """A rounded total laid on exact shares so that the parts add up to it (largest remainder; ties to the earlier part).

    Each part lies less than one smallest unit from its share where the total is its rounded sum. No shares: no parts.
    """
    if not shares:
        return ()
    places = digits(currency)
    scaled = [Fraction(share) * 10**places for share in shares]
    floors = [share.numerator // share.denominator for share in scaled]
    left = to_minor(total, places) - sum(floors)
    each, more = divmod(left, len(shares))
    by_remainder = sorted(range(len(shares)), key=lambda index: (floors[index] - scaled[index], index))
    for index in by_remainder[:more]:
        floors[index] += 1
    return tuple(from_minor(part + each, places) for part in floors)


def text(number: Decimal) -> str:
    """A decimal string as JSON carries it: plain digits, never an exponent."""
    return format(number, "f")


def plain(amount: Fraction | Decimal | int, places: int = 6, at_least: int = 0) -> Decimal:
    """A quantity (hours, GB days, price per hour): at most `places` decimals, half up, no trailing zeros beyond `at_least`."""
    minor = _minor(amount, places, "half_up")
    while places > at_least and minor % 10 == 0:
        minor, places = minor // 10, places - 1
    return from_minor(minor, places)
