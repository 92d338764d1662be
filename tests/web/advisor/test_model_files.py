"""A model by its file: on the front page, through the API and on the command line."""

import io
import json
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from gguf import GGMLQuantizationType, GGUFWriter

from advisor.library import models
from advisor.model_files import HEAD_BYTES, format_of_name, read_model, read_model_file
from advisor.sizing.problems import WorkloadError
from advisor.views.model_file import LARGEST_UPLOAD_BYTES

ROOT = Path(__file__).resolve().parents[3]
CONFIG = {
    "model_type": "llama",
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
ADAPTER = {
    "peft_type": "LORA",
    "r": 16,
    "target_modules": ["q_proj", "v_proj"],
    "base_model_name_or_path": "meta-llama/Llama-2-7b-hf",
}


@pytest.fixture(scope="module")
def gguf(tmp_path_factory) -> Path:
    """Llama-3-8B's header with its vocabulary, longer than what pages read; the format stands behind the vocabulary."""
    path = tmp_path_factory.mktemp("gguf") / "Llama-3-8B-Q4_K_M.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_name("Llama 3 8B")
    writer.add_block_count(32)
    writer.add_context_length(8192)
    writer.add_embedding_length(4096)
    writer.add_feed_forward_length(14336)
    writer.add_head_count(32)
    writer.add_head_count_kv(8)
    writer.add_token_list([f"<token-{index:06d}>" for index in range(128_256)])
    writer.add_file_type(15)
    for name in ("token_embd.weight", "output.weight"):
        writer.add_tensor_info(name, (128_256, 4096), np.dtype("float16"), 128_256 * 4096 * 2, GGMLQuantizationType.F16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    assert path.stat().st_size > HEAD_BYTES
    return path


def sent(client: Client, name: str, data: bytes, **more):
    return client.post(reverse("advisor:read-file"), {"file": SimpleUploadedFile(name, data), **more}, follow=False)


def test_an_uploaded_gguf_leads_to_its_task_with_model_and_format(client, example, gguf):
    answer = sent(client, gguf.name, gguf.read_bytes())
    assert answer.status_code == 302
    assert "/advise/llm/inference/?" in answer.url
    assert "weight_format=q4_k_m" in answer.url
    page = client.get(answer.url)
    assert page.status_code == 200
    assert "q4_k_m" in page.text


def test_an_uploaded_config_leads_where_its_paste_leads(client, example):
    answer = sent(client, "config.json", json.dumps(CONFIG).encode())
    pasted = client.post(reverse("advisor:home"), {"paste": json.dumps(CONFIG)})
    assert answer.status_code == 302
    assert answer.url == pasted.url


def test_an_uploaded_adapter_leads_to_training_with_its_rank(client, example):
    answer = sent(client, "adapter_config.json", json.dumps(ADAPTER).encode())
    assert "/advise/llm/training/?" in answer.url
    assert "model=llama-2-7b" in answer.url
    assert "lora_rank=16" in answer.url


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("empty.gguf", b""),
        ("model.safetensors", struct.pack("<Q", 99) + b"{}"),
        ("cut.gguf", b"GGUF" + struct.pack("<IQQ", 3, 3, 3)),
        ("old.gguf", b"GGUF" + struct.pack("<IQQ", 1, 3, 3)),
        ("list.json", b"[1, 2]"),
        ("words.json", b'{"hello": "world"}'),
        ("prompt.json", b'{"peft_type": "PROMPT_TUNING", "r": 8}'),
    ],
)
def test_what_cannot_be_read_is_said_at_the_field(client, example, name, data):
    answer = sent(client, name, data)
    assert answer.status_code == 422
    assert 'id="file-e"' in answer.text
    assert re.search(r'method="post" action="/(zh-hans|en)/"', answer.text)


def test_an_upload_without_its_token_is_refused(example, gguf):
    strict = Client(enforce_csrf_checks=True)
    assert sent(strict, gguf.name, gguf.read_bytes()).status_code == 403


def test_a_long_file_is_kept_no_further_than_its_head(client, example, gguf):
    whole = gguf.read_bytes() + b"\0" * 12_000_000
    answer = sent(client, gguf.name, whole)
    assert answer.status_code == 302
    assert "q4_k_m" in answer.url


def test_an_upload_beyond_all_reason_is_not_read(client, example, gguf):
    answer = client.post(
        reverse("advisor:read-file"),
        {"file": SimpleUploadedFile(gguf.name, gguf.read_bytes())},
        CONTENT_LENGTH=str(LARGEST_UPLOAD_BYTES + 1),
    )
    assert answer.status_code == 422
    assert 'id="file-e"' in answer.text


def test_the_api_reads_header_bytes_and_objects(client, db, gguf):
    url = reverse("api-model-reading")
    head = gguf.read_bytes()[:HEAD_BYTES]
    answer = client.post(f"{url}?name={gguf.name}", head, content_type="application/octet-stream")
    assert answer.status_code == 200, answer.text
    told = answer.json()
    assert told["kind"] == "gguf"
    assert told["fields"]["model"]["hf_config"]["num_hidden_layers"] == 32
    assert told["fields"]["weight_format"] == "q4_k_m"
    assert {note["code"] for note in told["assumptions"]} >= {"gguf-head-only", "format-from-name"}
    assert all(note["text"] != note["code"] for note in told["assumptions"])
    asked = {"workload": {"scenario": "llm", "task": "inference", **told["fields"]}, "gpu": "rtx-4090-24g"}
    estimate = client.post(reverse("api-estimates"), json.dumps(asked), content_type="application/json")
    assert estimate.status_code == 200
    read = client.post(url, json.dumps(ADAPTER), content_type="application/json")
    assert read.json()["fields"] == {
        "model": "llama-2-7b",
        "method": "lora",
        "lora_rank": 16,
        "lora_targets": "attention-qv",
    }


def test_the_api_says_what_is_wrong(client, db):
    url = reverse("api-model-reading")
    for body, kind, code in (
        (b"not a model", "application/octet-stream", "file-not-known"),
        (b"GGUF" + struct.pack("<IQQ", 9, 1, 1), "application/octet-stream", "gguf-damaged"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 1), "application/octet-stream", "gguf-cut"),
        (b"[]", "application/json", "file-not-known"),
        (b'{"peft_type": "IA3", "r": 1}', "application/json", "not-an-adapter"),
    ):
        answer = client.post(url, body, content_type=kind)
        assert answer.status_code == 422, answer.text
        assert [one["code"] for one in answer.json()["errors"]] == [code]
    assert client.post(url, b"", content_type="application/octet-stream").status_code == 422


def test_a_local_file_is_read_as_far_as_its_header_goes(gguf):
    part = read_model_file(gguf, models())
    assert part.fields["weight_format"] == "q4_k_m"
    assert part.assumptions == ()
    assert part.fields["model"]["hf_config"]["tie_word_embeddings"] is False


def test_only_lines_that_name_no_model_are_filled(gguf):
    part = read_model_file(gguf, models())
    asked = {"id": 1, "workload": {"scenario": "llm", "task": "inference"}}
    assert part.fill(asked)["workload"]["weight_format"] == "q4_k_m"
    assert "model" not in asked["workload"]
    named = {"workload": {"scenario": "llm", "task": "inference", "model": "qwen2.5-7b"}}
    assert part.fill(named) is named
    training = part.fill({"workload": {"scenario": "llm", "task": "training"}})["workload"]
    assert set(training) == {"scenario", "task", "model"}
    own = part.fill({"workload": {"scenario": "llm", "task": "inference", "weight_format": "q8_0"}})["workload"]
    assert own["weight_format"] == "q8_0"
    assert part.fill({"workload": 3}) == {"workload": 3}


def test_the_command_line_answers_for_a_gguf_file(gguf):
    done = subprocess.run(
        [sys.executable, "manage.py", "estimate", "--jsonl", "--gguf", str(gguf)],
        input=json.dumps(
            {
                "id": 7,
                "workload": {"scenario": "llm", "task": "inference", "engine": "llama.cpp"},
                "gpu": "rtx-3090-24g",
            }
        ),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    memory = json.loads(done.stdout)["estimate"]["memory"]
    assert 4.0 < memory["parts"]["weights"] < 5.0


def test_the_model_part_is_printed_and_what_is_wrong_is_said(gguf, tmp_path):
    out = io.StringIO()
    call_command("read_model", str(gguf), stdout=out)
    assert json.loads(out.getvalue())["weight_format"] == "q4_k_m"
    other = tmp_path / "x.gguf"
    other.write_bytes(b"GGUF" + b"\0" * 40)
    for path in (other, tmp_path / "none"):
        with pytest.raises(CommandError):
            call_command("read_model", str(path))


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("Qwen2.5-7B-Instruct-Q4_K_M.gguf", "q4_k_m"),
        ("model-IQ4_XS.gguf", "iq4_xs"),
        ("llama.F16.gguf", "fp16"),
        ("llama-bf16.gguf", "bf16"),
        ("llama-UD-Q4_K_XL.gguf", None),
        ("model.gguf", None),
    ],
)
def test_a_file_name_tells_its_format(name, form):
    assert format_of_name(name) == form


def test_an_unknown_base_is_said():
    part = read_model({**ADAPTER, "base_model_name_or_path": "me/mine"}, models())
    assert "model" not in part.fields
    assert [note.code for note in part.assumptions] == ["adapter-base-unknown"]
    with pytest.raises(WorkloadError):
        read_model(b"\x00\x01", models())
