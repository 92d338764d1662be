"""Who is quoted to."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.models.choices import Language


class Customer(models.Model):
    """An organisation (or a person) with the one contact quotations go to."""

    organisation = models.CharField(_("organisation"), max_length=200, blank=True)
    contact = models.CharField(_("contact"), max_length=120)
    email = models.EmailField(_("e-mail"))
    phone = models.CharField(_("telephone"), max_length=60, blank=True)
    language = models.CharField(_("language"), max_length=10, choices=Language, default=Language.ZH)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name = _("customer")
        verbose_name_plural = _("customers")
        ordering = ["organisation", "contact", "id"]
        indexes = [models.Index(fields=["email"], name="customer_email")]

    def __str__(self) -> str:
        return self.organisation or self.contact
