"""Pages of a list that neither lose nor repeat rows: ordered by a field and the row's id, each page begins after the last row seen."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError as FieldError
from django.db.models import Model, Q, QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

LIMIT = 50
LIMIT_MOST = 200


@dataclass(frozen=True, slots=True)
class Page[M: Model]:
    """The rows of one page; `after` is what to ask for the next one, None on the last."""

    rows: list[M]
    after: str | None


def read_page[M: Model](rows: QuerySet[M], *, order: str, limit: int, after: str) -> Page[M]:
    """The first `limit` rows after the mark, ordered by `order` (a column that is never empty, minus for descending), then id.

    A mark stays good when its row is gone. Raises ValidationError at `after` where it is none of ours or belongs to another order.
    """
    column, down = order.removeprefix("-"), order.startswith("-")
    if after:
        value, row_id = _unpack(after, order)
        try:
            beyond = Q(**{f"{column}__{'lt' if down else 'gt'}": value}) | Q(**{column: value, "pk__gt": row_id})
            rows = rows.filter(beyond)
        except (FieldError, ValueError, TypeError) as error:
            raise _no_mark() from error
    found = list(rows.order_by(order, "pk")[: limit + 1])
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], _pack(order, getattr(last, column), last.pk))


def _pack(order: str, value: Any, row_id: int) -> str:
    return (
        urlsafe_b64encode(json.dumps([order, str(value), row_id], separators=(",", ":")).encode()).decode().rstrip("=")
    )


def _unpack(after: str, order: str) -> tuple[str, int]:
    try:
        said = json.loads(urlsafe_b64decode(after + "=" * (-len(after) % 4)))
        its_order, value, row_id = said
        if (
            its_order != order
            or type(value) is not str
            or type(row_id) is not int
            or not 0 <= row_id < 2**63
            or "\0" in value
        ):
            raise ValueError
    except (ValueError, TypeError, binascii.Error, RecursionError) as error:
        raise _no_mark() from error
    return value, row_id


def _no_mark() -> ValidationError:
    return ValidationError(
        {"after": _("This mark is none of this list's. Take it from `next_after` of a page asked in the same order.")},
        "bad_mark",
    )
