"""The product's settings, after the environment names the test session's own servers."""

from tests import servers  # isort: skip  (first: it sets DATABASE_URL and REDIS_URL)
from config.settings import *  # noqa: F403

__all__ = ["servers"]
