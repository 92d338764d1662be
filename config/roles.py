"""Who may do what, on one screen; `sync_roles` writes it into groups."""

from django.contrib.auth.models import Group, Permission
from django.db import transaction

ROLES: dict[str, tuple[str, ...]] = {
    "operator": (
        *(
            f"catalog.{verb}_{noun}"
            for noun in ("gpu", "sku", "plan", "price", "region", "image")
            for verb in ("view", "add", "change")
        ),
    ),
    "sales": (),
    "manager": (),
}
"""role -> permissions (`app.codename`); billing's are added as its models land."""


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
