"""What the columns of a price list mean, read from their names; what the names leave open is asked."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

UNITS = ("second", "minute", "hour", "day", "week", "month")
_UNIT_WORDS = {
    "second": ("second", "sec", "秒"),
    "minute": ("minute", "min", "分钟"),
    "hour": ("hour", "hourly", "hr", "小时"),
    "day": ("day", "daily", "天", "日"),
    "week": ("week", "weekly", "周"),
    "month": ("month", "monthly", "月"),
}
_NAMES = {
    "sku": ("sku", "code"),
    "gpu": ("gpu", "gpu model", "gpu type", "gpu group", "gpu name", "card", "model", "显卡", "型号", "显卡型号"),
    "vram": ("vram", "vram gb", "gpu ram", "gpu memory", "显存"),
    "count": ("count", "gpus", "gpu count", "cards", "num gpus", "卡数", "数量"),
    "currency": ("currency", "币种"),
    "region": ("region", "地区"),
    "link": ("interconnect", "link", "form"),
    "spot": ("is spot", "spot instance"),
}
_PRICE_WORDS = ("price", "on demand", "ondemand", "per gpu", "价格", "单价", "时价", "payg")
_PER_GPU_WORDS = ("per gpu", "per card", "每卡", "单卡")
_THOUSANDTH_WORDS = ("milli", "thousandth", "厘")


@dataclass(frozen=True, slots=True)
class PriceColumn:
    """A column of prices. `unit` None, `per_gpu` None, `currency` "" and `thousandths` None mean: the name does not say."""

    name: str
    unit: str | None
    per_gpu: bool | None
    currency: str
    thousandths: bool | None


@dataclass(frozen=True, slots=True)
class Columns:
    """Role -> column name, and the columns of prices."""

    roles: Mapping[str, str]
    prices: Sequence[PriceColumn]


def _words(name: str) -> str:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.sub(r"[\s_\-/()（）.]+", " ", spaced).strip().lower()


def _unit(words: str) -> str | None:
    parts = set(words.split())
    for unit, names in _UNIT_WORDS.items():
        if parts & set(names) or any(not name.isascii() and name in words for name in names):
            return unit
    return "hour" if "时价" in words else None


def _price_column(name: str) -> PriceColumn | None:
    words = _words(name)
    if not any(word in words for word in _PRICE_WORDS) or "spot" in words.split() or "list price" in words:
        return None
    parts = words.split()
    currency = next((part.upper() for part in parts if part in {"cny", "usd", "eur", "gbp", "hkd", "jpy", "sgd"}), "")
    return PriceColumn(
        name=name,
        unit=_unit(words),
        per_gpu=True if any(word in words for word in _PER_GPU_WORDS) else None,
        currency=currency or ("CNY" if "元" in name else ""),
        thousandths=True
        if any(word in words for word in _THOUSANDTH_WORDS)
        else None
        if parts[:1] == ["payg"]
        else False,
    )


def understand(names: Sequence[str]) -> Columns:
    """Roles and price columns of these column names. A role goes to the first column that has its name."""
    roles: dict[str, str] = {}
    for role, known in _NAMES.items():
        found = next((name for name in names if _words(name) in known), None)
        if found is not None:
            roles[role] = found
    prices = [column for name in names if name not in roles.values() and (column := _price_column(name))]
    return Columns(roles, prices)
