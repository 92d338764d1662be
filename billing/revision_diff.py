"""What differs between two versions of an offer, line by line: old and new value of every field that is not the same. Plain values."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import date
from decimal import Decimal

from billing.costing.money import text
from billing.offer import Contact, Head, OfferLine

type Version = tuple[Head, Sequence[OfferLine], Contact]

SHOWN_LINE_FIELDS = (
    "title",
    "detail",
    "sku",
    "plan_kind",
    "count",
    "periods",
    "unit",
    "unit_price",
    "discount_percent",
    "discount_amount",
)


@dataclass(frozen=True, slots=True)
class Difference:
    """`where`: head, customer, line 2, ...; a line that is new or gone has an empty old or new value and the field `line`."""

    where: str
    line: int | None
    field: str
    old: str
    new: str

    def as_dict(self) -> dict[str, object]:
        """For the audit trail."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _text(value: object) -> str:
    if isinstance(value, Decimal):
        said = text(value)
        return said.rstrip("0").rstrip(".") if "." in said else said
    return value.isoformat() if isinstance(value, date) else str(value)


def _fields(where: str, line: int | None, names: Sequence[str], old: object, new: object) -> list[Difference]:
    pairs = [(name, getattr(old, name), getattr(new, name)) for name in names]
    return [Difference(where, line, name, _text(a), _text(b)) for name, a, b in pairs if a != b]


def _key(line: OfferLine) -> tuple[str, str, str]:
    return (line.kind, line.sku, line.title if line.kind == "text" else "")


def _pairs(old: Sequence[OfferLine], new: Sequence[OfferLine]) -> list[tuple[int | None, int | None]]:
    """Indexes of lines that are the same thing: first by what they sell, in order; the rest was removed or added."""
    left = list(range(len(old)))
    found: dict[int, int] = {}
    for same in (lambda a, b, _i, _j: _key(a) == _key(b), lambda a, b, i, j: i == j and a.kind == b.kind):
        for index, line in enumerate(new):
            match = next((j for j in left if index not in found and same(line, old[j], index, j)), None)
            if match is not None:
                left.remove(match)
                found[index] = match
    return [(found.get(index), index) for index in range(len(new))] + [(j, None) for j in left]


def revision_differences(old: Version, new: Version) -> tuple[Difference, ...]:
    """Every difference in reading order: customer, head, lines."""
    old_head, old_lines, old_contact = old
    new_head, new_lines, new_contact = new
    found = _fields("customer", None, [field.name for field in fields(Contact)], old_contact, new_contact)
    found += _fields("head", None, [field.name for field in fields(Head)], old_head, new_head)
    for before, after in _pairs(old_lines, new_lines):
        if before is None and after is not None:
            found.append(Difference("line", after + 1, "line", "", new_lines[after].title))
        elif after is None and before is not None:
            found.append(Difference("line", before + 1, "line", old_lines[before].title, ""))
        elif before is not None and after is not None:
            found += _fields("line", after + 1, SHOWN_LINE_FIELDS, old_lines[before], new_lines[after])
    return tuple(found)
