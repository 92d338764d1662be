"""The checks of `just check` are part of the test command: style, types, directions between packages, templates, translations."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.mark.parametrize("recipe", ["lint", "types", "imports", "templates", "translations", "migrations"])
def test_check(recipe: str, servers: None) -> None:
    done = subprocess.run(["just", recipe], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"just {recipe}\n{done.stdout[-8000:]}\n{done.stderr[-4000:]}"
