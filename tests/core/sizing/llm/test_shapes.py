"""Shapes from library rows, config.json of every family, and bare parameter counts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.library import models
from advisor.sizing.hf_config import ConfigError, shape_from_config
from advisor.sizing.shapes import NoShape, shape_of, typical_shape
from advisor.sizing.workload import ModelRef

MODELS = models()


def library(slug: str):
    return shape_of(ModelRef(slug=slug), MODELS)


LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 128256,
    "tie_word_embeddings": False,
}

CONFIGS = [
    ("llama", LLAMA, 8.03, 8.03, "GQA", 131072),
    ("qwen2", {"model_type": "qwen2", "hidden_size": 3584, "num_hidden_layers": 28, "num_attention_heads": 28, "num_key_value_heads": 4, "intermediate_size": 18944, "vocab_size": 152064, "tie_word_embeddings": False}, 7.616, 7.616, "GQA", 57344),
    ("qwen3-moe", {"model_type": "qwen3_moe", "hidden_size": 2048, "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128, "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128, "num_experts_per_tok": 8, "vocab_size": 151936, "tie_word_embeddings": False}, 30.53, 3.35, "GQA", 98304),
    ("mixtral", {"model_type": "mixtral", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "num_local_experts": 8, "num_experts_per_tok": 2, "vocab_size": 32000}, 46.7, 12.88, "GQA", 131072),
    ("deepseek-v3", {"model_type": "deepseek_v3", "hidden_size": 7168, "num_hidden_layers": 61, "num_attention_heads": 128, "num_key_value_heads": 128, "intermediate_size": 18432, "moe_intermediate_size": 2048, "n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "first_k_dense_replace": 3, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128, "vocab_size": 129280, "tie_word_embeddings": False}, 671.03, 37.5, "MLA", 70272),
    ("gpt-oss", {"model_type": "gpt_oss", "hidden_size": 2880, "num_hidden_layers": 24, "num_attention_heads": 64, "num_key_value_heads": 8, "head_dim": 64, "intermediate_size": 2880, "num_local_experts": 32, "num_experts_per_tok": 4, "vocab_size": 201088, "sliding_window": 128, "layer_types": ["sliding_attention", "full_attention"] * 12, "tie_word_embeddings": False}, 20.91, 4.2, "GQA", 49152),
    ("gemma-2", {"model_type": "gemma2", "hidden_size": 3584, "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256, "intermediate_size": 14336, "vocab_size": 256000, "sliding_window": 4096}, 9.242, 9.242, "GQA", 344064),
    ("glm", {"model_type": "chatglm", "hidden_size": 4096, "num_layers": 40, "num_attention_heads": 32, "multi_query_group_num": 2, "kv_channels": 128, "ffn_hidden_size": 13696, "padded_vocab_size": 151552, "seq_length": 131072, "tie_word_embeddings": False}, 9.4, 9.4, "GQA", 40960),
    ("qwen-1", {"model_type": "qwen", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 22016, "vocab_size": 151936, "kv_channels": 128, "tie_word_embeddings": False}, 7.721, 7.721, "MHA", 524288),
    ("gpt-2", {"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "vocab_size": 50257, "n_positions": 1024}, 0.124, 0.124, "MHA", 36864),
    ("neox", {"model_type": "gpt_neox", "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "intermediate_size": 16384, "vocab_size": 50432, "tie_word_embeddings": False}, 6.856, 6.856, "MHA", 524288),
    ("falcon", {"model_type": "falcon", "hidden_size": 4544, "num_hidden_layers": 32, "num_attention_heads": 71, "multi_query": True, "ffn_hidden_size": 18176, "vocab_size": 65024}, 6.92, 6.92, "MQA", 8192),
    ("bert", {"model_type": "bert", "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096, "vocab_size": 30522, "max_position_embeddings": 512}, 0.335, 0.335, "MHA", 0),
    ("t5-small", {"model_type": "t5", "d_model": 512, "num_layers": 6, "num_heads": 8, "d_ff": 2048, "d_kv": 64, "vocab_size": 32128}, 0.0605, 0.0605, "MHA", 24576),
    ("whisper", {"model_type": "whisper", "d_model": 1280, "encoder_layers": 32, "decoder_layers": 32, "encoder_attention_heads": 20, "encoder_ffn_dim": 5120, "vocab_size": 51866}, 1.5435, 1.5435, "MHA", 327680),
    ("vit", {"model_type": "vit", "hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072, "patch_size": 16, "image_size": 224}, 0.0866, 0.0866, "MHA", 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "config", "params_b", "active_b", "attention", "kv_bytes"), CONFIGS, ids=[row[0] for row in CONFIGS]
)
def test_every_family_is_counted(name, config, params_b, active_b, attention, kv_bytes):
    shape = shape_from_config(config)
    assert shape.params == pytest.approx(params_b * 1e9, rel=0.015)
    assert shape.active_params == pytest.approx(active_b * 1e9, rel=0.02)
    assert shape.attention == attention
    assert 2 * shape.kv_elements_per_token == kv_bytes


def test_the_library_agrees_with_the_config():
    for slug, config in (
        ("llama-3-8b", CONFIGS[0][1]),
        ("qwen2.5-7b", CONFIGS[1][1]),
        ("mixtral-8x7b", CONFIGS[3][1]),
        ("gemma-2-9b", CONFIGS[6][1]),
    ):
        row, read = library(slug), shape_from_config(config)
        assert read.params == pytest.approx(row.params, rel=0.005)
        assert read.kv_groups == row.kv_groups
        assert read.tied == row.tied
        assert (read.layers, read.hidden, read.vocab) == (row.layers, row.hidden, row.vocab)


def test_nested_configs_and_towers():
    nested = shape_from_config(
        {
            "model_type": "gemma3",
            "text_config": {
                "model_type": "gemma3_text",
                "hidden_size": 2560,
                "num_hidden_layers": 34,
                "num_attention_heads": 8,
                "num_key_value_heads": 4,
                "head_dim": 256,
                "intermediate_size": 10240,
                "sliding_window": 1024,
            },
            "vision_config": {
                "hidden_size": 1152,
                "num_hidden_layers": 27,
                "intermediate_size": 4304,
                "num_attention_heads": 16,
            },
        }
    )
    assert nested.tower_params == pytest.approx(0.41e9, rel=0.05)
    assert nested.params - nested.tower_params == pytest.approx(3.88e9, rel=0.02)
    assert {(group.layers, group.window) for group in nested.kv_groups} == {(5, None), (29, 1024)}
    hybrid = shape_from_config(
        {
            "model_type": "qwen3_5",
            "text_config": {
                "hidden_size": 5120,
                "num_hidden_layers": 64,
                "num_attention_heads": 24,
                "num_key_value_heads": 4,
                "head_dim": 256,
                "intermediate_size": 17408,
                "vocab_size": 248320,
                "full_attention_interval": 4,
                "linear_num_value_heads": 48,
            },
        }
    )
    assert hybrid.kv_layers == 16
    assert hybrid.state_elements > 0
    layered = shape_from_config({**LLAMA, "layer_types": ["linear_attention"] * 24 + ["full_attention"] * 8})
    assert layered.kv_layers == 8


def test_unknown_keys_are_tolerated_and_gaps_are_said():
    assert shape_from_config({**LLAMA, "new_key": {"a": [1]}, "auto_map": {}}).params == shape_from_config(LLAMA).params
    bare = shape_from_config({"hidden_size": 4096, "num_hidden_layers": 32})
    assert {note.field for note in bare.notes} == {
        f"model.hf_config.{key}"
        for key in ("num_attention_heads", "vocab_size", "intermediate_size", "hidden_act", "tie_word_embeddings")
    }
    assert (
        shape_from_config({**LLAMA, "quantization_config": {"quant_method": "gptq", "bits": 4}}).native_format
        == "gptq-int4"
    )
    assert shape_from_config({**LLAMA, "torch_dtype": "bfloat16"}).native_format == "bf16"


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"name": "my dog"},
        {"hidden_size": "4096", "num_hidden_layers": 32},
        {"hidden_size": 4096, "num_hidden_layers": -1},
        {"hidden_size": 1e300, "num_hidden_layers": 32},
        {"hidden_size": float("nan"), "num_hidden_layers": 32},
        {"_class_name": "FluxTransformer2DModel", "num_layers": 19},
        {**LLAMA, "num_key_value_heads": 64},
        {**LLAMA, "num_hidden_layers": 100_000},
    ],
)
def test_what_is_no_config_is_refused_with_a_reason(config):
    with pytest.raises(ConfigError) as caught:
        shape_from_config(config)
    assert caught.value.reason
    assert caught.value.code in ("not-a-config", "config-contradiction")


def test_every_language_model_row_has_a_shape_that_adds_up():
    for slug, row in MODELS.items():
        if not row["scenario"].startswith("llm"):
            continue
        shape = library(slug)
        assert shape.params == pytest.approx(float(row["params_b"]) * 1e9)
        assert 0 < shape.linear_params < shape.params
        assert 0 < shape.active_linear_params <= shape.linear_params
        stated = row.get("kv_cache_bytes_per_token_16bit")
        if stated:
            assert 2 * shape.kv_elements_per_token == pytest.approx(float(stated), rel=0.001)
    with pytest.raises(NoShape):
        library("resnet-50")


@given(st.floats(0.001, 2000), st.floats(1.0, 4.0))
@settings(max_examples=100, deadline=None)
def test_a_typical_shape_only_grows(size, factor):
    small, large = typical_shape(size), typical_shape(size * factor)
    for name in ("layers", "hidden", "intermediate", "kv_heads", "params", "kv_elements_per_token"):
        assert getattr(large, name) >= getattr(small, name)
    assert small.linear_params > 0


@given(
    st.integers(1, 300_000),
    st.integers(1, 300_000),
    st.sampled_from(["gemma-3-27b", "mistral-7b-v0.1", "qwen3.6-27b", "llama-3-8b"]),
)
def test_windows_never_cache_more_than_all(first, second, slug):
    low, high = sorted((first, second))
    shape = library(slug)
    assert shape.kv_elements(low) <= shape.kv_elements(high)
    assert shape.kv_elements(high) <= shape.kv_elements_per_token * high + shape.state_elements
