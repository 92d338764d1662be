"""Who may open a page: decorators above the views, and how a page finds its row."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_required, permission_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from rest_framework.throttling import BaseThrottle

from billing.models import Quote

type View = Callable[..., HttpResponse]

HIDDEN_FROM_OTHERS = {
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex, nofollow, noarchive",
    "Cache-Control": "private, no-store",
}
"""Headers of every page behind a customer's link: no search engine, no referrer, no cache keeps it."""


def staff_only(view: View) -> View:
    """Signed in, and of a role that may sell: otherwise the sign-in page, or 403."""
    return login_required(permission_required("billing.sell", raise_exception=True)(view))


def hidden_from_others(view: View) -> View:
    """Sets HIDDEN_FROM_OTHERS on every answer of the view."""

    @wraps(view)
    def wrapped(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        response = view(request, *args, **kwargs)
        for name, value in HIDDEN_FROM_OTHERS.items():
            response[name] = value
        return response

    return wrapped


def staff(request: HttpRequest) -> User:
    """The signed-in member of staff behind `staff_only`."""
    assert isinstance(request.user, User)
    return request.user


def visible_quote(request: HttpRequest, number: str) -> Quote:
    """The quotation of this number; 404 where it is somebody else's or nobody's."""
    rows = Quote.objects.visible_to(staff(request)).select_related("current", "customer", "owner", "request")
    return get_object_or_404(
        rows, number=number.replace("\x00", "?")
    )  # PostgreSQL keeps no NUL: such a number is nobody's


def client_address(request: HttpRequest) -> str | None:
    """The visitor's network address as far as trusted proxies say (NUM_PROXIES)."""
    found = BaseThrottle().get_ident(request)  # type: ignore[arg-type]
    return found or None
