"""The precomputed table: one recommendation per common workload and currency, with what it was made from."""

from django.db import models
from django.utils.translation import gettext_lazy as _


class PresetAnswerQuerySet(models.QuerySet["PresetAnswer"]):
    """Words about how fresh a row is."""

    def made_from(self, *, catalogue_version: int, prices_digest: str, sizing_version: str) -> "PresetAnswerQuerySet":
        """Rows computed from exactly this catalogue, these prices and this model: all others are out of date."""
        return self.filter(
            catalogue_version=catalogue_version, prices_digest=prices_digest, sizing_version=sizing_version
        )


class PresetAnswer(models.Model):
    """The answer to one common workload, as codes and figures: words are added in the reader's language."""

    preset = models.SlugField(_("workload"), max_length=60)
    currency = models.CharField(_("currency"), max_length=3)
    catalogue_version = models.PositiveBigIntegerField(_("catalogue version"))
    prices_digest = models.CharField(
        _("digest of the prices"), max_length=64, help_text=_("Prices may begin and end without a new version.")
    )
    sizing_version = models.CharField(_("version of the sizing model"), max_length=40)
    computed_at = models.DateTimeField(_("computed at"))
    answer = models.JSONField(_("answer"))

    objects = PresetAnswerQuerySet.as_manager()

    class Meta:
        ordering = ["preset", "currency"]
        verbose_name = _("precomputed recommendation")
        verbose_name_plural = _("precomputed recommendations")
        constraints = [
            models.UniqueConstraint(fields=["preset", "currency"], name="one_answer_per_preset_and_currency")
        ]

    def __str__(self) -> str:
        return f"{self.preset} {self.currency} v{self.catalogue_version}"
