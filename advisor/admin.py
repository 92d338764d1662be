"""The precomputed table for staff: what is stored, made from which catalogue; nothing is edited by hand."""

from typing import TYPE_CHECKING

from django.contrib import admin
from django.http import HttpRequest

from advisor.models import PresetAnswer

if TYPE_CHECKING:
    PresetAnswerBase = admin.ModelAdmin[PresetAnswer]
else:
    PresetAnswerBase = admin.ModelAdmin


@admin.register(PresetAnswer)
class PresetAnswerAdmin(PresetAnswerBase):
    """Read only: rows are computed by `advisor.tasks`. Deleting one has it computed again."""

    list_display = ["preset", "currency", "catalogue_version", "sizing_version", "computed_at"]
    list_filter = ["currency", "catalogue_version"]
    search_fields = ["preset"]
    readonly_fields = [
        "preset",
        "currency",
        "catalogue_version",
        "prices_digest",
        "sizing_version",
        "computed_at",
        "answer",
    ]

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Nobody writes an answer by hand."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: PresetAnswer | None = None) -> bool:
        """Nobody changes one either."""
        return False
