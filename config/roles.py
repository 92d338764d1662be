"""Who may do what, on one screen. `manage.py demo` and `manage.py sync_roles` write it into groups."""

ROLES: dict[str, tuple[str, ...]] = {
    "operator": (
        *(f"catalog.{verb}_{noun}" for noun in ("gpu", "sku", "plan", "price", "region", "image") for verb in ("view", "add", "change")),
    ),
    "sales": (),
    "manager": (),
}
"""role -> permissions (`app.codename`); billing's are added as its models land."""
