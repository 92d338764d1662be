"""What a customer does through the link: accept, decline, ask. Each is safe to send twice."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from billing.actions.quote import lock_quote
from billing.actions.trail import post_mail, post_staff_mail, record
from billing.lifecycle import State, Verb, has_expired, move
from billing.models import Decision, Quote, QuoteLink, Seller


class NotOpen(Exception):
    """The offer cannot be answered; `code`: superseded, expired, withdrawn, declined, accepted, not-sent, link."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Visitor:
    """From where the customer answered."""

    address: str | None
    user_agent: str = ""


def _closed_code(locked: Quote, link: QuoteLink, now: datetime) -> str:
    """Why this link cannot decide now; empty where it can."""
    if not link.works_at(now):
        return "link"
    if locked.current_id != link.revision_id:
        return "superseded"
    if locked.state != State.SENT:
        return (
            locked.state
            if locked.state in (State.ACCEPTED, State.DECLINED, State.EXPIRED, State.WITHDRAWN)
            else "not-sent"
        )
    if has_expired(locked.revision.valid_until, Seller.objects.current().timezone, now):
        return "expired"
    return ""


def _decide(
    *, link: QuoteLink, kind: Decision.Kind, verb: Verb, name: str, reason: str, visitor: Visitor, now: datetime
) -> tuple[Decision, bool]:
    locked = lock_quote(link.revision.quote_id)
    fresh = QuoteLink.objects.get(pk=link.pk)
    made = Decision.objects.filter(revision_id=fresh.revision_id, kind=kind).first()
    if made and locked.current_id == fresh.revision_id and fresh.works_at(now):
        return made, False
    if code := _closed_code(locked, fresh, now):
        raise NotOpen(code)
    locked.state = move(State(locked.state), verb)
    locked.version += 1
    locked.closed_at = now
    locked.save()
    decision = Decision.objects.create(
        quote=locked,
        revision=locked.revision,
        link=fresh,
        kind=kind,
        name=name,
        reason=reason,
        address=visitor.address,
        user_agent=visitor.user_agent[:300],
        decided_at=now,
    )
    record(
        verb=verb.value,
        by=None,
        who=name or locked.customer.contact,
        quote=locked,
        details={"revision": locked.revision.number, "reason": reason, "address": visitor.address or ""},
    )
    context = {"quote": locked, "snapshot": locked.revision.snapshot, "decision": decision}
    post_staff_mail(template="quote_decided", owner=locked.owner, context=context, quote=locked)
    return decision, True


@transaction.atomic
def quote_accept(*, link: QuoteLink, name: str, visitor: Visitor, now: datetime) -> tuple[Decision, bool]:
    """Accept the offer: the one acceptance and whether this call made it. Accepting again returns the first.

    Raises NotOpen where the offer is superseded, expired, withdrawn or declined, or the link no longer works.
    """
    decision, made = _decide(
        link=link, kind=Decision.Kind.ACCEPTED, verb=Verb.ACCEPT, name=name, reason="", visitor=visitor, now=now
    )
    if made:
        quote = decision.quote
        post_mail(
            template="quote_accepted",
            to=quote.customer.email,
            language=decision.revision.language,
            context={"quote": quote, "snapshot": decision.revision.snapshot, "decision": decision},
            quote=quote,
        )
    return decision, made


@transaction.atomic
def quote_decline(*, link: QuoteLink, name: str, reason: str, visitor: Visitor, now: datetime) -> tuple[Decision, bool]:
    """Decline the offer, with a reason if the customer gives one. Raises NotOpen as quote_accept."""
    return _decide(
        link=link, kind=Decision.Kind.DECLINED, verb=Verb.DECLINE, name=name, reason=reason, visitor=visitor, now=now
    )


@transaction.atomic
def quote_question(*, link: QuoteLink, text: str, now: datetime) -> None:
    """A question or a wish for changes: into the audit trail and to the salesperson. Raises NotOpen where the link no longer works."""
    locked = lock_quote(link.revision.quote_id)
    if not QuoteLink.objects.get(pk=link.pk).works_at(now):
        raise NotOpen("link")
    record(verb="question", by=None, who=locked.customer.contact, quote=locked, details={"text": text})
    post_staff_mail(
        template="quote_question", owner=locked.owner, context={"quote": locked, "text": text}, quote=locked
    )


def link_seen(*, link: QuoteLink, now: datetime) -> None:
    """Keep when the customer first opened the link."""
    if link.seen_at is None:
        QuoteLink.objects.filter(pk=link.pk, seen_at=None).update(seen_at=now)
