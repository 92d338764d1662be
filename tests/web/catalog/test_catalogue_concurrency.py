"""Many writers at once: each gets its own version, in the order of commit."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from catalog.models import CatalogueChange, CatalogueVersion, Region, recorded

WRITERS = 12


def _write(number: int) -> int:
    try:
        with recorded(by=None, why=f"writer {number}") as recording:
            Region.objects.create(code=f"r{number}", name="x", name_zh="x")
        return recording.version.number
    finally:
        connection.close()


@pytest.mark.django_db(transaction=True)
def test_versions_are_consecutive_under_parallel_writers():
    with ThreadPoolExecutor(WRITERS) as pool:
        numbers = list(pool.map(_write, range(WRITERS)))
    assert sorted(numbers) == list(range(1, WRITERS + 1))
    assert CatalogueVersion.objects.current_number() == WRITERS
    assert CatalogueChange.objects.count() == WRITERS
    for version in CatalogueVersion.objects.all():
        assert version.changes.get().label == f"r{version.why.removeprefix('writer ')}"
