"""Who did what to a quotation or a request, and when. Written by every action in its own transaction, never changed."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.quote import Quote
from billing.models.quote_request import QuoteRequest


class AuditEntry(models.Model):
    """`actor` is empty for customers and the clock; `who` names them then. `details` holds what changed as plain values."""

    quote = models.ForeignKey(Quote, null=True, on_delete=models.PROTECT, related_name="audit")
    request = models.ForeignKey(QuoteRequest, null=True, on_delete=models.PROTECT, related_name="audit")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+")
    who = models.CharField(_("who"), max_length=160)
    verb = models.CharField(_("what"), max_length=40)
    details = models.JSONField(_("details"), default=dict)
    at = models.DateTimeField(_("when"), auto_now_add=True)

    class Meta:
        verbose_name = _("audit entry")
        verbose_name_plural = _("audit entries")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} {self.who}: {self.verb}"
