"""Capital amounts: known ones, and reading any of them back gives the amount."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.capitals import DIGITS, capital_yuan


@pytest.mark.parametrize(
    ("amount", "said"),
    [
        ("6121.55", "陆仟壹佰贰拾壹元伍角伍分"),
        ("0", "零元整"),
        ("0.05", "伍分"),
        ("0.50", "伍角整"),
        ("10.05", "壹拾元零伍分"),
        ("100", "壹佰元整"),
        ("1409.50", "壹仟肆佰零玖元伍角整"),
        ("6007.14", "陆仟零柒元壹角肆分"),
        ("107000.53", "壹拾万柒仟元伍角叁分"),
        ("16409.02", "壹万陆仟肆佰零玖元零贰分"),
        ("10000001", "壹仟万零壹元整"),
        ("100000000", "壹亿元整"),
        ("1000000010000", "壹万亿零壹万元整"),
        ("1234567890123.45", "壹万贰仟叁佰肆拾伍亿陆仟柒佰捌拾玖万零壹佰贰拾叁元肆角伍分"),
    ],
)
def test_known_amounts(amount: str, said: str) -> None:
    assert capital_yuan(Decimal(amount)) == said


def _read(said: str) -> Decimal:
    """An independent reader: units multiply what stands before them."""
    yuan_part, _, rest = said.removesuffix("整").partition("元") if "元" in said else ("", "", said.removesuffix("整"))

    def below_wan(text: str) -> int:
        total, digit = 0, 0
        for character in text:
            if character in DIGITS:
                digit = DIGITS.index(character)
            else:
                total += digit * {"拾": 10, "佰": 100, "仟": 1000}[character]
                digit = 0
        return total + digit

    def below_yi(text: str) -> int:
        high, found, low = text.rpartition("万")
        return (below_wan(high) * 10_000 if found else 0) + below_wan(low)

    high, found, low = yuan_part.rpartition("亿")
    total = Decimal((below_yi(high) * 10**8 if found else 0) + below_yi(low))
    for mark, worth in (("角", "0.1"), ("分", "0.01")):
        if mark in rest:
            total += DIGITS.index(rest[rest.index(mark) - 1]) * Decimal(worth)
    return total


@given(st.integers(0, 10**18 - 1))
def test_reads_back(fen: int) -> None:
    amount = Decimal(fen) / 100
    said = capital_yuan(amount)
    assert _read(said) == amount
    assert "零零" not in said


@pytest.mark.parametrize("amount", ["-0.01", "0.001", "1e16"])
def test_refuses(amount: str) -> None:
    with pytest.raises(ValueError, match="no capital form"):
        capital_yuan(Decimal(amount))
