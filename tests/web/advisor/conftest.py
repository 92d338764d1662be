"""The example catalogue in the database."""

import pytest

from catalog.actions import load_example_catalogue


@pytest.fixture
def example(db):
    load_example_catalogue(by=None)
