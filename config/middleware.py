"""Two small middlewares: counters for /metrics, and the cache rule of pages that answer htmx with a partial."""

import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from prometheus_client import Counter, Histogram

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


def htmx_caching(get_response: Handler) -> Handler:
    """A page may answer htmx with a partial at the same address: no cache may hand one out for the other."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request"))
        return response

    return middleware
