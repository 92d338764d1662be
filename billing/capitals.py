"""An amount of yuan in the capital characters that contracts and cheques use (大写), as GB/T 15835 and the banks' rules write it."""

from decimal import Decimal

DIGITS = "零壹贰叁肆伍陆柒捌玖"
PLACES = ("", "拾", "佰", "仟")
GROUPS = ("", "万", "亿", "万亿")
LARGEST = Decimal(10) ** 16


def _group(number: int) -> str:
    """1 to 9,999 in characters, one 零 for inner zeros, none at the end."""
    said = ""
    gap = False
    for place in range(3, -1, -1):
        digit = number // 10**place % 10
        if digit == 0:
            gap = bool(said)
            continue
        said += ("零" if gap else "") + DIGITS[digit] + PLACES[place]
        gap = False
    return said


def _yuan(number: int) -> str:
    said = ""
    gap = False
    for index in range(3, -1, -1):
        group = number // 10 ** (4 * index) % 10_000
        if group == 0:
            gap = bool(said)
            continue
        if said and (gap or group < 1000):
            said += "零"
        # 亿 closes the two groups above it, so 万亿 is said 万 while a full 亿 group follows
        name = "万" if index == 3 and number // 10**8 % 10_000 else GROUPS[index]
        said += _group(group) + name
        gap = False
    return said


def capital_yuan(amount: Decimal) -> str:
    """`6121.55` -> 陆仟壹佰贰拾壹元伍角伍分. Raises ValueError below zero, from 10**16 on, or with more than two decimals."""
    fen_all = amount * 100
    if amount < 0 or amount >= LARGEST or fen_all != fen_all.to_integral_value():
        raise ValueError(f"no capital form for {amount}")
    yuan, rest = divmod(int(fen_all), 100)
    jiao, fen = divmod(rest, 10)
    said = f"{_yuan(yuan)}元" if yuan else ""
    if not rest:
        return f"{said or '零元'}整"
    if jiao:
        said += f"{DIGITS[jiao]}角"
    elif said:
        said += "零"
    if fen:
        said += f"{DIGITS[fen]}分"
    return said if fen else f"{said}整"
