"""Small middlewares: counters for /metrics, bodies without a length, who asks too often, what caches may keep."""

import time
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _
from prometheus_client import Counter, Histogram

from catalog.limits import Limit, TooMany, visitor
from config.limits import COSTLY, tell_unknown_proxy
from config.pages import bad_request, problem, too_many

REQUESTS = Counter("cardwise_requests_total", "Answered requests", ["method", "view", "status"])
SECONDS = Histogram("cardwise_request_seconds", "Time to answer", ["view"])

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
Handler = Callable[[HttpRequest], HttpResponse]


def metrics(get_response: Handler) -> Handler:
    """Count and time each request under its URL name, never its address (addresses hold answers)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        view = (match.view_name or "?") if match else "-"
        method = request.method if request.method in METHODS else "other"  # whatever a caller makes up is no label
        REQUESTS.labels(method, view, response.status_code).inc()
        SECONDS.labels(view).observe(time.perf_counter() - start)
        return response

    return middleware


def length_required(get_response: Handler) -> Handler:
    """A body sent in chunks says no length, and would be read as empty: refused in words (411) rather than lost in silence."""

    def middleware(request: HttpRequest) -> HttpResponse:
        chunked = "chunked" in request.headers.get("Transfer-Encoding", "").lower()
        if not chunked or request.META.get("CONTENT_LENGTH"):
            return get_response(request)
        with override(get_language_from_request(request)):
            return problem(
                411, _("Say how long the body is"), _("Send a Content-Length header; a body in chunks is not read.")
            )

    return middleware


def admin_without_nul(get_response: Handler) -> Handler:
    """The admin hands filters to the database as they come, and PostgreSQL keeps no NUL: such an address is damaged (400)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "/admin/" in request.path_info and "%00" in request.META.get("QUERY_STRING", ""):
            return bad_request(request, SuspiciousOperation())
        return get_response(request)

    return middleware


class Limits:
    """Middleware: holds the costly pages to their rate, and answers `TooMany`, wherever a view raises it, with its page."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response
        self.pages = Limit.of("pages", settings.PAGE_RATE) if settings.PAGE_RATE else None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponse | None:
        """Refuses a costly page to a network past its rate; members of staff are let through."""
        match = request.resolver_match
        if self.pages is None or match is None or match.view_name not in COSTLY:
            return None
        tell_unknown_proxy(request)
        try:
            self.pages.hold(visitor(request))
        except TooMany as refused:
            if request.user.is_authenticated:
                return None
            instead = _("Many questions at once? The API answers up to 100 of them in one call.")
            return too_many(request, TooMany(refused.seconds, instead))
        return None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Django's hook for what a view raised; None leaves it to others."""
        return too_many(request, exception) if isinstance(exception, TooMany) else None


def htmx_caching(get_response: Handler) -> Handler:
    """A page may answer htmx with a partial at the same address: no cache may hand one out for the other."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request"))
        return response

    return middleware


def signed_in_not_kept(get_response: Handler) -> Handler:
    """What staff see (customers' names, drafts) is kept by no cache: neither on the way nor in the browser they leave."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        may_be_staff = settings.SESSION_COOKIE_NAME in request.COOKIES and response.status_code < 500
        if may_be_staff and "no-store" not in response.get("Cache-Control", "") and request.user.is_authenticated:
            response["Cache-Control"] = "private, no-store"
        return response

    return middleware
