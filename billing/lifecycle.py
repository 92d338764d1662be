"""The life of a quotation as one table: which step leads from which state to which, and when an offer runs out.

Plain values only: no database, no clock. `now` is an argument.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from enum import StrEnum
from zoneinfo import ZoneInfo


class State(StrEnum):
    """Where a quotation stands. `superseded` is no state of a quotation: an older revision of it is."""

    DRAFT = "draft"
    AWAITING_APPROVAL = "awaiting_approval"
    APPROVED = "approved"
    SENT = "sent"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Verb(StrEnum):
    """A step somebody takes, or the clock."""

    EDIT = "edit"
    SUBMIT = "submit"
    APPROVE = "approve"
    RETURN = "return"
    SEND = "send"
    ACCEPT = "accept"
    DECLINE = "decline"
    EXPIRE = "expire"
    WITHDRAW = "withdraw"
    REVISE = "revise"


TRANSITIONS: Mapping[Verb, Mapping[State, State]] = {
    Verb.EDIT: {State.DRAFT: State.DRAFT, State.APPROVED: State.DRAFT},
    Verb.SUBMIT: {State.DRAFT: State.AWAITING_APPROVAL},
    Verb.APPROVE: {State.AWAITING_APPROVAL: State.APPROVED},
    Verb.RETURN: {State.AWAITING_APPROVAL: State.DRAFT},
    Verb.SEND: {State.DRAFT: State.SENT, State.APPROVED: State.SENT},
    Verb.ACCEPT: {State.SENT: State.ACCEPTED},
    Verb.DECLINE: {State.SENT: State.DECLINED},
    Verb.EXPIRE: {State.SENT: State.EXPIRED},
    Verb.WITHDRAW: {
        State.DRAFT: State.WITHDRAWN,
        State.AWAITING_APPROVAL: State.WITHDRAWN,
        State.APPROVED: State.WITHDRAWN,
        State.SENT: State.WITHDRAWN,
    },
    Verb.REVISE: {
        State.SENT: State.DRAFT,
        State.EXPIRED: State.DRAFT,
        State.DECLINED: State.DRAFT,
        State.WITHDRAWN: State.DRAFT,
    },
}
"""step -> {from: to}. What is not here cannot happen; `accepted` has no way out."""

STAFF_VERBS: tuple[Verb, ...] = (Verb.SUBMIT, Verb.APPROVE, Verb.RETURN, Verb.SEND, Verb.WITHDRAW, Verb.REVISE)
"""Steps with a button on the staff's page, in the order they are shown."""


class StepRefused(Exception):
    """This step does not lead anywhere from this state."""

    def __init__(self, state: State, verb: Verb) -> None:
        super().__init__(f"{verb} is not possible while {state}")
        self.state = state
        self.verb = verb


def may(state: State, verb: Verb) -> bool:
    """Whether the table has this step."""
    return state in TRANSITIONS[verb]


def move(state: State, verb: Verb) -> State:
    """The state after the step. Raises StepRefused where the table has none."""
    try:
        return TRANSITIONS[verb][state]
    except KeyError:
        raise StepRefused(state, verb) from None


def end_of_validity(valid_until: date, timezone: str) -> datetime:
    """The first moment at which an offer valid through that day is no longer valid: midnight after it in the seller's zone."""
    return datetime.combine(valid_until + timedelta(days=1), datetime.min.time(), ZoneInfo(timezone))


def has_expired(valid_until: date, timezone: str, now: datetime) -> bool:
    """Whether the offer has run out at `now` (aware)."""
    return now >= end_of_validity(valid_until, timezone)


def local_date(now: datetime, timezone: str) -> date:
    """The day it is for the seller at `now` (aware)."""
    return now.astimezone(ZoneInfo(timezone)).date()
