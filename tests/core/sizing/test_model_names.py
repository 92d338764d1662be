"""Names of models: another name leads to the library's slug, and never to a model of another size."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.library import models
from advisor.sizing.fields import FIELDS
from advisor.sizing.model_names import ALIASES, canonical_slug, format_named, nearest_models
from advisor.sizing.parsing.workload import parse_workload

MODELS = models()

REPOSITORIES = {
    "Qwen/Qwen2.5-7B-Instruct": "qwen2.5-7b",
    "Qwen/Qwen2.5-32B-Instruct": "qwen2.5-32b",
    "Qwen/Qwen2.5-7B-Instruct-1M": "qwen2.5-7b-1m",
    "Qwen/Qwen2.5-14B-Instruct-GPTQ-Int4": "qwen2.5-14b",
    "Qwen/Qwen2.5-14B-Instruct-GPTQ-Int8": "qwen2.5-14b",
    "Qwen/Qwen2.5-72B-Instruct-AWQ": "qwen2.5-72b",
    "Qwen/Qwen2.5-7B-Instruct-GGUF": "qwen2.5-7b",
    "Qwen/Qwen2.5-Coder-32B-Instruct": "qwen2.5-32b",
    "Qwen/Qwen2.5-Math-7B-Instruct": "qwen2.5-7b",
    "Qwen/Qwen2.5-VL-7B-Instruct": "qwen2.5-vl-7b",
    "Qwen/Qwen2-72B-Instruct": "qwen2-72b",
    "Qwen/Qwen1.5-14B-Chat": "qwen1.5-14b",
    "Qwen/Qwen-7B-Chat": "qwen-7b",
    "Qwen/QwQ-32B-Preview": "qwq-32b",
    "Qwen/Qwen3-8B-Base": "qwen3-8b",
    "Qwen/Qwen3-8B-FP8": "qwen3-8b",
    "Qwen/Qwen3-4B-Instruct-2507": "qwen3-4b",
    "Qwen/Qwen3-30B-A3B-Thinking-2507-FP8": "qwen3-30b-a3b",
    "Qwen/Qwen3-235B-A22B-Instruct-2507": "qwen3-235b-a22b",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct": "qwen3-coder-30b-a3b",
    "Qwen/Qwen3-Next-80B-A3B-Instruct": "qwen3-next-80b-a3b",
    "Qwen/Qwen2-Audio-7B-Instruct": "qwen2-audio-7b",
    "meta-llama/Llama-2-7b-chat-hf": "llama-2-7b",
    "meta-llama/Llama-2-70b-hf": "llama-2-70b",
    "meta-llama/Meta-Llama-3-8B-Instruct": "llama-3-8b",
    "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1-8b",
    "meta-llama/Llama-3.1-405B-Instruct-FP8": "llama-3.1-405b",
    "meta-llama/Llama-3.2-1B-Instruct": "llama-3.2-1b",
    "meta-llama/Llama-3.3-70B-Instruct": "llama-3.3-70b-instruct",
    "meta-llama/Llama-4-Scout-17B-16E-Instruct": "llama-4-scout",
    "unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit": "llama-3.1-8b",
    "unsloth/Llama-3.2-3B-Instruct-unsloth-bnb-4bit": "llama-3.2-3b",
    "bartowski/Llama-3.3-70B-Instruct-GGUF": "llama-3.3-70b-instruct",
    "hugging-quants/Meta-Llama-3.1-70B-Instruct-AWQ-INT4": "llama-3.1-70b",
    "RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16": "llama-3.1-8b",
    "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic": "llama-3.3-70b-instruct",
    "mlx-community/Llama-3.2-3B-Instruct-4bit": "llama-3.2-3b",
    "huggyllama/llama-7b": "llama-7b",
    "lmsys/vicuna-13b-v1.5-16k": "vicuna-13b",
    "codellama/CodeLlama-34b-Instruct-hf": "codellama-34b",
    "codellama/CodeLlama-7b-Python-hf": "codellama-7b",
    "TinyLlama/TinyLlama-1.1B-Chat-v1.0": "tinyllama-1.1b",
    "mistralai/Mistral-7B-v0.1": "mistral-7b-v0.1",
    "mistralai/Mistral-7B-Instruct-v0.2": "mistral-7b-v0.2",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral-7b-v0.3",
    "TheBloke/Mistral-7B-Instruct-v0.2-GPTQ": "mistral-7b-v0.2",
    "mistralai/Mixtral-8x7B-Instruct-v0.1": "mixtral-8x7b",
    "mistralai/Mixtral-8x22B-Instruct-v0.1": "mixtral-8x22b",
    "mistralai/Mistral-Nemo-Instruct-2407": "mistral-nemo-12b",
    "mistralai/Mistral-Small-24B-Instruct-2501": "mistral-small-24b",
    "mistralai/Mistral-Large-Instruct-2407": "mistral-large-123b",
    "deepseek-ai/DeepSeek-V2-Lite-Chat": "deepseek-v2-lite",
    "deepseek-ai/DeepSeek-V3-0324": "deepseek-v3",
    "deepseek-ai/DeepSeek-R1-0528": "deepseek-r1",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B": "deepseek-r1-distill-llama-70b",
    "deepseek-ai/deepseek-coder-33b-instruct": "deepseek-coder-33b",
    "google/gemma-2-9b-it": "gemma-2-9b",
    "google/gemma-3-27b-it": "gemma-3-27b",
    "google/gemma-3-4b-pt": "gemma-3-4b",
    "google/gemma-7b-it": "gemma-7b",
    "microsoft/Phi-3-mini-4k-instruct": "phi-3-mini",
    "microsoft/Phi-3-medium-128k-instruct": "phi-3-medium",
    "microsoft/phi-4": "phi-4",
    "microsoft/Phi-4-mini-instruct": "phi-4-mini",
    "microsoft/phi-2": "phi-2",
    "openai/gpt-oss-120b": "gpt-oss-120b",
    "openai-community/gpt2-xl": "gpt2-xl",
    "google-bert/bert-base-uncased": "bert-base",
    "THUDM/glm-4-9b-chat": "glm-4-9b-chat",
    "THUDM/GLM-4-32B-0414": "glm-4-32b",
    "zai-org/GLM-4.5-Air": "glm-4.5-air",
    "THUDM/chatglm3-6b-32k": "chatglm3-6b",
    "baichuan-inc/Baichuan2-13B-Chat": "baichuan2-13b",
    "internlm/internlm2_5-7b-chat": "internlm2.5-7b",
    "internlm/internlm2_5-1_8b-chat": "internlm2.5-1.8b",
    "internlm/internlm3-8b-instruct": "internlm3-8b",
    "01-ai/Yi-1.5-9B-Chat": "yi-9b",
    "01-ai/Yi-6B-200K": "yi-6b",
    "tiiuae/falcon-40b-instruct": "falcon-40b",
    "EleutherAI/pythia-1.4b-deduped": "pythia-1.4b",
    "allenai/OLMo-2-1124-7B-Instruct": "olmo-2-7b",
    "HuggingFaceTB/SmolLM2-1.7B-Instruct": "smollm2-1.7b",
    "CohereForAI/c4ai-command-r-v01": "command-r-35b",
    "stabilityai/stablelm-zephyr-3b": "stablelm-zephyr-3b",
    "stabilityai/stable-diffusion-xl-base-1.0": "sdxl-base-1.0",
    "stable-diffusion-v1-5/stable-diffusion-v1-5": "stable-diffusion-1.5",
    "stabilityai/stable-diffusion-3.5-large": "sd3.5-large",
    "stabilityai/stable-diffusion-3-medium-diffusers": "sd3-medium",
    "stabilityai/sdxl-turbo": "sdxl-turbo",
    "black-forest-labs/FLUX.1-dev": "flux.1-dev",
    "black-forest-labs/FLUX.1-Kontext-dev": "flux.1-kontext-dev",
    "Qwen/Qwen-Image-Edit": "qwen-image-edit",
    "Wan-AI/Wan2.1-T2V-14B-Diffusers": "wan2.1-t2v-14b",
    "Wan-AI/Wan2.1-I2V-14B-720P": "wan2.1-i2v-14b",
    "Wan-AI/Wan2.2-TI2V-5B": "wan2.2-ti2v-5b",
    "zai-org/CogVideoX-5b": "cogvideox-5b",
    "tencent/HunyuanVideo": "hunyuanvideo",
    "genmo/mochi-1-preview": "mochi-1",
    "stabilityai/stable-video-diffusion-img2vid-xt": "stable-video-diffusion",
    "openai/whisper-large-v3-turbo": "whisper-large-v3-turbo",
    "distil-whisper/distil-large-v3": None,
    "FunAudioLLM/SenseVoiceSmall": "sensevoice-small",
    "FunAudioLLM/CosyVoice2-0.5B": "cosyvoice2-0.5b",
    "nvidia/parakeet-tdt-0.6b-v3": "parakeet-tdt-v3",
    "nvidia/parakeet-tdt-0.6b-v2": "parakeet-tdt-0.6b-v2",
    "facebook/wav2vec2-base-960h": "wav2vec2-base",
    "pyannote/speaker-diarization-3.1": "pyannote-speaker-diarization",
    "microsoft/resnet-50": "resnet-50",
    "google/vit-base-patch16-224": "vit-b-16",
    "facebook/sam-vit-huge": "sam-vit-h",
    "nvidia/segformer-b0-finetuned-ade-512-512": "segformer-b0",
}
"""Repository of Hugging Face -> slug; None where its name leaves out what the model is called."""

SPOKEN = {
    "Llama3 8b": "llama-3-8b",
    "llama 3.1 8B instruct": "llama-3.1-8b",
    "Llama_3_1_8B": "llama-3.1-8b",
    "llama3.1:8b-instruct-q4_K_M": "llama-3.1-8b",
    "qwen2.5:7b": "qwen2.5-7b",
    "Qwen 2.5 7b": "qwen2.5-7b",
    "qwen2.5-0_5b": "qwen2.5-0.5b",
    "Qwen2.5-7B-Instruct-Q4_K_M.gguf": "qwen2.5-7b",
    "SDXL": "sdxl-base-1.0",
    "YOLOv8-x": "yolov8x",
    "whisper large v3": "whisper-large-v3",
}

REFUSED = {
    "llama3.1": "llama-3.1-8b",
    "qwen2.5": "qwen2.5-0.5b",
    "llama 38b": "llama-30b",
    "llama-3-1.8b": "llama-3-8b",
    "Qwen/Qwen2.5-14B-Instruct-1M": "qwen2.5-14b",
    "meta-llama/Llama-3.1-80B": "llama-3.1-70b",
    "deepseek-ai/DeepSeek-R1-0528-Qwen3-8B": "deepseek-r1-distill-qwen-7b",
    "Qwen/Qwen3-VL-8B-Instruct": "qwen3-8b",
    "microsoft/Phi-4-multimodal-instruct": "phi-4",
    "openai-community/gpt2-medium": "gpt2",
    "lama-3-8b": "llama-3-8b",
    "qwen-14": "qwen-14b",
    "Qwen 2.5 72": "qwen2.5-72b",
}
"""A model the library does not hold, and the first it suggests."""


def test_every_alias_leads_into_the_library_or_nowhere():
    for name, slug in ALIASES.items():
        assert canonical_slug(name, MODELS) in (slug, name, None)
    assert canonical_slug("meta-llama/Llama-3-8B", MODELS) == "llama-3-8b"
    assert canonical_slug("stable-diffusion-xl", MODELS) is not None


@pytest.mark.parametrize(("name", "slug"), [*REPOSITORIES.items(), *SPOKEN.items()])
def test_a_model_is_known_by_the_title_of_its_page_and_as_people_say_it(name, slug):
    assert canonical_slug(name, MODELS) == slug


@pytest.mark.parametrize(("name", "first"), REFUSED.items())
def test_a_model_of_another_size_or_build_is_only_suggested(name, first):
    assert canonical_slug(name, MODELS) is None
    assert nearest_models(name, MODELS, "llm")[0] == first


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Qwen/Qwen2.5-72B-Instruct-AWQ", "awq"),
        ("Qwen/Qwen2.5-14B-Instruct-GPTQ-Int8", "gptq-int8"),
        ("TheBloke/Mistral-7B-Instruct-v0.2-GPTQ", "gptq-int4"),
        ("unsloth/Meta-Llama-3.1-8B-Instruct-bnb-4bit", "nf4"),
        ("RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic", "fp8"),
        ("llama3.1:8b-instruct-q4_K_M", "q4_k_m"),
        ("Qwen2.5-7B-Instruct-Q8_0.gguf", "q8_0"),
        ("Qwen2.5-7B-Instruct-IQ4_XS.gguf", "iq4_xs"),
        ("Qwen/Qwen2.5-7B-Instruct-GGUF", None),
        ("Qwen/Qwen2.5-7B-Instruct", None),
    ],
)
def test_a_name_says_the_weight_format(name, word):
    assert format_named(name) == word
    body = {"scenario": "llm", "task": "inference", "model": name}
    assert parse_workload(body, MODELS).get("weight_format") == word
    assert parse_workload({**body, "weight_format": "bf16"}, MODELS).get("weight_format") == "bf16"
    assert parse_workload({**body, "task": "training"}, MODELS).get("weight_format") is None


def test_no_name_of_the_library_says_a_format():
    assert [slug for slug in [*MODELS, *ALIASES] if format_named(slug)] == []


def test_nothing_is_suggested_for_what_is_like_nothing():
    assert nearest_models("gibberish", MODELS, "llm") == ()
    assert nearest_models("", MODELS) == ()


@given(st.sampled_from([slug for slug in MODELS if re.search(r"\d+b\b", slug)]), st.sampled_from([2, 3, 7, 11, 40]))
def test_another_size_never_leads_to_the_same_model(slug, factor):
    """`qwen2.5-7b` with 77 in the place of 7 is another model, whatever stands round it."""
    larger = re.sub(r"(\d+(?:\.\d+)?)(?=b(?![a-z0-9]))", lambda size: f"{float(size[1]) * factor:g}", slug, count=1)
    assert canonical_slug(f"owner/{larger}-Instruct-AWQ", MODELS) != slug


@settings(max_examples=600)
@given(st.sampled_from(list(MODELS)), st.sampled_from(["", "-Instruct", "-AWQ", "-GGUF", "-Instruct-GPTQ-Int4"]))
def test_a_slug_in_any_spelling_is_itself(slug, more):
    """Whatever separates its words and whatever it was packed as."""
    for spelt in (slug.upper(), slug.replace("-", " "), f"owner/{slug.replace('-', '_')}"):
        assert canonical_slug(f"{spelt}{more}", MODELS) == slug


@given(st.text(max_size=300))
def test_any_text_has_an_answer(text):
    assert canonical_slug(text, MODELS) in (None, *MODELS)
    assert set(nearest_models(text, MODELS)) <= set(MODELS)


def test_no_application_of_science_is_taken_for_a_model():
    named = [
        word for fields in FIELDS.values() for field in fields if field.name == "application" for word in field.choices
    ]
    assert [word for word in named if canonical_slug(word, MODELS)] == []
