"""The version of the catalogue and the record of who changed what: anything computed ahead of time names the version it was made from."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy


class CatalogueVersionQuerySet(models.QuerySet["CatalogueVersion"]):
    """Words about versions."""

    def current_number(self) -> int:
        """The newest version; 0 where nothing was ever written."""
        newest: int | None = self.aggregate(newest=models.Max("number"))["newest"]
        return newest or 0


class CatalogueVersion(models.Model):
    """One transaction that changed the catalogue. Numbers grow in the order of commit (see `recorded`)."""

    number = models.PositiveBigIntegerField(_("version"), primary_key=True)
    created_at = models.DateTimeField(_("created at"), auto_now_add=True)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+", verbose_name=_("by")
    )
    why = models.CharField(_("why"), max_length=300)

    objects = CatalogueVersionQuerySet.as_manager()

    class Meta:
        ordering = ["-number"]
        verbose_name = _("catalogue version")
        verbose_name_plural = _("catalogue versions")

    def __str__(self) -> str:
        return f"{self.number}"


class CatalogueChange(models.Model):
    """One row that changed in a version, with its values before and after: {} for "was not there"."""

    class Action(models.TextChoices):
        CREATED = "created", pgettext_lazy("change", "created")
        CHANGED = "changed", pgettext_lazy("change", "changed")
        DELETED = "deleted", pgettext_lazy("change", "deleted")

    version = models.ForeignKey(CatalogueVersion, models.PROTECT, related_name="changes", verbose_name=_("version"))
    model = models.CharField(_("kind of row"), max_length=40)
    row_id = models.BigIntegerField(_("row"))
    label = models.CharField(_("name of the row"), max_length=200)
    action = models.CharField(_("action"), max_length=10, choices=Action)
    before = models.JSONField(_("before"), default=dict, blank=True)
    after = models.JSONField(_("after"), default=dict, blank=True)

    class Meta:
        ordering = ["-version", "pk"]
        indexes = [models.Index(fields=["model", "row_id"], name="change_of_row")]
        verbose_name = _("catalogue change")
        verbose_name_plural = _("catalogue changes")

    def __str__(self) -> str:
        return f"{self.version_id}: {self.label} {self.action}"
