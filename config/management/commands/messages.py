"""`manage.py messages`: extract strings into every catalogue with Babel; `--check` fails on missing or fuzzy translations."""

import csv
import io
import json
import re
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_python
from babel.messages.pofile import read_po, write_po
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation.template import templatize

from catalog.specs import sources_by_column
from config.messages import FOLDERS, compile_stale

KEYWORDS = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}


DATA: Mapping[str, Sequence[tuple[str, str]]] = {
    "catalog": (
        ("data/gpu_specs.csv", "notes"),
        ("data/gpu_specs.csv", "sources"),
        ("data/measured_comparison.json", "source"),
    )
}
"""Folder -> (file, column) of sentences that stand in data and are shown to people."""
COMPLETE = {"zh_Hans"}
"""Catalogues in which nothing may be missing; the others are in the making, and what they lack is shown in English."""


def sources(base: Path, folder: str) -> Iterator[Path]:
    """Python files of the folder and the templates that belong to it (those at the top of templates/ belong to config)."""
    yield from sorted(path for path in (base / folder).rglob("*.py") if "migrations" not in path.parts)
    templates = base / "templates"
    if folder == "config":
        yield from sorted(path for path in templates.iterdir() if path.is_file())
    elif (templates / folder).is_dir():
        yield from sorted(path for path in (templates / folder).rglob("*") if path.is_file())


CALL = re.compile(r"""\b(?:_|n?p?gettext)\((?:u?'(?:[^'\\]|\\.)*'|u?"(?:[^"\\]|\\.)*"|[,\s\w])*\)""")
"""templatize leaves a template's other text as noise that is no Python: only its gettext calls are read."""


def strings(path: Path) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    """(message id or (singular, plural), context) of every marked string in one file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        text = "\n".join(CALL.findall(templatize(text, origin=str(path))))
    for _line, keyword, message, _comments in extract_python(
        io.BytesIO(text.encode()), KEYWORDS, (), {"encoding": "utf-8"}
    ):
        function = str(keyword)
        parts = [
            part for part in (message if isinstance(message, (tuple, list)) else [message]) if isinstance(part, str)
        ]
        context = parts.pop(0) if "pgettext" in function and len(parts) > 1 else None
        if parts and parts[0]:
            plural = function.startswith("n") and len(parts) > 1
            yield ((parts[0], parts[1]) if plural else parts[0]), context


def sentences_in_data(path: Path, column: str) -> Iterator[str]:
    """What stands in one column of a CSV file or of a JSON file's `rows`, without the empty cells; sources one by one."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = json.load(file)["rows"] if path.suffix == ".json" else csv.DictReader(file)
        cells = [row[column] for row in rows if row[column]]
    if column != "sources":
        yield from cells
        return
    for cell in cells:
        yield from dict.fromkeys(source for found in sources_by_column(cell).values() for source in found)


def translations(message: Message) -> tuple[str | None, ...]:
    """Its translation, or one for each plural form; empty or None where there is none yet."""
    return tuple(message.string) if isinstance(message.string, (tuple, list)) else (message.string,)


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--app", choices=FOLDERS, action="append", help="only this folder; may be repeated")
        parser.add_argument(
            "--check", action="store_true", help="write nothing; fail where a translation is missing, fuzzy or stale"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        base: Path = settings.BASE_DIR
        problems: list[str] = []
        for folder in options["app"] or FOLDERS:
            template = Catalog(project="Cardwise", charset="utf-8")
            for path in sources(base, folder):
                for message, context in strings(path):
                    template.add(message, locations=[(path.relative_to(base).as_posix(), 0)], context=context, flags=())
            for name, column in DATA.get(folder, ()):
                for message in sentences_in_data(base / folder / name, column):
                    template.add(message, locations=[(f"{folder}/{name}", 0)], flags=())
            for locale_dir in sorted((base / folder / "locale").iterdir()):
                po = locale_dir / "LC_MESSAGES" / "django.po"
                catalogue = Catalog(locale=locale_dir.name, project="Cardwise", charset="utf-8")
                if po.exists():
                    with po.open("rb") as source:
                        catalogue = read_po(source, locale=locale_dir.name, abort_invalid=True)
                if options["check"]:
                    problems += self.problems(template, catalogue, po.relative_to(base))
                else:
                    self.write(template, catalogue, po)
        if problems:
            raise CommandError("\n".join(problems))
        if not options["check"]:
            compile_stale(base)

    def problems(self, template: Catalog, catalogue: Catalog, name: Path) -> list[str]:
        found, missing = [], []
        for wanted in template:
            if not wanted.id:
                continue
            have = catalogue.get(wanted.id, wanted.context)
            if have is None and catalogue.locale_identifier not in COMPLETE:
                found.append(f"{name}: not extracted (run `just messages`): {wanted.id!r}")
            elif have is None or not all(translations(have)):
                missing.append(f"{name}: not translated: {wanted.id!r}")
            elif have.fuzzy:
                found.append(f"{name}: fuzzy: {wanted.id!r}")
            else:
                found += [f"{name}: {error}: {wanted.id!r}" for error in have.check(catalogue)]
        if catalogue.locale_identifier in COMPLETE:
            return found + missing
        self.stdout.write(f"{name}: {len(template) - len(missing)} of {len(template)} translated")
        return found

    def write(self, template: Catalog, catalogue: Catalog, po: Path) -> None:
        """Keep every translation still used, add what is new, never guess: Babel's fuzzy matching stays off."""
        template.creation_date = catalogue.creation_date  # no change of date without a change of strings
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue.fuzzy = False
        catalogue.header_comment = f"# {catalogue.locale_identifier}: Cardwise"
        catalogue.obsolete.clear()
        for message in catalogue:
            message.locations = sorted({(file, 0) for file, _line in message.locations})
        po.parent.mkdir(parents=True, exist_ok=True)
        part = po.with_suffix(".po.part")
        with part.open("wb") as target:
            write_po(
                target,
                catalogue,
                sort_output=True,
                include_lineno=False,
                ignore_obsolete=True,
                omit_header=False,
                width=120,
            )
        part.replace(po)
        missing = sum(1 for message in catalogue if message.id and not all(translations(message)))
        self.stdout.write(f"{po.relative_to(settings.BASE_DIR)}: {len(catalogue)} strings, {missing} to translate")
