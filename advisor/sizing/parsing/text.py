"""A form's text as the JSON value the contract wants."""

import re

from advisor.sizing.fields import Field


def value_from_text(field: Field, text: str) -> object:
    """A form's text as the JSON value the contract wants; text that cannot be read stays text (and fails as wrong type)."""
    text = text.strip()
    if field.kind == "bool":
        return {"true": True, "on": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
            text.lower(), text
        )
    if field.kind in ("int", "number"):
        return _number_from_text(text)
    if field.kind == "size":
        parts = re.split(r"[x×,*\s]+", text)
        sizes = [_number_from_text(part) for part in parts]
        return sizes[0] if len(sizes) == 1 else sizes
    return text


def _number_from_text(text: str) -> object:
    if len(text) > 40:
        return text
    plain = text.replace(",", "").replace("_", "")
    try:
        return int(plain)
    except ValueError:
        pass
    try:
        return float(plain)
    except ValueError:
        return text
