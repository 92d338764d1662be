"""Figures of the guide, none typed: each from a spec sheet, a price, a published measurement or the estimator, with its origin.

A chapter asks the desk for named figures; the page shows them in its sentences and lists at its end where each comes from.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from advisor.answer_labels import PLANS, SPEED_UNITS
from advisor.answers import query_of
from advisor.library import facts, library
from advisor.sizing.answer import Estimate
from advisor.sizing.estimate import prepare
from advisor.sizing.gpu import Gpu, gpu_from_row
from advisor.sizing.llm.weights import FORMATS
from advisor.sizing.shapes import shape_of
from advisor.sizing.workload import ModelRef
from advisor.sources import address_of
from advisor.templatetags.figures import money, number, sign, unit_price
from catalog.cards import Card, cards_of
from catalog.example import spec_rows
from catalog.snapshot import Catalogue, PlanKind
from catalog.specs import SPEC, derivations_by_column, sources_by_column

UNKNOWN = "—"
GIB_BYTES = 2**30
GB_BYTES = 10**9


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure as a sentence shows it, and below the page: what it is, where it comes from, a link if there is one.

    `value` is the unrounded number, None where it is not known. `kind`: spec, price, measured, estimate or computed.
    """

    name: str
    value: float | Decimal | None
    shown: SafeString
    kind: str
    what: str
    source: str
    href: str = ""


@lru_cache(maxsize=1)
def _facts_by_id() -> Mapping[str, Mapping[str, Any]]:
    return {fact["id"]: fact for fact in facts()}


def fact_of(fact_id: str) -> Mapping[str, Any]:
    """A published measurement. Raises KeyError where there is none of that number."""
    return _facts_by_id()[fact_id]


def with_unit(text: str, unit: object = "") -> SafeString:
    """A number that does not break, its unit small beside it."""
    if not unit:
        return format_html('<span class="n">{}</span>', text)
    return format_html('<span class="n">{}<small>&nbsp;{}</small></span>', text, unit)


def with_sign(amount: Decimal | None, currency: str) -> SafeString:
    """A unit price with all its digits behind its currency's sign."""
    return format_html('<span class="n"><small>{}</small>{}</span>', sign(currency), unit_price(amount))


class Desk:
    """Works out the figures of one page. Cards and prices are those of one catalogue; where a card is not in it, its shipped sheet."""

    def __init__(self, catalogue: Catalogue) -> None:
        self.catalogue = catalogue
        self.cards: Mapping[str, Card] = {card.slug: card for card in cards_of(catalogue)}
        self.figures: dict[str, Figure] = {}

    def row(self, slug: str) -> Mapping[str, str]:
        """The spec sheet of a card."""
        return self.catalogue.gpus.get(slug) or spec_rows()[slug]

    def gpu(self, slug: str) -> Gpu:
        """The card as the estimator sees it."""
        return gpu_from_row(self.row(slug))

    def card_name(self, slug: str) -> str:
        """Its name without remarks."""
        return self.row(slug)["name"].removesuffix(" (modified)")

    def put(
        self,
        name: str,
        value: float | Decimal | None,
        *,
        digits: int | None = None,
        unit: object = "",
        kind: str = "computed",
        what: str = "",
        source: str = "",
        href: str = "",
    ) -> None:
        """A figure under its name, rounded to `digits` for the eye only."""
        shown = with_unit(UNKNOWN) if value is None else with_unit(number(value, digits), unit)
        self.figures[name] = Figure(name, value, shown, kind, what, source, href)

    def value(self, name: str) -> float | None:
        """A figure already worked out."""
        found = self.figures[name].value
        return None if found is None else float(found)

    # spec sheets

    def _cell(self, slug: str, column: str) -> Decimal | None:
        text = self.row(slug)[column]
        return Decimal(text) if text else None

    def _sheet_source(self, slug: str, column: str) -> str:
        row = self.row(slug)
        derived = derivations_by_column(row["derived_cells"]).get(column)
        return derived or "; ".join(sources_by_column(row["sources"]).get(column, ()))

    def _card_page(self, slug: str) -> str:
        return reverse("catalog:card", args=[slug]) if slug in self.catalogue.gpus else ""

    def spec(self, name: str, slug: str, column: str, digits: int | None = None) -> None:
        """A figure of a card's spec sheet in its unit."""
        self.put(
            name,
            self._cell(slug, column),
            digits=digits,
            unit=SPEC[column].unit,
            kind="spec",
            what=f"{self.card_name(slug)}: {SPEC[column].label}",
            source=self._sheet_source(slug, column),
            href=self._card_page(slug),
        )

    def spec_ratio(
        self, name: str, top: str, bottom: str, column: str, digits: int = 1, under: str | None = None
    ) -> None:
        """One card's figure as a multiple of another's (`under`: of another column of it)."""
        over, below = self._cell(top, column), self._cell(bottom, under or column)
        if top == bottom:
            what = f"{self.card_name(top)}: {SPEC[column].label} / {SPEC[under or column].label}"
            href = self._card_page(top)
        else:
            what = _("%(top)s against %(bottom)s: %(figure)s") % {
                "top": self.card_name(top),
                "bottom": self.card_name(bottom),
                "figure": SPEC[column].label,
            }
            href = f"{reverse('catalog:compare')}?cmp={top}&cmp={bottom}"
        self.put(
            name,
            over / below if over is not None and below else None,
            digits=digits,
            kind="spec",
            what=what,
            source=f"{number(over)} / {number(below)}" if over is not None and below else "",
            href=href,
        )

    def usable(self, name: str, slug: str) -> None:
        """What of a card's memory a job may fill, GiB."""
        self.put(
            name,
            self.gpu(slug).usable_gib,
            digits=1,
            unit="GiB",
            kind="spec",
            what=_("%(card)s: memory less what driver and CUDA keep") % {"card": self.card_name(slug)},
            source=_("measured totals of nvidia-smi and PyTorch"),
            href=self._card_page(slug),
        )

    # prices

    def hour_price(self, slug: str) -> Decimal | None:
        """What an hour of one card costs, None where it is not for rent."""
        card = self.cards.get(slug)
        return card.hour if card else None

    def price(self, name: str, slug: str, kind: PlanKind = "hour") -> None:
        """The price of one card under a plan."""
        card = self.cards.get(slug)
        value = (card.hour if kind == "hour" else card.prices.get(kind)) if card else None
        self.amount(name, value, what=f"{self.card_name(slug)}: {PLANS[kind]}", href=self._card_page(slug))

    def amount(self, name: str, value: Decimal | None, *, what: str, href: str = "", source: str = "") -> None:
        """Money in the catalogue's currency; a price below one keeps all its digits."""
        small = value is not None and 0 < value < 1
        shown = with_sign(value, self.catalogue.currency) if small else money(value, self.catalogue.currency)
        said = source or _("price list, version %(version)s") % {"version": self.catalogue.version}
        self.figures[name] = Figure(name, value, shown, "price", what, said, href)

    def price_ratio(self, name: str, top: str, bottom: str, digits: int = 2) -> None:
        """One card's hourly price as a multiple of another's."""
        over, below = self.hour_price(top), self.hour_price(bottom)
        self.put(
            name,
            over / below if over is not None and below else None,
            digits=digits,
            kind="price",
            what=_("%(top)s against %(bottom)s: price of an hour")
            % {"top": self.card_name(top), "bottom": self.card_name(bottom)},
            source=f"{number(over)} / {number(below)}" if over is not None and below else "",
            href=f"{reverse('catalog:compare')}?cmp={top}&cmp={bottom}",
        )

    # measurements

    def measured(self, name: str, fact_id: str, digits: int = 0) -> None:
        """A published measurement in its unit."""
        fact = fact_of(fact_id)
        unit = "GiB" if fact["metric"] == "memory_gib_per_gpu" else SPEED_UNITS.get(fact["unit"], fact["unit"])
        self.put(
            name,
            fact["value"],
            digits=digits,
            unit=unit,
            kind="measured",
            what=_measured_what(fact),
            source=f"{fact_id}: {fact['source']}",
            href=address_of(fact["source"]) or "",
        )

    def measured_ratio(self, name: str, top_id: str, bottom_id: str, digits: int = 2) -> None:
        """One measured speed as a multiple of another; both must be in the same unit."""
        top, bottom = fact_of(top_id), fact_of(bottom_id)
        if top["unit"] != bottom["unit"]:
            raise ValueError(f"{top_id} and {bottom_id} are measured in different units")
        self.put(
            name,
            top["value"] / bottom["value"],
            digits=digits,
            kind="measured",
            what=f"{_measured_what(top)} / {_measured_what(bottom)}",
            source=f"{top_id} {number(top['value'])} / {bottom_id} {number(bottom['value'])}: {top['source']}",
            href=address_of(top["source"]) or "",
        )

    # the estimator

    def estimate(self, workload: Mapping[str, Any], slug: str, count: int = 1) -> Estimate:
        """A workload on a card, on the catalogue's spec sheet."""
        return prepare(workload, library()).on(self.gpu(slug), count, with_evidence=False)

    def need(
        self, name: str, workload: Mapping[str, Any], slug: str, *, count: int = 1, digits: int = 1, what: str = ""
    ) -> None:
        """Memory a workload takes on each card, GiB; links to the answer with everything filled in."""
        memory = self.estimate(workload, slug, count).memory
        interval = f"{number(memory.low_gib, 1)}–{number(memory.high_gib, 1)} GiB" if memory else ""
        self.put(
            name,
            memory.per_gpu_gib if memory else None,
            digits=digits,
            unit="GiB",
            kind="estimate",
            what=what or str(workload.get("model") or workload.get("application") or workload["task"]),
            source=_("our estimate, 9 in 10 within %(interval)s") % {"interval": interval},
            href=f"{reverse('advisor:result')}?{query_of(workload)}",
        )

    def weights(self, name: str, model: str, weight_format: str, digits: int = 0) -> None:
        """A model's weights in a format, GB (1e9 bytes, as file lists count)."""
        billions = float(library().models[model]["params_b"])
        per_parameter = FORMATS[weight_format].linear
        self.put(
            name,
            billions * per_parameter,
            digits=digits,
            unit="GB",
            kind="computed",
            what=_("Weights of %(model)s as %(format)s") % {"model": model, "format": weight_format},
            source=_("%(count)s billion parameters × %(bytes)s bytes")
            % {"count": number(billions, 1), "bytes": number(round(per_parameter, 3))},
            href=reverse("advisor:model", args=[model]),
        )

    def kv_bytes(self, model: str) -> float:
        """Bytes one token of context takes in a 16-bit cache."""
        return shape_of(ModelRef(slug=model), library().models).kv_elements_per_token * FORMATS["fp16"].linear

    def cache(self, name: str, model: str, tokens: int = 1, *, digits: int = 1) -> None:
        """A model's 16-bit cache of so many tokens: KiB for one, GiB for more."""
        size = self.kv_bytes(model) * tokens
        self.put(
            name,
            size / 1024 if tokens == 1 else size / GIB_BYTES,
            digits=digits,
            unit="KiB" if tokens == 1 else "GiB",
            kind="computed",
            what=ngettext("KV cache of %(model)s, %(tokens)s token", "KV cache of %(model)s, %(tokens)s tokens", tokens)
            % {"model": model, "tokens": number(tokens)},
            source=_("layers × KV heads × head size × 2 × 2 bytes"),
            href=reverse("advisor:model", args=[model]),
        )


def _measured_what(fact: Mapping[str, Any]) -> str:
    work = fact["workload"]
    named = work.get("model") or work.get("application") or work["task"]
    card = library().gpus.get(fact["gpu"] or "")
    on = f"{fact['count']} × {card.name}" if card and fact["count"] > 1 else card.name if card else ""
    return " · ".join(part for part in (str(named), on) if part)
