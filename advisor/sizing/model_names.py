"""What models are called: the library's slugs, other names they go by, and the nearest to one that is not known."""

import difflib
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

ALIASES: Mapping[str, str] = MappingProxyType(
    {
        "stable-diffusion-xl": "sdxl-base-1.0",
        "sdxl": "sdxl-base-1.0",
        "stable-diffusion-v1-5": "stable-diffusion-1.5",
        "sd1.5": "stable-diffusion-1.5",
        "flux-dev": "flux.1-dev",
        "flux.1": "flux.1-dev",
        "flux-schnell": "flux.1-schnell",
        "mask-rcnn-r50-fpn": "mask-r-cnn-r50-fpn",
        "vit-base-patch16": "vit-b-16",
        "vit-large-patch16": "vit-l-16",
        "swin-base-patch4-window7": "swin-b",
        "whisper-large": "whisper-large-v2",
        "whisper-turbo": "whisper-large-v3-turbo",
        "mistral-7b": "mistral-7b-v0.1",
        "phi-3-mini-3.8b": "phi-3-mini",
        "phi-3-medium-14b": "phi-3-medium",
        "phi-4-14b": "phi-4",
        "phi-4-mini-3.8b": "phi-4-mini",
        "yi-1.5-6b": "yi-6b",
        "yi-1.5-9b": "yi-9b",
        "yi-1.5-34b": "yi-34b",
        "llama-3.3-70b": "llama-3.3-70b-instruct",
        "llama-2-7b-chat": "llama-2-7b",
        "llama-3-8b-instruct": "llama-3-8b",
        "llama-3.1-8b-instruct": "llama-3.1-8b",
        "glm-4-9b": "glm-4-9b-chat",
        "bert-base-uncased": "bert-base",
        "bert-large-uncased": "bert-large",
        "llama-1-7b": "llama-7b",
        "llama-65b": "llama-1-65b",
        "llama-33b": "llama-30b",
        **{f"qwen2.5-coder-{size}b": f"qwen2.5-{size}b" for size in ("0.5", "1.5", "3", "7", "14", "32")},
        **{f"qwen2.5-math-{size}b": f"qwen2.5-{size}b" for size in ("1.5", "7", "72")},
        "deepseek-r1-zero": "deepseek-r1",
        "llama-4-scout-17b-16e": "llama-4-scout",
        "mistral-nemo": "mistral-nemo-12b",
        "mistral-large": "mistral-large-123b",
        "c4ai-command-r-v01": "command-r-35b",
        "bert-base-cased": "bert-base",
        "bert-large-cased": "bert-large",
        "stable-diffusion-xl-base-1.0": "sdxl-base-1.0",
        "stable-diffusion-3.5-large": "sd3.5-large",
        "stable-diffusion-3.5-medium": "sd3.5-medium",
        "stable-diffusion-3-medium": "sd3-medium",
        "stable-video-diffusion-img2vid": "stable-video-diffusion",
        "stable-video-diffusion-img2vid-xt": "stable-video-diffusion",
        "stable-diffusion-inpainting": "stable-diffusion-1.5-inpainting",
        "playground-v2.5-1024px-aesthetic": "playground-v2.5",
        "hidream-i1-full": "hidream-i1",
        "pixart-sigma-xl-2-1024-ms": "pixart-sigma",
        "lumina-image-2.0": "lumina-image-2",
        "chroma1-hd": "chroma",
        "speaker-diarization-3.1": "pyannote-speaker-diarization",
        "speaker-diarization-community-1": "pyannote-speaker-diarization",
        "parakeet-tdt-0.6b-v3": "parakeet-tdt-v3",
        "cosyvoice-300m": "cosyvoice",
        "indextts-1.5": "index-tts",
        "vit-base-patch16-224": "vit-b-16",
        "vit-large-patch16-224": "vit-l-16",
        "swin-tiny-patch4-window7-224": "swin-t",
        "swin-small-patch4-window7-224": "swin-s",
        "swin-base-patch4-window7-224": "swin-b",
        "detr-resnet-50": "detr-r50",
        "dinov2-large": "dinov2-vit-l",
        "sam-vit-base": "sam-vit-b",
        "sam-vit-large": "sam-vit-l",
        "sam-vit-huge": "sam-vit-h",
        **{f"yolov{version}-{size}": f"yolov{version}{size}" for version in (8,) for size in "nsmlx"},
        **{f"yolo11-{size}": f"yolo11{size}" for size in "nsmlx"},
    }
)
"""Other names models go by -> slug of the library. A slug the library holds itself always wins."""


ALIKE = 0.55
"""Likeness of two families' names (0..1) from which one is suggested for the other."""
BEGINS_ALIKE = 0.85
"""Likeness of a family to one that only adds words to its name: `phi-4-multimodal` to `phi-4`."""
LONGEST_NAME = 200
"""Characters of a name that are looked at; a longer one is nobody's name."""

_QUANTISED = (
    r"awq|gptq|gguf|ggml|exl2|mlx|bnb|hqq|unsloth|marlin|quantized|int[248]|[248]-?bit|fp8(?:-dynamic)?|nvfp4|mxfp4|"
    r"w\d+a\d+|bf16|fp16|f16|fp32|f32|g128|i?q\d(?:-(?:[01klms]|xs|xxs|xl|nl))*"
)
_FORMATS = {
    "awq": "awq",
    "gptq-(?:int8|8bit)": "gptq-int8",
    "gptq": "gptq-int4",
    "bnb-8bit": "int8",
    "bnb-4bit": "nf4",
    "mxfp4": "mxfp4",
    "fp8": "fp8",
    "bf16": "bf16",
    "fp16|f16": "fp16",
}
"""What a name says of the weights -> the contract's word."""
_READ_DIFFERENTLY = r"\d+[khp]|20\d\d-\d\d(?:-\d\d)?|\d{4}|\d{6}|\d{8}|finetuned(?:-.*)?"
"""Longest context, hours heard, lines of a picture, dates."""
_TUNED = (
    r"instruct|instruction|chat|it|hf|pt|thinking|reasoning|preview|python|sft|dpo|deduped|diffusers|original|"
    r"abliterated|official|latest"
)
"""What a model was tuned or packed for, which changes no shape."""


def _without(plain: str, words: str) -> str:
    return re.sub(rf"-(?:{words})(?=-|$)", "", plain)


def _spelt(name: str) -> str:
    """A name without its owner, small, with `-` between its words and dots only inside figures."""
    plain = re.sub(r"(?<!\d)\.|\.(?!\d)", "-", name.lower().strip().rsplit("/", 1)[-1])
    return re.sub(r"[^a-z0-9.]+", "-", plain).strip("-").removeprefix("meta-")


def _key(plain: str) -> str:
    """The same for every way a name is written, another for another size: `qwen2_5-7B` and `Qwen 2.5 7b` are `qwen2-5-7b`."""
    parts = re.findall(r"\d+(?:\.\d+)?(?=[bm](?![a-z]))|\d+|[a-z]+", plain)
    return re.sub(r"(?<=\d) (?=\d)", "-", " ".join(parts)).replace(" ", "")


def _shorter(plain: str) -> Iterator[str]:
    """The name, then with less and less of what says nothing of its shape; a size is never left out."""
    for words in ("", _QUANTISED, _READ_DIFFERENTLY, _TUNED, "base"):
        plain = _without(plain, words) if words else plain
        yield plain
    yield re.sub(r"(?<=\db)-v\d+(?:\.\d+)*$", "", plain)


@lru_cache(maxsize=4)
def _index(slugs: frozenset[str]) -> Mapping[str, str]:
    """Key -> slug: of the library's own names, of the other names they go by, and of sized names without their tuning."""
    found = {_key(_spelt(slug)): slug for slug in sorted(slugs)}
    for name, slug in ALIASES.items():
        if slug in slugs:
            found.setdefault(_key(_spelt(name)), slug)
    for slug in sorted(slugs):
        if _sizes(slug):
            found.setdefault(_key(_without(_spelt(slug), _TUNED)), slug)
    return found


def canonical_slug(name: str, models: Collection[str]) -> str | None:
    """The library's slug of a model name, or None: its own, another name it goes by, or the name of a page on Hugging Face.

    Owners, tuning (`-Instruct`), dates and weight formats (`-GPTQ-Int4`) of a name are left aside; sizes never are.
    """
    if name in models:
        return name
    if len(name) > LONGEST_NAME:
        return None
    index = _index(frozenset(models))
    dotted = re.sub(r"(?<=\d)_(?=\d)", ".", name)
    for plain in (short for one in (dotted, name) for short in _shorter(_spelt(one))):
        if slug := index.get(_key(plain)):
            return slug
    return None


def format_named(name: str) -> str | None:
    """The weight format a model's name says, in the contract's words: `Qwen2.5-7B-Instruct-GPTQ-Int8` -> `gptq-int8`."""
    plain = f"{_spelt(name)}-" if len(name) <= LONGEST_NAME else ""
    if found := re.search(r"-(i?q\d-(?:[01klms]|xs|xxs|nl)(?:-[sml])?)-", plain):
        return found[1].replace("-", "_")
    return next((told for words, told in _FORMATS.items() if re.search(rf"-(?:{words})-", plain)), None)


def _sizes(name: str) -> tuple[float, ...]:
    """Sizes a name says, in 1e9 parameters: `qwen3-30b-a3b` -> (30.0,)."""
    found = re.findall(r"(?<![a-z\d.])(?:\d+x)?(\d+(?:\.\d+)?)([bm])(?![a-z\d])", name.lower())
    return tuple(float(size) / (1 if unit == "b" else 1000) for size, unit in found if float(size))


@lru_cache(maxsize=2048)
def _family(name: str) -> str:
    """A name without its size and without what says nothing of its shape."""
    *_, short = _shorter(_spelt(name))
    return _key(re.sub(r"(?:^|(?<=-))(?:\d+x)?\d+(?:\.\d+)?b(?:-a\d+b)?(?=-|$)", "", short))


def nearest_models(name: str, models: Mapping[str, Mapping[str, str]], scenario: str | None = None) -> tuple[str, ...]:
    """Up to five library slugs that look like `name`: its family and size first, those of the scenario before others."""
    own = [slug for slug, row in models.items() if scenario is None or scenario_of(row) == scenario]
    return _nearest(name[:80], own) or _nearest(name[:80], list(models))


def _nearest(name: str, slugs: Sequence[str]) -> tuple[str, ...]:
    sized = re.sub(r"-(\d+)$", r"-\1b", re.sub(r"[\s_:]+", "-", name.strip()))
    family, sizes = _family(sized), _sizes(sized)
    matcher = difflib.SequenceMatcher(b=family, autojunk=False)
    scored = []
    for slug in slugs:
        own = _family(slug)
        matcher.set_seq1(own)
        likeness = max(matcher.ratio(), BEGINS_ALIKE if len(own) > 3 and family.startswith(own) else 0.0)
        if likeness >= ALIKE:
            scored.append((2 * likeness + _size_likeness(sizes, _sizes(slug)), slug))
    return tuple(slug for _score, slug in sorted(scored, key=lambda one: -one[0])[:5])


def _size_likeness(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    """1 for the same size, the less the further apart; 0 where a name says none."""
    if not one or not other:
        return 0.0
    return 1 / (1 + abs(math.log2(one[0] / other[0])))


def scenario_of(row: Mapping[str, str]) -> str:
    """The scenario of a library row: the first word of its column, "" where it names none."""
    return (row.get("scenario") or "").split(" ")[0]
