"""Writing the precomputed table. Safe to do twice and at once: the newer catalogue wins, the same one changes nothing."""

from datetime import datetime

from django.db import IntegrityError, transaction

from advisor.models import PresetAnswer
from advisor.presets import PRESETS
from advisor.queries import freshness
from advisor.recommend import recommend, to_dict
from advisor.sizing.job import Library
from advisor.sizing.parsing.workload import parse_workload
from catalog.snapshot import Catalogue


def preset_answer_store(*, preset: str, catalogue: Catalogue, library: Library, now: datetime) -> bool:
    """Compute one common workload from a catalogue and keep the answer; False where a newer one is kept already."""
    workload = parse_workload(PRESETS[preset].workload, library.models, library.gpus)
    answer = to_dict(recommend(workload, catalogue, library, now))
    fresh = freshness(catalogue)
    values = {
        "catalogue_version": fresh.catalogue_version,
        "prices_digest": fresh.prices_digest,
        "sizing_version": fresh.sizing_version,
        "computed_at": now,
        "answer": answer,
    }
    mine = PresetAnswer.objects.filter(preset=preset, currency=catalogue.currency)
    if mine.filter(catalogue_version__lte=catalogue.version).update(**values):
        return True
    try:
        with transaction.atomic():
            PresetAnswer.objects.create(preset=preset, currency=catalogue.currency, **values)
    except IntegrityError:  # another worker was first, or a newer row stands: only an older one may be replaced
        return bool(mine.filter(catalogue_version__lte=catalogue.version).update(**values))
    return True
