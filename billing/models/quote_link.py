"""The customer's way in: one secret per sent revision, signed, expiring, revocable."""

import secrets
from datetime import datetime

from django.core.signing import BadSignature, Signer
from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.revision import Revision

SIGNER = Signer(salt="billing.quote-link", sep=".")


def new_secret() -> str:
    """160 random bits: nobody guesses one, and the signature refuses guesses without a look into the database."""
    return secrets.token_urlsafe(20)


class QuoteLinkManager(models.Manager["QuoteLink"]):
    def by_token(self, token: str) -> "QuoteLink | None":
        """The link of a token; None where the signature or the secret is wrong. Says nothing about expiry or revocation."""
        try:
            secret = SIGNER.unsign(token)
        except BadSignature:
            return None
        return (
            self.select_related("revision__quote__current", "revision__quote__customer").filter(secret=secret).first()
        )


class QuoteLink(models.Model):
    """`token` goes into the address; without the signing key the table alone gives no address."""

    revision = models.ForeignKey(Revision, on_delete=models.PROTECT, related_name="links")
    secret = models.CharField(max_length=40, unique=True, default=new_secret)
    expires_at = models.DateTimeField(_("works until"))
    revoked_at = models.DateTimeField(_("revoked"), null=True, blank=True)
    seen_at = models.DateTimeField(_("first opened"), null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = QuoteLinkManager()

    class Meta:
        verbose_name = _("customer link")
        verbose_name_plural = _("customer links")
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.revision} ({self.pk})"

    @property
    def token(self) -> str:
        """Secret and signature, for the address."""
        return SIGNER.sign(self.secret)

    def works_at(self, now: datetime) -> bool:
        """Neither revoked nor too old."""
        return self.revoked_at is None and now < self.expires_at
