"""The product's settings, after the environment names the test session's own servers."""

from tests import servers  # isort: skip  (first: it sets DATABASE_URL and REDIS_URL)
from config.settings import *  # noqa: F403

__all__ = ["servers"]

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
"""The product's takes a third of a second for each person a test invents; that passwords are checked at all is tested with any."""
