"""Saved results: one list in this browser, to come back to and to lay side by side."""

from django.conf import settings
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
        request.session[page.KEY] = page.without(entries, request.POST["remove"])
        return redirect("advisor:saved")
    answers = QueryDict(request.POST.get("query", ""))
    reading = read(answers)
    if reading.workload is None:
        return redirect(with_query("result", answers.urlencode()))
    currency = currency_of(answers)
    advice = recommendation_now(reading.workload, currency)
    entry = page.entry_of(query_of(reading.workload), advice, timezone.now())
    request.session[page.KEY] = page.with_entry(entries, entry)
    return redirect("advisor:saved")
