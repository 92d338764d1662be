"""The fixed words of a quotation's files, in the quotation's language."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import override

from billing.models.choices import Currency
from billing.wording import comma


def document_labels(doc: Mapping[str, Any]) -> dict[str, str]:
    """Labels by name. The figures in them come from the snapshot."""
    with override(doc["language"]):
        words = doc["words"]
        inclusive = doc["prices_include_tax"]
        basis = _("incl. VAT") if inclusive else _("excl. VAT")
        currency = doc["currency"]
        return {
            "title": _("Quotation"),
            "number": _("Number"),
            "numbered": numbered(doc),
            "date": _("Date"),
            "valid": _("Valid until"),
            "comma": comma(),
            "customer": _("Customer"),
            "contact": _("Contact"),
            "purpose": _("Purpose"),
            "currency": _("Currency"),
            "currency_name": str(Currency(currency).label) if currency in Currency.values else currency,
            "payment": _("Payment"),
            "start": _("Start of rental"),
            "item": _("Item and plan"),
            "quantity": _("Quantity"),
            "unit_price": _("Unit price"),
            "discount": _("Discount"),
            "amount": _("Amount"),
            "tax_basis": f"{words['symbol']}{comma()}{basis}",
            "net": _("Net, without VAT"),
            "tax": _("VAT %(percent)s") % {"percent": words["tax_percent"]},
            "gross": _("Total, with VAT"),
            "capital": _("In capitals: "),
            "why": _("Why these cards"),
            "terms": _("Terms"),
            "check": _("check code %(code)s") % {"code": doc["check_code"]},
            "check_code": _("Check code"),
            "sign_seller": _("Seller (stamp)"),
            "sign_customer": _("Customer (signature or stamp)"),
            "sign_date": _("Date"),
        }


def numbered(doc: Mapping[str, Any]) -> str:
    """`Q-2026-0417, revision 2` in the active language."""
    return _("%(number)s, revision %(revision)s") % {"number": doc["number"] or "—", "revision": doc["revision"]}


def watermark(doc: Mapping[str, Any], *, draft: bool) -> str:
    """What stands across every page: a draft is no offer, a sample price no price."""
    with override(doc["language"]):
        if draft:
            return _("DRAFT")
        return _("SAMPLE PRICES") if doc["is_sample"] else ""


def sample_notice(doc: Mapping[str, Any]) -> str:
    """The sentence under a quotation with sample prices."""
    with override(doc["language"]):
        return _("Prices in this quotation are sample data, not an offer.") if doc["is_sample"] else ""
