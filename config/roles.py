"""Who may do what, on one screen; `sync_roles` writes it into groups."""

from decimal import Decimal

from django.contrib.auth.models import Group, Permission
from django.db import transaction

from billing.models import DiscountLimit

ROLES: dict[str, tuple[str, ...]] = {
    "operator": (
        *(
            f"catalog.{verb}_{noun}"
            for noun in ("gpu", "sku", "skuimage", "plan", "price", "region", "image")
            for verb in ("view", "add", "change")
        ),
        "catalog.delete_skuimage",
        "catalog.view_catalogueversion",
        "catalog.view_cataloguechange",
    ),
    "sales": ("billing.sell",),
    "manager": (
        "billing.sell",
        "billing.approve_quote",
        "billing.view_all_quotes",
        *(f"billing.{verb}_{noun}" for noun in ("seller", "discountlimit") for verb in ("view", "change")),
        *(f"billing.view_{noun}" for noun in ("customer", "quoterequest", "quote", "auditentry", "outboxmail")),
    ),
}
"""role -> permissions (`app.codename`)"""

DISCOUNT_LIMITS_PERCENT: dict[str, Decimal] = {"sales": Decimal(10), "manager": Decimal(40)}
"""role -> deepest discount it starts with; a manager changes them in the admin, and what was changed stays"""


@transaction.atomic
def sync_roles() -> None:
    """Make the groups hold exactly the permissions above. A permission that no model has is an error, not a silence.

    Raises LookupError naming it.
    """
    for role, wanted in ROLES.items():
        group, _created = Group.objects.get_or_create(name=role)
        permissions = []
        for name in wanted:
            app, codename = name.split(".")
            permission = Permission.objects.filter(content_type__app_label=app, codename=codename).first()
            if permission is None:
                raise LookupError(f"role {role}: no permission {name}")
            permissions.append(permission)
        group.permissions.set(permissions)
        if role in DISCOUNT_LIMITS_PERCENT:
            DiscountLimit.objects.get_or_create(group=group, defaults={"max_percent": DISCOUNT_LIMITS_PERCENT[role]})
