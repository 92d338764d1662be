"""`manage.py import_prices FILE --preview`, then `--apply`: a price list in, nothing guessed in silence."""

from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone, translation
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from catalog.actions import import_prices
from catalog.forms import check_currency
from catalog.importing.columns import UNITS
from catalog.importing.preview import Answers, Preview, Proposal, look
from catalog.importing.reading import MOST_BYTES, UnreadableList, read_table
from catalog.plan_rules import decimal_text
from catalog.queries import current_catalogue, plan_slots


class Command(BaseCommand):
    help = "Read a price list (CSV, XLSX, JSON), show what it would change, and with --apply change it."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--preview", action="store_true", help="Only show (the default).")
        what.add_argument("--apply", action="store_true", help="Write the changes that are not in doubt.")
        parser.add_argument("--accept-flagged", action="store_true", help="With --apply: write the rows in doubt too.")
        parser.add_argument("--currency", default="", help="Where the list does not name it, for instance CNY.")
        parser.add_argument("--per", choices=["gpu", "machine"], default="", help="What a price is for.")
        parser.add_argument("--decimal", choices=["point", "comma"], help="The decimal sign.")
        parser.add_argument("--money", choices=["whole", "thousandth"], default="", help="thousandth: 7500 is 7.5.")
        parser.add_argument("--unit", choices=UNITS, default="", help="The time a price is for.")
        parser.add_argument("--price-column", default="", help="The column that holds the price.")
        parser.add_argument("--plan", default="", help="The plan the prices are for, where several fit.")
        parser.add_argument("--valid-from", default="", help="When the prices begin to hold (RFC 3339). Default: now.")
        parser.add_argument("--lang", choices=[code for code, _name in settings.LANGUAGES], default="en")
        parser.add_argument("--sample", action="store_true", help="Mark the prices as sample data.")

    def handle(self, *args: Any, **options: Any) -> None:
        with translation.override(options["lang"]):
            self._import(options)

    def _import(self, options: dict[str, Any]) -> None:
        valid_from = self._moment(options["valid_from"])
        preview = self._look(options, valid_from)
        self._show(preview)
        if not options["apply"]:
            return
        if preview.questions:
            raise CommandError(_("Answer the questions first; nothing was changed."))
        try:
            done = import_prices(
                by=None,
                preview=preview,
                valid_from=valid_from,
                accept_flagged=options["accept_flagged"],
                is_sample=options["sample"],
            )
        except ValidationError as error:
            raise CommandError(_("Nothing was changed: %(why)s") % {"why": " ".join(error.messages)}) from error
        if done.version is None:
            self.stdout.write(_("Nothing to change."))
        else:
            self.stdout.write(_("Catalogue version %(version)d written.") % {"version": done.version})

    def _moment(self, text: str) -> datetime:
        if not text:
            return timezone.now()
        try:
            moment = parse_datetime(text)
        except ValueError:
            moment = None
        if moment is None or timezone.is_naive(moment):
            raise CommandError(_("--valid-from wants a moment with its zone, for instance 2026-12-01T00:00:00+08:00."))
        return moment

    def _look(self, options: dict[str, Any], at: datetime) -> Preview:
        path: Path = options["file"]
        try:
            with path.open("rb") as file:
                table = read_table(file.read(MOST_BYTES + 1), path.name)
            currency = check_currency(options["currency"]) if options["currency"] else ""
        except OSError as error:
            raise CommandError(_("%(file)s cannot be read: %(why)s") % {"file": path, "why": error.strerror}) from error
        except UnreadableList as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        answers = Answers(
            currency=currency,
            per=options["per"],
            decimal_sign=options["decimal"],
            money_unit=options["money"],
            price_unit=options["unit"],
            price_column=options["price_column"],
            plan=options["plan"],
        )
        plans = plan_slots(at)
        catalogues = {code: current_catalogue(code, at) for code in sorted({plan.currency for plan in plans})}
        return look(table, answers, catalogues, plans)

    def _show(self, preview: Preview) -> None:
        for line in preview.notes:
            self.stdout.write(line)
        for line in preview.questions:
            self.stdout.write(f"? {line}")
        if preview.questions:
            return
        for proposal in preview.changes:
            self.stdout.write(f"+ {_line(proposal)}")
        for proposal in preview.flagged:
            self.stdout.write(f"! {_line(proposal)}: {'; '.join(proposal.flags)}")
        for row, why in preview.refused:
            self.stdout.write(f"- {row}: {why}")
        same = sum(not proposal.is_change for proposal in preview.proposals)
        self.stdout.write(
            _("%(changes)d changes, %(flagged)d in doubt, %(same)d unchanged, %(refused)d rows not taken.")
            % {
                "changes": len(preview.changes),
                "flagged": len(preview.flagged),
                "same": same,
                "refused": len(preview.refused),
            }
        )


def _line(proposal: Proposal) -> str:
    old = decimal_text(proposal.old_price) if proposal.old_price is not None else "—"
    slot = proposal.plan
    return f"{proposal.row}: {proposal.sku} {slot.name}: {old} -> {decimal_text(proposal.unit_price)} {slot.currency}/{slot.price_per}"
