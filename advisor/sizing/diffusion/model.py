"""What the diffusion formulas need of a model: its parts, how a picture becomes tokens, and what a step costs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.job import Library
from advisor.sizing.taken import Taken, figure
from advisor.sizing.workload import ModelRef

TYPICAL_TEXT_B = 4.8
"""A T5-XXL class text encoder (4.76B) and a CLIP."""
UNET_MACS_PER_PARAMETER = 1165.0
"""SDXL: 2,990 GMACs of a 2.57B U-Net at one megapixel."""
DEFAULT_ACTIVATION_BYTES = 92.0
"""Bytes per token and width that are live inside one block: HunyuanVideo 102, Wan2.2 89, Wan2.1 official 44."""
DEFAULT_VAE_GIB_PER_MEGAPIXEL = 1.98
"""Decoding one image with the usual 8x autoencoder in 16 bit: FLUX batch 1, 4, 8 on one card (33.85, 39.49, 47.51 GiB)."""
DEFAULT_VIDEO_VAE_GIB_PER_MEGAPIXEL = 18.0
"""Decoding video frame group by frame group."""


@dataclass(frozen=True, slots=True)
class DiffusionModel:
    """A pipeline. Parameters in plain counts; `step_params` pass each token at each step (one of two experts, no modulation layers).

    `side`: pixels of the picture per token, along one side; `frames_per_latent`: frames of video per latent frame (0: images).
    `evaluations`: denoiser runs per step (2 with classifier-free guidance). `macs_per_pixel`: U-Nets, per evaluation.
    `vae_gib_per_megapixel_frame` > 0: the decoder keeps all frames at once, else one group of frames.
    """

    name: str
    family: str
    denoiser: float
    text: float
    vae: float
    other: float
    step_params: float
    controlnet: float
    layers: int
    hidden: int
    side: int
    frames_per_latent: int
    text_tokens: int
    evaluations: int
    width: int
    height: int
    frames: int
    fps: int
    steps: int
    macs_per_pixel: float
    vae_gib_per_megapixel: float
    vae_gib_per_megapixel_frame: float
    activation_bytes: float
    known: bool

    @property
    def is_unet(self) -> bool:
        """Convolutional denoiser: work by pixel, not by token pair."""
        return self.family == "unet"

    @property
    def is_video(self) -> bool:
        """Whether it makes frames."""
        return self.frames > 1

    def latent_frames(self, frames: int) -> int:
        """Frames after the autoencoder's stride in time."""
        if not self.frames_per_latent:
            return max(1, frames)
        return (max(1, frames) - 1) // self.frames_per_latent + 1

    def tokens(self, width: int, height: int, frames: int) -> int:
        """Tokens of one sample, text included."""
        across, down = math.ceil(width / self.side), math.ceil(height / self.side)
        return across * down * self.latent_frames(frames) + self.text_tokens

    def step_flops(self, width: int, height: int, frames: int) -> float:
        """Floating-point operations of one denoising step of one sample, guidance included."""
        if self.is_unet:
            return 2 * self.macs_per_pixel * width * height * max(1, frames) * self.evaluations
        tokens = self.tokens(width, height, frames)
        attention = 4.0 * self.layers * tokens * tokens * self.hidden
        return (2.0 * self.step_params * tokens + attention) * self.evaluations


def model_of(reference: ModelRef | None, library: Library, taken: Taken, *, video: bool) -> DiffusionModel:
    """The pipeline a workload names; sizes of an unknown one are those usual for its parameter count, and said so."""
    if reference is None or reference.slug is None:
        config = reference.hf_config if reference else None
        if config:
            return _from_config(config, taken, video=video)
        return _typical((reference.parameters_b if reference else None) or 12.0, taken, video=video)
    row = library.models[reference.slug]
    if not figure(row, "denoiser_params_b"):
        return _typical(figure(row, "params_b", 12.0), taken, video=video)
    return _from_row(reference.slug, row)


def _from_row(slug: str, row: Mapping[str, str]) -> DiffusionModel:
    family = row.get("family") or "dit"
    denoiser = figure(row, "denoiser_params_b") * 1e9
    video = (row.get("scenario") or "").endswith("video")
    pixels = figure(row, "reference_pixels")
    per_frame = figure(row, "vae_gib_per_megapixel_frame")
    usual = DEFAULT_VIDEO_VAE_GIB_PER_MEGAPIXEL if video else DEFAULT_VAE_GIB_PER_MEGAPIXEL
    return DiffusionModel(
        name=slug,
        family=family,
        denoiser=denoiser,
        text=figure(row, "text_encoder_params_b") * 1e9,
        vae=figure(row, "vae_params_b") * 1e9,
        other=figure(row, "other_params_b") * 1e9,
        step_params=figure(row, "step_params_b") * 1e9 or denoiser,
        controlnet=figure(row, "controlnet_params_b") * 1e9 or 0.4 * denoiser,
        layers=int(figure(row, "layers", 30)),
        hidden=int(figure(row, "hidden_size", 3072)),
        side=int(figure(row, "pixels_per_token_side", 16)),
        frames_per_latent=int(figure(row, "frames_per_latent")),
        text_tokens=0 if family == "unet" else int(figure(row, "text_tokens", 256)),
        evaluations=int(figure(row, "evaluations_per_step", 2)),
        width=int(figure(row, "default_width", 1024)),
        height=int(figure(row, "default_height", 1024)),
        frames=int(figure(row, "default_frames", 1)),
        fps=int(figure(row, "default_fps", 16)),
        steps=int(figure(row, "default_steps", 50)),
        macs_per_pixel=figure(row, "gmacs_per_image") * 1e9 / pixels if pixels else 0.0,
        vae_gib_per_megapixel=0.0 if per_frame else figure(row, "vae_gib_per_megapixel", usual),
        vae_gib_per_megapixel_frame=per_frame,
        activation_bytes=figure(row, "activation_bytes", DEFAULT_ACTIVATION_BYTES),
        known=True,
    )


def _typical(parameters_b: float, taken: Taken, *, video: bool) -> DiffusionModel:
    """A diffusion transformer of that size as they are usually built: 14 h^2 a layer, 19 wide per layer squared."""
    params = parameters_b * 1e9
    hidden = max(512, 64 * round((params * 5.2) ** (1 / 3) / 64))
    layers = max(8, round(params / (14 * hidden * hidden)))
    taken.assume(
        "typical-diffusion-model", "model", layers=layers, hidden=hidden, text_encoder_b=TYPICAL_TEXT_B, known=False
    )
    return _transformer("unknown", params, layers, hidden, video=video)


def _from_config(config: Mapping[str, Any], taken: Taken, *, video: bool) -> DiffusionModel:
    """A diffusers transformer or U-Net config.json."""
    channels = config.get("block_out_channels")
    if isinstance(channels, list | tuple) and channels:
        widest = float(max(channels))
        params = widest * widest * 1565  # SDXL: 1,280 wide, 2.57B; SD 1.5: 525 (attention in fewer blocks)
        taken.assume("typical-diffusion-model", "model", denoiser_b=params / 1e9, known=False)
        return _unet(params)
    heads = _config_number(config, "num_attention_heads", "num_heads", default=24)
    hidden = _config_number(config, "hidden_size", "dim", "inner_dim", default=0) or heads * _config_number(
        config, "attention_head_dim", "head_dim", default=128
    )
    double = _config_number(config, "num_layers", "depth", "num_hidden_layers", default=30)
    single = _config_number(config, "num_single_layers", "depth_single_blocks", default=0)
    feed = _config_number(config, "ffn_dim", "intermediate_size", default=4 * hidden)
    block = 4 * hidden * hidden + 2 * hidden * feed
    params = float(double * block * (2.9 if single else 1.35) + single * block * 1.3)
    layers = int(double + single)
    taken.assume("typical-diffusion-model", "model", layers=layers, hidden=hidden, denoiser_b=params / 1e9, known=False)
    return _transformer("config", params, layers, int(hidden), video=video)


def _config_number(config: Mapping[str, Any], *names: str, default: int) -> int:
    for name in names:
        value = config.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6:
            return int(value)
    return default


def _transformer(name: str, params: float, layers: int, hidden: int, *, video: bool) -> DiffusionModel:
    return DiffusionModel(
        name=name,
        family="video" if video else "dit",
        denoiser=params,
        text=TYPICAL_TEXT_B * 1e9,
        vae=(0.25 if video else 0.084) * 1e9,
        other=0.0,
        step_params=params,
        controlnet=0.4 * params,
        layers=layers,
        hidden=hidden,
        side=16,
        frames_per_latent=4 if video else 0,
        text_tokens=512,
        evaluations=2,
        width=1280 if video else 1024,
        height=720 if video else 1024,
        frames=81 if video else 1,
        fps=16,
        steps=50 if video else 28,
        macs_per_pixel=0.0,
        vae_gib_per_megapixel=DEFAULT_VIDEO_VAE_GIB_PER_MEGAPIXEL if video else DEFAULT_VAE_GIB_PER_MEGAPIXEL,
        vae_gib_per_megapixel_frame=0.0,
        activation_bytes=DEFAULT_ACTIVATION_BYTES,
        known=False,
    )


def _unet(params: float) -> DiffusionModel:
    return DiffusionModel(
        name="config",
        family="unet",
        denoiser=params,
        text=0.82e9,
        vae=0.0837e9,
        other=0.0,
        step_params=params,
        controlnet=0.45 * params,
        layers=1,
        hidden=1280,
        side=8,
        frames_per_latent=0,
        text_tokens=0,
        evaluations=2,
        width=1024,
        height=1024,
        frames=1,
        fps=8,
        steps=30,
        macs_per_pixel=UNET_MACS_PER_PARAMETER * params / (1024 * 1024) / 1e3 * 1e3,
        vae_gib_per_megapixel=DEFAULT_VAE_GIB_PER_MEGAPIXEL,
        vae_gib_per_megapixel_frame=0.0,
        activation_bytes=DEFAULT_ACTIVATION_BYTES,
        known=False,
    )
