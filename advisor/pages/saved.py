"""Saved results: what an answer said on the day, kept in the visitor's session; its address works it out anew."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.http import QueryDict

from advisor.answers import read
from advisor.pages.naming import named
from advisor.pages.wizard import Line, answer_lines, with_query
from advisor.recommendation import Recommendation

KEY = "saved_results"
"""Name in the session."""
MOST = 20
"""The oldest gives way."""


@dataclass(frozen=True, slots=True)
class Saved:
    """One saved result. `total`: as it was then; None where nothing could be recommended. Memory in GiB on each card."""

    key: str
    at: datetime
    job: str
    card: str
    fit: str
    need_gib: float | None
    hours: float | None
    basis: str
    total: Decimal | None
    currency: str
    href: str


def key_of(query: str) -> str:
    """Name of a saved result: the same address is saved once."""
    return hashlib.sha256(query.encode()).hexdigest()[:16]


def entry_of(query: str, advice: Recommendation, at: datetime) -> dict[str, Any]:
    """What the session keeps, as JSON."""
    best = advice.recommended
    memory = best.estimate.memory if best else None
    return {
        "query": query,
        "at": at.isoformat(),
        "gpu": best.gpu if best else "",
        "count": best.count if best else 0,
        "fit": best.estimate.fit if best else "does_not_fit",
        "need_gib": round(memory.per_gpu_gib, 1) if memory else None,
        "hours": best.span_hours if best else None,
        "basis": advice.basis.kind,
        "total": str(best.total) if best else None,
        "currency": advice.currency,
    }


def with_entry(entries: Sequence[Mapping[str, Any]], entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The newest first, each address once, at most MOST."""
    return [entry, *(one for one in entries if one["query"] != entry["query"])][:MOST]


def without(entries: Sequence[Mapping[str, Any]], key: str) -> list[Mapping[str, Any]]:
    """All but one."""
    return [one for one in entries if key_of(str(one["query"])) != key]


def shown(entries: Sequence[Mapping[str, Any]]) -> tuple[Saved, ...]:
    """The saved results in the reader's words."""
    return tuple(
        Saved(
            key=key_of(one["query"]),
            at=datetime.fromisoformat(one["at"]),
            job=_job(answer_lines(read(QueryDict(one["query"])).sound)),
            card=named(one["gpu"], one["count"]) if one["gpu"] else "",
            fit=one["fit"],
            need_gib=one["need_gib"],
            hours=one["hours"],
            basis=one["basis"],
            total=Decimal(one["total"]) if one["total"] is not None else None,
            currency=one["currency"],
            href=with_query("result", one["query"]),
        )
        for one in entries
    )


def _job(lines: Sequence[Line]) -> str:
    """The answers in one line; a bare number with what it counts."""
    told = [
        f"{line.label} {line.value}" if line.value[:1].isdigit() else line.value for line in lines if not line.technical
    ]
    return " · ".join(told)
