"""Signing in, for pages and admin alike: whoever guesses is stopped for a while, and nobody else in their network is."""

import hashlib
from typing import Any

from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from catalog.limits import Limit, visitor

ACCOUNT_GUESSES = Limit("sign-in-account", most=10, seconds=600)
"""Wrong passwords for one account from one network."""

NETWORK_GUESSES = Limit("sign-in-network", most=200, seconds=600)
"""Wrong passwords from one network, whatever the account: nobody tries one password on every name."""


class _Guarded(AuthenticationForm):
    """Counts failures of an account in a network and of the network; past either limit no password is looked at."""

    def clean(self) -> dict[str, Any]:
        """The pair, if it is right.

        Raises TooMany where it was wrong too often: for this account from this network, or for any account from it.
        """
        network = visitor(self.request) if self.request else ""
        name = str(self.cleaned_data.get("username", "")).casefold()
        account = f"{network}:{hashlib.sha256(name.encode()).hexdigest()[:16]}"
        instead = _("Forgotten your password? Whoever runs this shop sets a new one in the admin.")
        ACCOUNT_GUESSES.look(account, instead)
        NETWORK_GUESSES.look(network, instead)
        try:
            return super().clean()
        except ValidationError:
            ACCOUNT_GUESSES.count(account)
            NETWORK_GUESSES.count(network)
            raise


class SignInForm(_Guarded):
    """For the sign-in page."""


class AdminSignInForm(_Guarded, AdminAuthenticationForm):
    """For the admin's own page."""
