"""Reads a Hugging Face config.json as it is."""

from collections.abc import Mapping
from typing import Any


class ConfigError(ValueError):
    """A mapping that is no usable model configuration: `code` of the problem table and the reason in words."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def check_config(config: Mapping[str, Any]) -> None:
    """Raises ConfigError where `config` is not a model's configuration."""
    if not config:
        raise ConfigError("not-a-config", "it is empty")
