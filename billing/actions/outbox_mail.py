"""A person's decision about a mail that the outbox cannot decide on."""

from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction

from billing.actions.trail import record
from billing.models import OutboxMail

State = OutboxMail.State


@transaction.atomic
def mail_send_again(*, mail: OutboxMail, by: User, now: datetime) -> bool:
    """Put a mail that was given up, or perhaps sent, back into the outbox; False where it is neither."""
    changed = OutboxMail.objects.filter(pk=mail.pk, state__in=[State.UNSURE, State.FAILED]).update(
        state=State.WAITING, due_at=now, attempts=0
    )
    if changed:
        record(verb="mail-again", by=by, quote=mail.quote, request=mail.request, details={"to": mail.recipient})
    return changed == 1
