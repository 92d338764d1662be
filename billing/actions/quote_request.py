"""Writes of the sales inbox."""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from billing.actions.trail import post_mail, post_staff_mail, record
from billing.models import QuoteRequest, Seller
from billing.models.choices import Scenario


@transaction.atomic
def quote_request_create(
    *,
    contact: Mapping[str, str],
    language: str,
    advice: Mapping[str, Any] | None,
    address: str | None,
    inbox_url: str,
) -> QuoteRequest:
    """A customer asks: keep contact, consent and the whole advice; tell the customer and the sales address.

    `contact`: organisation, contact, email, phone, message. `inbox_url`: where staff find their inbox.
    """
    scenario = str((advice or {}).get("scenario", ""))
    request = QuoteRequest.objects.create(
        **contact,
        language=language,
        consented_at=timezone.now(),
        address=address,
        scenario=scenario if scenario in Scenario.values else "",
        advice=dict(advice) if advice else None,
    )
    record(verb="asked", by=None, who=request.contact, request=request)
    seller = Seller.objects.current()
    about = {"request": request, "seller": seller, "advice": advice, "inbox_url": inbox_url}
    post_mail(template="request_received", to=request.email, language=language, context=about, request=request)
    post_staff_mail(template="request_arrived", context=about, request=request)
    return request


@transaction.atomic
def quote_request_take(*, request: QuoteRequest, by: User) -> bool:
    """Take a request nobody has; False where a colleague was faster."""
    taken = QuoteRequest.objects.filter(pk=request.pk, owner=None, state=QuoteRequest.State.NEW).update(
        owner=by, state=QuoteRequest.State.TAKEN
    )
    if taken:
        record(verb="taken", by=by, request=request)
    return taken == 1


@transaction.atomic
def quote_request_close(*, request: QuoteRequest, by: User, reason: str) -> None:
    """Close a request without a quotation."""
    locked = QuoteRequest.objects.select_for_update().get(pk=request.pk)
    locked.state = QuoteRequest.State.CLOSED
    locked.owner_id = locked.owner_id or by.pk
    locked.save(update_fields=["state", "owner"])
    record(verb="closed", by=by, request=locked, details={"reason": reason})
