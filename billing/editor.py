"""A draft on its way through the edit form: contact, head and lines, from a stored revision, from a request or from what was typed."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from django.forms import BaseForm
from django.http import QueryDict
from django.utils.translation import gettext as _

from billing.costing.errors import CostingErrors, FieldError
from billing.drafts import HEAD_FIELDS
from billing.forms import MOST_LINES, BaseLineFormSet, ContactForm, HeadForm, LineFormSet, new_head
from billing.line_pricing import lines_of_advice
from billing.models import Quote, QuoteLine, QuoteRequest, Seller
from billing.models.choices import Currency
from billing.offer import Contact, Head, OfferLine
from billing.queries import catalogue_of
from billing.sentences import error_sentence
from billing.typed import whole_number
from billing.wording import plain_text

KINDS = tuple(QuoteLine.Kind.values)
EMPTY_LINE: Mapping[str, Mapping[str, str]] = {
    "gpu": {"count": "1", "periods": "1", "plan_kind": "hour"},
    "storage": {"count": "100", "periods": "30"},
    "traffic": {"count": "100", "periods": "1"},
    "text": {"count": "1", "periods": "1"},
}
FIRST_FIELD: Mapping[str, str] = {"gpu": "sku", "storage": "count", "traffic": "count", "text": "count"}
"""Where the cursor goes on a new line."""
LINE_INPUTS = (
    "row",
    "kind",
    "sku",
    "plan_kind",
    "title",
    "detail",
    "count",
    "periods",
    "unit_price",
    "discount_percent",
    "discount_amount",
)


def _line_initial(line: OfferLine | QuoteLine, row: int | None) -> dict[str, object]:
    numbers = ("count", "periods", "unit_price", "discount_percent", "discount_amount")
    said: dict[str, object] = {name: getattr(line, name) for name in ("kind", "sku", "plan_kind", "title", "detail")}
    said |= {name: plain_text(getattr(line, name)) for name in numbers}
    return said | {"row": row or ""}


class Editor:
    """The three forms of one draft. `do` is what the pressed button wants: save, preview, add-gpu, ..."""

    def __init__(
        self,
        *,
        quote: Quote | None = None,
        asked: QuoteRequest | None = None,
        posted: QueryDict | None = None,
        language: str,
    ) -> None:
        self.quote = quote
        self.asked = asked
        self.language = language
        self.do = posted.get("do", "save") if posted is not None else ""
        self.stored = {row.pk: row for row in quote.revision.lines.select_related("revision")} if quote else {}
        currency = posted.get("currency") if posted is not None else (quote.revision.currency if quote else None)
        seller = Seller.objects.current()
        self.catalogue = catalogue_of(str(currency) if currency in Currency.values else seller.currency)
        if posted is None:
            self._open(new_head(seller, asked.language if asked else language))
        elif self.do.removeprefix("add-") in KINDS:
            self._open_with_more(posted, self.do.removeprefix("add-"))
        else:
            self.contact = ContactForm(posted)
            self.head = HeadForm(posted, instance=quote.revision if quote else None)
            self.lines = self._line_forms(data=posted)

    def _line_forms(self, **source: Any) -> BaseLineFormSet:
        options = {"catalogue": self.catalogue, "stored": self.stored, "empty_permitted": False}
        return cast(BaseLineFormSet, LineFormSet(prefix="lines", form_kwargs=options, **source))

    def _open(self, fresh: Head) -> None:
        if self.quote:
            revision = self.quote.revision
            self.contact = ContactForm(instance=self.quote.customer)
            self.head = HeadForm(instance=revision)
            initial = [_line_initial(row, row.pk) for row in self.stored.values()]
        else:
            self.contact = ContactForm(initial=self._asked_contact())
            self.head = HeadForm(initial={name: getattr(fresh, name) for name in HEAD_FIELDS})
            wanted = (self.asked.advice or {}).get("lines", []) if self.asked else []
            found = lines_of_advice(wanted if isinstance(wanted, list) else [], self.catalogue, fresh)
            initial = [_line_initial(line, None) | {"unit_price": ""} for line in found]
        if not initial:
            initial = [{"kind": "gpu", **EMPTY_LINE["gpu"]}]
        self.lines = self._line_forms(initial=initial)

    def _asked_contact(self) -> dict[str, str]:
        if self.asked is None:
            return {}
        return {name: getattr(self.asked, name) for name in ContactForm.Meta.fields}

    def _open_with_more(self, posted: QueryDict, kind: str) -> None:
        """What was typed, unchecked, and one empty line more; a line that did not arrive is none."""
        typed = posted.dict()
        self.contact = ContactForm(initial=typed)
        self.head = HeadForm(initial=typed | {"prices_include_tax": "prices_include_tax" in posted})
        rows = [
            {name: posted.get(f"lines-{index}-{name}", "") for name in LINE_INPUTS}
            for index in range(min(whole_number(posted.get("lines-TOTAL_FORMS", "")), MOST_LINES))
            if posted.get(f"lines-{index}-kind") and f"lines-{index}-remove" not in posted
        ]
        self.lines = self._line_forms(initial=[*rows, {"kind": kind, **EMPTY_LINE[kind]}])
        self.lines.forms[-1].fields[FIRST_FIELD[kind]].widget.attrs["autofocus"] = True

    def is_valid(self) -> bool:
        """All three forms, and lines that can be added up."""
        found = [self.contact.is_valid(), self.adds_up()]
        return all(found)

    def adds_up(self) -> bool:
        """Head and lines alone: enough for totals while the customer is still being written."""
        found = [self.head.is_valid(), self.lines.is_valid()]
        return all(found) and self._adds_up()

    def _adds_up(self) -> bool:
        try:
            offer = self.head_values.offer(self.line_values)
            offer.totals()
            offer.check()
        except CostingErrors as errors:
            kept = self.lines.kept()
            for error in errors.errors:
                place = error.path.removeprefix("lines[").partition("].")
                name = "count" if place[2] == "quantity" else place[2]
                if place[1] and place[0].isdecimal() and name in kept[int(place[0])].fields:
                    form = kept[int(place[0])]
                    told = FieldError(str(form.fields[name].label), error.code, error.params)
                    form.add_error(name, error_sentence(told))
                else:
                    text = _("Add at least one line.") if error.path == "lines" else error_sentence(error)
                    self.head.add_error(None, text)
            return False
        return True

    @property
    def head_values(self) -> Head:
        """The valid head."""
        return self.head.head()

    @property
    def contact_values(self) -> Contact:
        """The valid contact; an empty one while it is not."""
        if not self.contact.is_valid():
            return Contact("", "", "", "", self.head_values.language)
        return self.contact.details(self.head_values.language)

    @property
    def line_values(self) -> Sequence[OfferLine]:
        """The valid lines that stay."""
        head = self.head_values
        return tuple(form.line(head) for form in self.lines.kept())

    @property
    def catalogue_version(self) -> int:
        """The version the prices are from: today's as soon as one line took a price of today."""
        if self.quote is None:
            return self.catalogue.version
        pairs = zip(self.lines.kept(), self.line_values, strict=True)
        kept = [
            form.stored_row is not None
            and (form.stored_row.list_price, form.stored_row.plan) == (line.list_price, line.plan)
            for form, line in pairs
            if line.list_price is not None
        ]
        return self.quote.revision.catalogue_version if all(kept) else self.catalogue.version

    def problems(self, *, with_contact: bool = True) -> list[dict[str, str]]:
        """Every error with the id of its field, in reading order, for the summary."""
        found = [{"id": "", "text": str(text)} for text in self.head.non_field_errors()]
        found += [{"id": "", "text": str(text)} for text in self.lines.non_form_errors()]
        every: list[BaseForm] = [*([self.contact] if with_contact else []), self.head, *self.lines.forms]
        for form in every:
            for name, texts in form.errors.items():
                if name != "__all__":
                    found += [{"id": form[name].id_for_label, "text": str(text)} for text in texts]
        return found
