"""A model's file on the front page: only its beginning leaves the machine, with script; without, the form still works."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter
from playwright.sync_api import Page, expect

HEAD = 2_000_000


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A header and 6 MB after it."""
    path = tmp_path_factory.mktemp("gguf") / "Llama-3-8B-Q4_K_M.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_file_type(15)
    writer.add_block_count(32)
    writer.add_context_length(8192)
    writer.add_embedding_length(4096)
    writer.add_feed_forward_length(14336)
    writer.add_head_count(32)
    writer.add_head_count_kv(8)
    writer.add_vocab_size(128_256)
    writer.add_tensor_info(
        "output.weight", (128_256, 4096), np.dtype("float16"), 128_256 * 4096 * 2, GGMLQuantizationType.F16
    )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    with path.open("ab") as file:
        file.write(b"\0" * 6_000_000)
    return path


@pytest.mark.parametrize("script", [True, False])
def test_a_chosen_file_leads_to_its_task(open_page: Callable[..., Page], model: Path, script: bool) -> None:
    page = open_page("/en/", script=script)
    page.set_input_files("#file", model)
    if script:
        expect(page.locator("#file")).to_have_value("C:\\fakepath\\" + model.name)
        assert page.evaluate("document.querySelector('#file').files[0].size") == HEAD
    page.get_by_role("button", name="Read the file and go on").click()
    expect(page.locator('[name="weight_format"]')).to_have_value("q4_k_m")
    assert "/en/advise/llm/inference/" in page.url


def test_what_is_wrong_stands_at_the_file_and_the_door_stays_narrow(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], tmp_path: Path
) -> None:
    page = open_page("/zh-hans/", width=320)
    wrong = tmp_path / "a-very-long-name-of-a-file-that-is-not-a-model-at-all.safetensors.gguf"
    wrong.write_bytes(b"PK\x03\x04")
    page.set_input_files("#file", wrong)
    page.get_by_role("button", name="读取文件并继续").click()
    expect(page.locator("#file-e")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    no_violations(page)
