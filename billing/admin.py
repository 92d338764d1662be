"""The admin's view of money: settings may be changed, what was written by actions is only read."""

from django.contrib import admin
from django.http import HttpRequest

from billing.models import (
    AuditEntry,
    Customer,
    Decision,
    DiscountLimit,
    NumberSequence,
    OutboxMail,
    Quote,
    QuoteLine,
    QuoteLink,
    QuoteRequest,
    Revision,
    Seller,
)


class ReadOnly:
    """Rows that only actions write."""

    def has_add_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(Seller)
class SellerAdmin(admin.ModelAdmin[Seller]):
    """One row, never deleted."""

    list_display = ("name", "timezone", "currency", "tax_percent", "prices_include_tax", "rounding", "validity_days")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(DiscountLimit)
class DiscountLimitAdmin(admin.ModelAdmin[DiscountLimit]):
    list_display = ("group", "max_percent")


@admin.register(Customer)
class CustomerAdmin(ReadOnly, admin.ModelAdmin[Customer]):
    list_display = ("organisation", "contact", "email", "language", "created_at")
    search_fields = ("organisation", "contact", "email")


@admin.register(QuoteRequest)
class QuoteRequestAdmin(ReadOnly, admin.ModelAdmin[QuoteRequest]):
    list_display = ("contact", "organisation", "email", "state", "owner", "created_at")
    list_filter = ("state", "scenario")
    search_fields = ("organisation", "contact", "email", "message")


class QuoteLineInline(ReadOnly, admin.TabularInline[QuoteLine, Revision]):
    model = QuoteLine
    fields = ("position", "title", "count", "periods", "unit", "unit_price", "discount_percent", "discount_amount")


@admin.register(Quote)
class QuoteAdmin(ReadOnly, admin.ModelAdmin[Quote]):
    list_display = ("number", "customer", "owner", "state", "created_at")
    list_filter = ("state", "scenario", "owner")
    search_fields = ("number", "customer__organisation", "customer__contact", "customer__email")
    list_select_related = ("customer", "owner")


@admin.register(Revision)
class RevisionAdmin(ReadOnly, admin.ModelAdmin[Revision]):
    list_display = ("quote", "number", "issued_on", "valid_until", "currency", "gross", "frozen_at")
    search_fields = ("quote__number",)
    list_select_related = ("quote",)
    inlines = [QuoteLineInline]


@admin.register(OutboxMail)
class OutboxMailAdmin(ReadOnly, admin.ModelAdmin[OutboxMail]):
    list_display = ("recipient", "subject", "state", "attempts", "due_at", "sent_at", "last_error")
    list_filter = ("state",)
    search_fields = ("recipient", "subject", "quote__number")


@admin.register(AuditEntry)
class AuditEntryAdmin(ReadOnly, admin.ModelAdmin[AuditEntry]):
    list_display = ("at", "who", "verb", "quote", "request")
    list_filter = ("verb",)
    search_fields = ("who", "quote__number")
    list_select_related = ("quote", "request")


@admin.register(Decision)
class DecisionAdmin(ReadOnly, admin.ModelAdmin[Decision]):
    list_display = ("revision", "kind", "name", "address", "decided_at")
    list_filter = ("kind",)
    search_fields = ("quote__number", "name")
    list_select_related = ("revision__quote",)


@admin.register(QuoteLink)
class QuoteLinkAdmin(ReadOnly, admin.ModelAdmin[QuoteLink]):
    """Without the secret: whoever may look here need not be able to accept in a customer's name."""

    list_display = ("revision", "expires_at", "revoked_at", "seen_at")
    search_fields = ("revision__quote__number",)
    list_select_related = ("revision__quote",)
    exclude = ("secret",)


@admin.register(NumberSequence)
class NumberSequenceAdmin(ReadOnly, admin.ModelAdmin[NumberSequence]):
    list_display = ("year", "last")
