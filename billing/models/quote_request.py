"""What a customer asked for: the sales inbox."""

import json
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.choices import Language, Scenario

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser, User


class QuoteRequestQuerySet(models.QuerySet["QuoteRequest"]):
    def visible_to(self, user: "User | AnonymousUser") -> "QuoteRequestQuerySet":
        """Managers see all; sales see what nobody has taken and what they took; nobody else sees anything."""
        if user.has_perm("billing.view_all_quotes"):
            return self
        if user.is_authenticated and user.has_perm("billing.sell"):
            return self.filter(models.Q(owner=user) | models.Q(owner=None))
        return self.none()

    def open(self) -> "QuoteRequestQuerySet":
        """Not yet answered."""
        return self.filter(state__in=[QuoteRequest.State.NEW, QuoteRequest.State.TAKEN])


class QuoteRequest(models.Model):
    """Contact, consent and the whole advice (plain values, never read back into the advisor)."""

    class State(models.TextChoices):
        NEW = "new", _("New")
        TAKEN = "taken", _("Taken")
        QUOTED = "quoted", _("Quoted")
        CLOSED = "closed", _("Closed")

    state = models.CharField(_("state"), max_length=8, choices=State, default=State.NEW)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        verbose_name=_("taken by"),
        related_name="+",
    )
    organisation = models.CharField(_("organisation"), max_length=200, blank=True)
    contact = models.CharField(_("contact"), max_length=120)
    email = models.EmailField(_("e-mail"))
    phone = models.CharField(_("telephone"), max_length=60, blank=True)
    message = models.TextField(_("message"), blank=True)
    language = models.CharField(_("language"), max_length=10, choices=Language, default=Language.ZH)
    consented_at = models.DateTimeField(_("consent given"))
    address = models.GenericIPAddressField(_("address"), null=True, blank=True)
    scenario = models.CharField(_("scenario"), max_length=8, choices=Scenario, blank=True)
    advice = models.JSONField(
        _("advice"), null=True, blank=True, help_text=_("Workload and answer as the customer saw them.")
    )
    created_at = models.DateTimeField(_("asked"), auto_now_add=True)

    objects = QuoteRequestQuerySet.as_manager()

    class Meta:
        verbose_name = _("request")
        verbose_name_plural = _("requests")
        ordering = ["-created_at", "-id"]
        indexes = [models.Index(fields=["state", "-created_at"], name="request_state")]

    def __str__(self) -> str:
        return f"{self.organisation or self.contact} ({self.pk})"

    @property
    def advice_text(self) -> str:
        """Workload and answer as readable JSON."""
        return json.dumps(self.advice, ensure_ascii=False, indent=2)
