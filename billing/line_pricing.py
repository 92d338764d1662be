"""Lines at the catalogue's prices of the moment. Plain values in and out."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

from django.utils.translation import override

from billing.costing.money import plain
from billing.offer import PRICE_DECIMALS, SECONDS, Head, OfferLine, periods_of
from catalog.formats import card_words
from catalog.snapshot import Catalogue, Offer, plan_rules

STORAGE_FIELD = "disk_price_per_gb_day_running"


def unit_of(rules: Mapping[str, object]) -> str:
    """What one priced unit of a plan is: the unit of its price, `piece` for terms of several units."""
    term = rules.get("term")
    if isinstance(term, Mapping):
        return str(term["unit"]) if int(str(term["count"])) == 1 else "piece"
    unit = str(rules["price_per"])
    return unit if unit in SECONDS else "piece"


def price_for(price: object, head: Head, *, tax_percent: object = "0", prices_include_tax: object = False) -> Decimal:
    """A catalogue price as the head wants it: tax taken out of it or put on it where the two differ, eight decimals."""
    exact = Fraction(str(price))
    rate = Fraction(str(tax_percent))
    if prices_include_tax and not head.prices_include_tax:
        exact = exact * 100 / (100 + rate)
    elif head.prices_include_tax and not prices_include_tax:
        exact = exact * (100 + Fraction(head.tax_percent)) / 100
    return plain(exact, PRICE_DECIMALS)


def list_price(plan: Mapping[str, object], field: str, head: Head) -> Decimal:
    """One price of a catalogue plan under the head's rule of tax."""
    return price_for(
        plan.get(field, "0"),
        head,
        tax_percent=plan.get("tax_percent", "0"),
        prices_include_tax=plan.get("prices_include_tax", False),
    )


def line_title(catalogue: Catalogue, offer: Offer, head: Head) -> str:
    """The card's name as the customer reads it, in the quotation's language."""
    with override(head.language):
        return card_words(catalogue.gpus[offer.gpu])


def priced_line(line: OfferLine, catalogue: Catalogue, head: Head) -> OfferLine:
    """The line with machine, plan rules and list price of this catalogue; unit price = list price.

    A machine or plan that is not sold (any more) leaves the line as it is, marked as priced by hand.
    """
    if line.kind == "storage":
        return _storage(line, catalogue, head)
    if line.kind != "gpu":
        return replace(line, list_price=None, hand_set=True)
    offer = catalogue.offer(line.sku)
    plan = next((plan for plan in offer.plans if plan["kind"] == line.plan_kind), None) if offer else None
    if offer is None or catalogue.currency != head.currency:
        return replace(line, hand_set=True, list_price=None)
    if plan is None:
        title = line.title or line_title(catalogue, offer, head)
        return replace(
            line, gpu=offer.gpu, title=title, units_each=offer.count, unit=line.plan_kind or "hour", hand_set=True
        )
    price = list_price(plan, "unit_price", head)
    return replace(
        line,
        gpu=offer.gpu,
        plan=plan_rules(plan),
        title=line.title or line_title(catalogue, offer, head),
        units_each=offer.count if plan.get("per", "gpu") == "gpu" else offer.nodes,
        unit=unit_of(plan),
        unit_price=price,
        list_price=price,
        hand_set=False,
        is_sample=offer.is_sample,
    )


def _storage(line: OfferLine, catalogue: Catalogue, head: Head) -> OfferLine:
    plan = next((plan for offer in catalogue.priced_offers for plan in offer.plans if STORAGE_FIELD in plan), None)
    if plan is None or catalogue.currency != head.currency:
        return replace(line, list_price=None, hand_set=True, unit="day")
    price = list_price(plan, STORAGE_FIELD, head)
    return replace(line, unit="day", unit_price=price, list_price=price, hand_set=False, is_sample=catalogue.is_sample)


def lines_of_advice(wanted: Iterable[Mapping[str, object]], catalogue: Catalogue, head: Head) -> tuple[OfferLine, ...]:
    """Lines from what a customer saw: `[{sku, gpu, count, plan, periods or hours}]`; anything unreadable is passed over."""
    return tuple(line for item in wanted if (line := _line_of_advice(item, catalogue, head)) is not None)


def _line_of_advice(item: Mapping[str, object], catalogue: Catalogue, head: Head) -> OfferLine | None:
    offer = catalogue.offer(str(item.get("sku", "")))
    if offer is None or not offer.plans:
        return None
    kind = next(
        (kind for kind in (str(item.get("plan", "")), "hour") if _sold(offer, kind)), str(offer.plans[0]["kind"])
    )
    plan = next(plan for plan in offer.plans if plan["kind"] == kind)
    cards = _number(item.get("count"), Decimal(offer.count))
    hours = _number(item.get("hours"), Decimal(1))
    line = OfferLine(
        kind="gpu",
        sku=offer.sku,
        plan_kind=kind,
        count=max(Decimal(1), cards // offer.count),
        periods=_number(item.get("periods"), periods_of(hours, 1, plan)),
    )
    return priced_line(line, catalogue, head)


def _sold(offer: Offer, kind: str) -> bool:
    return any(plan["kind"] == kind for plan in offer.plans)


def _number(value: object, default: Decimal) -> Decimal:
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        return default
    return number if number.is_finite() and 0 < number < 10**6 else default
