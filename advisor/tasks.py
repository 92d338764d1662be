"""The precomputed table in the background. Every task takes names only, may run twice or at once, and may be killed anywhere."""

import logging
from itertools import batched

from celery import shared_task
from django.core.management import call_command
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from advisor.actions import preset_answer_store
from advisor.library import library
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, stale_presets
from catalog.queries import currencies_on_sale

log = logging.getLogger(__name__)

CHUNK = 8
"""Workloads per task: about a second of work, so a killed worker loses little."""


@shared_task(ignore_result=True)
def build_table(presets: list[str], currency: str) -> int:
    """Answer these workloads from the catalogue as it is when the task runs; how many were stored."""
    now = timezone.now()
    catalogue = catalogue_now(currency, now)
    known = library()
    names = [name for name in presets if name in PRESETS]
    return sum(preset_answer_store(preset=name, catalogue=catalogue, library=known, now=now) for name in names)


@shared_task(ignore_result=True)
def refresh_table() -> int:
    """Ask for every answer that is missing or out of date; how many. Nothing is asked where all is current."""
    asked = 0
    for currency in currencies_on_sale():
        for chunk in batched(stale_presets(catalogue_now(currency)), CHUNK, strict=False):
            build_table.delay(list(chunk), currency)
            asked += len(chunk)
    return asked


def ask_for_table() -> bool:
    """Hand the rebuild to a worker; False where no broker answers (the beat asks again)."""
    try:
        refresh_table.apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("The recommendation table waits for the next round: %s", error)
        return False
    return True


@shared_task(ignore_result=True)
def forget_old_sessions() -> None:
    """Saved results and sign-ins past their time leave the database."""
    call_command("clearsessions")
