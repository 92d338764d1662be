"""People, a catalogue and ways to fill in the quotation form."""

from datetime import timedelta
from decimal import Decimal

import pytest
from django.contrib.auth.models import Group, User
from django.utils import timezone

from billing.actions.quote import quote_create
from billing.actions.step import quote_send
from billing.offer import Contact, Head, OfferLine
from billing.policy import Authority
from config.roles import sync_roles


def person(name: str, role: str) -> User:
    user = User.objects.create_user(name, email=f"{name}@example.com", is_staff=True)
    user.groups.add(Group.objects.get(name=role))
    return user


@pytest.fixture
def sam(db):
    sync_roles()
    return person("sam", "sales")


@pytest.fixture
def sue(sam):
    return person("sue", "sales")


@pytest.fixture
def max_(sam):
    return person("max", "manager")


def head(**changes) -> Head:
    values = {
        "valid_until": timezone.localdate() + timedelta(days=15),
        "language": "en",
        "currency": "CNY",
        "rounding": "line",
        "tax_percent": Decimal(6),
        "prices_include_tax": False,
        "purpose": "Training a detector",
        "payment": "In full within 7 days",
        "start": "At once",
        "terms": "Unused time is not refunded.",
    }
    return Head(**values | changes)


CONTACT = Contact("Sample University", "Dr Wang", "wang@example.com", "", "en")


def a_line(**changes) -> OfferLine:
    values = {"kind": "text", "title": "Setup", "unit_price": Decimal("19.99"), "count": Decimal(3), "hand_set": True}
    return OfferLine(**values | changes)


def a_quote(by, lines=None, contact=CONTACT, **changes):
    return quote_create(by=by, contact=contact, head=head(**changes), lines=lines or [a_line()], now=timezone.now())


def a_sent_quote(by, lines=None, **changes):
    """A sent quotation and its customer's link."""
    quote = a_quote(by, lines, **changes)
    sent = quote_send(
        quote=quote,
        by=by,
        expected_version=quote.version,
        authority=Authority(Decimal(100), may_price_freely=True),
        now=timezone.now(),
        link_address=lambda link: f"https://example.com/q/{link.token}/",
    )
    return sent, sent.revision.links.get()


def posted(lines, version="0", **changes):
    """The edit form as a browser posts it."""
    data = {
        "version": version,
        "do": "save",
        "organisation": "Sample University",
        "contact": "Dr Wang",
        "email": "wang@example.com",
        "phone": "",
        "valid_until": str(timezone.localdate() + timedelta(days=15)),
        "language": "en",
        "currency": "CNY",
        "rounding": "line",
        "tax_percent": "6",
        "prices_include_tax": "on",
        "purpose": "Training a detector",
        "payment": "In full",
        "start": "At once",
        "terms": "One.\nTwo.",
        "lines-TOTAL_FORMS": str(len(lines)),
        "lines-INITIAL_FORMS": "0",
    }
    for index, line in enumerate(lines):
        blank = {"row": "", "kind": "gpu", "sku": "", "plan_kind": "", "title": "", "detail": "", "count": "1"}
        blank |= {"periods": "1", "unit_price": "", "discount_percent": "", "discount_amount": ""}
        for name, value in (blank | line).items():
            data[f"lines-{index}-{name}"] = value
    data |= changes
    return {name: value for name, value in data.items() if value is not None}
