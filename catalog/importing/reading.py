"""A price list as a plain table of texts, whatever it came in: CSV, XLSX or JSON; how it was read is said."""

import csv
import io
import json
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from openpyxl import load_workbook

MOST_BYTES = 10_000_000
MOST_UNPACKED_BYTES = 100_000_000
MOST_ROWS = 20_000
DELIMITERS = (",", ";", "\t", "|")


class UnreadableList(ValueError):
    """The file is no price list we can read; the text says why, for a person."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts by column, each with its place in the file; `encoding` and `delimiter` are "" where the format has none."""

    columns: Sequence[str]
    rows: Sequence[tuple[int, dict[str, str]]]
    encoding: str = ""
    delimiter: str = ""


def decode(data: bytes) -> tuple[str, str]:
    """The text and the encoding that was taken: a byte order mark decides, then UTF-8 if it is valid, then GB18030 (with GBK).

    Raises UnreadableList where none fits.
    """
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return _decoded(data, encoding), encoding
    try:
        return data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        return _decoded(data, "gb18030"), "gb18030"


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableList(
            _("The text is neither UTF-8 nor GB18030 (byte %(at)d). Save it as UTF-8.") % {"at": error.start}
        ) from error


def read_table(data: bytes, name: str) -> Table:
    """The file's table. `name` tells the format by its ending (csv, txt, tsv, xlsx, json).

    Raises UnreadableList: too large, empty, not what the ending says, no heading.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableList(_("The file is larger than 10 MB."))
    ending = name.rpartition(".")[2].lower()
    if ending == "xlsx":
        return _xlsx(data)
    text, encoding = decode(data)
    if "\0" in text:
        raise UnreadableList(_("The file is not text."))
    if ending == "json":
        return _json(text, encoding)
    if ending in {"csv", "tsv", "txt"}:
        return _csv(text, encoding)
    raise UnreadableList(_("Files ending in .csv, .tsv, .xlsx or .json can be read."))


def _csv(text: str, encoding: str) -> Table:
    lines = text.splitlines()
    first = next((line for line in lines if line.strip() and not line.startswith("#")), "")
    if len(first) > csv.field_size_limit():
        raise UnreadableList(_("The heading is longer than %(most)d characters.") % {"most": csv.field_size_limit()})
    delimiter = max(DELIMITERS, key=lambda mark: len(next(csv.reader([first], delimiter=mark), [])))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        cells = [(reader.line_num, row) for row in reader if row and not row[0].startswith("#")]
    except csv.Error as error:
        raise UnreadableList(
            _("Line %(line)d is not CSV: %(why)s.") % {"line": reader.line_num, "why": error}
        ) from error
    return _table(cells, encoding, delimiter)


def _xlsx(data: bytes) -> Table:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > MOST_UNPACKED_BYTES:
                raise UnreadableList(_("The workbook is too large when unpacked."))
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheet = book.worksheets[0]
        cells = [
            (number, [_cell(value) for value in row])
            for number, row in enumerate(sheet.iter_rows(values_only=True, max_row=MOST_ROWS + 2), start=1)
        ]
        book.close()
    except (zipfile.BadZipFile, KeyError, ValueError, IndexError, OSError) as error:
        if isinstance(error, UnreadableList):
            raise
        raise UnreadableList(_("The file is not an Excel workbook (.xlsx).")) from error
    return _table([(number, row) for number, row in cells if any(row)], "", "")


def _cell(value: Any) -> str:
    """A cell as text; a float in its shortest form, which is what was typed."""
    return "" if value is None else repr(value) if isinstance(value, float) else str(value)


def _json(text: str, encoding: str) -> Table:
    try:
        said = json.loads(text, parse_float=str, parse_int=str)
    except (ValueError, RecursionError) as error:
        raise UnreadableList(_("The file is not JSON.")) from error
    if isinstance(said, dict):
        lists = [value for value in said.values() if isinstance(value, list)]
        said = lists[0] if len(lists) == 1 else said
    if not isinstance(said, list) or not said or not all(isinstance(row, dict) for row in said):
        raise UnreadableList(_("JSON must be a list of objects, one for each price."))
    columns = list(dict.fromkeys(key for row in said for key in row))
    _check_rows(len(said))
    rows = [
        (number, {column: _json_cell(row.get(column)) for column in columns})
        for number, row in enumerate(said, start=1)
    ]
    return Table(columns, rows, encoding)


def _json_cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _check_rows(count: int) -> None:
    if count > MOST_ROWS:
        raise UnreadableList(_("The list has more than %(most)d rows.") % {"most": MOST_ROWS})


def _table(cells: Iterable[tuple[int, Sequence[str]]], encoding: str, delimiter: str) -> Table:
    lines = list(cells)
    if not lines:
        raise UnreadableList(_("The file is empty."))
    columns = [text.strip() for text in lines[0][1]]
    named = [column for column in columns if column]
    if len(named) < 2 or len(set(named)) != len(named):
        raise UnreadableList(_("The first row must name at least two columns, each once."))
    _check_rows(len(lines) - 1)
    rows = [
        (number, {column: text.strip() for column, text in zip(columns, row, strict=False) if column})
        for number, row in lines[1:]
        if any(text.strip() for text in row)
    ]
    return Table(named, [(number, dict.fromkeys(named, "") | row) for number, row in rows], encoding, delimiter)
