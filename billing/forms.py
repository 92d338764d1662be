"""Forms of quotations: asking, the head and the lines of a draft, the customer's answer, filters of lists."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.validators import MaxLengthValidator
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.drafts import HEAD_FIELDS
from billing.line_pricing import priced_line
from billing.models import Customer, QuoteLine, QuoteRequest, Revision, Seller
from billing.models.choices import QuoteState, Scenario
from billing.offer import Contact, Head, LineKind, OfferLine
from billing.typed import whole_number
from billing.wording import plain_text, plan_text
from catalog.formats import card_words
from catalog.printed_text import PrintedField
from catalog.snapshot import PLAN_KINDS, Catalogue

MESSAGE_LENGTH = 4_000
MOST_LINES = 200
NOT_WHOLE = gettext_lazy("This line did not arrive whole. Remove it and add it again.")
LONGEST_VALIDITY = timedelta(days=3_653)
UNITS: Mapping[str, str] = {"storage": "day"}
"""What a new line is counted in where no plan says it."""
KEPT_WITH_THE_PRICE = ("gpu", "plan", "units_each", "unit", "list_price", "hand_set", "is_sample")


class AskForm(forms.ModelForm[QuoteRequest]):
    """Contact and consent; `website` is a trap that people do not see and robots fill in."""

    consent = forms.BooleanField(
        label=gettext_lazy("I agree that my details and this answer are stored so that sales can answer me."),
        error_messages={"required": gettext_lazy("Without your consent we may not keep your request.")},
    )
    website = forms.CharField(required=False)
    advice = forms.CharField(required=False, widget=forms.HiddenInput)

    class Meta:
        model = QuoteRequest
        fields = ["contact", "organisation", "email", "phone", "message"]
        field_classes = dict.fromkeys(("contact", "organisation", "phone"), PrintedField)
        help_texts = {
            "email": gettext_lazy("The quotation is sent here."),
            "message": gettext_lazy("When you need it, how long, invoice details: anything that helps."),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["contact"].label = gettext_lazy("Your name")
        self.fields["contact"].widget.attrs["autocomplete"] = "name"
        self.fields["organisation"].widget.attrs["autocomplete"] = "organization"
        self.fields["email"].widget.attrs["autocomplete"] = "email"
        self.fields["phone"].widget.attrs["autocomplete"] = "tel"
        self.fields["message"].validators.append(MaxLengthValidator(MESSAGE_LENGTH))

    @property
    def is_robot(self) -> bool:
        """The trap was filled in."""
        return bool(self.cleaned_data.get("website"))

    def contact_details(self) -> dict[str, str]:
        """What the action stores; a name is one line, also in the subject of a mail."""
        given = {name: self.cleaned_data[name] for name in self.Meta.fields}
        return {name: value if name == "message" else " ".join(value.split()) for name, value in given.items()}


class ContactForm(forms.ModelForm[Customer]):
    """Whom a quotation is for."""

    class Meta:
        model = Customer
        fields = ["organisation", "contact", "email", "phone"]
        field_classes = dict.fromkeys(("organisation", "contact", "phone"), PrintedField)

    def details(self, language: str) -> Contact:
        """As plain values; the customer is written to in the quotation's language."""
        return Contact(**{name: self.cleaned_data[name] for name in self.Meta.fields}, language=language)


class HeadForm(forms.ModelForm[Revision]):
    """What a revision says beside its lines."""

    class Meta:
        model = Revision
        fields = list(HEAD_FIELDS)
        field_classes = dict.fromkeys(("purpose", "payment", "start", "terms"), PrintedField)
        widgets = {
            "valid_until": forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
            "terms": forms.Textarea(attrs={"rows": 5}),
        }

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if isinstance(percent := self.initial.get("tax_percent"), Decimal):
            self.initial["tax_percent"] = plain_text(percent)

    def clean_valid_until(self) -> date:
        """A year that can be meant: calendars end, and a slip of the finger must not make a page that cannot be drawn."""
        until: date = self.cleaned_data["valid_until"]
        if abs(until - timezone.localdate()) > LONGEST_VALIDITY:
            raise forms.ValidationError(_("Check the year: a quotation is valid for ten years at most."))
        return until

    def head(self) -> Head:
        """As plain values."""
        return Head(**{field.name: self.cleaned_data[field.name] for field in fields(Head)})


def new_head(seller: Seller, language: str) -> Head:
    """What a new quotation starts from."""
    return Head(
        valid_until=timezone.localdate() + timedelta(days=seller.validity_days),
        language=language,
        currency=seller.currency,
        rounding=seller.rounding,
        tax_percent=seller.tax_percent,
        prices_include_tax=seller.prices_include_tax,
        purpose="",
        payment=seller.said("payment", language),
        start=seller.said("start", language),
        terms=seller.said("terms", language),
    )


def _number(label: Any, digits: int, decimals: int, most: int | None = None) -> forms.DecimalField:
    return forms.DecimalField(
        label=label,
        required=False,
        min_value=0,
        max_value=most,
        max_digits=digits,
        decimal_places=decimals,
        widget=forms.TextInput(attrs={"inputmode": "decimal", "autocomplete": "off"}),
    )


class LineForm(forms.Form):
    """One line. An empty unit price means the list price of today; a filled one stays whatever changes around it.

    `row` says which stored line this was when the page was made; a line that is gone since counts as new.
    """

    row = forms.IntegerField(required=False, widget=forms.HiddenInput, error_messages={"invalid": NOT_WHOLE})
    kind = forms.ChoiceField(
        choices=QuoteLine.Kind.choices,
        widget=forms.HiddenInput,
        error_messages={"required": NOT_WHOLE, "invalid_choice": NOT_WHOLE},
    )
    sku = forms.ChoiceField(required=False, label=gettext_lazy("Machine"))
    plan_kind = forms.ChoiceField(required=False, label=gettext_lazy("Plan"))
    title = PrintedField(required=False, max_length=200, label=gettext_lazy("What"))
    detail = PrintedField(required=False, max_length=300, label=gettext_lazy("Detail"))
    count = _number(gettext_lazy("Count"), 14, 4)
    periods = _number(gettext_lazy("Periods"), 14, 4)
    unit_price = _number(gettext_lazy("Unit price"), 20, 8)
    discount_percent = _number(gettext_lazy("Discount %"), 7, 4, 100)
    discount_amount = _number(gettext_lazy("Fixed discount"), 18, 3)
    remove = forms.BooleanField(required=False, label=gettext_lazy("Remove"))

    def __init__(self, *args: Any, catalogue: Catalogue, stored: Mapping[int, QuoteLine], **options: Any) -> None:
        super().__init__(*args, **options)
        self.catalogue = catalogue
        self.stored_row = self._find(stored)
        machine, plan = self.fields["sku"], self.fields["plan_kind"]
        assert isinstance(machine, forms.ChoiceField)
        assert isinstance(plan, forms.ChoiceField)
        machine.choices = [("", "—"), *sku_choices(catalogue), *self._no_longer_sold()]
        plan.choices = [("", "—"), *((kind, plan_text(kind)) for kind in PLAN_KINDS)]
        self.fields["unit_price"].widget.attrs["placeholder"] = _("list")

    def _find(self, stored: Mapping[int, QuoteLine]) -> QuoteLine | None:
        return stored.get(whole_number(str(self["row"].value() or "")))

    def _no_longer_sold(self) -> list[tuple[str, str]]:
        """A machine that left the catalogue stays choosable on the line that has it."""
        row = self.stored_row
        if row is None or not row.sku or self.catalogue.offer(row.sku) is not None:
            return []
        return [(row.sku, f"{row.title or row.sku} ({_('no longer sold')})")]

    @property
    def sells(self) -> str:
        """What this line sells, also before it is valid."""
        value = self["kind"].value()
        return str(value) if value in QuoteLine.Kind.values else QuoteLine.Kind.TEXT.value

    @property
    def sells_words(self) -> str:
        """The same in words."""
        return str(QuoteLine.Kind(self.sells).label)

    def clean(self) -> dict[str, Any]:
        """A machine needs a machine and a plan it is sold under; other things need a price."""
        given = super().clean() or {}
        if given.get("remove"):
            self.errors.clear()
            return given
        kind = given.get("kind")
        if kind == QuoteLine.Kind.GPU:
            self._clean_machine(given)
        elif (
            kind in (QuoteLine.Kind.TRAFFIC, QuoteLine.Kind.TEXT)
            and given.get("unit_price") is None
            and "unit_price" not in self.errors
        ):
            self.add_error("unit_price", _("Write a price; 0 where it costs nothing."))
        if kind == QuoteLine.Kind.TEXT and not given.get("title"):
            self.add_error("title", _("Say what it is."))
        return given

    def _clean_machine(self, given: Mapping[str, Any]) -> None:
        row = self.stored_row
        same = row is not None and (row.sku, row.plan_kind) == (given.get("sku"), given.get("plan_kind"))
        if same or "sku" in self.errors or "plan_kind" in self.errors:
            return
        if not given.get("sku"):
            self.add_error("sku", _("Choose a machine."))
            return
        offer = self.catalogue.offer(given["sku"])
        sold = [str(plan["kind"]) for plan in offer.plans] if offer else []
        if given.get("unit_price") is not None or "unit_price" in self.errors:
            return
        if not sold:
            self.add_error("unit_price", _("There is no list price in this currency. Write one."))
        elif given.get("plan_kind") not in sold:
            names = _(", ").join(plan_text(kind) for kind in sold)
            self.add_error(
                "plan_kind",
                _("This machine is sold as: %(plans)s. For anything else, write a price.") % {"plans": names or "—"},
            )

    def line(self, head: Head) -> OfferLine:
        """The line as plain values: stored prices and rules while machine and plan stay, today's where they are new."""
        given = self.cleaned_data
        row, written = self.stored_row, given["unit_price"]
        line = OfferLine(
            kind=cast(LineKind, given["kind"]),
            sku=given["sku"],
            plan_kind=given["plan_kind"],
            title=given["title"],
            detail=given["detail"],
            count=_or(given["count"], Decimal(1)),
            periods=_or(given["periods"], Decimal(1)),
            unit=UNITS.get(given["kind"], "piece"),
            unit_price=_or(written, Decimal(0)),
            discount_percent=_or(given["discount_percent"], Decimal(0)),
            discount_amount=_or(given["discount_amount"], Decimal(0)),
        )
        if row is not None and self._says_the_same(row, line, head):
            line = replace(line, **{name: getattr(row, name) for name in KEPT_WITH_THE_PRICE})
            if written is None:
                return priced_line(line, self.catalogue, head)
            return replace(line, hand_set=row.hand_set or written != row.unit_price)
        if row is not None and row.sku != line.sku and row.title == line.title:
            line = replace(line, title="")  # the name of the machine goes with it
        priced = priced_line(line, self.catalogue, head)
        untouched = row is not None and not row.hand_set and written == row.unit_price
        if written is None or (untouched and priced.list_price is not None):
            return priced
        return replace(priced, unit_price=written, hand_set=priced.list_price != written)

    def _says_the_same(self, row: QuoteLine, line: OfferLine, head: Head) -> bool:
        """Same thing under the same plan, its price in the same currency with tax in or out as before."""
        before = (row.revision.currency, row.revision.prices_include_tax)
        return (row.kind, row.sku, row.plan_kind) == (line.kind, line.sku, line.plan_kind) and before == (
            head.currency,
            head.prices_include_tax,
        )


def _or(value: Decimal | None, default: Decimal) -> Decimal:
    return default if value is None else value


def sku_choices(catalogue: Catalogue) -> list[tuple[str, list[tuple[str, str]]]]:
    """Every machine of the catalogue, grouped by card; without a list price in this currency one must be written."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for offer in catalogue.offers:
        name = card_words(catalogue.gpus[offer.gpu])
        groups.setdefault(name, []).append((offer.sku, f"{name} × {offer.count}"))
    return list(groups.items())


class BaseLineFormSet(forms.BaseFormSet[LineForm]):
    """The lines of a draft."""

    def kept(self) -> list[LineForm]:
        """Forms that are not marked for removal, in order."""
        return [form for form in self.forms if not form.cleaned_data.get("remove")]


LineFormSet = forms.formset_factory(
    LineForm, formset=BaseLineFormSet, extra=0, max_num=MOST_LINES, validate_max=True, absolute_max=250
)


class AcceptForm(forms.Form):
    """The name of who accepts."""

    name = PrintedField(
        label=gettext_lazy("Your full name"),
        help_text=gettext_lazy("Kept with the time and your network address as proof of acceptance."),
        max_length=120,
        strip=True,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )
    agree = forms.BooleanField(
        label=gettext_lazy("I accept this quotation with its terms."),
        error_messages={"required": gettext_lazy("Tick the box to accept.")},
    )


class DeclineForm(forms.Form):
    """Why not; a reason helps, none is needed."""

    name = PrintedField(label=gettext_lazy("Your name"), max_length=120, required=False)
    reason = forms.CharField(
        label=gettext_lazy("Why not?"),
        help_text=gettext_lazy("You need not say, but it helps us to make a better offer."),
        required=False,
        max_length=MESSAGE_LENGTH,
        widget=forms.Textarea,
    )


class QuestionForm(forms.Form):
    """A question or a wish for changes."""

    msg = forms.CharField(
        label=gettext_lazy("What should change?"),
        help_text=gettext_lazy(
            "Another card, another term, invoice details. Sales answers with a new version within one working day; the old one stays visible."
        ),
        max_length=MESSAGE_LENGTH,
        widget=forms.Textarea,
    )


class ReasonForm(forms.Form):
    """A short reason for staff's steps."""

    reason = forms.CharField(label=gettext_lazy("Reason"), required=False, max_length=300)


class ListFilterForm(forms.Form):
    """Search and filters of the list of quotations; the address holds them."""

    q = forms.CharField(label=gettext_lazy("Search"), required=False, max_length=100)
    state = forms.ChoiceField(
        label=gettext_lazy("State"), required=False, choices=[("", gettext_lazy("All")), *QuoteState.choices]
    )
    scenario = forms.ChoiceField(
        label=gettext_lazy("Scenario"), required=False, choices=[("", gettext_lazy("All")), *Scenario.choices]
    )
    gpu = forms.ChoiceField(label=gettext_lazy("Card"), required=False)
    mine = forms.BooleanField(label=gettext_lazy("Only mine"), required=False)

    def __init__(self, data: Any, *, gpus: Iterable[tuple[str, str]]) -> None:
        super().__init__(data)
        field = self.fields["gpu"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", gettext_lazy("All")), *gpus]
