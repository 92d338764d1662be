"""`manage.py build_tables`: have the workers compute the recommendation table, and watch it grow."""

import time
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from advisor.presets import PRESETS
from advisor.queries import catalogue_now, stale_presets
from advisor.tasks import ask_for_table, build_table
from catalog.queries import currencies_on_sale

WIDTH = 30
PATIENCE_SECONDS = 20
"""Without a new row for so long nobody works on it: the rest is computed here."""


class Command(BaseCommand):
    help = "Compute the recommendations of the common workloads that are missing or out of date."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """`--here` does without a worker."""
        parser.add_argument("--here", action="store_true", help="compute in this process, without a worker")

    def handle(self, *args: Any, **options: Any) -> None:
        """Ask, watch, and finish what nobody does."""
        currencies = currencies_on_sale()
        total = len(PRESETS) * len(currencies)
        if not currencies:
            self.stdout.write("Nothing is on sale: there is no table to compute.")
            return
        started = time.monotonic()
        if not options["here"] and not settings.CELERY_TASK_ALWAYS_EAGER and ask_for_table():
            self._watch(currencies, total)
        self._finish(currencies, total)
        self.stdout.write(f"\n{total} recommendations are current ({time.monotonic() - started:.1f} s).")

    def _left(self, currencies: list[str]) -> int:
        return sum(len(stale_presets(catalogue_now(currency))) for currency in currencies)

    def _watch(self, currencies: list[str], total: int) -> None:
        left, since = self._left(currencies), time.monotonic()
        while left and time.monotonic() - since < PATIENCE_SECONDS:
            self._show(total - left, total)
            time.sleep(0.3)
            now_left = self._left(currencies)
            if now_left != left:
                left, since = now_left, time.monotonic()
        self._show(total - left, total)

    def _finish(self, currencies: list[str], total: int) -> None:
        done = total - self._left(currencies)
        for currency in currencies:
            for preset in stale_presets(catalogue_now(currency)):
                build_table([preset], currency)
                done += 1
                self._show(done, total)

    def _show(self, done: int, total: int) -> None:
        bar = "█" * (WIDTH * done // total)
        self.stdout.write(f"\rRecommendations {bar:░<{WIDTH}} {done}/{total}", ending="")
        self.stdout.flush()
