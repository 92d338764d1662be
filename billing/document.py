"""The document of a quotation, wherever it is shown: the frozen snapshot once there is one, the same form made on the fly before."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from billing.drafts import contact_of, head_of, lines_of
from billing.lifecycle import local_date
from billing.models import Quote, Revision, Seller
from billing.offer import Contact, Head, OfferLine
from billing.quote_snapshot import build_snapshot


def draft_document(quote: Quote | None, head: Head, lines: Sequence[OfferLine], contact: Contact) -> dict[str, Any]:
    """What these values would say if they were sent today."""
    seller = Seller.objects.current()
    revision = quote.revision if quote else None
    return build_snapshot(
        number=quote.number if quote else "",
        revision_number=revision.number if revision else 1,
        issued_on=local_date(timezone.now(), seller.timezone),
        head=head,
        lines=lines,
        contact=contact,
        seller={"name": seller.said("name", head.language), "email": seller.email, "timezone": seller.timezone},
        advice=revision.advice if revision else None,
        catalogue_version=revision.catalogue_version if revision else 0,
    )


def document_of(revision: Revision) -> dict[str, Any]:
    """The document of a stored revision."""
    if revision.snapshot is not None:
        return dict(revision.snapshot)
    quote = revision.quote
    quote.current = revision
    return draft_document(quote, head_of(revision), lines_of(revision), contact_of(quote.customer))
