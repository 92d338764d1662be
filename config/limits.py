"""What one network may ask for: the costly pages (PAGE_RATE) and the API (API_RATE). Generous: meant for scripts, not for people."""

import logging
from functools import cache

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle

from catalog.limits import Limit, visitor

log = logging.getLogger(__name__)
COSTLY = frozenset({"advisor:result", "advisor:doctor", "advisor:read-file", "advisor:accuracy", "billing:plans"})
"""Pages that cost a processor more than a twentieth of a second; all others are answered to everybody at any rate."""


def tell_unknown_proxy(request: HttpRequest) -> None:
    """A warning in the log where a proxy is in front that NUM_PROXIES does not count.

    What such a proxy says of its visitors is not believed, since anybody can say it: they count together, as its one address.
    """
    if not api_settings.NUM_PROXIES and "X-Forwarded-For" in request.headers:
        _tell_once()


@cache
def _tell_once() -> None:
    log.warning("X-Forwarded-For came, but NUM_PROXIES is 0: behind a proxy all visitors count as one until it is set")


class ApiLimit(BaseThrottle):
    """Calls of the API by one network; signed-in ones do not count."""

    def allow_request(self, request: Request, view: object) -> bool:
        """True, or raises TooMany, which the API's error handler turns into a problem."""
        if settings.API_RATE and not request.user.is_authenticated:
            Limit.of("api", settings.API_RATE).hold(visitor(request))
        return True
