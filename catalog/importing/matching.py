"""Which card of the catalogue a name in a price list means."""

import re
from collections.abc import Iterable, Mapping
from decimal import Decimal

_NOISE = re.compile(r"\b(nvidia|geforce|tesla|quadro|gpu|graphics|card|nvlink)\b|[（(].*?[)）]")
_SIZE = re.compile(r"\b(\d{1,3})\s*(?:gb?|gib)\b", re.IGNORECASE)
_FORM = re.compile(r"\b(sxm\d?|pcie|nvl|hgx)\b")


def _key(name: str) -> str:
    """`NVIDIA GeForce RTX 4090 24GB` and `RTX 4090 24G` -> `rtx4090`."""
    text = _SIZE.sub(" ", name.lower().replace("-", " ").replace("_", " "))
    text = _FORM.sub(" ", _NOISE.sub(" ", text))
    return re.sub(r"[^a-z0-9]", "", text)


def _keys(name: str) -> set[str]:
    """The key, and the key without the family's RTX: lists write 4090 for RTX 4090."""
    key = _key(name)
    return {key, key.removeprefix("rtx")} - {""}


def _form(text: str) -> str:
    found = _FORM.search(text.lower())
    if not found:
        return ""
    return "pcie" if found.group() == "pcie" else "sxm"


def cards_named(name: str, vram_gb: Decimal | None, link: str, rows: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Slugs of the cards a name may mean: exactly one is an answer, several a question, none no card of ours.

    `vram_gb` is the memory of one card where the list says it; `link` (PCIe, SXM) tells boards of one name apart. A modified card is only
    meant where its memory is said: RTX 4090 alone is the original.
    """
    if name in rows:
        return [name]
    sized = _SIZE.search(name)
    size = Decimal(sized.group(1)) if sized else vram_gb
    form = _form(name) or _form(link)
    wanted = _keys(name)
    found = [slug for slug, row in rows.items() if wanted & _keys(row["name"])]
    if size is not None:
        found = [slug for slug in found if Decimal(rows[slug]["vram_gb"]) == size]
    else:
        found = [slug for slug in found if rows[slug]["modified_card"] != "yes"]
    if form and len(found) > 1:
        found = [slug for slug in found if _form(slug.replace("-", " ")) == form]
    return found


def is_several(name: str) -> bool:
    """Several cards in one row: no price of any one of them."""
    return "," in name or " / " in name


def is_heading(values: Iterable[str], columns: Iterable[str]) -> bool:
    """A row that repeats the heading."""
    said, names = (
        [value.strip().lower() for value in values if value.strip()],
        {name.strip().lower() for name in columns},
    )
    return len(said) > 1 and all(value in names for value in said)
