"""Cuts a file of published measurements down to what the product reads: the wording of the sources stays with the sources."""

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

NOT_SHIPPED = frozenset(
    {
        "as_said",
        "gpu_as_said",
        "model_as_said",
        "raw",
        "note",
        "added_from_source",
        "resolution_as_said",
        "batch_as_said",
        "setting_as_said",
        "memory_hint",
        "converted",
        "unit_known",
    }
)
"""Columns that only say how a row was read from its source."""


def trimmed(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """One compact JSON line per measurement, without the columns of `NOT_SHIPPED`."""
    for row in rows:
        kept = {key: value for key, value in row.items() if key not in NOT_SHIPPED}
        yield json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
