"""One noun a file; this hands their names on."""

from billing.models.audit_entry import AuditEntry
from billing.models.customer import Customer
from billing.models.decision import Decision
from billing.models.number_sequence import NumberSequence
from billing.models.outbox_mail import OutboxMail
from billing.models.quote import Quote
from billing.models.quote_line import QuoteLine
from billing.models.quote_link import QuoteLink
from billing.models.quote_request import QuoteRequest
from billing.models.revision import Revision
from billing.models.seller import DiscountLimit, Seller

__all__ = [
    "AuditEntry",
    "Customer",
    "Decision",
    "DiscountLimit",
    "NumberSequence",
    "OutboxMail",
    "Quote",
    "QuoteLine",
    "QuoteLink",
    "QuoteRequest",
    "Revision",
    "Seller",
]
