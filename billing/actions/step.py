"""The steps staff and the clock take: ask for approval, approve, return, send, withdraw, revise, expire. Customers' steps: decision.py."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.db import transaction

from billing.actions.quote import EditConflict, lock_quote
from billing.actions.trail import CLOCK, post_mail, post_staff_mail, record
from billing.drafts import contact_of, head_of, lines_of, write_revision
from billing.lifecycle import State, Verb, end_of_validity, has_expired, local_date, move
from billing.models import Quote, QuoteLink, Revision, Seller
from billing.offer import Head, OfferLine
from billing.policy import Authority, needs_approval, sells_unlisted
from billing.quote_snapshot import build_snapshot
from billing.revision_diff import revision_differences
from billing.wording import plain_text

LINK_LIFE_AFTER_VALIDITY = timedelta(days=30)
"""An offer can be looked at a while longer than it can be accepted."""

type LinkAddress = Callable[[QuoteLink], str]


class CannotSend(Exception):
    """The offer must not go out as it is; `code`: needs-approval, over-limit, no-lines, already-over."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def _lock(quote: Quote, expected_version: int) -> Quote:
    locked = lock_quote(quote.pk)
    if locked.version != expected_version:
        raise EditConflict(locked)
    return locked


def _must_ask(revision: Revision, authority: Authority) -> bool:
    return needs_approval(revision.discount_percent, sells_unlisted(lines_of(revision)), authority)


def _step(locked: Quote, verb: Verb, by: User | None, **details: object) -> None:
    before = locked.state
    locked.state = move(State(before), verb)
    locked.version += 1
    locked.save()
    record(
        verb=verb.value,
        by=by,
        who="" if by else CLOCK,
        quote=locked,
        details={"from": before, "to": locked.state, "revision": locked.revision.number, **details},
    )


@transaction.atomic
def quote_submit(*, quote: Quote, by: User, expected_version: int, quote_url: str) -> Quote:
    """Ask a manager to approve a discount over one's own limit."""
    locked = _lock(quote, expected_version)
    _step(locked, Verb.SUBMIT, by, discount_percent=str(locked.revision.discount_percent))
    post_staff_mail(
        template="approval_wanted",
        context={
            "quote": locked,
            "percent": plain_text(locked.revision.discount_percent),
            "by": by,
            "quote_url": quote_url,
        },
        quote=locked,
    )
    return locked


@transaction.atomic
def quote_approve(*, quote: Quote, by: User, expected_version: int, authority: Authority) -> Quote:
    """Approve what somebody submitted. Raises CannotSend over-limit where it is too deep for the approver as well."""
    locked = _lock(quote, expected_version)
    if _must_ask(locked.revision, authority):
        raise CannotSend("over-limit")
    _step(locked, Verb.APPROVE, by, discount_percent=str(locked.revision.discount_percent))
    return locked


@transaction.atomic
def quote_return(*, quote: Quote, by: User, expected_version: int, reason: str = "") -> Quote:
    """Give a submitted draft back without approving it."""
    locked = _lock(quote, expected_version)
    _step(locked, Verb.RETURN, by, reason=reason)
    return locked


@transaction.atomic
def quote_send(
    *,
    quote: Quote,
    by: User,
    expected_version: int,
    authority: Authority,
    now: datetime,
    link_address: LinkAddress,
) -> Quote:
    """Freeze the revision, make the customer's link and put the mail with it into the outbox: one transaction.

    Raises CannotSend, StepRefused, EditConflict.
    """
    locked = _lock(quote, expected_version)
    revision = locked.revision
    seller = Seller.objects.current()
    if State(locked.state) is State.DRAFT and _must_ask(revision, authority):
        raise CannotSend("needs-approval")
    if not revision.lines.exists():
        raise CannotSend("no-lines")
    if has_expired(revision.valid_until, seller.timezone, now):
        raise CannotSend("already-over")
    revision.issued_on = local_date(now, seller.timezone)
    revision.snapshot = build_snapshot(
        number=locked.number,
        revision_number=revision.number,
        issued_on=revision.issued_on,
        head=head_of(revision),
        lines=lines_of(revision),
        contact=contact_of(locked.customer),
        seller={"name": seller.said("name", revision.language), "email": seller.email, "timezone": seller.timezone},
        advice=revision.advice,
        catalogue_version=revision.catalogue_version,
    )
    revision.frozen_at = now
    locked.sent_at = now
    _step(locked, Verb.SEND, by, gross=str(revision.gross), check_code=revision.snapshot["check_code"])
    revision.save()
    link = QuoteLink.objects.create(
        revision=revision,
        expires_at=end_of_validity(revision.valid_until, seller.timezone) + LINK_LIFE_AFTER_VALIDITY,
    )
    post_mail(
        template="quote_sent",
        to=locked.customer.email,
        language=revision.language,
        context={"quote": locked, "snapshot": revision.snapshot, "link_url": link_address(link), "seller": seller},
        quote=locked,
    )
    return locked


@transaction.atomic
def quote_withdraw(*, quote: Quote, by: User, expected_version: int, now: datetime, reason: str = "") -> Quote:
    """Take an offer back; the customer's link then says so."""
    locked = _lock(quote, expected_version)
    locked.closed_at = now
    _step(locked, Verb.WITHDRAW, by, reason=reason)
    return locked


@transaction.atomic
def quote_revise(
    *,
    quote: Quote,
    by: User,
    expected_version: int,
    now: datetime,
    head: Head,
    lines: Sequence[OfferLine],
    catalogue_version: int,
) -> Quote:
    """Begin the next revision from the values given; the one before can no longer be accepted from this moment on.

    A sent offer that has run out in the meantime is first written down as expired.
    """
    locked = _lock(quote, expected_version)
    _expire_if_due(locked, now)
    old = locked.revision
    revision = Revision(
        quote=locked,
        number=old.number + 1,
        issued_on=local_date(now, Seller.objects.current().timezone),
        created_by=by,
        advice=old.advice,
        catalogue_version=catalogue_version,
    )
    write_revision(revision, head, lines)
    contact = contact_of(locked.customer)
    changed = revision_differences((head_of(old), lines_of(old), contact), (head, tuple(lines), contact))
    locked.current = revision
    locked.closed_at = None
    _step(locked, Verb.REVISE, by, changed=[change.as_dict() for change in changed])
    return locked


def _expire_if_due(locked: Quote, now: datetime) -> bool:
    over = locked.state == State.SENT and has_expired(
        locked.revision.valid_until, Seller.objects.current().timezone, now
    )
    if over:
        locked.closed_at = now
        _step(locked, Verb.EXPIRE, None)
    return over


@transaction.atomic
def quote_expire(*, quote_id: int, now: datetime) -> bool:
    """Write down that an offer has run out; False where it has not, or somebody else already did."""
    return _expire_if_due(lock_quote(quote_id), now)


@transaction.atomic
def link_renew(*, quote: Quote, by: User, now: datetime, expires_at: datetime) -> QuoteLink:
    """Revoke every link of the sent revision and make a new one."""
    locked = lock_quote(quote.pk)
    QuoteLink.objects.filter(revision=locked.revision, revoked_at=None).update(revoked_at=now)
    record(verb="link-renewed", by=by, quote=locked)
    return QuoteLink.objects.create(revision=locked.revision, expires_at=expires_at)


@transaction.atomic
def link_revoke(*, quote: Quote, by: User, now: datetime) -> int:
    """Make every link of this quotation stop working; how many there were."""
    locked = lock_quote(quote.pk)
    revoked = QuoteLink.objects.filter(revision__quote=locked, revoked_at=None).update(revoked_at=now)
    record(verb="link-revoked", by=by, quote=locked, details={"links": revoked})
    return revoked
