"""Signing in, for pages and admin alike: whoever guesses is stopped for a while, by network, never by account."""

from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from catalog.limits import Limit, visitor

GUESSES = Limit("sign-in", most=20, seconds=600)


class _Guarded(AuthenticationForm):
    """Counts failures of a network; past the limit no password is looked at."""

    def clean(self) -> dict[str, Any]:
        """The pair, if it is right.

        Raises TooMany where this network has failed too often.
        """
        who = visitor(self.request) if self.request else ""
        GUESSES.look(who, _("Forgotten your password? Whoever runs this shop sets a new one in the admin."))
        try:
            return super().clean()
        except ValidationError:
            GUESSES.count(who)
            raise


class SignInForm(_Guarded):
    """For the sign-in page."""


class AdminSignInForm(_Guarded, AdminAuthenticationForm):
    """For the admin's own page."""
