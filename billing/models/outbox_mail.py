"""Mails to be sent, written in the transaction that causes them; a task claims and sends them."""

from datetime import datetime, timedelta
from email.utils import make_msgid

from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from billing.models.quote import Quote
from billing.models.quote_request import QuoteRequest

LEASE = timedelta(minutes=5)
"""A claim older than this belonged to a process that is gone."""


def new_message_id() -> str:
    """One id for the life of the mail: whoever receives it twice can tell."""
    return make_msgid(domain="cardwise.invalid")


class OutboxMailQuerySet(models.QuerySet["OutboxMail"]):
    def due(self, now: datetime) -> "OutboxMailQuerySet":
        """Waiting and due, or claimed by a process that never came back before it began to hand the mail over."""
        return self.filter(
            models.Q(state=OutboxMail.State.WAITING, due_at__lte=now)
            | models.Q(state=OutboxMail.State.CLAIMED, claimed_at__lte=now - LEASE)
        )

    def claim(self, pk: int, now: datetime) -> bool:
        """Take one mail; True for exactly one of any number of takers."""
        return (
            self.due(now)
            .filter(pk=pk)
            .update(state=OutboxMail.State.CLAIMED, claimed_at=now, attempts=models.F("attempts") + 1)
            == 1
        )

    def mark_unsure(self, now: datetime) -> int:
        """Handed over by a process that died before it heard the answer: only a person may send these again."""
        return self.filter(state=OutboxMail.State.HANDING_OVER, claimed_at__lte=now - LEASE).update(
            state=OutboxMail.State.UNSURE
        )


class OutboxMail(models.Model):
    """waiting -> claimed -> handing_over -> sent; a refused mail goes back to waiting with a later `due_at`."""

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("mail", "Waiting")
        CLAIMED = "claimed", _("Being sent")
        HANDING_OVER = "handing_over", _("Being handed over")
        SENT = "sent", _("Sent")
        UNSURE = "unsure", _("Perhaps sent")
        FAILED = "failed", _("Given up")

    state = models.CharField(_("state"), max_length=12, choices=State, default=State.WAITING)
    recipient = models.EmailField(_("to"))
    subject = models.CharField(_("subject"), max_length=250)
    body = models.TextField(_("text"))
    message_id = models.CharField(max_length=120, unique=True, default=new_message_id)
    quote = models.ForeignKey(Quote, null=True, blank=True, on_delete=models.PROTECT, related_name="mails")
    request = models.ForeignKey(QuoteRequest, null=True, blank=True, on_delete=models.PROTECT, related_name="mails")
    attempts = models.PositiveSmallIntegerField(default=0)
    due_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    last_error = models.CharField(_("last error"), max_length=300, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OutboxMailQuerySet.as_manager()

    class Meta:
        verbose_name = _("mail")
        verbose_name_plural = _("mails")
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["due_at"], name="outbox_open", condition=~models.Q(state__in=["sent", "failed", "unsure"])
            )
        ]

    def __str__(self) -> str:
        return f"{self.recipient}: {self.subject}"
