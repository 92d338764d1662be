"""What a price list would change, before anything is written: rows to take, rows in doubt, rows refused, questions left open."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from django.utils.translation import gettext as _

from catalog.importing.columns import UNITS, Columns, PriceColumn, understand
from catalog.importing.matching import cards_named, is_heading, is_several
from catalog.importing.numbers import DecimalSign, proved_sign, read_number
from catalog.importing.reading import Table
from catalog.plan_slot import PlanSlot
from catalog.snapshot import Catalogue, Offer

SECONDS = {"second": 1, "minute": 60, "hour": 3600}
PLACES = Decimal("0.00000001")
CHANGE_MOST = Decimal(2)
PLAUSIBLE_HOUR = {
    "CNY": (Decimal("0.1"), Decimal(150)),
    "USD": (Decimal("0.02"), Decimal(25)),
    "EUR": (Decimal("0.02"), Decimal(25)),
}
"""Per card and hour, a little beyond what public lists hold (0.04 USD for an RTX 4060 Ti on a marketplace to 14 USD for a B300)."""
NEAR = Decimal("0.02")


@dataclass(frozen=True, slots=True)
class Answers:
    """What the person says where the file leaves it open; None or "" = not said."""

    currency: str = ""
    per: str = ""  # gpu, machine
    decimal_sign: DecimalSign | None = None
    money_unit: str = ""  # whole, thousandth
    price_unit: str = ""  # second ... month
    price_column: str = ""
    plan: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One price as it would be stored: of one machine under one plan, `old_price` the one that holds now (None: none yet).

    `flags` are reasons for doubt: such a row is only taken when it is accepted by hand.
    """

    row: int
    sku: str
    plan: PlanSlot
    unit_price: Decimal
    old_price: Decimal | None
    flags: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """Whether it differs from what holds now."""
        return self.unit_price != self.old_price


@dataclass(frozen=True, slots=True)
class Preview:
    """The whole list, looked at. With `questions` open nothing can be applied."""

    notes: Sequence[str]
    questions: Sequence[str]
    proposals: Sequence[Proposal] = ()
    refused: Sequence[tuple[int, str]] = ()
    sign: DecimalSign | None = None

    @property
    def changes(self) -> list[Proposal]:
        """Rows that change something and are not in doubt."""
        return [proposal for proposal in self.proposals if proposal.is_change and not proposal.flags]

    @property
    def flagged(self) -> list[Proposal]:
        """Rows that change something and are in doubt."""
        return [proposal for proposal in self.proposals if proposal.is_change and proposal.flags]


class _Refused(ValueError):
    """This row cannot be taken; the text says why."""


@dataclass(slots=True)
class _Reader:
    table: Table
    columns: Columns
    prices: Sequence[PriceColumn]
    check: PriceColumn | None
    answers: Answers
    sign: DecimalSign
    catalogues: Mapping[str, Catalogue]
    plans: Sequence[PlanSlot]
    seen: dict[tuple[str, str, str], tuple[int, Decimal]] = field(default_factory=dict)

    def cell(self, row: Mapping[str, str], role: str) -> str:
        name = self.columns.roles.get(role)
        return row.get(name, "") if name else ""

    def count(self, row: Mapping[str, str]) -> int:
        text = self.cell(row, "count") or "1"
        number = read_number(text, self.sign)
        if number is None or number != number.to_integral_value() or number < 1:
            raise _Refused(_("“%(text)s” is not a whole number of cards") % {"text": text[:40]})
        return int(number)

    def offer(self, row: Mapping[str, str], catalogue: Catalogue) -> Offer:
        """The machine the row means."""
        if code := self.cell(row, "sku"):
            offer = catalogue.offer(code)
            if offer is None:
                raise _Refused(_("there is no machine “%(code)s”") % {"code": code[:60]})
            return offer
        name = self.cell(row, "gpu")
        if not name:
            raise _Refused(_("no card is named"))
        if is_several(name):
            raise _Refused(_("“%(name)s” names several cards") % {"name": name[:60]})
        count = self.count(row)
        slugs = self._cards(name, self.cell(row, "vram"), count, self.cell(row, "link"), catalogue)
        if not slugs:
            raise _Refused(_("“%(name)s” is no card of the catalogue") % {"name": name[:60]})
        offers = [offer for slug in slugs for offer in catalogue.offers_of(slug) if offer.count == count]
        if region := self.cell(row, "region"):
            offers = [offer for offer in offers if offer.region == region]
        if not offers:
            raise _Refused(_("no machine with %(count)d × %(name)s is on sale") % {"count": count, "name": name[:60]})
        if len(offers) > 1:
            codes = ", ".join(offer.sku for offer in offers)
            raise _Refused(
                _("“%(name)s” may mean %(codes)s: name the machine in a column sku")
                % {"name": name[:60], "codes": codes}
            )
        return offers[0]

    def _cards(self, name: str, vram: str, count: int, link: str, catalogue: Catalogue) -> list[str]:
        memory = read_number(vram, self.sign) if vram else None
        found = cards_named(name, memory, link, catalogue.gpus)
        if not found and memory is not None and count > 1:  # some lists write the memory of all cards together
            found = cards_named(name, memory / count, link, catalogue.gpus)
        return found

    def slot(self, column: PriceColumn, currency: str) -> tuple[PlanSlot, Decimal]:
        """The plan a price column is for, and by what its prices are multiplied to be priced as the plan is."""
        unit = column.unit or self.answers.price_unit
        fits = [
            plan
            for plan in self.plans
            if plan.currency == currency and (not self.answers.plan or plan.name == self.answers.plan)
        ]
        exact = [plan for plan in fits if plan.price_per == unit]
        if not exact and unit in SECONDS:
            exact = [plan for plan in fits if plan.price_per in SECONDS and SECONDS[plan.price_per] > SECONDS[unit]][:1]
        if not exact:
            raise _Refused(_("no plan in %(currency)s is priced per %(unit)s") % {"currency": currency, "unit": unit})
        if len(exact) > 1:
            names = ", ".join(plan.name for plan in exact)
            raise _Refused(
                _("several plans are priced per %(unit)s: choose one of %(names)s") % {"unit": unit, "names": names}
            )
        plan = exact[0]
        return plan, Decimal(SECONDS[plan.price_per]) / SECONDS[unit] if plan.price_per != unit else Decimal(1)

    def proposal(self, number: int, row: Mapping[str, str], column: PriceColumn) -> Proposal | None:
        """One cell as a proposed price; None where it repeats a row above."""
        text = row[column.name]
        currency = column.currency or self.cell(row, "currency").upper() or self.answers.currency
        if currency not in self.catalogues:
            raise _Refused(_("“%(currency)s” is no currency of the shop") % {"currency": currency[:20]})
        if self.cell(row, "spot").lower() in {"yes", "true", "1"}:
            raise _Refused(_("a spot price is no price of a plan"))
        price = read_number(text, self.sign)
        if price is None:
            raise _Refused(_("“%(text)s” is not a price") % {"text": text[:40]})
        if price <= 0:
            raise _Refused(_("a price is more than zero"))
        catalogue = self.catalogues[currency]
        offer = self.offer(row, catalogue)
        plan, factor = self.slot(column, currency)
        if column.thousandths or (column.thousandths is None and self.answers.money_unit == "thousandth"):
            price /= 1000
        per_gpu = column.per_gpu if column.per_gpu is not None else self.answers.per != "machine"
        price = price * factor
        if per_gpu != (plan.per == "gpu"):
            price = price / offer.count if plan.per == "gpu" else price * offer.count
        price = price.quantize(PLACES)
        if price <= 0:
            raise _Refused(_("a price is more than zero"))
        key = (offer.sku, plan.name, currency)
        if key in self.seen:
            line, other = self.seen[key]
            if other == price:
                return None
            raise _Refused(_("row %(line)d says another price for the same machine and plan") % {"line": line})
        self.seen[key] = (number, price)
        old = next((Decimal(str(had["unit_price"])) for had in offer.plans if had["name"] == plan.name), None)
        return Proposal(number, offer.sku, plan, price, old, tuple(self.flags(row, offer, plan, price, old, column)))

    def flags(
        self,
        row: Mapping[str, str],
        offer: Offer,
        plan: PlanSlot,
        price: Decimal,
        old: Decimal | None,
        column: PriceColumn,
    ) -> list[str]:
        """Reasons for doubt in one price."""
        found = []
        if old is not None and not old / CHANGE_MOST <= price <= old * CHANGE_MOST:
            found.append(
                _("more than %(times)s times the price that holds, or less than its half") % {"times": CHANGE_MOST}
            )
        if plan.price_per in SECONDS and plan.currency in PLAUSIBLE_HOUR:
            hour = price * 3600 / SECONDS[plan.price_per] / (1 if plan.per == "gpu" else offer.count)
            low, high = PLAUSIBLE_HOUR[plan.currency]
            if not low <= hour <= high:
                found.append(
                    _("%(price)s %(currency)s for one card and hour is not plausible")
                    % {"price": f"{hour.normalize():f}", "currency": plan.currency}
                )
        if self.check is not None and (total := read_number(row[self.check.name], self.sign)) is not None:
            said = read_number(row[column.name], self.sign) or Decimal(0)
            if abs(said * offer.count - total) > max(total * NEAR, Decimal("0.005") * offer.count):
                found.append(
                    _("the price per card times %(count)d is not the total %(total)s")
                    % {"count": offer.count, "total": row[self.check.name]}
                )
        return found


def look(table: Table, answers: Answers, catalogues: Mapping[str, Catalogue], plans: Sequence[PlanSlot]) -> Preview:
    """Read the table against what is on sale now (`catalogues` by currency, `plans`). Nothing is written."""
    columns = understand(table.columns)
    notes = _notes(table)
    prices, check, questions = _choose(columns, answers, table)
    sign, asked = _sign(table, prices, check, answers)
    questions += asked + _open(columns, prices, answers, table)
    if questions or sign is None:
        return Preview(notes, questions, sign=sign)
    if any(column.per_gpu is None for column in prices):
        notes.append(
            _("Prices are taken for the whole machine.")
            if answers.per == "machine"
            else _("Prices are taken for one card.")
        )
    reader = _Reader(table, columns, prices, check, answers, sign, catalogues, plans)
    proposals: list[Proposal] = []
    refused: list[tuple[int, str]] = []
    for number, row in table.rows:
        if is_heading(row.values(), table.columns):
            refused.append((number, _("repeats the heading")))
            continue
        told = [column for column in prices if row[column.name]]
        if not told:
            refused.append((number, _("no price")))
        for column in told:
            try:
                if proposal := reader.proposal(number, row, column):
                    proposals.append(proposal)
                else:
                    notes.append(_("Row %(row)d repeats an earlier one.") % {"row": number})
            except _Refused as why:
                refused.append((number, str(why)))
    return Preview(notes, [], _across_counts(proposals, catalogues), refused, sign)


def _notes(table: Table) -> list[str]:
    notes = []
    if table.encoding:
        notes.append(_("Read as %(encoding)s.") % {"encoding": table.encoding})
    if table.delimiter and table.delimiter != ",":
        notes.append(_("Columns are parted by %(mark)s.") % {"mark": repr(table.delimiter)})
    return notes


def _choose(
    columns: Columns, answers: Answers, table: Table
) -> tuple[list[PriceColumn], PriceColumn | None, list[str]]:
    """The columns whose prices are taken, a total to check them by, and what must be asked."""
    if answers.price_column:
        chosen = [column for column in columns.prices if column.name == answers.price_column]
        if not chosen:
            return [], None, [_("There is no price column “%(name)s”.") % {"name": answers.price_column}]
        return chosen, None, []
    if not columns.prices:
        return (
            [],
            None,
            [_("No column is named as a price. There are: %(names)s.") % {"names": ", ".join(table.columns)}],
        )
    keys = [(column.unit, column.currency) for column in columns.prices]
    if len(set(keys)) == len(keys):
        return list(columns.prices), None, []
    per_gpu = [column for column in columns.prices if column.per_gpu]
    others = [column for column in columns.prices if not column.per_gpu]
    if len(per_gpu) == 1 and len(others) == 1:
        return per_gpu, others[0], []
    names = ", ".join(column.name for column in columns.prices)
    return [], None, [_("Which of these columns is the price: %(names)s? (--price-column)") % {"names": names}]


def _sign(
    table: Table, prices: Sequence[PriceColumn], check: PriceColumn | None, answers: Answers
) -> tuple[DecimalSign | None, list[str]]:
    texts = [row[column.name] for _number, row in table.rows for column in [*prices, *([check] if check else [])]]
    if answers.decimal_sign:
        return answers.decimal_sign, []
    if not table.delimiter and all("," not in text for text in texts):
        return "point", []
    sign = proved_sign(texts, delimiter=table.delimiter)
    if sign is None:
        example = next((text for text in texts if "," in text or "." in text), "")
        return None, [
            _("Is the decimal sign a point or a comma, as in “%(example)s”? (--decimal)") % {"example": example[:40]}
        ]
    return sign, []


def _open(columns: Columns, prices: Sequence[PriceColumn], answers: Answers, table: Table) -> list[str]:
    """What the names of the columns leave open and nobody has answered."""
    questions = []
    if "sku" not in columns.roles and "gpu" not in columns.roles:
        questions.append(
            _("No column names the card or the machine. There are: %(names)s.") % {"names": ", ".join(table.columns)}
        )
    if any(not column.currency for column in prices) and "currency" not in columns.roles and not answers.currency:
        questions.append(_("In which currency are the prices? (--currency)"))
    if any(column.unit is None for column in prices) and not answers.price_unit:
        questions.append(_("For which time is the price: %(units)s? (--unit)") % {"units": ", ".join(UNITS)})
    if any(column.thousandths is None for column in prices) and not answers.money_unit:
        questions.append(_("Are the prices in whole units or in thousandths (7500 = 7.5)? (--money)"))
    several = "sku" in columns.roles or any(
        row.get(columns.roles.get("count", ""), "1") not in {"", "1"} for _number, row in table.rows
    )
    named_for_card = "sku" in columns.roles and all(column.currency and column.unit for column in prices)
    if several and not named_for_card and any(column.per_gpu is None for column in prices) and not answers.per:
        questions.append(_("Is the price for one card or for the whole machine? (--per)"))
    return questions


def _across_counts(proposals: Sequence[Proposal], catalogues: Mapping[str, Catalogue]) -> list[Proposal]:
    """Doubt prices of machines with several cards that look like the wrong one of "per card" and "in total"."""
    single: dict[tuple[str, str, str], Decimal] = {}
    offers = {offer.sku: offer for catalogue in catalogues.values() for offer in catalogue.offers}
    for proposal in proposals:
        offer = offers[proposal.sku]
        if offer.count == 1:
            single[(offer.gpu, proposal.plan.name, proposal.plan.currency)] = proposal.unit_price
    checked = []
    for proposal in proposals:
        offer = offers[proposal.sku]
        one = single.get((offer.gpu, proposal.plan.name, proposal.plan.currency))
        flags = list(proposal.flags)
        if one is not None and offer.count > 1 and proposal.plan.per == "gpu":
            ratio = proposal.unit_price / one
            if abs(ratio - offer.count) <= Decimal("0.2") * offer.count:
                flags.append(
                    _("about %(count)d times the price of one card: a total, where the price per card is meant?")
                    % {"count": offer.count}
                )
            if abs(ratio * offer.count - 1) <= Decimal("0.2"):
                flags.append(_("the machine would cost no more than one card: is the price the one of a single card?"))
        checked.append(
            Proposal(proposal.row, proposal.sku, proposal.plan, proposal.unit_price, proposal.old_price, tuple(flags))
        )
    return checked
