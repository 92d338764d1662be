"""What models are called: the library's slugs, other names they go by, and the nearest to one that is not known."""

import difflib
import re
from collections.abc import Collection, Mapping
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
        **{f"yolov{version}-{size}": f"yolov{version}{size}" for version in (8,) for size in "nsmlx"},
        **{f"yolo11-{size}": f"yolo11{size}" for size in "nsmlx"},
    }
)
"""Other names models go by -> slug of the library. A slug the library holds itself always wins."""


def canonical_slug(name: str, models: Collection[str]) -> str | None:
    """The library's slug of a model name (exact, alias, or other case and separators), or None."""
    if name in models:
        return name
    plain = re.sub(r"[^a-z0-9.]+", "-", name.lower().rsplit("/", 1)[-1]).strip("-") if len(name) < 200 else name
    for candidate in (plain, ALIASES.get(plain, "")):
        if candidate in models:
            return candidate
    return None


def nearest_models(name: str, models: Mapping[str, Mapping[str, str]], scenario: str | None = None) -> tuple[str, ...]:
    """Up to five library slugs that look like `name`, those of the scenario before others."""
    plain = name[:80].lower()
    own = [slug for slug, row in models.items() if scenario is None or scenario_of(row) == scenario]
    near = difflib.get_close_matches(plain, own, n=5, cutoff=0.5)
    return tuple(near or difflib.get_close_matches(plain, list(models), n=5, cutoff=0.5))


def scenario_of(row: Mapping[str, str]) -> str:
    """The scenario of a library row: the first word of its column, "" where it names none."""
    return (row.get("scenario") or "").split(" ")[0]
