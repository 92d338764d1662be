"""A quotation: its number, whose it is, where it stands. What it says is in its revisions."""

from datetime import datetime
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.lifecycle import State, has_expired
from billing.models.choices import QuoteState, Scenario
from billing.models.customer import Customer
from billing.models.quote_request import QuoteRequest

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User

    from billing.models.revision import Revision


class QuoteQuerySet(models.QuerySet["Quote"]):
    def visible_to(self, user: "User | AnonymousUser") -> "QuoteQuerySet":
        """Managers see all, sales their own, nobody else anything."""
        if user.has_perm("billing.view_all_quotes"):
            return self
        if user.is_authenticated and user.has_perm("billing.sell"):
            return self.filter(owner=user)
        return self.none()


class Quote(models.Model):
    """`version` grows with every write: who saves over an older one is told. `current` is the revision that counts.

    `form_key` is the key of the form that made it: however often that form is sent, it makes one quotation.
    """

    number = models.CharField(_("number"), max_length=20, unique=True)
    year = models.PositiveSmallIntegerField()
    sequence = models.PositiveIntegerField()
    customer = models.ForeignKey(Customer, on_delete=models.PROTECT, verbose_name=_("customer"), related_name="quotes")
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, verbose_name=_("salesperson"), related_name="quotes"
    )
    request = models.ForeignKey(
        QuoteRequest, null=True, blank=True, on_delete=models.PROTECT, verbose_name=_("request"), related_name="quotes"
    )
    scenario = models.CharField(_("scenario"), max_length=8, choices=Scenario, blank=True)
    state = models.CharField(_("state"), max_length=20, choices=QuoteState, default=QuoteState.DRAFT)
    current = models.OneToOneField(
        "billing.Revision", null=True, on_delete=models.PROTECT, verbose_name=_("current revision"), related_name="+"
    )
    version = models.PositiveIntegerField(default=1)
    form_key = models.UUIDField(null=True, editable=False)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    changed_at = models.DateTimeField(_("changed"), auto_now=True)
    sent_at = models.DateTimeField(_("sent"), null=True, blank=True)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    objects = QuoteQuerySet.as_manager()

    class Meta:
        verbose_name = _("quotation")
        verbose_name_plural = _("quotations")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["year", "sequence"], name="quote_number_once"),
            models.UniqueConstraint(fields=["owner", "form_key"], name="quote_form_once"),
        ]
        indexes = [
            models.Index(fields=["owner", "state"], name="quote_owner_state"),
            models.Index(fields=["state", "-created_at"], name="quote_state"),
        ]
        permissions = [
            ("sell", "Make and send quotations"),
            ("approve_quote", "Approve discounts over the limit"),
            ("view_all_quotes", "See everybody's quotations"),
        ]

    def __str__(self) -> str:
        return self.number

    @property
    def revision(self) -> "Revision":
        """The revision that counts; every quotation has one once its first transaction is over."""
        assert self.current is not None
        return self.current

    def state_at(self, now: datetime, timezone: str) -> State:
        """The state as it is at `now`: a sent offer past its last day has expired, whether or not anybody has written that down."""
        state = State(self.state)
        if state is State.SENT and has_expired(self.revision.valid_until, timezone, now):
            return State.EXPIRED
        return state
