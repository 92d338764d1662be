"""Message catalogues without system gettext: Babel compiles `.po` to `.mo` wherever a catalogue is newer than its result."""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

FOLDERS = ("config", "catalog", "billing", "advisor")


def catalogues(base: Path) -> Iterator[Path]:
    """Every `django.po` of the project."""
    for folder in FOLDERS:
        yield from sorted((base / folder / "locale").glob("*/LC_MESSAGES/django.po"))


def languages_on_disk(folder: Path) -> list[str]:
    """Language codes (`zh-hans`) of the folders (`zh_Hans`) below a locale folder."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(path.name.lower().replace("_", "-") for path in found if path.is_dir())


def in_english_where_missing(catalogue: Catalog) -> Catalog:
    """What a translator has not come to stands in English: Django would else fall back to the site's first language, Chinese."""
    for message in catalogue:
        strings = message.string if isinstance(message.string, (tuple, list)) else (message.string,)
        if message.id and (message.fuzzy or not all(strings)):
            message.flags.discard("fuzzy")
            plural = isinstance(message.id, (tuple, list))
            more = catalogue.num_plurals - 1
            message.string = (
                (message.id[0] if more else message.id[1], *[message.id[1]] * more) if plural else message.id
            )
    return catalogue


def compile_stale(base: Path) -> None:
    """Compile catalogues newer than their `.mo`. A read-only folder keeps what it has."""
    for po in catalogues(base):
        mo = po.with_suffix(".mo")
        if mo.exists() and mo.stat().st_mtime >= po.stat().st_mtime:
            continue
        with po.open("rb") as source:
            catalogue = read_po(source, abort_invalid=True)
        half_written = mo.with_suffix(".mo.part")
        try:
            with half_written.open("wb") as target:
                write_mo(target, in_english_where_missing(catalogue))
            half_written.replace(mo)
        except OSError:
            return
