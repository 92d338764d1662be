"""`manage.py advise --jsonl`: every line answered, without a database, in little time and memory."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT

QLORA = {"scenario": "llm", "task": "training", "model": "llama-2-7b", "method": "qlora", "sequence_tokens": 1024}
MOST_CPU_SECONDS = 5
QUIET_LOOP_SECONDS = 0.2
"""CPU seconds of `busy_loop` where nothing else runs: on a shared core every second counts for less."""
MOST_MEMORY_KIB = 300 * 1024


def busy_loop() -> float:
    """CPU seconds of a fixed piece of work: what a second is worth now."""
    before = time.process_time()
    total = 0
    for number in range(6_000_000):
        total += number & 7
    return time.process_time() - before


METER = """
import json, resource, subprocess, sys
code = subprocess.run(sys.argv[2:]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
with open(sys.argv[1], "w") as file:
    json.dump({"cpu_seconds": used.ru_utime + used.ru_stime, "memory_kib": used.ru_maxrss}, file)
sys.exit(code)
"""
"""A small process that runs one command and notes what it used: a fork counts the size of whoever forked it."""


def advise(lines: bytes, tmp_path: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and answers. No database: the address names a socket that does not exist."""
    environment = {
        **os.environ,
        "DATABASE_URL": "postgresql://nobody@/nothing?host=%2Fno%2Fsuch%2Fsocket",
        "REDIS_URL": "",
        "CARDWISE_VAR": str(tmp_path),
        "SECRET_KEY": "for this test",
    }
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            METER,
            str(tmp_path / "used.json"),
            sys.executable,
            "manage.py",
            "advise",
            "--jsonl",
            *arguments,
        ],
        cwd=ROOT,
        input=lines,
        capture_output=True,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.stderr == b"", done.stderr.decode()
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_lines_are_answered_each_by_itself_and_the_exit_code_says_so(tmp_path):
    lines = [
        {"id": 1, "workload": QLORA, "why": "passed over"},
        {"id": 2, "workload": {**QLORA, "mehtod": "lora"}},
        {"id": 3, "workload": {**QLORA, "model": "lama-2-7b"}},
        {"id": 4, "workload": {**QLORA, "micro_batch": -1}},
        {"id": 5, "workload": {**QLORA, "demand": {"amount": 1e300, "unit": "tokens"}}},
        {"id": 6, "workload": {**QLORA, "model": {"hf_config": [1, 2]}}},
        {"id": 7},
    ]
    body = (
        "\n".join(json.dumps(line) for line in lines) + "\n\nnot json\n[1]\n" + json.dumps({"id": 8, "workload": QLORA})
    )
    code, answers = advise(body.encode(), tmp_path)
    assert code == 1
    assert [one["id"] for one in answers] == [1, 2, 3, 4, 5, 6, 7, None, None, 8]
    assert answers[0]["catalogue"] == "example"
    assert answers[0]["recommendation"]["is_sample"] is True
    assert answers[0]["recommendation"] == answers[-1]["recommendation"]
    paths = {one["id"]: [problem["path"] for problem in one["error"]["problems"]] for one in answers[1:7]}
    assert paths == {
        2: ["mehtod"],
        3: ["model"],
        4: ["micro_batch"],
        5: ["demand.amount"],
        6: ["model.hf_config"],
        7: ["workload"],
    }
    assert "method" in answers[1]["error"]["problems"][0]["suggestion"]
    assert "llama-2-7b" in answers[2]["error"]["problems"][0]["suggestion"]


def test_the_language_is_chosen(tmp_path):
    code, answers = advise(json.dumps({"workload": QLORA}).encode(), tmp_path, "--lang", "zh-hans")
    assert code == 0
    assert any("示例价" in reason["text"] for reason in answers[0]["recommendation"]["choices"][0]["reasons"])


def test_the_handed_file_is_answered_whole_in_time_and_memory(tmp_path):
    cases = ROOT.parent / "shared" / "cases" / "workloads.jsonl"
    if not cases.exists():
        pytest.skip("the handed cases are not here")
    slowness = max(1.0, busy_loop() / QUIET_LOOP_SECONDS)
    code, answers = advise(cases.read_bytes(), tmp_path)
    used = json.loads((tmp_path / "used.json").read_text())
    lines = [json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines()]
    assert [one["id"] for one in answers] == [line["id"] for line in lines]
    wrong = {line["id"] for line in lines if "error_at" in line["expect"]}
    assert {one["id"] for one in answers if "error" in one} == wrong
    assert code == (1 if wrong else 0)
    assert used["cpu_seconds"] < MOST_CPU_SECONDS * slowness
    assert used["memory_kib"] < MOST_MEMORY_KIB
