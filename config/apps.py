from django.apps import AppConfig


class ConfigConfig(AppConfig):
    """Wiring only: the demo command, message catalogues, health checks. No models."""

    name = "config"
