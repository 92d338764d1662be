"""`manage.py estimate --jsonl` as a process: no database, exit codes, light start."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FLUX = {"scenario": "aigc", "task": "image-generation", "model": "flux.1-dev"}


def run(lines, *options):
    environment = {
        **os.environ,
        "DATABASE_URL": "postgres://nobody@127.0.0.1:1/nothing",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "SECRET_KEY": "only-for-this-test",
    }
    return subprocess.run(
        [sys.executable, "manage.py", "estimate", "--jsonl", *options],
        input="\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment,
        timeout=120,
        check=False,
    )


def test_answers_without_a_database_and_ends_with_zero():
    done = run([{"id": 1, "workload": FLUX, "gpu": "rtx-4090-24g", "count": 1, "expect": "passed over"}])
    assert done.returncode == 0, done.stderr
    (line,) = map(json.loads, done.stdout.splitlines())
    assert line["id"] == 1
    assert line["estimate"]["fit"] == "does_not_fit"
    assert all("text" in note for note in line["estimate"]["assumptions"])


def test_bad_lines_are_answered_and_end_with_one():
    done = run(
        [
            "nonsense",
            {"id": "gpu", "workload": FLUX, "gpu": "rtx-4090", "count": 1},
            {"id": "both", "workload": {**FLUX, "widht": 2}, "gpu": 3, "count": 0},
            {"id": "good", "workload": FLUX, "gpu": "a800-sxm-80g", "count": 2},
        ]
    )
    assert done.returncode == 1
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["id"] for line in found] == [None, "gpu", "both", "good"]
    assert "rtx-4090-24g" in found[1]["error"]["problems"][0]["suggestion"]
    assert {problem["path"] for problem in found[2]["error"]["problems"]} == {"widht", "gpu", "count"}
    assert found[3]["estimate"]["count"] == 2


def test_the_sentences_come_in_the_asked_language():
    done = run([{"id": 1, "workload": {**FLUX, "widht": 2}, "gpu": "a800-sxm-80g"}], "--lang", "zh-hans")
    problem = json.loads(done.stdout)["error"]["problems"][0]
    assert problem["suggestion"] == "width"
    assert any("一" <= letter <= "鿿" for letter in problem["detail"])
