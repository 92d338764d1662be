"""Asking for a quotation: from a result, or plainly. No account; a trap, a rate limit and consent."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from billing.actions.quote_request import quote_request_create
from billing.asking import AdviceUnreadable, read_advice
from billing.forms import AskForm
from billing.models.choices import Language
from billing.tasks import nudge_outbox
from billing.views.access import client_address
from billing.words import advice_in_words
from catalog.limits import Limit, TooMany, visitor

ASKING = Limit("asking", most=10, seconds=3600)


@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form with the answer it is about; a post with `contact` sends it, a post without shows the form (as from a result).

    A post with `switch` comes from this form in another language: what was typed and the answer go along, nothing is sent.
    """
    try:
        advice = read_advice(request.POST.get("advice", ""))
    except AdviceUnreadable:
        return render(request, "billing/ask.html", {"form": AskForm(), "unreadable": True}, status=422)
    shown = advice_in_words(advice, request.LANGUAGE_CODE)
    if "contact" not in request.POST or "switch" in request.POST:
        form = AskForm(initial=request.POST.dict())
        return render(request, "billing/ask.html", {"form": form, "advice": shown})
    form = AskForm(request.POST)
    if not form.is_valid():
        return render(request, "billing/ask.html", {"form": form, "advice": shown}, status=422)
    if form.is_robot:
        return redirect("billing:asked")
    try:
        ASKING.hold(visitor(request))
    except TooMany as refused:
        response = render(request, "billing/ask.html", {"form": form, "advice": shown, "too_many": True}, status=429)
        response["Retry-After"] = str(refused.seconds)
        return response
    quote_request_create(
        contact=form.contact_details(),
        language=Language.nearest(request.LANGUAGE_CODE),
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
