"""Names of fields, steps and refusals in the reader's language."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.models import Customer, QuoteLine, Revision
from billing.revision_diff import Difference
from billing.wording import periods_text, plan_text

STEPS: Mapping[str, Promise] = {
    "submit": gettext_lazy("Ask for approval"),
    "approve": gettext_lazy("Approve"),
    "return": gettext_lazy("Give back"),
    "send": gettext_lazy("Send to customer"),
    "withdraw": gettext_lazy("Withdraw"),
    "revise": gettext_lazy("Begin a new revision"),
}
"""What the buttons say."""

DONE: Mapping[str, Promise] = {
    "asked": gettext_lazy("asked for a quotation"),
    "taken": gettext_lazy("took the request"),
    "quoted": gettext_lazy("made a quotation of it"),
    "closed": gettext_lazy("closed the request"),
    "created": gettext_lazy("made the draft"),
    "edited": gettext_lazy("changed the draft"),
    "duplicated": gettext_lazy("made it from another quotation"),
    "submit": gettext_lazy("asked for approval"),
    "approve": gettext_lazy("approved"),
    "return": gettext_lazy("gave it back"),
    "send": gettext_lazy("sent it to the customer"),
    "withdraw": gettext_lazy("withdrew it"),
    "revise": gettext_lazy("began a new revision"),
    "expire": gettext_lazy("ran out"),
    "accept": gettext_lazy("accepted"),
    "decline": gettext_lazy("declined"),
    "question": gettext_lazy("asked for changes"),
    "link-renewed": gettext_lazy("made a new customer link"),
    "link-revoked": gettext_lazy("revoked the customer link"),
    "mail-again": gettext_lazy("had a mail sent again"),
}
"""What the audit trail says after the name."""

REFUSALS: Mapping[str, Promise] = {
    "needs-approval": gettext_lazy("The discount is over your limit: ask for approval first."),
    "over-limit": gettext_lazy("The discount is over your limit as well."),
    "no-lines": gettext_lazy("There is nothing in this quotation yet."),
    "already-over": gettext_lazy("The last day of validity is over. Write a later one."),
    "changed": gettext_lazy("Somebody changed this quotation in the meantime. Look at it again before you go on."),
    "step": gettext_lazy("This step is not possible any more; the page shows where the quotation stands."),
}
"""Why a step was not taken."""

OPEN = gettext_lazy("Waiting for your answer")
CLOSED: Mapping[str, Promise] = {
    "superseded": gettext_lazy("This version has been replaced by a newer one and can no longer be accepted."),
    "expired": gettext_lazy(
        "This quotation has run out and can no longer be accepted. Ask below for a new one at today's prices."
    ),
    "withdrawn": gettext_lazy("We have withdrawn this quotation."),
    "accepted": gettext_lazy("This quotation has been accepted."),
    "declined": gettext_lazy("You have declined this quotation."),
    "not-sent": gettext_lazy("This quotation is being worked on."),
    "link": gettext_lazy("This link no longer works."),
}
"""Why a customer cannot decide."""


def field_words(name: str) -> str:
    """The name of a field of a head, a contact or a line."""
    for model in (Revision, QuoteLine, Customer):
        if any(field.name == name for field in model._meta.get_fields()):
            return str(getattr(model._meta.get_field(name), "verbose_name", name))
    return name


def difference_words(item: Difference) -> dict[str, str]:
    """One difference as a row of a table: where, what, old, new."""
    where = {"customer": _("Customer"), "head": _("Head"), "line": _("Line %(n)s") % {"n": item.line}}[item.where]
    if item.field == "line":
        return {"where": where, "what": _("added") if item.new else _("removed"), "old": item.old, "new": item.new}
    return {"where": where, "what": field_words(item.field), "old": item.old, "new": item.new}


def advice_in_words(advice: Mapping[str, Any] | None, language: str) -> dict[str, Any] | None:
    """An advice whose lines also say their plan and quantity in words; what cannot be read is left out of them."""
    if advice is None:
        return None
    lines = [dict(line) for line in advice.get("lines") or [] if isinstance(line, Mapping)]
    for line in lines:
        kind = str(line.get("plan") or "")
        parts = [plan_text(kind)] if kind else []
        periods = str(line.get("periods") or "")
        if periods.replace(".", "", 1).isdigit():
            parts.append(periods_text(Decimal(periods), kind, language))
        line["words"] = " · ".join(parts)
    return {**advice, "lines": lines}
