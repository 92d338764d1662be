"""System images with a framework on board."""

from decimal import Decimal

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.models.recorded import RecordedModel, RecordedQuerySet


class ImageQuerySet(RecordedQuerySet["Image"]):
    """Words about images."""

    def visible(self) -> "ImageQuerySet":
        """Images on offer."""
        return self.filter(is_active=True)


class Image(RecordedModel):
    """A preinstalled image: what is on it, and which cards its builds carry code for."""

    code = models.SlugField(_("code"), max_length=60, unique=True, allow_unicode=False)
    name = models.CharField(_("name"), max_length=80)
    framework = models.CharField(_("framework"), max_length=40)
    framework_version = models.CharField(_("framework version"), max_length=20)
    cuda_version = models.CharField(_("CUDA version"), max_length=10)
    min_driver_version = models.CharField(_("oldest driver"), max_length=20)
    min_compute_capability = models.DecimalField(_("lowest compute capability"), max_digits=4, decimal_places=1)
    max_compute_capability = models.DecimalField(
        _("highest compute capability"),
        max_digits=4,
        decimal_places=1,
        validators=[MinValueValidator(Decimal(1))],
        help_text=_("A build without code for a newer card may not run on it."),
    )
    is_active = models.BooleanField(_("on offer"), default=True)

    objects = ImageQuerySet.as_manager()

    class Meta:
        ordering = ["code"]
        verbose_name = pgettext_lazy("software", "image")
        verbose_name_plural = pgettext_lazy("software", "images")
        constraints = [
            models.CheckConstraint(
                condition=Q(min_compute_capability__lte=F("max_compute_capability")),
                name="image_capability_range",
                violation_error_message=_("The lowest compute capability must not be above the highest."),
            ),
        ]

    def __str__(self) -> str:
        return self.code

    def runs_on(self, compute_capability: Decimal) -> bool:
        """Whether the image's builds carry code for a card of this compute capability."""
        return self.min_compute_capability <= compute_capability <= self.max_compute_capability
