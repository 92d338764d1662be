"""Is it alive, is it ready, what did it count."""

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from redis.exceptions import RedisError


def livez(request: HttpRequest) -> HttpResponse:
    """The process answers."""
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(request: HttpRequest) -> HttpResponse:
    """Its database and cache answer too; 503 with the name of what does not."""
    state = {"database": "ok", "cache": "ok"}
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        state["database"] = "unreachable"
    try:
        cache.get("readyz")
    except (RedisError, OSError):
        state["cache"] = "unreachable"
    ready = all(value == "ok" for value in state.values())
    return JsonResponse(state, status=200 if ready else 503)


def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus counters; only for callers on this machine or inside the cluster (no forwarding header)."""
    if "X-Forwarded-For" in request.headers:
        return HttpResponse(status=404)
    return HttpResponse(generate_latest(), content_type=CONTENT_TYPE_LATEST)
