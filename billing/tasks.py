"""Work in the background: deliver the outbox, write down offers that have run out. Every task is safe to run twice and after a kill."""

import logging
from datetime import timedelta
from smtplib import SMTPNotSupportedError, SMTPRecipientsRefused, SMTPResponseException

from celery import shared_task
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from billing.actions.step import quote_expire
from billing.models import OutboxMail, Quote
from billing.models.choices import QuoteState

log = logging.getLogger(__name__)

BATCH = 50
MOST_ATTEMPTS = 12
REFUSED = (SMTPResponseException, SMTPRecipientsRefused, SMTPNotSupportedError)
"""Answers by which a mail server says that it did not take the mail."""
LONGEST_PAUSE = timedelta(hours=6)
"""Pauses double from one minute; twelve attempts span about a day and a half."""


@shared_task(ignore_result=True)
def deliver_outbox() -> int:
    """Send what is due; how many went out. Any number of these may run at once: each mail is taken by one of them."""
    OutboxMail.objects.all().mark_unsure(timezone.now())
    sent = 0
    for pk in OutboxMail.objects.due(timezone.now()).order_by("due_at", "pk").values_list("pk", flat=True)[:BATCH]:
        sent += deliver_mail(pk)
    return sent


@shared_task(ignore_result=True)
def expire_quotes() -> int:
    """Write down every sent offer whose last day is over; how many."""
    now = timezone.now()
    over = Quote.objects.filter(
        state=QuoteState.SENT, current__valid_until__lte=(now + timedelta(days=1)).date()
    ).values_list("pk", flat=True)
    return sum(quote_expire(quote_id=pk, now=now) for pk in over)


def nudge_outbox() -> None:
    """Ask a worker to look into the outbox now. Without a broker the mail waits for the beat's next round: nothing is lost."""
    try:
        deliver_outbox.apply_async(retry=False)
    except (OperationalError, RedisError, OSError) as error:
        log.warning("The outbox waits for the next round: %s", error)


def deliver_mail(pk: int) -> bool:
    """Claim one mail and hand it over; False where somebody else has it or it was refused.

    Before the hand-over a kill costs nothing: the claim runs out and another takes it. During the hand-over nobody can know whether
    it arrived, so it is never repeated by itself. A refusal puts it back with a longer pause.
    """
    if not OutboxMail.objects.all().claim(pk, timezone.now()):
        return False
    letter = OutboxMail.objects.get(pk=pk)
    link: BaseEmailBackend = mail.mailers.default
    try:
        link.open()
    except OSError as error:
        _put_back(letter, error)
        return False
    try:
        if not _hand_over(letter, link):
            return False
    finally:
        link.close()
    return True


def _hand_over(letter: OutboxMail, link: BaseEmailBackend) -> bool:
    still_ours = OutboxMail.objects.filter(
        pk=letter.pk, state=OutboxMail.State.CLAIMED, attempts=letter.attempts
    ).update(state=OutboxMail.State.HANDING_OVER, claimed_at=timezone.now())
    if not still_ours:
        return False
    message = mail.EmailMessage(
        letter.subject,
        letter.body,
        to=[letter.recipient],
        headers={"Message-ID": letter.message_id, "Auto-Submitted": "auto-generated"},
    )
    try:
        link.send_messages([message])
    except REFUSED as error:
        _put_back(letter, error)
        return False
    except ValueError as error:  # no mail can be made of it, today or later
        OutboxMail.objects.filter(pk=letter.pk).update(state=OutboxMail.State.FAILED, last_error=_words(error))
        return False
    except OSError as error:  # the line broke: nobody knows whether the other side has it
        OutboxMail.objects.filter(pk=letter.pk).update(state=OutboxMail.State.UNSURE, last_error=_words(error))
        return False
    OutboxMail.objects.filter(pk=letter.pk).update(state=OutboxMail.State.SENT, sent_at=timezone.now(), last_error="")
    return True


def _words(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"[:300]


def _put_back(letter: OutboxMail, error: OSError) -> None:
    gone = letter.attempts >= MOST_ATTEMPTS
    pause = min(timedelta(minutes=2 ** (letter.attempts - 1)), LONGEST_PAUSE)
    OutboxMail.objects.filter(pk=letter.pk).update(
        state=OutboxMail.State.FAILED if gone else OutboxMail.State.WAITING,
        due_at=timezone.now() + pause,
        last_error=_words(error),
    )
    log.warning("Mail %s was not sent (attempt %s): %s", letter.pk, letter.attempts, error)
