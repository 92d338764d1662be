"""Small middlewares: counters for /metrics, bodies without a length, whoever is too often here, the cache rule of pages that answer htmx with a partial."""

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language_from_request, override
from django.utils.translation import gettext as _
from prometheus_client import Counter, Histogram

from catalog.limits import TooMany
from config.pages import problem, too_many

REQUESTS = Counter("cardwise_requests_total", "Answered requests", ["method", "view", "status"])
SECONDS = Histogram("cardwise_request_seconds", "Time to answer", ["view"])

Handler = Callable[[HttpRequest], HttpResponse]


def metrics(get_response: Handler) -> Handler:
    """Count and time each request under its URL name, never its address (addresses hold answers)."""

    def middleware(request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = get_response(request)
        match = request.resolver_match
        view = (match.view_name or "?") if match else "-"
        REQUESTS.labels(request.method or "?", view, response.status_code).inc()
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


class TooManyIsAPage:
    """`TooMany`, wherever a view raises it, is answered with 429 and the time to come back."""

    def __init__(self, get_response: Handler) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

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
