"""The table built by a real Celery worker over a real broker, twice, and by the command of the demo."""

import time
from collections.abc import Iterator
from io import StringIO

import pytest
from celery.contrib.testing.worker import start_worker
from django.conf import settings
from django.core.management import call_command

from advisor.models import PresetAnswer
from advisor.presets import PRESETS
from advisor.queries import catalogue_now, stale_presets
from advisor.tasks import ask_for_table, build_table, refresh_table
from catalog.actions import load_example_catalogue
from config.celery import app

PATIENCE_SECONDS = 120


@pytest.fixture
def example(transactional_db: None) -> None:
    load_example_catalogue(by=None)


@pytest.fixture
def worker(transactional_db: None) -> Iterator[None]:
    """A worker in a thread of this process: same test database, real broker."""
    if not settings.REDIS_URL:
        pytest.skip("no Redis or Valkey on this platform")
    app.control.purge()
    with start_worker(app, perform_ping_check=False, shutdown_timeout=60, pool="solo"):
        yield


def wait_for(count: int) -> None:
    """Until so many answers stand in the table."""
    until = time.monotonic() + PATIENCE_SECONDS
    while PresetAnswer.objects.count() < count:
        assert time.monotonic() < until, f"{PresetAnswer.objects.count()} of {count} answers"
        time.sleep(0.2)


def test_a_worker_fills_the_table_and_running_it_twice_changes_nothing(example, worker):
    slugs = list(PRESETS)[:5]
    assert not app.conf.task_always_eager
    build_table.delay(slugs, "CNY")
    build_table.delay(slugs, "CNY")
    wait_for(len(slugs))
    first = {row.preset: row.answer["choices"][:1] for row in PresetAnswer.objects.all()}
    build_table.delay(slugs, "CNY").forget()
    time.sleep(1)
    assert {row.preset: row.answer["choices"][:1] for row in PresetAnswer.objects.all()} == first
    assert PresetAnswer.objects.count() == len(slugs)


def test_the_beats_task_asks_for_what_is_missing_only(example, worker):
    build_table(list(PRESETS)[3:], "CNY")
    assert len(stale_presets(catalogue_now("CNY"))) == 3
    assert ask_for_table()
    wait_for(len(PRESETS))
    assert stale_presets(catalogue_now("CNY")) == []
    assert refresh_table() == 0


def test_the_command_builds_it_here_and_says_how_far_it_is(example):
    build_table(list(PRESETS)[6:], "CNY")
    said = StringIO()
    call_command("build_tables", "--here", stdout=said)
    assert f"{len(PRESETS)}/{len(PRESETS)}" in said.getvalue()
    assert stale_presets(catalogue_now("CNY")) == []


def test_the_command_without_anything_on_sale(transactional_db):
    said = StringIO()
    call_command("build_tables", stdout=said)
    assert "Nothing is on sale" in said.getvalue()
