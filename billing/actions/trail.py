"""What every action leaves behind in its own transaction: an audit entry, and mails for the outbox."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.translation import override

from billing.models import AuditEntry, OutboxMail, Quote, QuoteRequest, Seller

CLOCK = "clock"


def record(
    *,
    verb: str,
    by: User | None,
    who: str = "",
    quote: Quote | None = None,
    request: QuoteRequest | None = None,
    details: Mapping[str, Any] | None = None,
) -> AuditEntry:
    """Write one audit entry. `who` names a customer or the clock where no member of staff acts."""
    return AuditEntry.objects.create(
        verb=verb,
        actor=by,
        who=(by.get_username() if by else who)[:160],
        quote=quote,
        request=request,
        details=dict(details or {}),
    )


def post_staff_mail(
    *,
    template: str,
    context: Mapping[str, Any],
    owner: User | None = None,
    quote: Quote | None = None,
    request: QuoteRequest | None = None,
) -> OutboxMail | None:
    """A mail to the salesperson, or to the sales address: in the shop's own language, whatever the customer's is."""
    seller = Seller.objects.current()
    to = (owner.email if owner else "") or seller.email
    return post_mail(template=template, to=to, language=seller.language, context=context, quote=quote, request=request)


def post_mail(
    *,
    template: str,
    to: str,
    language: str,
    context: Mapping[str, Any],
    quote: Quote | None = None,
    request: QuoteRequest | None = None,
) -> OutboxMail | None:
    """Put one mail into the outbox; the first line of the template is its subject. No address: no mail."""
    if not to:
        return None
    with override(language):
        text = render_to_string(f"billing/mail/{template}.txt", dict(context)).strip()
    subject, _newline, body = text.partition("\n")
    return OutboxMail.objects.create(
        recipient=to,
        subject=" ".join(subject.split())[:250],
        body=body.strip() + "\n",
        quote=quote,
        request=request,
        due_at=timezone.now(),
    )
