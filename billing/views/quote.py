"""One quotation for staff: the document, where it stands, its steps, links, mails and history; files; differences."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import ROUND_DOWN
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_POST, require_safe

from billing.actions.outbox_mail import mail_send_again
from billing.actions.quote import EditConflict, quote_duplicate
from billing.actions.step import (
    LINK_LIFE_AFTER_VALIDITY,
    CannotSend,
    link_renew,
    link_revoke,
    quote_approve,
    quote_return,
    quote_revise,
    quote_send,
    quote_submit,
    quote_withdraw,
)
from billing.document import document_of
from billing.documents.pdf import quote_pdf
from billing.documents.xlsx import quote_xlsx
from billing.drafts import contact_of, head_of, lines_of
from billing.forms import ReasonForm
from billing.lifecycle import STAFF_VERBS, State, StepRefused, Verb, end_of_validity, local_date, may
from billing.line_pricing import priced_line
from billing.models import OutboxMail, Quote, QuoteLink, Revision, Seller
from billing.models.choices import QuoteState
from billing.offer import DISCOUNT_STEP, Head, OfferLine
from billing.policy import needs_approval, sells_unlisted
from billing.queries import authority_of, catalogue_of
from billing.revision_diff import Version, revision_differences
from billing.tasks import nudge_outbox
from billing.typed import whole_number
from billing.views.access import staff, staff_only, visible_quote
from billing.views.files import pdf_response, xlsx_response
from billing.wording import plain_text
from billing.words import DONE, REFUSALS, STEPS, difference_words

MANAGER_VERBS = (Verb.APPROVE, Verb.RETURN)


def link_url(request: HttpRequest, link: QuoteLink) -> str:
    """The address a customer gets, in the language of the quotation."""
    with override(link.revision.language):
        return request.build_absolute_uri(reverse("billing:offer", args=[link.token]))


def _over(quote: Quote, request: HttpRequest) -> bool:
    """Whether this person would have to ask before sending it."""
    unlisted = sells_unlisted(lines_of(quote.revision))
    return needs_approval(quote.revision.discount_percent, unlisted, authority_of(staff(request)))


def _steps(quote: Quote, state: State, request: HttpRequest) -> list[dict[str, object]]:
    """Buttons that make sense now for this person."""
    user = staff(request)
    over = _over(quote, request)
    found = []
    for verb in STAFF_VERBS:
        if not may(state, verb):
            continue
        if verb in MANAGER_VERBS and not user.has_perm("billing.approve_quote"):
            continue
        if verb is Verb.SUBMIT and not over:
            continue
        if verb is Verb.SEND and state is State.DRAFT and over:
            continue
        if verb is Verb.WITHDRAW:
            continue  # irreversible: stands apart, with a reason
        found.append({"verb": verb.value, "words": STEPS[verb.value]})
    return found


def _wanted_revision(row: Quote, request: HttpRequest) -> Revision:
    """The current revision, or the older one of `?revision=1`."""
    wanted = request.GET.get("revision", "")
    if not wanted:
        return row.revision
    return get_object_or_404(row.revisions, number=whole_number(wanted))


@require_safe
@staff_only
def quote(request: HttpRequest, number: str) -> HttpResponse:
    """The quotation with everything around it."""
    row = visible_quote(request, number)
    shown = _wanted_revision(row, request)
    seller = Seller.objects.current()
    now = timezone.now()
    state = row.state_at(now, seller.timezone)
    links = QuoteLink.objects.filter(revision=row.revision, revoked_at=None, expires_at__gt=now).select_related(
        "revision"
    )
    context = {
        "nav": "quotes",
        "quote": row,
        "revision": row.revision,
        "shown": shown,
        "doc": document_of(shown),
        "state": state.value,
        "state_words": QuoteState(state.value).label,
        "steps": _steps(row, state, request),
        "may_edit": may(state, Verb.EDIT),
        "may_withdraw": may(state, Verb.WITHDRAW),
        "discount": plain_text(row.revision.discount_percent),
        "over_limit": _over(row, request),
        "unlisted": sells_unlisted(lines_of(row.revision)),
        "links": [{"url": link_url(request, link), "link": link} for link in links] if row.revision.frozen_at else [],
        "mails": row.mails.all()[:20],
        "decision": row.decisions.order_by("-pk").first(),
        "revisions": row.revisions.order_by("-number"),
        "audit": [{"entry": entry, "words": DONE.get(entry.verb, entry.verb)} for entry in row.audit.all()[:50]],
    }
    return render(request, "billing/quote.html", context)


def _todays(quote: Quote) -> tuple[Head, tuple[OfferLine, ...], int]:
    """Head and lines of a quotation with validity counted from today and today's prices, and the catalogue's version."""
    seller = Seller.objects.current()
    catalogue = catalogue_of(quote.revision.currency)
    head = _fresh_validity(head_of(quote.revision), seller)
    lines = tuple(_bounded(priced_line(line, catalogue, head)) for line in lines_of(quote.revision))
    return head, lines, catalogue.version


def _bounded(line: OfferLine) -> OfferLine:
    """A fixed discount on yesterday's price may be more than the line costs today."""
    return replace(
        line, discount_amount=min(line.discount_amount, line.before_fixed_discount.quantize(DISCOUNT_STEP, ROUND_DOWN))
    )


def _fresh_validity(head: Head, seller: Seller) -> Head:
    today = local_date(timezone.now(), seller.timezone)
    values = {name: getattr(head, name) for name in head.__slots__} | {
        "valid_until": max(head.valid_until, today + timedelta(days=seller.validity_days))
    }
    return Head(**values)


def _revise(row: Quote, request: HttpRequest, version: int) -> None:
    """A new revision keeps its prices unless the form asks for today's."""
    head, lines, catalogue_version = _todays(row)
    if request.POST.get("prices") != "today":
        lines, catalogue_version = lines_of(row.revision), row.revision.catalogue_version
    quote_revise(
        quote=row,
        by=staff(request),
        expected_version=version,
        now=timezone.now(),
        head=head,
        lines=lines,
        catalogue_version=catalogue_version,
    )


def _take(row: Quote, verb: str, request: HttpRequest, version: int, reason: str) -> None:
    """One step. Raises what the actions raise."""
    by = staff(request)
    authority = authority_of(by)
    common: dict[str, Any] = {"quote": row, "by": by, "expected_version": version}
    here = request.build_absolute_uri(reverse("billing:quote", args=[row.number]))
    steps: dict[str, Callable[[], object]] = {
        "submit": lambda: quote_submit(**common, quote_url=here),
        "approve": lambda: quote_approve(**common, authority=authority),
        "return": lambda: quote_return(**common, reason=reason),
        "send": lambda: quote_send(
            **common, authority=authority, now=timezone.now(), link_address=lambda link: link_url(request, link)
        ),
        "withdraw": lambda: quote_withdraw(**common, now=timezone.now(), reason=reason),
        "revise": lambda: _revise(row, request, version),
    }
    if verb not in steps:
        raise Http404
    steps[verb]()


@require_POST
@staff_only
def step(request: HttpRequest, number: str) -> HttpResponse:
    """Take one step of the transition table; a refusal says why and changes nothing."""
    row = visible_quote(request, number)
    verb = request.POST.get("verb", "")
    if verb in MANAGER_VERBS and not staff(request).has_perm("billing.approve_quote"):
        return _refused(request, number, "over-limit")
    version = request.POST.get("version", "")
    form = ReasonForm(request.POST)
    reason = form.cleaned_data["reason"] if form.is_valid() else ""
    try:
        _take(row, verb, request, whole_number(version), reason)
    except CannotSend as refusal:
        return _refused(request, number, refusal.code)
    except EditConflict:
        return _refused(request, number, "changed")
    except StepRefused:
        return _refused(request, number, "step")
    nudge_outbox()
    if verb == Verb.REVISE:
        return redirect("billing:edit", number=number)
    messages.success(request, _("Done: %(step)s.") % {"step": STEPS[verb]})
    return redirect("billing:quote", number=number)


def _refused(request: HttpRequest, number: str, code: str) -> HttpResponse:
    messages.error(request, str(REFUSALS[code]))
    return redirect("billing:quote", number=number)


@require_POST
@staff_only
def duplicate(request: HttpRequest, number: str) -> HttpResponse:
    """A new draft like this one at today's prices; the next page says what differs."""
    row = visible_quote(request, number)
    head, lines, catalogue_version = _todays(row)
    copy = quote_duplicate(
        quote=row, by=staff(request), head=head, lines=lines, now=timezone.now(), catalogue_version=catalogue_version
    )
    messages.success(
        request,
        _("%(copy)s is a copy of %(number)s at today's prices. What differs stands below.")
        % {"copy": copy.number, "number": number},
    )
    return redirect(f"{reverse('billing:differences', args=[copy.number])}?from={number}")


@require_safe
@staff_only
def differences(request: HttpRequest, number: str) -> HttpResponse:
    """What differs from an older revision (`?with=1`; default: the one before) or from another quotation (`?from=Q-...`)."""
    row = visible_quote(request, number)
    newer = row.revision
    if other := request.GET.get("from"):
        older = visible_quote(request, other).revision
    else:
        wanted = request.GET.get("with", str(newer.number - 1))
        older = get_object_or_404(row.revisions, number=whole_number(wanted))
    found = revision_differences(_version(older), _version(newer))
    context = {
        "nav": "quotes",
        "quote": row,
        "older": _named(older, row),
        "newer": _named(newer, row),
        "differences": [difference_words(item) for item in found],
    }
    return render(request, "billing/differences.html", context)


def _named(revision: Revision, quote: Quote) -> str:
    """A revision in words; with the number where it is another quotation's."""
    words = _("Revision %(n)d") % {"n": revision.number}
    return words if revision.quote_id == quote.pk else f"{revision.quote.number} · {words}"


def _version(revision: Revision) -> Version:
    return head_of(revision), lines_of(revision), contact_of(revision.quote.customer)


@require_POST
@staff_only
def link(request: HttpRequest, number: str) -> HttpResponse:
    """Revoke the customer's links, or revoke them and make a new one."""
    row = visible_quote(request, number)
    if row.revision.frozen_at is None:
        return _refused(request, number, "step")
    now = timezone.now()
    if request.POST.get("do") == "renew":
        end = end_of_validity(row.revision.valid_until, Seller.objects.current().timezone)
        link_renew(quote=row, by=staff(request), now=now, expires_at=max(end, now) + LINK_LIFE_AFTER_VALIDITY)
        messages.success(request, _("There is a new customer link; the old ones no longer work."))
    else:
        link_revoke(quote=row, by=staff(request), now=now)
        messages.success(request, _("The customer link no longer works."))
    return redirect("billing:quote", number=number)


@require_POST
@staff_only
def mail_again(request: HttpRequest, number: str, pk: int) -> HttpResponse:
    """Send again what was given up or perhaps sent: a person decides."""
    row = visible_quote(request, number)
    letter = get_object_or_404(OutboxMail, pk=pk, quote=row)
    if mail_send_again(mail=letter, by=staff(request), now=timezone.now()):
        nudge_outbox()
        messages.success(request, _("The mail will be sent again."))
    return redirect("billing:quote", number=number)


@require_safe
@staff_only
def file(request: HttpRequest, number: str, kind: str) -> HttpResponse:
    """PDF or XLSX of a revision; a draft says that it is one."""
    row = visible_quote(request, number)
    shown = _wanted_revision(row, request)
    doc = document_of(shown)
    draft = shown.frozen_at is None
    return pdf_response(doc, quote_pdf(doc, draft=draft)) if kind == "pdf" else xlsx_response(doc, quote_xlsx(doc))
