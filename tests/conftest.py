"""Fixtures for all tests. tests/core needs nothing; tests/web real servers; tests/browser a Chromium; tests/faults kills things."""

from pathlib import Path

import pytest
from hypothesis import settings

from tests.servers import django_db_modify_db_settings, pytest_unconfigure, servers

__all__ = ["django_db_modify_db_settings", "pytest_unconfigure", "servers"]

settings.register_profile("steady", deadline=None)  # a busy machine is no failure
settings.load_profile("steady")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of handed facts and cases beside the project."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("no ../shared here: its cases are tested where it is")
    return folder


@pytest.fixture(autouse=True)
def _clean_cache(request: pytest.FixtureRequest) -> None:
    """Throttles and caches do not leak from test to test."""
    if request.node.get_closest_marker("django_db") or {"db", "transactional_db"} & set(request.fixturenames):
        request.getfixturevalue("servers")
        from django.core.cache import cache  # noqa: PLC0415 (settings are not for tests/core)

        cache.clear()
