"""What a revision says, frozen: figures as decimal strings and every word of it, so that page, PDF and XLSX can only say the same.

The words are made once, in the quotation's language; a later change of prices, plans, names or translations changes nothing.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from typing import Any

from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import override

from billing.capitals import LARGEST, capital_yuan
from billing.costing.money import text
from billing.costing.quote_totals import Amounts
from billing.lifecycle import end_of_validity
from billing.offer import Contact, Head, OfferLine
from billing.wording import (
    date_text,
    money_text,
    number_text,
    plan_rule_text,
    plan_text,
    quantity_text,
    timezone_text,
    unit_price_text,
)
from catalog.formats import currency_symbol

SCHEMA = 1


def _percent(value: Decimal, language: str) -> str:
    return f"{number_text(value, language)}%"


def _discount_text(line: OfferLine, currency: str, language: str) -> str:
    parts = []
    if line.discount_percent:
        parts.append(f"−{_percent(line.discount_percent, language)}")
    if line.discount_amount:
        parts.append(f"−{money_text(line.discount_amount, currency, language)}")
    return " ".join(parts)


def line_title(line: OfferLine) -> str:
    """What the line calls its thing where nobody wrote a title."""
    words = {"storage": _("Data disk"), "traffic": _("Traffic"), "text": _("Other")}
    return line.title or words.get(line.kind, line.sku)


def line_detail(line: OfferLine) -> str:
    """What the line says below its title where nobody wrote a detail: the plan and how it is counted."""
    if line.detail or not line.plan_kind:
        return line.detail
    return plan_rule_text(line.plan_kind, dict(line.plan or {}))


def _line(line: OfferLine, amounts: Amounts, head: Head) -> dict[str, Any]:
    shown = amounts.gross if head.prices_include_tax else amounts.net
    return {
        **{key: text(value) if isinstance(value, Decimal) else value for key, value in asdict(line).items()},
        "title": line_title(line),
        "detail": line_detail(line),
        "plan_name": plan_text(line.plan_kind) if line.plan_kind else "",
        "quantity": text(line.quantity),
        "net": text(amounts.net),
        "tax": text(amounts.tax),
        "gross": text(amounts.gross),
        "amount": text(shown),
        "words": {
            "quantity": quantity_text(line.kind, line.count * line.units_each, line.periods, line.unit, head.language),
            "unit_price": unit_price_text(line.unit_price, head.currency, head.language),
            "discount": _discount_text(line, head.currency, head.language),
            "amount": money_text(shown, head.currency, head.language),
        },
    }


def _rounding_sentence(rounding: str) -> str:
    return {
        "unit": _("Amounts are rounded half up per unit, before they are multiplied."),
        "line": _("Amounts are rounded half up per line."),
        "total": _("Amounts are rounded half up once, on the total."),
    }[rounding]


def _words(head: Head, total: Amounts, lines: Sequence[OfferLine], issued_on: date, timezone: str) -> dict[str, Any]:
    said: dict[str, Any] = {
        "net": money_text(total.net, head.currency, head.language),
        "tax": money_text(total.tax, head.currency, head.language),
        "gross": money_text(total.gross, head.currency, head.language),
        "symbol": currency_symbol(head.currency),
        "tax_percent": _percent(head.tax_percent, head.language),
        "issued_on": date_text(issued_on, head.language),
        "valid_until": date_text(head.valid_until, head.language),
        "valid_until_clock": _("24:00 %(zone)s") % {"zone": timezone_text(timezone)},
        "rounding": _rounding_sentence(head.rounding),
        "capital": "",
    }
    if any(line.discount_percent or line.discount_amount for line in lines):
        said["discount_order"] = _("Discounts: per cent first, then the fixed sum; no line goes below zero.")
    if head.currency == "CNY" and head.language.startswith("zh") and total.gross < LARGEST:
        said["capital"] = capital_yuan(total.gross)
    return said


def check_code(snapshot: Mapping[str, Any]) -> str:
    """Eight characters only we can make from this snapshot: a printed copy can be compared with ours."""
    body = json.dumps(
        {key: value for key, value in snapshot.items() if key != "check_code"}, sort_keys=True, ensure_ascii=False
    )
    digest = salted_hmac("billing.quote-check-code", body, algorithm="sha256").hexdigest().upper()
    return f"{digest[:4]}-{digest[4:8]}"


def build_snapshot(
    *,
    number: str,
    revision_number: int,
    issued_on: date,
    head: Head,
    lines: Sequence[OfferLine],
    contact: Contact,
    seller: Mapping[str, str],
    advice: Mapping[str, Any] | None,
    catalogue_version: int,
) -> dict[str, Any]:
    """The whole revision as JSON values. `seller`: name, email, timezone. Raises CostingErrors where the lines cannot be added up."""
    totals = head.offer(lines).totals()
    with override(head.language):
        snapshot: dict[str, Any] = {
            "schema": SCHEMA,
            "number": number,
            "revision": revision_number,
            "language": head.language,
            "issued_on": issued_on.isoformat(),
            "valid_until": head.valid_until.isoformat(),
            "valid_before": end_of_validity(head.valid_until, seller["timezone"]).isoformat(),
            "timezone": seller["timezone"],
            "currency": head.currency,
            "rounding": head.rounding,
            "tax_percent": text(head.tax_percent),
            "prices_include_tax": head.prices_include_tax,
            "seller": dict(seller),
            "customer": asdict(contact),
            "purpose": head.purpose,
            "payment": head.payment,
            "start": head.start,
            "terms": [line.strip() for line in head.terms.splitlines() if line.strip()],
            "lines": [_line(line, amounts, head) for line, amounts in zip(lines, totals.lines, strict=True)],
            "totals": totals.total.to_dict(),
            "words": _words(head, totals.total, lines, issued_on, seller["timezone"]),
            "advice": dict(advice) if advice else None,
            "catalogue_version": catalogue_version,
            "is_sample": any(line.is_sample for line in lines),
        }
    snapshot["check_code"] = check_code(snapshot)
    return snapshot
