"""`manage.py demo` as a stranger runs it: it serves, tells every obstacle in a sentence, and leaves nothing behind however it ends."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from config.embedded import Postgres, free_port
from config.management.commands.demo import SOON_SECONDS

ROOT = Path(__file__).resolve().parent.parent.parent
PATIENCE_SECONDS = 240


class Demo:
    """One demo process in a folder of its own."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.folder, self.port = folder, port or free_port()
        hidden = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE", "CARDWISE_VAR"}
        self.environment = {key: value for key, value in os.environ.items() if key not in hidden} | {
            "CARDWISE_VAR": str(folder)
        }
        self.log = Path(tempfile.mkdtemp()) / "demo.log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "demo", "--port", str(self.port)],
                cwd=ROOT,
                env=self.environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def get(self, path: str) -> tuple[int, str]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as answer:
            return answer.status, answer.read().decode()

    def wait_until_it_serves(self) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while "Cardwise is at" not in self.output:
            assert self.process.poll() is None, self.output
            assert time.monotonic() < deadline, self.output
            time.sleep(0.2)

    def refused(self) -> str:
        """What it says when it cannot start."""
        assert self.process.wait(60) == 1
        assert "Traceback" not in self.output, self.output
        return self.output

    def family(self) -> set[int]:
        """Every process that carries this demo's folder in its environment or command line."""
        found = set()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                told = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            except OSError:
                continue
            if str(self.folder).encode() in told and int(process.name) != os.getpid():
                found.add(int(process.name))
        return found

    def end(self, sign: signal.Signals = signal.SIGINT) -> None:
        if self.process.poll() is None:
            self.process.send_signal(sign)
        self.process.wait(60)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Where a demo keeps its data; as root PostgreSQL's part of it may live elsewhere (see `embedded.Postgres.home`)."""
    here = tmp_path / "var"
    yield here
    if (home := Postgres(here).home) != here:
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture
def demo(folder: Path) -> Iterator[Demo]:
    running = Demo(folder)
    yield running
    running.end()


def gone(demo: Demo, seconds: float = 20) -> set[int]:
    deadline = time.monotonic() + seconds
    while (left := demo.family()) and time.monotonic() < deadline:
        time.sleep(0.2)
    return left


def test_it_serves_both_languages_from_real_parts_and_ctrl_c_leaves_nothing(demo: Demo) -> None:
    demo.wait_until_it_serves()
    assert demo.get("/livez") == (200, "ok\n")
    assert demo.get("/readyz")[0] == 200
    for language in ("zh-hans", "en"):
        assert demo.get(f"/{language}/")[0] == 200
    assert {"sales", "manager", "operator"} <= {
        line.split()[0] for line in demo.output.splitlines() if line.startswith("  ")
    }
    state = demo.folder / "run.json"
    assert state.stat().st_mode & 0o077 == 0
    assert set(json.loads(state.read_text())) == {"pid", "database_url", "redis_url"}

    second = Demo(demo.folder)
    assert "already runs" in second.refused()

    demo.end(signal.SIGINT)
    assert gone(demo) == set()
    assert not state.exists()
    assert "Nothing is left running" in demo.output

    again = Demo(demo.folder)
    started = time.monotonic()
    again.wait_until_it_serves()
    assert time.monotonic() - started < 60, "the second start has nothing to build"
    os.kill(again.process.pid, signal.SIGKILL)
    again.process.wait(10)
    assert gone(again) == set(), "a killed parent must take its children with it"


def _child_of(demo: Demo, program: str) -> int:
    """The process of a server the demo has started."""
    parent = demo.process.pid
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    (found,) = [child for child in children if program in Path(f"/proc/{child}/comm").read_text()]
    return int(found)


def test_a_killed_server_is_told_and_started_again(demo: Demo) -> None:
    demo.wait_until_it_serves()
    time.sleep(SOON_SECONDS)
    for name, program in (("Valkey", "valkey-server"), ("PostgreSQL", "postgres")):
        os.kill(_child_of(demo, program), signal.SIGKILL)
        deadline = time.monotonic() + 60
        while f"{name} is back." not in demo.output:
            assert demo.process.poll() is None, demo.output
            assert time.monotonic() < deadline, demo.output
            time.sleep(0.2)
        assert f"{name} ended by itself" in demo.output
        while '"unreachable"' in _ready(demo):
            assert time.monotonic() < deadline, demo.output
            time.sleep(0.5)
    assert demo.get("/en/cards/")[0] == 200
    time.sleep(3)
    assert demo.process.poll() is None, "the worker outlives what it lost"
    demo.end()
    assert gone(demo) == set()


def _ready(demo: Demo) -> str:
    try:
        return demo.get("/readyz")[1]
    except urllib.error.HTTPError as error:
        return error.read().decode()


def test_a_busy_port_is_named_with_the_way_out(folder: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        said = Demo(folder, port=taken.getsockname()[1]).refused()
    assert "Choose another" in said


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    assert "CARDWISE_VAR" in Demo(blocked / "var").refused()


def test_a_half_initialised_database_is_told_and_not_touched(folder: Path) -> None:
    half = Postgres(folder).data
    half.mkdir(parents=True)
    (half / "base").mkdir()
    said = Demo(folder).refused()
    assert "not a complete database" in said
    assert (half / "base").is_dir()


def test_an_interrupted_initdb_is_no_obstacle(folder: Path) -> None:
    server = Postgres(folder)
    (server.home / "pg.new" / "base").mkdir(parents=True)
    server.start()
    server.stop()
    assert (server.data / "PG_VERSION").exists()


def test_a_stale_lock_of_a_killed_postgres_is_no_obstacle(folder: Path) -> None:
    server = Postgres(folder)
    server.start()
    assert server.process
    os.killpg(server.process.pid, signal.SIGKILL)
    server.process.wait()
    assert (server.data / "postmaster.pid").exists()
    server.start()
    server.stop()
