"""The sales inbox: requests that came in, who takes them."""

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from billing.actions.quote_request import quote_request_close, quote_request_take
from billing.forms import ReasonForm
from billing.models import QuoteRequest
from billing.views.access import staff, staff_only
from billing.words import advice_in_words

PAGE_SIZE = 25


@require_safe
@staff_only
def inbox(request: HttpRequest) -> HttpResponse:
    """Open requests first; `?state=all` shows the rest too."""
    everything = request.GET.get("state") == "all"
    rows = QuoteRequest.objects.visible_to(staff(request)).select_related("owner")
    page = Paginator(rows if everything else rows.open(), PAGE_SIZE).get_page(request.GET.get("page"))
    return render(
        request, "billing/inbox.html", {"nav": "quotes", "at": "inbox", "page": page, "everything": everything}
    )


@require_safe
@staff_only
def request_page(request: HttpRequest, pk: int) -> HttpResponse:
    """One request with the whole workload and answer."""
    rows = QuoteRequest.objects.visible_to(staff(request)).select_related("owner").prefetch_related("quotes", "audit")
    asked = get_object_or_404(rows, pk=pk)
    context = {"nav": "quotes", "asked": asked, "advice": advice_in_words(asked.advice, request.LANGUAGE_CODE)}
    return render(request, "billing/request.html", context)


@require_POST
@staff_only
def take(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a request; a colleague may have been faster."""
    asked = get_object_or_404(QuoteRequest.objects.visible_to(staff(request)), pk=pk)
    if quote_request_take(request=asked, by=staff(request)):
        messages.success(request, _("The request is yours."))
        return redirect("billing:request", pk=pk)
    messages.warning(request, _("A colleague has taken this request."))
    return redirect("billing:inbox")


@require_POST
@staff_only
def close(request: HttpRequest, pk: int) -> HttpResponse:
    """Close a request without a quotation."""
    asked = get_object_or_404(QuoteRequest.objects.visible_to(staff(request)), pk=pk)
    form = ReasonForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    quote_request_close(request=asked, by=staff(request), reason=reason)
    messages.success(request, _("The request is closed."))
    return redirect("billing:inbox")
