"""`manage.py demo_prepare`: bring a database to the state the demo serves. Safe to run again; the second run changes nothing."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import transaction
from django.utils import timezone

from billing.samples import Staff, load_sample_sales
from catalog.actions import load_example_catalogue
from config.roles import sync_roles

STAFF = {"sales": ("sales",), "sales2": ("sales",), "manager": ("manager", "sales"), "operator": ("operator",)}


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: CommandParser) -> None:
        """`--address`."""
        parser.add_argument("--address", default="http://127.0.0.1:8000", help="where the demo is, for links in mails")

    def handle(self, *args: Any, **options: Any) -> None:
        self.stdout.write("Migrations …")
        call_command("migrate", interactive=False, verbosity=0)
        if not settings.DEBUG:
            call_command("collectstatic", interactive=False, verbosity=0)
        self.stdout.write("Example catalogue …")
        sync_roles()
        load_example_catalogue(by=None)
        passwords = self.staff()
        self.sample_sales(options["address"])
        self.stdout.write("\nStaff for this demo (new passwords at each start):")
        for name, password in passwords.items():
            self.stdout.write(f"  {name:<9} {password}")
        self.stdout.write("Sign in at /zh-hans/login/ or /en/login/; the admin is at /en/admin/ (operator, manager).\n")

    def sample_sales(self, address: str) -> None:
        """Requests and quotations in every state, in an inbox that is still empty."""
        sales, colleague, manager = (User.objects.get(username=name) for name in ("sales", "sales2", "manager"))
        made = load_sample_sales(staff=Staff(sales, colleague, manager), now=timezone.now(), address=address)
        self.stdout.write(f"Sample requests and quotations: {made} made" if made else "Requests and quotations: kept")

    @transaction.atomic
    def staff(self) -> dict[str, str]:
        """Create the demo's staff where missing and give each a fresh random password."""
        passwords = {}
        users = get_user_model()
        for name, roles in STAFF.items():
            user, _created = users.objects.get_or_create(username=name, defaults={"email": f"{name}@example.com"})
            passwords[name] = secrets.token_urlsafe(9)
            user.set_password(passwords[name])
            user.is_staff = name in {"operator", "manager"}
            user.save()
            user.groups.set(Group.objects.filter(name__in=roles))
        return passwords
