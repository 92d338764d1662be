"""What the customer said: accepted or declined, once per quotation, with name, time and address."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.quote import Quote
from billing.models.quote_link import QuoteLink
from billing.models.revision import Revision


class Decision(models.Model):
    """A constraint makes a second acceptance impossible in the database itself.

    A declined quotation may be revised and offered again: its decision then stays with the older revision.
    """

    class Kind(models.TextChoices):
        ACCEPTED = "accepted", _("Accepted")
        DECLINED = "declined", _("Declined")

    quote = models.ForeignKey(Quote, on_delete=models.PROTECT, related_name="decisions")
    revision = models.OneToOneField(Revision, on_delete=models.PROTECT, related_name="decision")
    link = models.ForeignKey(QuoteLink, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind)
    name = models.CharField(_("name"), max_length=120, blank=True)
    reason = models.TextField(_("reason"), blank=True)
    address = models.GenericIPAddressField(_("address"), null=True)
    user_agent = models.CharField(max_length=300, blank=True)
    decided_at = models.DateTimeField(_("time"))

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        constraints = [
            models.UniqueConstraint(fields=["quote"], condition=models.Q(kind="accepted"), name="quote_accepted_once"),
        ]

    def __str__(self) -> str:
        return f"{self.revision}: {self.kind}"
