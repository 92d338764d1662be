"""What one network may ask for: the costly pages (PAGE_RATE) and the API (API_RATE). Generous: meant for scripts, not for people."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.settings import api_settings
from rest_framework.throttling import BaseThrottle

from catalog.limits import Limit, visitor

COSTLY = frozenset({"advisor:result", "advisor:doctor", "advisor:read-file", "advisor:accuracy", "billing:plans"})
"""Pages that cost a processor more than a twentieth of a second; all others are answered to everybody at any rate."""


def behind_unknown_proxy(request: HttpRequest) -> bool:
    """Behind a proxy that NUM_PROXIES does not count all visitors have one address, a private one: nobody can be told apart."""
    if api_settings.NUM_PROXIES or "X-Forwarded-For" not in request.headers:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_private
    except ValueError:
        return True


class ApiLimit(BaseThrottle):
    """Calls of the API by one network; signed-in ones do not count."""

    def allow_request(self, request: Request, view: object) -> bool:
        """True, or raises TooMany, which the API's error handler turns into a problem."""
        if settings.API_RATE and not request.user.is_authenticated:
            Limit.of("api", settings.API_RATE).hold(visitor(request))
        return True
