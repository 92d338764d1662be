"""The customer's page behind a signed link: look, download, accept, decline, ask. No login, nothing to guess, nothing that leaks."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from billing.actions.decision import NotOpen, Visitor, link_seen, quote_accept, quote_decline, quote_question
from billing.documents.pdf import quote_pdf
from billing.documents.xlsx import quote_xlsx
from billing.forms import AcceptForm, DeclineForm, QuestionForm
from billing.lifecycle import State, local_date
from billing.models import QuoteLink, Seller
from billing.tasks import nudge_outbox
from billing.views.access import client_address, hidden_from_others
from billing.views.files import pdf_response, xlsx_response
from billing.words import CLOSED, OPEN
from catalog.limits import Limit, TooMany, visitor

QUESTIONS = Limit("offer-question", most=5, seconds=3600)
"""Of one quotation: each is a mail to the salesperson."""
ASKERS = Limit("offer-asker", most=20, seconds=3600)
"""Of one network, whatever the quotation."""


def _link(token: str, now: datetime) -> QuoteLink:
    """The link of the address. A wrong, revoked or too old one is the same 404: nothing can be learnt by trying."""
    link = QuoteLink.objects.by_token(token)
    if link is None or not link.works_at(now):
        raise Http404
    return link


def _standing(link: QuoteLink, now: datetime) -> str:
    """What this link's revision is: `superseded`, or the state of its quotation at `now`."""
    quote = link.revision.quote
    if quote.current_id != link.revision_id:
        return "superseded"
    return quote.state_at(now, Seller.objects.current().timezone).value


def _context(link: QuoteLink, now: datetime, **more: Any) -> dict[str, Any]:
    standing = _standing(link, now)
    today = local_date(now, Seller.objects.current().timezone)
    return {
        "link": link,
        "doc": link.revision.snapshot,
        "standing": standing,
        "is_open": standing == State.SENT,
        "open_words": OPEN if standing == State.SENT else "",  # stands on the paper, so in the quotation's language
        "closed_words": "" if standing == State.SENT else CLOSED.get(standing, CLOSED["not-sent"]),
        "days_left": (link.revision.valid_until - today).days,
        "decision": getattr(link.revision, "decision", None),
        "question": QuestionForm(),
        **more,
    }


def _visitor(request: HttpRequest) -> Visitor:
    return Visitor(address=client_address(request), user_agent=request.headers.get("User-Agent", ""))


# The address itself is the secret that allows posts here, and a page without referrer sends `Origin: null`: a token adds nothing.
# Where there is nothing to post to, the answer is then 405 and not a talk of forms.
@csrf_exempt
@require_safe
@hidden_from_others
def offer(request: HttpRequest, token: str) -> HttpResponse:
    """The quotation as it was sent."""
    now = timezone.now()
    link = _link(token, now)
    link_seen(link=link, now=now)
    return render(request, "billing/offer.html", _context(link, now))


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@hidden_from_others
def accept(request: HttpRequest, token: str) -> HttpResponse:
    """Accept with a name; a second time changes nothing and says who accepted when."""
    now = timezone.now()
    link = _link(token, now)
    form = AcceptForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            quote_accept(link=link, name=form.cleaned_data["name"], visitor=_visitor(request), now=now)
        except NotOpen:
            return render(request, "billing/offer.html", _context(_link(token, now), now), status=409)
        nudge_outbox()
        return redirect("billing:offer", token=token)
    context = _context(link, now, form=form)
    if not context["is_open"]:
        return redirect("billing:offer", token=token)
    return render(request, "billing/accept.html", context, status=422 if form.errors else 200)


@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@hidden_from_others
def decline(request: HttpRequest, token: str) -> HttpResponse:
    """Decline, with a reason if there is one."""
    now = timezone.now()
    link = _link(token, now)
    form = DeclineForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            quote_decline(link=link, **form.cleaned_data, visitor=_visitor(request), now=now)
        except NotOpen:
            return render(request, "billing/offer.html", _context(_link(token, now), now), status=409)
        nudge_outbox()
        return redirect("billing:offer", token=token)
    context = _context(link, now, form=form)
    if not context["is_open"]:
        return redirect("billing:offer", token=token)
    return render(request, "billing/decline.html", context, status=422 if form.errors else 200)


@csrf_exempt
@require_http_methods(["POST"])
@hidden_from_others
def question(request: HttpRequest, token: str) -> HttpResponse:
    """A question or a wish for changes; works as long as the link does."""
    now = timezone.now()
    link = _link(token, now)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return render(request, "billing/offer.html", _context(link, now, question=form), status=422)
    try:
        QUESTIONS.look(str(link.revision.quote_id))
        ASKERS.hold(visitor(request))
        QUESTIONS.count(str(link.revision.quote_id))
    except TooMany as refused:
        response = render(request, "billing/offer.html", _context(link, now, question=form, too_many=True), status=429)
        response["Retry-After"] = str(refused.seconds)
        return response
    try:
        quote_question(link=link, text=form.cleaned_data["msg"], now=now)
    except NotOpen:
        raise Http404 from None
    nudge_outbox()
    messages.success(request, _("Thank you. Sales will answer within one working day."))
    return redirect(reverse("billing:offer", args=[token]) + "#main")  # the form's own #ask would hide the message


@csrf_exempt
@require_safe
@hidden_from_others
def file(request: HttpRequest, token: str, kind: str) -> HttpResponse:
    """PDF or XLSX of the revision, from its snapshot."""
    link = _link(token, timezone.now())
    doc = link.revision.snapshot or {}
    return pdf_response(doc, quote_pdf(doc)) if kind == "pdf" else xlsx_response(doc, quote_xlsx(doc))
