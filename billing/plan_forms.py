"""What the plan comparison asks: which machine and how it is used, turned into the plan contract's usage."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from catalog.formats import card_words
from catalog.snapshot import Catalogue

HOURS_LIMIT = 87_600
WEEKDAYS = (
    ("mon", pgettext_lazy("weekday", "Mon")),
    ("tue", pgettext_lazy("weekday", "Tue")),
    ("wed", pgettext_lazy("weekday", "Wed")),
    ("thu", pgettext_lazy("weekday", "Thu")),
    ("fri", pgettext_lazy("weekday", "Fri")),
    ("sat", pgettext_lazy("weekday", "Sat")),
    ("sun", pgettext_lazy("weekday", "Sun")),
)
PATTERNS = (("hours", _("A number of hours")), ("weekly", _("A weekly timetable")))
OTHER_FIELDS: Mapping[str, tuple[str, ...]] = {
    "hours": ("days", "from", "to", "weeks"),
    "weekly": ("hours", "starts"),
}
"""pattern -> what it does not ask: whatever stands there is no mistake."""
LIMITS = {"min_value": _("At least %(limit_value)s."), "max_value": _("At most %(limit_value)s.")}
CLOCK = {"invalid": _("Write a time of day, as in 09:00.")}
DEFAULTS: Mapping[str, Any] = {
    "pattern": "hours",
    "hours": "27",
    "starts": "1",
    "days": ["mon", "tue", "wed", "thu", "fri"],
    "from": "09:00",
    "to": "18:00",
    "weeks": "4",
    "disk_gb": "0",
}


class PlanForm(forms.Form):
    """One machine and one pattern of use; bound to the address, so every comparison can be shared."""

    sku = forms.ChoiceField(label=_("Machine"), help_text=_("Card, how many of them, and how they are joined."))
    pattern = forms.ChoiceField(label=_("How you use it"), choices=PATTERNS, widget=forms.RadioSelect)
    hours = forms.DecimalField(
        label=_("Hours in all"),
        help_text=_("Running time of one machine, all starts together."),
        min_value=0,
        max_value=HOURS_LIMIT,
        decimal_places=3,
        error_messages=LIMITS | {"max_decimal_places": _("At most %(max)s decimals.")},
        required=False,
    )
    starts = forms.IntegerField(
        label=_("In how many starts"),
        help_text=_("Each start is rounded up to the plan's billing step."),
        min_value=1,
        max_value=10_000,
        error_messages=LIMITS,
        required=False,
    )
    days = forms.MultipleChoiceField(
        label=_("On these days"), choices=WEEKDAYS, widget=forms.CheckboxSelectMultiple, required=False
    )
    weeks = forms.IntegerField(
        label=_("For how many weeks"), min_value=1, max_value=520, required=False, error_messages=LIMITS
    )
    disk_gb = forms.IntegerField(
        label=_("Data disk (GB)"),
        help_text=_("Kept until the machine is given back."),
        min_value=0,
        max_value=1_000_000,
        error_messages=LIMITS,
        required=False,
    )

    def __init__(self, data: Any = None, *, catalogue: Catalogue, **options: Any) -> None:
        super().__init__(data, **options)
        self.catalogue = catalogue
        self.fields["from"] = forms.TimeField(
            label=_("From"), required=False, input_formats=["%H:%M"], error_messages=CLOCK
        )
        self.fields["to"] = forms.TimeField(
            label=_("To"),
            help_text=_("An end at or before the start runs past midnight."),
            required=False,
            input_formats=["%H:%M"],
            error_messages=CLOCK,
        )
        choices = self.fields["sku"]
        assert isinstance(choices, forms.ChoiceField)
        choices.choices = self._skus()
        choices.error_messages["invalid_choice"] = _("There is no machine “%(value)s” with a price.")

    def _skus(self) -> list[tuple[str, list[tuple[str, str]]]]:
        groups: dict[str, list[tuple[str, str]]] = {}
        for offer in self.catalogue.priced_offers:
            name = card_words(self.catalogue.gpus[offer.gpu])
            groups.setdefault(name, []).append((offer.sku, f"{name} × {offer.count}"))
        return list(groups.items())

    def clean(self) -> dict[str, Any]:
        """Each pattern needs its own fields; the other's are passed over."""
        given = super().clean() or {}
        needed: dict[str, Promise] = (
            {"hours": _("Say how many hours.")}
            if given.get("pattern") == "hours"
            else {
                "days": _("Choose at least one day."),
                "from": _("Say when it starts, as in 09:00."),
                "to": _("Say when it stops, as in 18:00."),
                "weeks": _("Say for how many weeks."),
            }
        )
        for name in OTHER_FIELDS.get(given.get("pattern", ""), ()):
            self.errors.pop(name, None)
        for name, sentence in needed.items():
            if name not in self.errors and given.get(name) in (None, "", []):
                self.add_error(name, str(sentence))
        return given

    def field_at(self, path: str) -> str | None:
        """The field of a path in the plan contract's usage; None where it is none of the form's."""
        name = path.removeprefix("usage.").removeprefix("weekly.").split("[")[0]
        return name if name in self.fields else None

    def usage(self, timezone: str, today: str) -> dict[str, Any]:
        """The plan contract's usage; `today` (ISO date) is when the use begins."""
        given = self.cleaned_data
        offer = self.catalogue.offer(given["sku"])
        assert offer is not None
        common = {
            "timezone": timezone,
            "gpus": offer.gpus_per_node,
            "machines": offer.nodes,
            "disk_gb": given["disk_gb"] or 0,
        }
        if given["pattern"] == "hours":
            return {"hours": str(given["hours"]), "starts": given["starts"] or 1, "from": today, **common}
        window = {
            "days": given["days"],
            "from": f"{given['from']:%H:%M}",
            "to": f"{given['to']:%H:%M}",
        }
        return {"weekly": window, "weeks": given["weeks"], "from": today, **common}
