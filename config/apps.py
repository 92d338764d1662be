from django.apps import AppConfig
from django.utils.translation import gettext_noop

DJANGO_LACKS = (gettext_noop("- Select an option -"),)
"""Words of Django's admin that its own Chinese catalogue does not have yet: ours has them."""


class ConfigConfig(AppConfig):
    """Wiring only: the demo command, message catalogues, health checks. No models."""

    name = "config"
