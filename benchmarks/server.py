"""Granian against gunicorn on the same application: answered requests per second, side by side in one run.

Usage: `uv run --with gunicorn python benchmarks/server.py [PATH]` with DATABASE_URL and REDIS_URL of a running demo (var/run.json is read).
Each server gets one process and four threads; rounds alternate, so that a noisy machine is unfair to both alike.
"""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from config.embedded import free_port  # noqa: E402

ROUNDS, REQUESTS, CLIENTS = 5, 300, 8
COMMANDS = {
    "granian": [
        "-m",
        "granian",
        "--interface",
        "wsgi",
        "--host",
        "127.0.0.1",
        "--workers",
        "1",
        "--blocking-threads",
        "4",
        "--no-ws",
        "--log-level",
        "error",
        "--port",
    ],
    "gunicorn": ["-m", "gunicorn", "--workers", "1", "--threads", "4", "--log-level", "error", "--bind"],
}


def start(name: str, port: int, environment: dict[str, str]) -> subprocess.Popen:
    where = str(port) if name == "granian" else f"127.0.0.1:{port}"
    return subprocess.Popen(
        [sys.executable, *COMMANDS[name], where, "config.wsgi:application"], cwd=ROOT, env=environment
    )


def fetch(url: str) -> int:
    with urllib.request.urlopen(url, timeout=30) as answer:
        return len(answer.read())


def main() -> None:
    path = sys.argv[1] if len(sys.argv) > 1 else "/en/cards/"
    state = ROOT / "var" / "run.json"
    environment = dict(os.environ, HTTPS="0")
    if state.exists():
        found = json.loads(state.read_text())
        environment |= {"DATABASE_URL": found["database_url"], "REDIS_URL": found["redis_url"]}
    servers = {name: (port := free_port(), start(name, port, environment)) for name in COMMANDS}
    try:
        for port, _process in servers.values():
            for _ in range(200):
                try:
                    fetch(f"http://127.0.0.1:{port}/livez")
                    break
                except OSError:
                    time.sleep(0.1)
        rates: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(ROUNDS):
            for name, (port, _process) in servers.items():
                begun = time.perf_counter()
                with ThreadPoolExecutor(CLIENTS) as clients:
                    list(clients.map(fetch, [f"http://127.0.0.1:{port}{path}"] * REQUESTS))
                rates[name].append(REQUESTS / (time.perf_counter() - begun))
        memory = {name: resident_mib(process.pid) for name, (_port, process) in servers.items()}
        for name, values in rates.items():
            print(f"{name:<9} {statistics.median(values):8.0f} requests/s on {path}   {memory[name]:5.0f} MiB")
        print(
            f"ratio granian / gunicorn: {statistics.median(a / b for a, b in zip(rates['granian'], rates['gunicorn'], strict=True)):.2f}"
        )
    finally:
        for _port, process in servers.values():
            process.terminate()
            process.wait(10)


def resident_mib(parent: int) -> float:
    """Resident memory of a process and its children, MiB."""
    total = 0.0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue
        if int(fields["Pid"]) == parent or int(fields["PPid"]) == parent:
            total += int(fields.get("VmRSS", "0 kB").split()[0]) / 1024
    return total


if __name__ == "__main__":
    main()
