"""Reads the limits a customer sets: plain numbers, a budget, a region and what the card must have."""

import re
from decimal import Decimal

from advisor.sizing.fields import CONSTRAINT_FIELDS, CURRENCIES, REQUIREMENTS
from advisor.sizing.parsing.reader import Reader
from advisor.sizing.problems import LONGEST_SHOWN, shown, type_word
from advisor.sizing.workload import Constraints


def read_constraints(reader: Reader, value: object) -> Constraints:
    """Reads the `constraints` of a workload."""
    data = reader.mapping(value, "constraints")
    if data is None:
        return Constraints()
    names = (*(field.name for field in CONSTRAINT_FIELDS), "budget", "currency", "region", "require")
    reader.unknown_fields(data, names, "constraints.", None)
    values = reader.numbers(data, CONSTRAINT_FIELDS, "constraints")
    if "budget" in data:
        values["budget"] = _budget(reader, data["budget"])
    if "currency" in data:
        values["currency"] = reader.word(data["currency"], "constraints.currency", CURRENCIES)
    if "region" in data:
        values["region"] = _region(reader, data["region"])
    if "require" in data:
        values["require"] = _require(reader, data["require"])
    return Constraints(**values)


def _budget(reader: Reader, value: object) -> Decimal | None:
    path = "constraints.budget"
    if isinstance(value, str):
        if not re.fullmatch(r"\d{1,15}(\.\d{1,6})?", value.strip()):
            reader.report(path, "wrong-type", wanted="an amount such as 100.50", got=shown(value))
            return None
        amount = Decimal(value.strip())
        if amount <= 0:
            reader.report(path, "too-small", minimum="0.01", value=shown(value))
            return None
        return amount
    number = reader.number(value, path, 0.000001, 1e15)
    return None if number is None else Decimal(repr(number) if isinstance(number, float) else number)


def _region(reader: Reader, value: object) -> str | None:
    path = "constraints.region"
    if not isinstance(value, str):
        reader.report(path, "wrong-type", wanted="text", got=type_word(value))
    elif len(value) > LONGEST_SHOWN:
        reader.report(path, "too-long", maximum=LONGEST_SHOWN)
    elif not value.isprintable():
        reader.report(path, "unprintable")
    elif not value.strip():
        reader.report(path, "missing-field", allowed="the name of a region")
    else:
        return value.strip()
    return None


def _require(reader: Reader, value: object) -> tuple[str, ...]:
    path = "constraints.require"
    if not isinstance(value, list | tuple):
        reader.report(path, "wrong-type", wanted="a list", got=type_word(value))
        return ()
    if len(value) > 2 * len(REQUIREMENTS):
        reader.report(path, "too-many", maximum=2 * len(REQUIREMENTS))
        return ()
    words = (reader.word(item, f"{path}[{index}]", REQUIREMENTS) for index, item in enumerate(value))
    return tuple(dict.fromkeys(word for word in words if word))
