"""The example catalogue, loaded once for each file of tests (it takes a second); what a test changes is rolled back after it."""

import pytest
from django.db import transaction

from catalog.actions import load_example_catalogue


@pytest.fixture(scope="module")
def loaded_example(django_db_setup, django_db_blocker):
    with django_db_blocker.unblock(), transaction.atomic():
        load_example_catalogue(by=None)
        yield
        transaction.set_rollback(True)


@pytest.fixture
def example(loaded_example, db):
    """Version 1: the example catalogue. A file whose tests use it holds no test of an empty database."""
