"""Imported before the settings: real PostgreSQL and Valkey for the session, started only when a test first asks for them."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded import Postgres, Valkey, Watchdog, free_port

FOLDER = Path(tempfile.mkdtemp(prefix="cardwise-test-"))
os.environ["CARDWISE_VAR"] = str(FOLDER)
(FOLDER / "static").mkdir()
os.environ.setdefault("HTTPS", "0")
os.environ.setdefault("API_RATE", "")
os.environ.setdefault("PAGE_RATE", "")
postgres = valkey = None
inherited = (
    os.environ.get("CARDWISE_TEST_OWN") == "1"
)  # set by the process that hands out the tests: each worker has its own
if inherited or "DATABASE_URL" not in os.environ:
    postgres = Postgres(FOLDER)
    os.environ["DATABASE_URL"] = postgres.url
if (inherited or "REDIS_URL" not in os.environ) and Valkey.binary():
    valkey = Valkey(FOLDER, port=free_port())
    os.environ["REDIS_URL"] = valkey.url

if postgres:
    os.environ["CARDWISE_TEST_OWN"] = "1"


@pytest.fixture(scope="session")
def servers() -> Iterator[None]:
    """Real servers, gone with the session (or with its process)."""
    guard = Watchdog()
    if postgres:
        postgres.start()
        guard.guard(postgres.process)
    if valkey:
        assert valkey.start()
        guard.guard(valkey.process)
    yield
    for server in (valkey, postgres):
        if server:
            server.stop()
    guard.dismiss()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(servers: None) -> None:
    """pytest-django makes its test database only after the server runs."""


def pytest_unconfigure() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    if postgres and postgres.home != FOLDER:
        shutil.rmtree(postgres.home, ignore_errors=True)
