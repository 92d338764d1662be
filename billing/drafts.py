"""Between rows and plain values: the lines of a revision as an Offer, an Offer as rows, and the values of a head."""

from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from typing import cast

from billing.models import Customer, QuoteLine, Revision
from billing.offer import Contact, Head, LineKind, Offer, OfferLine
from billing.policy import deepest_discount_percent

HEAD_FIELDS = tuple(field.name for field in fields(Head))
LINE_FIELDS = tuple(field.name for field in fields(OfferLine))


def customer_row(contact: Contact) -> Customer:
    """The customer with exactly these words; customers' rows are never changed, so old quotations keep theirs."""
    found = Customer.objects.filter(**asdict(contact)).order_by("pk").first()
    return found or Customer.objects.create(**asdict(contact))


def head_of(revision: Revision) -> Head:
    """The head of a stored revision."""
    return Head(**{name: getattr(revision, name) for name in HEAD_FIELDS})


def contact_of(customer: Customer) -> Contact:
    """The words of a stored customer."""
    return Contact(**{field.name: getattr(customer, field.name) for field in fields(Contact)})


def line_of(row: QuoteLine) -> OfferLine:
    """A stored line as plain values."""
    line = OfferLine(**{name: getattr(row, name) for name in LINE_FIELDS})
    return replace(line, kind=cast(LineKind, row.kind))


def lines_of(revision: Revision) -> tuple[OfferLine, ...]:
    """The lines of a stored revision in their order."""
    return tuple(map(line_of, revision.lines.order_by("position")))


def offer_of(revision: Revision) -> Offer:
    """A stored revision as plain values."""
    return head_of(revision).offer(lines_of(revision))


def write_revision(revision: Revision, head: Head, lines: Sequence[OfferLine]) -> None:
    """Store head, lines and what they come to. Only inside a transaction that holds the quotation's lock or created it.

    Raises CostingErrors where the lines cannot be added up, or may not be offered.
    """
    offer = head.offer(lines)
    offer.check()
    total = offer.totals().total
    for name in HEAD_FIELDS:
        setattr(revision, name, getattr(head, name))
    revision.net, revision.tax, revision.gross = total.net, total.tax, total.gross
    revision.discount_percent = deepest_discount_percent(offer)
    revision.save()
    revision.lines.all().delete()
    QuoteLine.objects.bulk_create(
        QuoteLine(revision=revision, position=position, **{name: getattr(line, name) for name in LINE_FIELDS})
        for position, line in enumerate(lines, start=1)
    )
