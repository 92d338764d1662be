"""Saved results: one list in this browser, to come back to and to lay side by side."""

from collections.abc import Callable, Mapping
from typing import Any

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from advisor.answers import query_of, read
from advisor.pages import saved as page
from advisor.pages.currency import currency_of
from advisor.pages.wizard import with_query
from advisor.queries import recommendation_now


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def saved(request: HttpRequest) -> HttpResponse:
    """GET: the list. POST `query`: saves a result's address as it answers today; POST `remove`: takes one away."""
    entries = request.session.get(page.KEY, [])
    if request.method != "POST":
        context = {
            "nav": "choose",
            "saved": page.shown(entries),
            "days": settings.SESSION_COOKIE_AGE // 86_400,
            "most": page.MOST,
        }
        return render(request, "advisor/saved.html", context)
    if "remove" in request.POST:
        return _kept(request, lambda kept: page.without(kept, request.POST["remove"]))
    answers = QueryDict(request.POST.get("query", ""))
    reading = read(answers)
    if reading.workload is None:
        return redirect(with_query("result", answers.urlencode()))
    currency = currency_of(answers)
    advice = recommendation_now(reading.workload, currency)
    entry = page.entry_of(query_of(reading.workload), advice, timezone.now())
    return _kept(request, lambda kept: page.with_entry(kept, entry))


type Entries = list[Mapping[str, Any]]


def _kept(request: HttpRequest, change: Callable[[Entries], Entries]) -> HttpResponse:
    """The list changed and the session's time begun anew; saves at once wait for each other and none is lost."""
    response = redirect("advisor:saved")
    key = request.session.session_key
    if key is None or not request.session.exists(key):
        request.session[page.KEY] = change([])
        return response
    with transaction.atomic():
        list(Session.objects.select_for_update().filter(pk=key))
        session = SessionStore(key)
        session[page.KEY] = change(session.get(page.KEY, []))
        session.save()
    response.set_cookie(
        settings.SESSION_COOKIE_NAME,
        key,
        max_age=session.get_expiry_age(),
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
    return response
