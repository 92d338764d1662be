"""Asking for a quotation: from a result, or plainly. No account; a trap, a rate limit and consent."""

import logging

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe
from redis.exceptions import RedisError
from rest_framework.throttling import SimpleRateThrottle

from billing.actions.quote_request import quote_request_create
from billing.asking import AdviceUnreadable, read_advice
from billing.forms import AskForm
from billing.tasks import nudge_outbox
from billing.views.access import client_address
from billing.words import advice_in_words

log = logging.getLogger(__name__)


class AskThrottle(SimpleRateThrottle):
    """So many requests per address (rate `quote_request` in the settings)."""

    scope = "quote_request"

    def get_cache_key(self, request, view):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN201
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


def _too_many(request: HttpRequest) -> bool:
    """Whether this address has asked too often. Without the cache nobody is turned away."""
    try:
        return not AskThrottle().allow_request(request, None)  # type: ignore[arg-type]
    except (RedisError, OSError) as error:
        log.warning("No rate limit on requests: %s", error)
        return False


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form with the answer it is about; a post with `contact` sends it, a post without shows the form (as from a result)."""
    try:
        advice = read_advice(request.POST.get("advice", ""))
    except AdviceUnreadable:
        return render(request, "billing/ask.html", {"form": AskForm(), "unreadable": True}, status=422)
    shown = advice_in_words(advice, request.LANGUAGE_CODE)
    if "contact" not in request.POST:
        form = AskForm(initial={"advice": request.POST.get("advice", "")})
        return render(request, "billing/ask.html", {"form": form, "advice": shown})
    form = AskForm(request.POST)
    if not form.is_valid():
        return render(request, "billing/ask.html", {"form": form, "advice": shown}, status=422)
    if form.is_robot:
        return redirect("billing:asked")
    if _too_many(request):
        return render(request, "billing/ask.html", {"form": form, "advice": shown, "too_many": True}, status=429)
    quote_request_create(
        contact=form.contact_details(),
        language=request.LANGUAGE_CODE,
        advice=advice,
        address=client_address(request),
        inbox_url=request.build_absolute_uri(reverse("billing:inbox")),
    )
    nudge_outbox()
    return redirect("billing:asked")


@require_safe
def asked(request: HttpRequest) -> HttpResponse:
    """Thanks, and what happens next."""
    return render(request, "billing/asked.html")
