"""A quotation as a workbook whose amounts are live formulas: the same rules as the costing core, so they come to the snapshot's figures.

Cells with formulas also hold the figures themselves, for programs that show a workbook without calculating it.
"""

import io
import re
import zipfile
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override
from openpyxl import Workbook
from openpyxl.cell import Cell
from openpyxl.styles import Alignment, Border, Font, Side
from openpyxl.worksheet.worksheet import Worksheet

from billing.costing.money import digits, round_to
from billing.documents.labels import document_labels, sample_notice

BOLD = Font(bold=True)
RULE = Border(bottom=Side(style="thin"))
WIDTHS = {"A": 34, "B": 34, "C": 14, "D": 14, "E": 12, "F": 14, "G": 16, "H": 14, "I": 16}
NET, TAX, GROSS = "G", "H", "I"


class _Sheet:
    """One sheet being written: texts never become formulas, formulas keep the figure they come to."""

    def __init__(self, sheet: Worksheet, currency: str) -> None:
        self.sheet = sheet
        self.digits = digits(currency)
        self.money = "#,##0" + ("." + "0" * self.digits if self.digits else "")
        self.figures: dict[str, str] = {}

    def text(self, place: str, value: str, font: Font | None = None) -> None:
        """A text, also one that begins with an equals sign."""
        cell = self._cell(place)
        cell.value = value
        cell.data_type = "s"
        cell.alignment = Alignment(wrap_text=True, vertical="top")
        if font:
            cell.font = font

    def number(self, place: str, value: str, form: str = "General") -> None:
        """An exact number."""
        cell = self._cell(place)
        cell.value = Decimal(value)
        cell.number_format = form

    def formula(self, place: str, formula: str, figure: str, font: Font | None = None) -> None:
        """A formula and the figure it comes to."""
        cell = self._cell(place)
        cell.value = f"={formula}"
        cell.number_format = self.money
        self.figures[place] = figure
        if font:
            cell.font = font

    def _cell(self, place: str) -> Cell:
        cell = self.sheet[place]
        assert isinstance(cell, Cell)
        return cell


class _Rules:
    """The formulas of one line under a rounding, in terms of the cells of its row. `rate` is the cell of the VAT per cent."""

    def __init__(self, doc: Mapping[str, Any], places: int, rate: str) -> None:
        self.rounding = doc["rounding"]
        self.inclusive = doc["prices_include_tax"]
        self.places = places
        self.rate = f"{rate}/100"

    def round(self, amount: str) -> str:
        """Half away from zero to the currency's digits."""
        return f"ROUND({amount},{self.places})"

    @staticmethod
    def charged_exactly(row: int) -> str:
        """Quantity x unit price less per cent, less the fixed sum, not below zero."""
        return f"MAX(0,C{row}*D{row}*(1-E{row}/100)-F{row})"

    def tax_of(self, amount: str) -> str:
        """The tax in or on an amount."""
        return f"{amount}*{self.rate}/(1+{self.rate})" if self.inclusive else f"{amount}*{self.rate}"

    def line(self, row: int, shares: tuple[str, str]) -> tuple[str, str, str]:
        """Net, tax, gross. `shares`: what sharing a rounded total adds to charged amount and tax (rounding `total` only)."""
        if self.rounding == "unit":
            return self._by_unit(row)
        charged = self.round(self.charged_exactly(row)) + shares[0]
        if self.inclusive:
            return f"{GROSS}{row}-{TAX}{row}", self.round(self.tax_of(f"{GROSS}{row}")) + shares[1], charged
        return charged, self.round(self.tax_of(f"{NET}{row}")) + shares[1], f"{NET}{row}+{TAX}{row}"

    def _by_unit(self, row: int) -> tuple[str, str, str]:
        unit, more = f"D{row}*(1-E{row}/100)", f"(1+{self.rate})"
        net_unit, net_off = (f"{unit}/{more}", f"F{row}/{more}") if self.inclusive else (unit, f"F{row}")
        gross_unit, gross_off = (unit, f"F{row}") if self.inclusive else (f"{unit}*{more}", f"F{row}*{more}")
        net = self.round(f"MAX(0,C{row}*{self.round(net_unit)}-{net_off})")
        gross = self.round(f"MAX(0,C{row}*{self.round(gross_unit)}-{gross_off})")
        return net, f"{GROSS}{row}-{NET}{row}", f"MAX({NET}{row},{gross})"


def _shares(line: Mapping[str, Any], doc: Mapping[str, Any], places: int) -> tuple[str, str]:
    """The cents by which largest remainder moved a line from its own rounding, as ends of formulas (`+0.01`)."""
    if doc["rounding"] != "total":
        return "", ""
    quantity, price = Fraction(line["quantity"]), Fraction(line["unit_price"])
    exact = quantity * price * (1 - Fraction(line["discount_percent"]) / 100) - Fraction(line["discount_amount"])
    rate = Fraction(doc["tax_percent"]) / 100
    charged = Decimal(line["gross"] if doc["prices_include_tax"] else line["net"])
    tax = Fraction(charged) * (rate / (1 + rate) if doc["prices_include_tax"] else rate)
    moved = charged - round_to(max(Fraction(0), exact), places), Decimal(line["tax"]) - round_to(tax, places)
    return _end(moved[0]), _end(moved[1])


def _end(moved: Decimal) -> str:
    return f"{moved:+f}" if moved else ""


def _head(sheet: _Sheet, doc: Mapping[str, Any], labels: Mapping[str, str]) -> int:
    """The head of the sheet; the row after it."""
    sheet.text("A1", f"{labels['title']} {labels['numbered']}", Font(bold=True, size=14))
    pairs = [
        (labels["date"], doc["words"]["issued_on"]),
        (labels["valid"], f"{doc['words']['valid_until']}{labels['comma']}{doc['words']['valid_until_clock']}"),
        (labels["customer"], doc["customer"]["organisation"] or doc["customer"]["contact"]),
        (labels["currency"], labels["currency_name"]),
        (labels["check_code"], doc["check_code"]),
    ]
    for row, (label, value) in enumerate(pairs, start=2):
        sheet.text(f"A{row}", label)
        sheet.text(f"B{row}", value)
    return 2 + len(pairs)


def _table_head(sheet: _Sheet, row: int, labels: Mapping[str, str], basis: str) -> None:
    heads = (
        labels["item"],
        "",
        labels["quantity"],
        f"{labels['unit_price']} ({basis})",
        f"{labels['discount']} %",
        _("Fixed discount"),
        labels["net"],
        labels["tax"],
        labels["gross"],
    )
    for column, words in zip("ABCDEFGHI", heads, strict=True):
        sheet.text(f"{column}{row}", words, BOLD)
        sheet.sheet[f"{column}{row}"].border = RULE


def _lines(sheet: _Sheet, doc: Mapping[str, Any], first: int, rules: _Rules) -> int:
    for row, line in enumerate(doc["lines"], start=first):
        sheet.text(f"A{row}", line["title"])
        sheet.text(f"B{row}", "\n".join(part for part in (line["detail"], line["words"]["quantity"]) if part))
        sheet.number(f"C{row}", line["quantity"], "#,##0.########")
        sheet.number(f"D{row}", line["unit_price"], "#,##0.00######")
        sheet.number(f"E{row}", line["discount_percent"])
        sheet.number(f"F{row}", line["discount_amount"], sheet.money)
        formulas = rules.line(row, _shares(line, doc, sheet.digits))
        for column, formula, name in zip((NET, TAX, GROSS), formulas, ("net", "tax", "gross"), strict=True):
            sheet.formula(f"{column}{row}", formula, line[name])
    return first + len(doc["lines"]) - 1


def _totals(sheet: _Sheet, doc: Mapping[str, Any], first: int, last: int, rules: _Rules, label: str) -> None:
    row = last + 1
    sheet.text(f"A{row}", label, BOLD)
    formulas = {column: f"SUM({column}{first}:{column}{last})" for column in (NET, TAX, GROSS)}
    if doc["rounding"] == "total" and last >= first:
        exact = f"SUMPRODUCT((C{first}:C{last}*D{first}:D{last}*(1-E{first}:E{last}/100)-F{first}:F{last}>0)*(C{first}:C{last}*D{first}:D{last}*(1-E{first}:E{last}/100)-F{first}:F{last}))"
        charged, other = (GROSS, NET) if doc["prices_include_tax"] else (NET, GROSS)
        formulas[charged] = rules.round(exact)
        formulas[TAX] = rules.round(rules.tax_of(f"{charged}{row}"))
        formulas[other] = f"{GROSS}{row}-{TAX}{row}" if other == NET else f"{NET}{row}+{TAX}{row}"
    for column, name in ((NET, "net"), (TAX, "tax"), (GROSS, "gross")):
        sheet.formula(f"{column}{row}", formulas[column], doc["totals"][name], BOLD)


def quote_xlsx(doc: Mapping[str, Any]) -> bytes:
    """The workbook of a snapshot."""
    labels = document_labels(doc)
    book = Workbook()
    active = book.active
    assert isinstance(active, Worksheet)
    active.title = doc["number"] or "Draft"
    sheet = _Sheet(active, doc["currency"])
    for column, width in WIDTHS.items():
        active.column_dimensions[column].width = width
    with override(doc["language"]):
        row = _head(sheet, doc, labels)
        sheet.text(f"A{row}", _("VAT %"))
        sheet.number(f"B{row}", doc["tax_percent"])
        rules = _Rules(doc, sheet.digits, f"$B${row}")
        _table_head(sheet, row + 2, labels, labels["tax_basis"])
        first = row + 3
        last = _lines(sheet, doc, first, rules)
        _totals(sheet, doc, first, last, rules, _("Total"))
    notes = [doc["words"]["rounding"], doc["words"].get("discount_order", ""), sample_notice(doc), *doc["terms"]]
    for place, note in enumerate((note for note in notes if note), start=last + 3):
        sheet.text(f"A{place}", note)
        active.merge_cells(f"A{place}:I{place}")
    active.freeze_panes = f"A{first}"
    return _with_figures(_saved(book), sheet.figures)


def _saved(book: Workbook) -> bytes:
    target = io.BytesIO()
    book.save(target)
    return target.getvalue()


FORMULA_CELL = re.compile(
    rb'(<c r="([A-Z]+[0-9]+)"[^>]*><f>[^<]*</f>)<v\s*/>|(<c r="([A-Z]+[0-9]+)"[^>]*><f>[^<]*</f>)<v></v>'
)


def _with_figures(book: bytes, figures: Mapping[str, str]) -> bytes:
    """The same workbook with the figure of each formula beside it; openpyxl writes one or the other."""

    def filled(match: re.Match[bytes]) -> bytes:
        cell, place = (match[1], match[2]) if match[1] else (match[3], match[4])
        return cell + b"<v>" + figures[place.decode()].encode() + b"</v>"

    target = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(book)) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for item in old.infolist():
            body = old.read(item)
            new.writestr(item, FORMULA_CELL.sub(filled, body) if item.filename.endswith("sheet1.xml") else body)
    return target.getvalue()
