"""Making quotations and editing drafts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.auth.models import User
from django.db import transaction

from billing.actions.trail import record
from billing.drafts import contact_of, customer_row, head_of, lines_of, write_revision
from billing.lifecycle import State, Verb, local_date, move
from billing.models import NumberSequence, Quote, QuoteRequest, Revision, Seller
from billing.offer import Contact, Head, OfferLine
from billing.revision_diff import revision_differences


class EditConflict(Exception):
    """Somebody else wrote in between; `quote` is as it stands now."""

    def __init__(self, quote: Quote) -> None:
        super().__init__(f"{quote.number} has version {quote.version} by now")
        self.quote = quote


class AlreadyMade(Exception):
    """The form made a quotation before; `quote` is that one."""

    def __init__(self, quote: Quote) -> None:
        super().__init__(f"{quote.number} is of the same form")
        self.quote = quote


@transaction.atomic
def quote_create(
    *,
    by: User,
    contact: Contact,
    head: Head,
    lines: Sequence[OfferLine],
    now: datetime,
    request: QuoteRequest | None = None,
    scenario: str = "",
    advice: Mapping[str, Any] | None = None,
    catalogue_version: int = 0,
    form_key: UUID | None = None,
) -> Quote:
    """A new draft with the next number of the year.

    Raises CostingErrors where its lines cannot be added up, AlreadyMade where the form with this key made one before.
    """
    day = local_date(now, Seller.objects.current().timezone)
    customer = customer_row(contact)
    sequence = NumberSequence.objects.next(day.year)  # from here on who writes at the same time waits
    if form_key and (made := Quote.objects.filter(owner=by, form_key=form_key).first()):
        raise AlreadyMade(made)
    quote = Quote.objects.create(
        number=f"Q-{day.year}-{sequence:04d}",
        year=day.year,
        sequence=sequence,
        customer=customer,
        owner=by,
        request=request,
        scenario=scenario,
        form_key=form_key,
    )
    revision = Revision(
        quote=quote,
        number=1,
        issued_on=day,
        created_by=by,
        advice=dict(advice) if advice else None,
        catalogue_version=catalogue_version,
    )
    write_revision(revision, head, lines)
    quote.current = revision
    quote.save(update_fields=["current"])
    if request:
        QuoteRequest.objects.filter(pk=request.pk).update(state=QuoteRequest.State.QUOTED, owner=by)
        record(verb="quoted", by=by, request=request, details={"quote": quote.number})
    record(verb="created", by=by, quote=quote, details={"gross": str(revision.gross), "currency": head.currency})
    return quote


def lock_quote(pk: int) -> Quote:
    """The quotation with its row locked to the end of the transaction."""
    return Quote.objects.select_for_update(of=("self",)).select_related("current", "customer").get(pk=pk)


@transaction.atomic
def quote_save(
    *,
    quote: Quote,
    expected_version: int,
    by: User,
    contact: Contact,
    head: Head,
    lines: Sequence[OfferLine],
    now: datetime,
    catalogue_version: int,
) -> Quote:
    """Save an edited draft; an approval given before is void.

    Raises EditConflict where the version is no longer the expected one, StepRefused where the quotation is no draft any more,
    CostingErrors where the lines cannot be added up.
    """
    locked = lock_quote(quote.pk)
    if locked.version != expected_version:
        raise EditConflict(locked)
    locked.state = move(State(locked.state), Verb.EDIT)
    revision = locked.revision
    before = head_of(revision), lines_of(revision), contact_of(locked.customer)
    revision.issued_on = local_date(now, Seller.objects.current().timezone)
    revision.catalogue_version = catalogue_version
    write_revision(revision, head, lines)
    locked.customer = customer_row(contact)
    locked.version += 1
    locked.save()
    changed = revision_differences(before, (head, tuple(lines), contact))
    record(verb="edited", by=by, quote=locked, details={"changed": [change.as_dict() for change in changed]})
    return locked


@transaction.atomic
def quote_duplicate(
    *,
    quote: Quote,
    by: User,
    head: Head,
    lines: Sequence[OfferLine],
    now: datetime,
    catalogue_version: int,
) -> Quote:
    """A new quotation like another, with the lines given (today's prices); what differs stands in its audit trail."""
    source = quote.revision
    copy = quote_create(
        by=by,
        contact=contact_of(quote.customer),
        head=head,
        lines=lines,
        now=now,
        scenario=quote.scenario,
        advice=source.advice,
        catalogue_version=catalogue_version,
    )
    contact = contact_of(quote.customer)
    changed = revision_differences((head_of(source), lines_of(source), contact), (head, tuple(lines), contact))
    record(
        verb="duplicated",
        by=by,
        quote=copy,
        details={"from": quote.number, "changed": [change.as_dict() for change in changed]},
    )
    return copy
