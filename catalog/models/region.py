"""Where machines stand."""

from django.db import models
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from catalog.models.recorded import RecordedModel, RecordedQuerySet


class RegionQuerySet(RecordedQuerySet["Region"]):
    """Words about regions."""

    def visible(self) -> "RegionQuerySet":
        """Regions on sale."""
        return self.filter(is_active=True)


class Region(RecordedModel):
    """A place with machines; its time zone is the one in which its calendar days and months are counted."""

    code = models.SlugField(
        _("code"), max_length=40, unique=True, help_text=_("Stands in addresses and answers, for instance cn-east.")
    )
    name = models.CharField(_("name"), max_length=80)
    name_zh = models.CharField(_("name in Chinese"), max_length=80)
    timezone = models.CharField(
        _("time zone"), max_length=40, default="Asia/Shanghai", help_text=_("IANA name, for instance Asia/Shanghai.")
    )
    is_active = models.BooleanField(_("on sale"), default=True)

    objects = RegionQuerySet.as_manager()

    class Meta:
        ordering = ["code"]
        verbose_name = _("region")
        verbose_name_plural = _("regions")

    def __str__(self) -> str:
        return self.code

    @property
    def display_name(self) -> str:
        """The name in the reader's language."""
        return self.name_zh if (get_language() or "").startswith("zh") else self.name
