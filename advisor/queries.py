"""Reading for advice: the catalogue as it is on sale now, and the rows of the precomputed table that are still true."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.utils import timezone

from advisor.library import answers_digest, library
from advisor.models import PresetAnswer
from advisor.presets import PRESETS
from advisor.recommend import SIZING_VERSION, Recommendation, recommend
from advisor.sizing.workload import Workload
from catalog.models import CatalogueVersion
from catalog.queries import current_catalogue
from catalog.snapshot import Catalogue


@dataclass(frozen=True, slots=True)
class Freshness:
    """What an answer must have been made from to be current."""

    catalogue_version: int
    prices_digest: str
    sizing_version: str


@lru_cache(maxsize=4)
def _catalogue(currency: str, newest: tuple[int, datetime] | None, minute: datetime) -> Catalogue:
    return current_catalogue(currency, minute)


def catalogue_now(currency: str, now: datetime | None = None) -> Catalogue:
    """What is on sale in a currency, to the minute: one query tells whether anything was written, prices that begin or end are seen."""
    minute = (now or timezone.now()).replace(second=0, microsecond=0)
    newest = CatalogueVersion.objects.order_by("-number").values_list("number", "created_at").first()
    return _catalogue(currency, newest, minute)


def prices_digest(catalogue: Catalogue) -> str:
    """A fingerprint of everything on sale: machines, stock and every plan's rules and price."""
    told = repr([(offer.sku, offer.count, offer.stock, offer.region, offer.plans) for offer in catalogue.offers])
    return hashlib.sha256(told.encode()).hexdigest()


def freshness(catalogue: Catalogue) -> Freshness:
    """What a stored answer must match to be shown beside this catalogue."""
    return Freshness(catalogue.version, prices_digest(catalogue), f"{SIZING_VERSION}-{answers_digest()}")


def _current_rows(catalogue: Catalogue) -> Any:
    fresh = freshness(catalogue)
    return PresetAnswer.objects.filter(currency=catalogue.currency).made_from(
        catalogue_version=fresh.catalogue_version,
        prices_digest=fresh.prices_digest,
        sizing_version=fresh.sizing_version,
    )


def current_answer(preset: str, catalogue: Catalogue) -> PresetAnswer | None:
    """The stored answer to a common workload, if it was made from this very catalogue; never an older one."""
    row: PresetAnswer | None = _current_rows(catalogue).filter(preset=preset).first()
    return row


def current_choices(presets: Iterable[str], catalogue: Catalogue) -> dict[str, Mapping[str, Any]]:
    """Preset -> the first choice of its current answer (None-free: those without a choice are left out), with the `basis` it is priced on."""
    rows = _current_rows(catalogue).filter(preset__in=list(presets), answer__choices__0__isnull=False)
    found = rows.values_list("preset", "answer__choices__0", "answer__basis__kind")
    return {preset: {**choice, "basis": basis} for preset, choice, basis in found}


def stale_presets(catalogue: Catalogue) -> list[str]:
    """Common workloads whose stored answer is missing or was made from something else, in the order of the table."""
    current = set(_current_rows(catalogue).values_list("preset", flat=True))
    return [slug for slug in PRESETS if slug not in current]


def recommendation_now(workload: Workload, currency: str) -> Recommendation:
    """A workload answered from what is on sale now."""
    now = timezone.now()
    return recommend(workload, catalogue_now(currency, now), library(), now)
