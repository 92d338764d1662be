"""`manage.py demo`: everything on this machine from one command, and nothing left when it ends."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import IO, Any, NoReturn

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from config.embedded import EmbeddedError, Postgres, Valkey, Watchdog, stop, var_dir

GIVES_MEMORY_BACK = {
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_TRIM_THRESHOLD_": "131072",
    "_RJEM_MALLOC_CONF": "narenas:2,background_thread:true,dirty_decay_ms:500,muzzy_decay_ms:0",
}
"""For Python's and granian's allocators, as in the Dockerfile: else each thread keeps the pages of the largest body it ever saw."""


SOON_SECONDS = 10
"""A server that ends again so soon is not started a second time."""


@dataclass
class Server:
    """PostgreSQL or Valkey, with the signal that stops it and when it was last started."""

    name: str
    program: Postgres | Valkey
    sign: signal.Signals
    since: float = field(default_factory=time.monotonic)


class Stop(BaseException):
    """Somebody asked us to end."""


class Command(BaseCommand):
    help = (
        "Start PostgreSQL, Valkey, a Celery worker and the web server, load the example catalogue, and say the address."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        self.var = var_dir(settings.BASE_DIR)
        self.children: list[tuple[str, subprocess.Popen[bytes], signal.Signals]] = []
        self.servers: list[Server] = []
        for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(sign, self._stop)
        try:
            with ExitStack() as stack:
                self._run(stack, options["host"], options["port"])
        except (EmbeddedError, OSError) as error:
            raise CommandError(str(error)) from error
        except Stop:
            self.say("Stopped. Nothing is left running.")

    @staticmethod
    def _stop(_sign: int, _frame: FrameType | None) -> NoReturn:
        raise Stop

    def say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()

    def _run(self, stack: ExitStack, host: str, port: int) -> None:
        started = time.monotonic()
        self._claim(stack)
        _refuse_busy_port(host, port)
        guard = Watchdog()
        stack.callback(guard.dismiss)
        stack.callback(self._stop_children)
        self.guard = guard
        environment = self._servers(stack)
        self._keep_state(stack, environment)
        shown = f"[{host}]" if ":" in host else host
        self._python(environment, "manage.py", "demo_prepare", "--address", f"http://{shown}:{port}")
        if environment["REDIS_URL"]:
            beat = self.var / "beat"
            beat.mkdir(exist_ok=True)
            self._child(
                "worker",
                environment,
                *(
                    "-m",
                    "celery",
                    "-A",
                    "config",
                    "worker",
                    "--beat",
                    "-s",
                    str(beat / "schedule"),
                    "--concurrency",
                    "1",
                ),
                *("--without-gossip", "--without-mingle", "--loglevel", "WARNING"),
            )
        self._child(
            "web",
            environment,
            *("-m", "granian", "--interface", "wsgi", "--host", host, "--port", str(port), "--workers", "1"),
            *("--blocking-threads", "4", "--no-ws", "--log-level", "warning", "config.wsgi:application"),
        )
        self._python(environment, "manage.py", "build_tables")
        self._wait_for(shown, port)
        self.say(
            f"\nCardwise is at http://{shown}:{port}/  (ready in {time.monotonic() - started:.0f} s; Ctrl-C stops everything)"
        )
        while True:
            for server in self.servers:
                self._keep_up(server)
            for name, child, _sign in self.children:
                if child.poll() is not None:
                    raise EmbeddedError(
                        f"{name} ended by itself (exit {child.returncode}); see {self.var / (name + '.log')}"
                    )
            time.sleep(0.5)

    def _claim(self, stack: ExitStack) -> None:
        """One demo per folder: the lock goes with the process, so it can never be stale."""
        try:
            self.var.mkdir(parents=True, exist_ok=True)
            lock: IO[str] = stack.enter_context((self.var / "lock").open("a+"))
        except OSError as error:
            raise EmbeddedError(
                f"Cannot write to {self.var} ({error.strerror}). Set CARDWISE_VAR to a folder you may write to."
            ) from error
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise EmbeddedError(
                f"A demo already runs in {self.var}. Stop it first, or set CARDWISE_VAR to another folder."
            ) from error

    def _servers(self, stack: ExitStack) -> dict[str, str]:
        environment = {
            **os.environ,
            "CARDWISE_VAR": str(self.var),
            "HTTPS": os.environ.get("HTTPS", "0"),
            "PYTHONUNBUFFERED": "1",
            **GIVES_MEMORY_BACK,
        }
        if "DATABASE_URL" not in environment:
            self.say("PostgreSQL 18 …")
            postgres = Postgres(self.var)
            stack.callback(postgres.stop)
            postgres.start()
            self._watch(Server("PostgreSQL", postgres, signal.SIGINT))
            environment["DATABASE_URL"] = postgres.url
        if "REDIS_URL" not in environment:
            valkey = Valkey(self.var)
            stack.callback(valkey.stop)
            if valkey.start():
                self.say("Valkey …")
                self._watch(Server("Valkey", valkey, signal.SIGTERM))
            else:
                self.say(f"No Valkey binary for this platform ({sys.platform}): tasks run inside the web process.")
            environment["REDIS_URL"] = valkey.url if valkey.process else ""
        return environment

    def _watch(self, server: Server) -> None:
        self.servers.append(server)
        self.guard.guard(server.program.process, server.sign)

    def _keep_up(self, server: Server) -> None:
        """Start a server that is gone again, at the same address with the same data, and say so.

        Raises EmbeddedError where it cannot be started, or ends at once again.
        """
        process = server.program.process
        if process is None or process.poll() is None:
            return
        ended = f"{server.name} ended by itself (exit {process.returncode})"
        if time.monotonic() - server.since < SOON_SECONDS:
            raise EmbeddedError(f"{ended}, and too soon to start it again; its log is below {self.var}.")
        self.say(f"{ended}: starting it again …")
        server.program.start()
        server.since = time.monotonic()
        self.guard.guard(server.program.process, server.sign)
        self.say(f"{server.name} is back.")

    def _keep_state(self, stack: ExitStack, environment: Mapping[str, str]) -> None:
        """So that `manage.py advise`, `shell`, ... in another terminal find the running servers."""
        path = self.var / "run.json"
        state = {"pid": os.getpid(), "database_url": environment["DATABASE_URL"], "redis_url": environment["REDIS_URL"]}
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(state, file)
        stack.callback(path.unlink, missing_ok=True)

    def _python(self, environment: Mapping[str, str], *arguments: str) -> None:
        """Run one step to its end, its output shown."""
        step = subprocess.Popen(
            [sys.executable, *arguments], cwd=settings.BASE_DIR, env=environment, start_new_session=True
        )
        self.guard.guard(step)
        try:
            if step.wait() != 0:
                raise EmbeddedError(
                    f"`{' '.join(arguments)}` failed (exit {step.returncode}); what it printed stands above."
                )
        finally:
            stop(step, signal.SIGTERM)

    def _child(self, name: str, environment: Mapping[str, str], *arguments: str) -> None:
        with (self.var / f"{name}.log").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=settings.BASE_DIR,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.children.append((name, child, signal.SIGTERM))
        self.guard.guard(child)

    def _stop_children(self) -> None:
        for _name, child, sign in reversed(self.children):
            stop(child, sign)

    def _wait_for(self, host: str, port: int) -> None:
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for name, child, _sign in self.children:
                if child.poll() is not None:
                    raise EmbeddedError(
                        f"{name} stopped while starting; see {self.var / (name + '.log')}\n{_tail(self.var / (name + '.log'))}"
                    )
            try:
                with socket.create_connection((host.strip("[]"), port), timeout=2) as link:
                    link.sendall(b"GET /livez HTTP/1.0\r\nHost: localhost\r\n\r\n")
                    if b" 200 " in link.recv(64):
                        return
            except OSError:
                time.sleep(0.1)
        raise EmbeddedError(f"The web server did not answer within a minute; see {self.var / 'web.log'}")


def _tail(path: Path) -> str:
    return "\n".join(path.read_text(errors="replace").splitlines()[-8:])


def _refuse_busy_port(host: str, port: int) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            raise EmbeddedError(
                f"Port {port} on {host} cannot be used ({error}). Choose another: manage.py demo --port 8001"
            ) from error
