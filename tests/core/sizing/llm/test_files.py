"""Models by their files: a GGUF header, an adapter_config.json."""

import struct

import numpy as np
import pytest
from gguf import GGMLQuantizationType, GGUFWriter
from hypothesis import given
from hypothesis import strategies as st

from advisor.sizing.adapter_config import AdapterError, fields_from_adapter
from advisor.sizing.gguf_header import GgufCut, GgufError, GgufHeader, config_from_gguf, read_header
from advisor.sizing.hf_config import shape_from_config


@pytest.fixture(scope="module")
def header_bytes(tmp_path_factory) -> bytes:
    """A GGUF file of Llama-3-8B's sizes with its two tables only, as the reference writer makes it."""
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    writer = GGUFWriter(path, "llama")
    writer.add_name("Llama 3 8B")
    writer.add_file_type(15)
    writer.add_block_count(32)
    writer.add_context_length(8192)
    writer.add_embedding_length(4096)
    writer.add_feed_forward_length(14336)
    writer.add_head_count(32)
    writer.add_head_count_kv(8)
    writer.add_token_list([f"<{index}>" for index in range(1000)])
    for name in ("token_embd.weight", "output.weight"):
        writer.add_tensor_info(name, (128256, 4096), np.dtype("float16"), 128256 * 4096 * 2, GGMLQuantizationType.F16)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    return path.read_bytes()


def test_a_header_alone_gives_format_sizes_and_shape(header_bytes):
    header = read_header(header_bytes)
    assert header.weight_format == "q4_k_m"
    assert header.tensor_params == 2 * 128256 * 4096
    assert header.tensor_bytes == 2 * 128256 * 4096 * 2
    config = config_from_gguf(header)
    assert config["vocab_size"] == 1000
    shape = shape_from_config({**config, "vocab_size": 128256})
    assert shape.params == pytest.approx(8.03e9, rel=0.002)
    assert shape.kv_heads == 8
    assert shape.name == "Llama 3 8B"


def test_what_is_cut_off_or_something_else_is_said(header_bytes):
    for size in range(4, len(header_bytes), 97):
        with pytest.raises(GgufError):
            read_header(header_bytes[:size])
    for bad in (
        b"",
        b"PK\x03\x04",
        b"GGUF",
        b"GGUF" + struct.pack("<I", 9) + b"\0" * 16,
        b"GGUF" + struct.pack("<IQQ", 3, 1 << 60, 1),
    ):
        with pytest.raises(GgufError):
            read_header(bad)


def test_the_first_bytes_of_a_longer_header_will_do_once_they_name_the_layers(header_bytes):
    whole = config_from_gguf(read_header(header_bytes))
    tokens = header_bytes.index(b"tokenizer.ggml.tokens")
    for size in range(tokens + 60, len(header_bytes) - 8, 211):
        header = read_header(header_bytes[:size], cut_off=True)
        assert not header.is_whole
        config = config_from_gguf(header)
        assert "tie_word_embeddings" not in config
        assert config == {name: value for name, value in whole.items() if name != "tie_word_embeddings"}
    for size in range(4, header_bytes.index(b"block_count"), 13):
        with pytest.raises(GgufCut):
            read_header(header_bytes[:size], cut_off=True)


def test_figures_given_layer_by_layer_are_not_taken_for_their_number(tmp_path):
    writer = GGUFWriter(tmp_path / "m.gguf", "gemma3")
    writer.add_block_count(3)
    writer.add_embedding_length(2560)
    writer.add_head_count([8, 8, 8])
    writer.add_head_count_kv([4, 0, 4])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    writer.close()
    config = config_from_gguf(read_header((tmp_path / "m.gguf").read_bytes()))
    assert config["num_key_value_heads"] == 4
    assert config["num_attention_heads"] == 8


@given(st.binary(max_size=400))
def test_noise_never_breaks_the_reader(noise):
    with pytest.raises(GgufError):
        read_header(b"GGUF" + struct.pack("<IQQ", 3, 3, 3) + noise)


@pytest.mark.parametrize("value", [float("inf"), float("-inf"), float("nan"), 1e308])
def test_a_figure_without_end_is_none(value):
    header = GgufHeader(
        {
            "general.architecture": "llama",
            "llama.block_count": 32,
            "llama.context_length": value,
            "llama.attention.head_count_kv": (value, 8, float("inf")),
        },
        0, 0, {}, None)  # fmt: skip
    config = config_from_gguf(header)
    assert config["num_hidden_layers"] == 32
    assert config["num_key_value_heads"] in (8, int(1e308))
    assert ("max_position_embeddings" in config) == (value == 1e308)


def test_an_adapter_says_rank_and_targets():
    plain = {"peft_type": "LORA", "r": 16, "target_modules": ["q_proj", "v_proj"]}
    assert fields_from_adapter(plain) == {"method": "lora", "lora_rank": 16, "lora_targets": "attention-qv"}
    assert (
        fields_from_adapter({**plain, "target_modules": ["q_proj", "k_proj", "v_proj", "o_proj"]})["lora_targets"]
        == "attention"
    )
    everything = {**plain, "target_modules": "all-linear", "use_dora": True, "modules_to_save": ["embed_tokens"]}
    assert fields_from_adapter(everything) == {
        "method": "dora",
        "lora_rank": 16,
        "lora_targets": "all-linear",
        "trainable_embeddings": True,
    }
    for bad in (
        {},
        {"peft_type": "PROMPT_TUNING", "r": 8},
        {"peft_type": "LORA", "r": True},
        {"peft_type": "LORA", "r": 10**9},
    ):
        with pytest.raises(AdapterError):
            fields_from_adapter(bad)
