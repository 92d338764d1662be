"""Signing in, for pages and admin alike: whoever guesses is stopped for a while, by network address, never by account."""

import logging
from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _
from redis.exceptions import RedisError

from billing.views.access import client_address

log = logging.getLogger(__name__)
MOST_FAILURES = 20
WINDOW_SECONDS = 600


class _Guarded(AuthenticationForm):
    """Counts failures of an address; past `MOST_FAILURES` no password is looked at until `WINDOW_SECONDS` after the first."""

    def clean(self) -> dict[str, Any]:
        """The pair, if it is right and this address has not failed too often. Without the cache nobody is turned away."""
        key = f"sign-in:{client_address(self.request) if self.request else ''}"
        try:
            if cache.get(key, 0) >= MOST_FAILURES:
                raise ValidationError(
                    _("Too many attempts from your network. Try again in ten minutes."), code="too-many"
                )
        except (RedisError, OSError) as error:
            log.warning("No limit on signing in: %s", error)
        try:
            return super().clean()
        except ValidationError:
            self._count(key)
            raise

    @staticmethod
    def _count(key: str) -> None:
        try:
            cache.add(key, 0, WINDOW_SECONDS)
            cache.incr(key)
        except (RedisError, OSError, ValueError) as error:
            log.warning("A failed sign-in was not counted: %s", error)


class SignInForm(_Guarded):
    """For the sign-in page."""


class AdminSignInForm(_Guarded, AdminAuthenticationForm):
    """For the admin's own page."""
