"""Making and editing a draft: one form, totals that follow, the second of two editors is told and loses nothing."""

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from billing.actions.quote import AlreadyMade, EditConflict, quote_create, quote_save
from billing.document import document_of, draft_document
from billing.drafts import contact_of, head_of, lines_of
from billing.editor import Editor
from billing.lifecycle import State, StepRefused, Verb, may
from billing.models import Quote, QuoteRequest
from billing.models.choices import Language
from billing.policy import deepest_discount_percent, needs_approval, sells_unlisted
from billing.queries import authority_of
from billing.revision_diff import Difference, revision_differences
from billing.typed import form_key, whole_number
from billing.views.access import staff, staff_only, visible_quote
from billing.wording import plain_text
from billing.words import difference_words


def _totals(editor: Editor, request: HttpRequest) -> dict[str, Any]:
    """What the valid draft comes to, for the panel that follows the typing."""
    head, lines = editor.head_values, editor.line_values
    discount = deepest_discount_percent(head.offer(lines))
    authority = authority_of(staff(request))
    unlisted = sells_unlisted(lines)
    return {
        "doc": draft_document(editor.quote, head, lines, editor.contact_values),
        "discount": plain_text(discount),
        "limit": plain_text(authority.limit_percent),
        "unlisted": unlisted,
        "needs_approval": needs_approval(discount, unlisted, authority),
    }


def _page(request: HttpRequest, editor: Editor, status: int = 200, **more: Any) -> HttpResponse:
    quote = editor.quote
    context = {
        "nav": "quotes",
        "at": "" if quote else "new",
        "editor": editor,
        "quote": quote,
        "asked": editor.asked,
        "version": quote.version if quote else 0,
        "key": form_key(request.POST.get("key", "")) or uuid4(),
        "problems": editor.problems() if status == 422 else [],
        **more,
    }
    return render(request, "billing/edit.html", context, status=status)


def _preview(request: HttpRequest, editor: Editor) -> HttpResponse:
    valid = editor.adds_up()
    context = _totals(editor, request) if valid else {"problems": editor.problems(with_contact=False)}
    status = 200 if valid else 422
    if request.headers.get("HX-Request") and not request.headers.get("HX-History-Restore-Request"):
        return render(request, "billing/_draft_totals.html", context, status=status)
    return _page(request, editor, status, **context)


def _differences(saved: Quote, editor: Editor) -> tuple[Difference, ...]:
    """What the form says otherwise than what is saved."""
    theirs = head_of(saved.revision), lines_of(saved.revision), contact_of(saved.customer)
    return revision_differences(theirs, (editor.head_values, tuple(editor.line_values), editor.contact_values))


def _conflict(request: HttpRequest, editor: Editor, conflict: EditConflict) -> HttpResponse:
    """What somebody else saved, beside what was typed here; saving again knows of it."""
    newer = conflict.quote
    context = {
        "conflict": newer.audit.first(),
        "differences": [difference_words(item) for item in _differences(newer, editor)],
        "version": newer.version,
    }
    return _page(request, editor, 409, **context)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def new(request: HttpRequest) -> HttpResponse:
    """A new quotation, from scratch or from a request (`?request=`)."""
    asked = None
    if pk := request.GET.get("request", ""):
        rows = QuoteRequest.objects.visible_to(staff(request))
        asked = get_object_or_404(rows, pk=whole_number(pk))
    posted = request.POST if request.method == "POST" else None
    editor = Editor(asked=asked, posted=posted, language=Language.nearest(request.LANGUAGE_CODE))
    if posted is None or editor.do.startswith("add-"):
        return _page(request, editor)
    if editor.do == "preview":
        return _preview(request, editor)
    if not editor.is_valid():
        return _page(request, editor, 422)
    try:
        quote = quote_create(
            by=staff(request),
            contact=editor.contact_values,
            head=editor.head_values,
            lines=editor.line_values,
            now=timezone.now(),
            request=asked,
            scenario=asked.scenario if asked else "",
            advice=asked.advice if asked else None,
            catalogue_version=editor.catalogue_version,
            form_key=form_key(posted.get("key", "")),
        )
    except AlreadyMade as made:
        quote = made.quote
        if _differences(quote, editor):
            return _page(request, editor, 409, already=quote, key=uuid4())
    messages.success(request, _("Quotation %(number)s is saved as a draft.") % {"number": quote.number})
    return redirect("billing:quote", number=quote.number)


@require_http_methods(["GET", "HEAD", "POST"])
@staff_only
def edit(request: HttpRequest, number: str) -> HttpResponse:
    """Edit a draft (or one that was approved: the approval is then void)."""
    quote = visible_quote(request, number)
    if not may(State(quote.state), Verb.EDIT):
        return _no_draft(request, quote)
    posted = request.POST if request.method == "POST" else None
    editor = Editor(quote=quote, posted=posted, language=Language.nearest(request.LANGUAGE_CODE))
    version = posted.get("version", "") if posted is not None else ""
    if posted is None:
        return _page(request, editor, doc=document_of(quote.revision))
    if editor.do.startswith("add-"):
        return _page(request, editor, version=version)
    if editor.do == "preview":
        return _preview(request, editor)
    if not editor.is_valid():
        return _page(request, editor, 422, version=version)
    try:
        quote_save(
            quote=quote,
            expected_version=whole_number(version),
            by=staff(request),
            contact=editor.contact_values,
            head=editor.head_values,
            lines=editor.line_values,
            now=timezone.now(),
            catalogue_version=editor.catalogue_version,
        )
    except EditConflict as conflict:
        return _conflict(request, editor, conflict)
    except StepRefused:
        return _no_draft(request, Quote.objects.get(pk=quote.pk))
    messages.success(request, _("Saved."))
    return redirect("billing:quote", number=number)


def _no_draft(request: HttpRequest, quote: Quote) -> HttpResponse:
    messages.warning(
        request,
        _("%(number)s is no draft: %(state)s. To change it, begin a new revision.")
        % {"number": quote.number, "state": quote.get_state_display()},
    )
    return redirect("billing:quote", number=quote.number)
