"""Making images and videos: memory by phase of the pipeline, time by denoising steps and decoding."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.diffusion.formats import SLOWER, arithmetic_of, bytes_of, eight_bit_of
from advisor.sizing.diffusion.model import DiffusionModel, model_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Load, Rate
from advisor.sizing.links import link_of, nodes_of
from advisor.sizing.taken import Taken
from advisor.sizing.transfer import Format, has_format, relative_time
from advisor.sizing.units import GIB, gib
from advisor.sizing.workload import Workload

FRAMEWORK_GIB = 0.40
"""Library workspaces of one process (FLUX on an H100: 33.85 - 31.42 weights - 1.98 decoding)."""
SHARDING_GIB = 2.0
"""Buffers of the collectives and of gathering, per card of a sharded run (Wan2.1 and Wan2.2 on 2, 4, 8 cards)."""
UNET_BYTES_PER_PIXEL = 600.0
"""Live feature maps of a U-Net per pixel and evaluation, 16 bit."""
SHARD_GIB = 9.3
"""A checkpoint file holds at most 10 GB: formats packed on the card while loading need one such file in 16 bit beside them
(FLUX in nf4 on an RTX 4090: 14.9 GiB, 12.2 with its text encoder on the host)."""
PACKED_ON_CARD = ("nf4", "nf4-dq", "fp4")
LORA_SHARE = 0.04
"""Parameters of one adapter file as a share of the denoiser (SDXL: 0.1 of 2.57B)."""
TILE_SHARE = 0.10
"""What tiled decoding of a whole clip keeps of its peak (CogVideoX: 12.1 to about 1.2 GiB)."""
TILE_MEGAPIXELS = 0.33
"""Pixels of one tile with its overlap when images or single frames are decoded in tiles."""
TEXT_WORK_GIB = 0.3

UNET_A100_TFLOPS = 88.0
"""Sustained by SD 1.5 and SDXL U-Nets in half precision on an A100, eager."""
UNET_WIDER = 0.28
"""Wider U-Nets keep tensor cores busier: (parameters / those of SD 1.5) to this power (SDXL: 120)."""
UNET_STEP_SECONDS = 0.007
"""Tails of small kernels of one step on an A100 (batch 1, 4, 16 compiled: 20, 58, 214 ms)."""
UNET_COMPILED_GAIN = 1.17
DIT_A100_TFLOPS = 190.0
"""Sustained by diffusion transformers on an A100: Wan2.1 .58-.66 of the peak."""
DIT_COMPILED_GAIN = 1.17
FAMILY_PACE: Mapping[str, float] = {"cogvideox": 0.80}
"""Families whose small heads keep the tensor cores less busy."""
UNET_HOST_SECONDS = 0.043
"""Launching one eager denoising step of SD 1.5 from Python on a 2020-21 host (A100, 3090, V100 alike: 19-23 steps per second)."""
COMPILED_HOST_SHARE = 0.16
NEWER_HOST = 0.57
"""Hosts that came with cards of 2022 and later launch faster (RTX 4090: 41 steps per second)."""
EIGHT_BIT_GAIN = 1.22
"""Eight-bit activations in a compiled graph against 16 bit (CogVideoX-5B 1.16-1.20, FLUX 1.24-1.30); eager they gain nothing."""
EIGHT_BIT_EAGER = 1.10
HOST_SECONDS_PER_LAYER = 0.0006
VAE_SECONDS_PER_MEGAPIXEL = 0.12
VIDEO_VAE_SECONDS_PER_MEGAPIXEL_FRAME = 0.65
"""Decoding on an A100: the part of Wan2.1 and Wan2.2 runs that does not fall with the number of cards (25 s at 480p, 51 s at 720p)."""
LIGHT_VAE_GIB = 4.0
"""A decoder that keeps no more per megapixel decodes a clip like so many pictures: that of Stable Diffusion frame by frame (AnimateDiff,
Latte), that of LTX-Video on patches of 4 x 4 pixels."""
HOST_LINK_GB_S = 12.0
"""Bytes per second between host memory and card in an offloaded pipeline, PCIe 4.0 pageable."""
PCIE_EXCHANGE = 0.20
"""Share of one card's time that exchanging sequence shards costs without peer-to-peer (RTX 4090: x2 1.39, x4 2.2, x8 2.3-3.3)."""
PCIE_P2P_EXCHANGE = 0.08
NVLINK_EXCHANGE = 0.006


@dataclass(frozen=True, slots=True)
class Formats:
    """Bytes per parameter of the parts, and the arithmetic. Wan's own code shards its weights in 32 bit unless told otherwise."""

    weight: str
    weight_bytes: float
    sharded_bytes: float
    text_bytes: float
    vae_bytes: float
    arithmetic: Format
    eight_bit: Format | None
    activation_scale: float


@dataclass(frozen=True, slots=True)
class Picture:
    """What is made: pixels, frames, how many at once."""

    width: int
    height: int
    frames: int
    batch: int
    steps: int

    @property
    def megapixels(self) -> float:
        """Of one frame, 1e6."""
        return self.width * self.height / 1e6


@dataclass(frozen=True, slots=True)
class GenerationJob:
    """Image or video generation, ready to be asked per card."""

    model: DiffusionModel
    picture: Picture
    formats: Formats
    offload: str
    text_offload: bool
    shard: bool | None
    sequence_parallel: str | None
    tiling: bool
    slicing: bool
    compiled: bool
    fuse_qkv: bool
    attention: str | None
    controlnets: int
    loras: int
    stack: str | None
    task: str
    assumptions: tuple[Note, ...]

    @property
    def is_video(self) -> bool:
        """Frames over time rather than pictures."""
        return self.task == "video-generation"

    # -- how it spreads ---------------------------------------------------------------------------------------------

    def sharded_over(self, count: int) -> int:
        """Cards the weights are split over."""
        if count <= 1:
            return 1
        if self.shard is not None:
            return count if self.shard else 1
        return count if self.is_video and self.offload == "none" else 1

    def sequence_over(self, count: int) -> int:
        """Cards one sample's tokens are split over. Images go one per card unless asked otherwise."""
        if count <= 1 or self.sequence_parallel == "none":
            return 1
        if self.sequence_parallel or self.is_video or self.shard:
            return count
        return 1

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """Sharded (weights and sequence), sequence alone (`tensor`), or one sample per card (`data`)."""
        link, nodes = link_of(gpu, count), nodes_of(count)
        if self.sharded_over(count) > 1:
            return Spread(sharded=count, link=link, nodes=nodes)
        if self.sequence_over(count) > 1:
            return Spread(tensor=count, link=link, nodes=nodes)
        return Spread(data=count, link=link, nodes=nodes)

    # -- memory -----------------------------------------------------------------------------------------------------

    def denoiser_gib(self) -> float:
        """Resident denoiser weights, all experts, with what fusing projections leaves behind."""
        size = self.model.denoiser * self.formats.weight_bytes
        if self.fuse_qkv:
            size += 3 * self.model.hidden**2 * self.model.layers * self.formats.weight_bytes
        return gib(size)

    def added_gib(self) -> tuple[float, float]:
        """ControlNets and adapter files, GiB, in 16 bit."""
        controlnets = gib(self.controlnets * self.model.controlnet * 2)
        return controlnets, gib(self.loras * LORA_SHARE * self.model.denoiser * 2)

    def activation_gib(self, over: int = 1) -> float:
        """Live tensors of a denoising step."""
        picture, model = self.picture, self.model
        scale = self.formats.activation_scale * picture.batch
        if model.is_unet:
            pixels = picture.width * picture.height * max(1, picture.frames)
            work = UNET_BYTES_PER_PIXEL * pixels * model.evaluations * (1 + 0.4 * min(1, self.controlnets))
            return gib(work * scale) + 0.1
        tokens = model.tokens(picture.width, picture.height, picture.frames)
        work = tokens * model.hidden * model.activation_bytes
        if self.attention == "eager":
            work += 2.0 * tokens * tokens * max(1, model.hidden // 128)
        return gib(work * scale) / over

    def decode_gib(self) -> float:
        """Peak of the autoencoder turning latents into pixels."""
        picture, model = self.picture, self.model
        at_once = 1 if self.slicing else picture.batch
        if model.vae_gib_per_megapixel_frame:
            whole = model.vae_gib_per_megapixel_frame * picture.megapixels * max(1, picture.frames) * at_once
            return whole * TILE_SHARE if self.tiling else whole
        megapixels = min(picture.megapixels, TILE_MEGAPIXELS) if self.tiling else picture.megapixels
        return model.vae_gib_per_megapixel * megapixels * at_once

    def load(self, gpu: Gpu, count: int) -> Load:
        """Peak over the phases text, denoising, decoding."""
        alone = self._on_one(self.sequence_over(count))
        parts = self._sharded(count) if self.sharded_over(count) > 1 else alone
        if self.offload != "none":  # layers parked on the host may leave less than a shard of the whole
            parts = min(parts, alone, key=lambda found: sum(found.values()))
        loading = self._packing_gib() - sum(parts.values())
        if loading > 0:
            parts = {**parts, "loading": loading}
        kind = "video-generation" if self.is_video else "image-generation"
        if self.model.is_unet:  # no published peak of a U-Net stands behind the constants
            kind = "unet-generation"
        return Load(parts, kind, stack=self.stack, known_model=self.model.known)

    def _packing_gib(self) -> float:
        """Peak while weights are packed on the card as they are read; 0 for formats packed beforehand."""
        if self.formats.weight not in PACKED_ON_CARD:
            return 0.0
        wide = gib(self.model.denoiser * 2)
        piece = min(SHARD_GIB, wide)
        resident = (
            0.0 if self.text_offload or self.offload != "none" else gib(self.model.text * self.formats.text_bytes)
        )
        return resident + piece + self.denoiser_gib() * (1 - piece / wide) + FRAMEWORK_GIB * 0.5

    def _on_one(self, sequence: int) -> dict[str, float]:
        model, formats = self.model, self.formats
        controlnets, loras = self.added_gib()
        denoiser, text = self.denoiser_gib(), gib(model.text * formats.text_bytes)
        vae, other = gib(model.vae * formats.vae_bytes), gib(model.other * 2)
        activations, decode = self.activation_gib(sequence), self.decode_gib()
        on_card_text = 0.0 if self.text_offload else text
        match self.offload:
            case "none":
                return _parts(denoiser, on_card_text, vae, controlnets, loras, other, activations, decode)
            case "model":
                active = gib(model.step_params * formats.weight_bytes) if self._two_experts else denoiser
                phases = (
                    (on_card_text + TEXT_WORK_GIB if on_card_text else 0.0, "text"),
                    (active + controlnets + loras + activations, "denoise"),
                    (vae + decode, "decode"),
                )
                match max(phases)[1]:
                    case "text":
                        return _parts(0, on_card_text, 0, 0, 0, other, TEXT_WORK_GIB, 0)
                    case "denoise":
                        return _parts(active, 0, 0, controlnets, loras, other, activations, 0)
                    case _:
                        return _parts(0, 0, vae, 0, 0, other, 0, decode)
            case _:
                layers = 2.0 if self.offload == "sequential" else 4.0
                piece = denoiser * min(1.0, layers / max(2, model.layers))
                if piece + controlnets + loras + activations >= vae + decode:
                    return _parts(piece, 0, 0, controlnets, loras, other, activations, 0)
                return _parts(0, 0, vae, 0, 0, other, 0, decode)

    @property
    def _two_experts(self) -> bool:
        return self.model.family == "wan2.2" and self.model.step_params < self.model.denoiser

    def _sharded(self, count: int) -> dict[str, float]:
        """Fully sharded weights; each card decodes, gathers one block at a time and keeps buffers for the exchange."""
        model = self.model
        weight_bytes = self.formats.sharded_bytes
        scale = weight_bytes / self.formats.weight_bytes
        controlnets, loras = self.added_gib()
        text = 0.0 if self.text_offload else gib(model.text * self.formats.text_bytes)
        denoiser, other = self.denoiser_gib() * scale, gib(model.other * 2)
        whole = denoiser + text + other
        block = gib(model.step_params / max(1, model.layers) * weight_bytes)
        buffers = min(SHARDING_GIB + block, whole * (1 - 1 / count))
        parts = _parts(
            denoiser / count,
            text / count,
            gib(model.vae * self.formats.vae_bytes),
            controlnets,
            loras,
            other / count,
            self.activation_gib(self.sequence_over(count)),
            self.decode_gib(),
        )
        return {**parts, "communication": buffers}

    # -- speed ------------------------------------------------------------------------------------------------------

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return self.formats.arithmetic

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return generation_kind(
            self.model.is_unet,
            self.model.family,
            compiled=self.compiled,
            heavy=self._unet_pixels > 1.5e6,
            attention=self.attention,
        )

    @property
    def _unet_pixels(self) -> float:
        return self.picture.width * self.picture.height * self.picture.batch * self.picture.frames * self._weight_scale

    @property
    def _weight_scale(self) -> float:
        return max(1.0, self.model.denoiser / 0.86e9) if self.model.is_unet else 1.0

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Seconds per image or video over all cards."""
        kind = self.kind()
        card, host, decode = self._seconds(gpu, kind)
        over = self.sequence_over(count)
        step = max(card, host)
        spread = self._exchange(gpu, over)
        total = self.picture.steps * step * spread + decode + self._moved_seconds(gpu)
        per_sample = total / self.picture.batch / (count if over == 1 else 1)
        limit: Limit = "compute" if card >= host else "host"
        if over > 1 and spread * over > 1.6:
            limit = "interconnect"
        unit = "seconds_per_video" if self.is_video else "seconds_per_image"
        return Rate(per_sample, unit, limit, kind, stack=self.stack, known_model=self.model.known)

    def _seconds(self, gpu: Gpu, kind: str) -> tuple[float, float, float]:
        """Of one step of the whole batch: on the card, on the host; then of decoding the batch."""
        picture, model = self.picture, self.model
        flops = model.step_flops(picture.width, picture.height, picture.frames) * picture.batch
        flops *= 1 + 0.45 * self.controlnets if model.is_unet else 1 + 0.25 * self.controlnets
        if model.is_unet:
            sustained = UNET_A100_TFLOPS * (UNET_COMPILED_GAIN if self.compiled else 1.0)
            sustained *= math.pow(model.denoiser / 0.86e9, UNET_WIDER)
            tails = UNET_STEP_SECONDS * relative_time("md-small", gpu, "fp32")
            launches = UNET_HOST_SECONDS * (1 + 0.44 * self.controlnets)
            work = "image-compiled" if kind == "image-compiled" else "image-batched"
        else:
            sustained = DIT_A100_TFLOPS * FAMILY_PACE.get(model.family, 1.0)
            sustained *= DIT_COMPILED_GAIN if self.compiled else 1.0
            tails = 0.0
            launches = HOST_SECONDS_PER_LAYER * model.layers * model.evaluations
            work = kind
        host = launches * (COMPILED_HOST_SHARE if self.compiled else 1.0) * host_pace(gpu)
        card = (
            flops / (sustained * 1e12) * relative_time(work, gpu, self.formats.arithmetic) * self._format_pace(gpu)
            + tails
        )
        frames = picture.batch * picture.frames * picture.megapixels
        heavy = self.is_video and not 0 < model.vae_gib_per_megapixel <= LIGHT_VAE_GIB
        per_pixel = VIDEO_VAE_SECONDS_PER_MEGAPIXEL_FRAME if heavy else VAE_SECONDS_PER_MEGAPIXEL
        return card, host, frames * per_pixel * relative_time("vae", gpu, "fp16")

    def _format_pace(self, gpu: Gpu) -> float:
        """What narrower weights and activations cost or gain in time."""
        eight = self.formats.eight_bit
        if eight is None:
            return SLOWER.get(self.formats.weight, 1.0)
        if not self.compiled:
            return EIGHT_BIT_EAGER
        return 1 / EIGHT_BIT_GAIN if has_format(gpu, eight) else 1.0

    def _exchange(self, gpu: Gpu, over: int) -> float:
        """Factor on a step's time when its tokens are split over cards."""
        if over <= 1:
            return 1.0
        share = {"nvlink": NVLINK_EXCHANGE, "network": 0.10}.get(link_of(gpu, over))
        if share is None:
            share = PCIE_P2P_EXCHANGE if gpu.pcie_p2p else PCIE_EXCHANGE
        return min(0.95, 1 / over + share)

    def _moved_seconds(self, gpu: Gpu) -> float:
        """Weights carried between host and card: once per sample for whole models, each step for layers."""
        if self.offload == "none":
            return 0.0
        denoiser = self.denoiser_gib() * GIB / 1e9
        text = 0.0 if self.text_offload else self.model.text * self.formats.text_bytes / 1e9
        times = 1 if self.offload == "model" else self.picture.steps * (1.0 if self.offload == "sequential" else 0.3)
        return (denoiser * times + text) / (HOST_LINK_GB_S * max(0.5, (gpu.pcie_gen or 4.0) / 4.0))

    # -- around -----------------------------------------------------------------------------------------------------

    def host(self, gpu: Gpu, count: int) -> Host:
        """Weights pass through host memory once, and stay there when offloaded."""
        model, formats = self.model, self.formats
        weights = self.denoiser_gib() + gib(model.text * formats.text_bytes + model.vae * formats.vae_bytes)
        copies = 1.0 if self.offload == "none" and self.sharded_over(count) == 1 else min(count, 8)
        ram = 8 + weights * (1.2 if copies == 1 and self.offload == "none" else 1.1 * max(1.0, copies / 2))
        return Host(ram_gib=math.ceil(ram), cpu_cores=4 * count, disk_gib=math.ceil(weights * 1.3 + 30))

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What this card lacks for the format asked, what offloading costs, which cap makes it fit."""
        found = list(format_notes(self.formats.eight_bit or self.formats.arithmetic, self.formats.weight, gpu))
        if self.offload != "none":
            seconds = self._moved_seconds(gpu)
            found.append(
                Note("offload-slow", "offload", {"offload": self.offload, "seconds_per_sample": round(seconds, 1)})
            )
        needed = sum(self.load(gpu, count).parts.values())
        if needed > gpu.usable_gib:
            found.extend(self._caps(gpu, count))
        if self.kind() == "image-eager":
            found.append(Note("host-limited", "compile", {"batch": self.picture.batch}))
        return tuple(found)

    def _caps(self, gpu: Gpu, count: int) -> list[Note]:
        """Smaller settings that would fit this card."""
        caps: list[Note] = []
        parts = self.load(gpu, count).parts
        over = sum(parts.values()) - gpu.usable_gib
        spared = parts.get("vae_decode", 0.0) * (1 - TILE_SHARE)
        if not self.tiling and spared > over > 0:
            caps.append(Note("cap-vae-tiling", "vae_tiling", {"saves_gib": round(spared, 1)}))
        moving = parts.get("activations", 0.0)
        if self.is_video and moving > over > 0 and not parts.get("vae_decode"):
            frames = int(self.picture.frames * (1 - over / moving) * 0.95)
            if frames >= 5:
                caps.append(Note("cap-frames", "frames", {"frames": frames, "asked": self.picture.frames}))
        if self.picture.batch > 1:
            caps.append(Note("cap-batch", "batch", {"batch": 1, "asked": self.picture.batch}))
        return caps


def host_pace(gpu: Gpu) -> float:
    """How long the host takes, in times of a 2020-21 server: newer cards sit in newer hosts."""
    year = gpu.launch_year or (2022 if gpu.compute_capability >= 8.9 else 2020)  # modified boards have no launch
    return NEWER_HOST if year >= 2022 else 1.0


def format_notes(arithmetic: Format, weight: str, gpu: Gpu) -> tuple[Note, ...]:
    """Number formats this card has no units for."""
    if arithmetic == "fp8" and not has_format(gpu, "fp8"):
        return (Note("no-fp8", "activation_format", {"gpu": gpu.slug}),)
    if arithmetic == "bf16" and not has_format(gpu, "bf16"):
        return (Note("no-bf16", "weight_format", {"gpu": gpu.slug}),)
    if weight == "fp8" and not has_format(gpu, "fp8"):
        return (Note("no-fp8", "weight_format", {"gpu": gpu.slug}),)
    return ()


def generation_kind(unet: bool, family: str, *, compiled: bool, heavy: bool, attention: str | None) -> str:
    """Kind of work of a denoiser: by architecture, and for U-Nets by whether the card or the host is kept busy."""
    if not unet:
        if family == "wan2.2" or attention == "flash":
            return "dit-flash3"
        return "dit-compiled" if compiled else "dit"
    if heavy or compiled:
        return "image-compiled" if compiled and not heavy else "image-batched"
    return "image-eager"


def _parts(
    denoiser: float,
    text: float,
    vae: float,
    controlnets: float,
    loras: float,
    other: float,
    activations: float,
    decode: float,
) -> dict[str, float]:
    """Named parts that add up to the peak: of denoising and decoding only the larger one counts."""
    parts = {
        "weights": denoiser,
        "text_encoders": text,
        "vae": vae,
        "controlnets": controlnets,
        "loras": loras,
        "other_models": other,
        "activations": min(activations, max(activations, decode)) if activations >= decode else 0.0,
        "vae_decode": decode if decode > activations else 0.0,
        "framework": FRAMEWORK_GIB,
    }
    return {name: size for name, size in parts.items() if size > 0}


def prepare_generation(workload: Workload, library: Library) -> GenerationJob:
    """Image generation and editing, video generation."""
    taken = Taken(workload)
    video = workload.task == "video-generation"
    model = model_of(workload.model, library, taken, video=video)
    official = model.family in ("wan2.1", "wan2.2", "hunyuan") and not taken.said("engine")
    stack = "official" if official else taken.word("engine", "diffusers")
    picture = Picture(
        width=taken.whole("width", model.width),
        height=taken.whole("height", model.height),
        frames=taken.whole("frames", model.frames) if video else 1,
        batch=taken.whole("batch", 1),
        steps=taken.whole("steps", model.steps),
    )
    formats = _formats(taken, model, official)
    shard = taken.said("sharding")
    return GenerationJob(
        model=model,
        picture=picture,
        formats=formats,
        offload=taken.said("offload") or "none",
        text_offload=taken.flag("text_encoder_offload", official and model.family == "hunyuan", noted=official),
        shard=None if shard is None else shard == "fsdp",
        sequence_parallel=taken.said("sequence_parallel"),
        tiling=taken.flag("vae_tiling", model.family == "hunyuan"),
        slicing=taken.flag("vae_slicing", False),
        compiled=taken.flag("compile", False),
        fuse_qkv=taken.flag("fuse_qkv", False),
        attention=taken.said("attention"),
        controlnets=taken.said("controlnets") or 0,
        loras=taken.said("loras") or 0,
        stack=stack,
        task=workload.task,
        assumptions=taken.notes,
    )


def _formats(taken: Taken, model: DiffusionModel, official: bool) -> Formats:
    default = "fp32" if official and model.family == "wan2.1" else "fp16" if model.is_unet else "bf16"
    plain = official and model.family.startswith("wan") and not taken.said("weight_format")
    weight = taken.word("weight_format", default)
    given = taken.said("text_encoder_format")
    text = given or ("fp32" if weight == "fp32" and not official else "bf16")
    activation = taken.said("activation_format")
    vae_bytes = 4.0 if official and model.family.startswith("wan") else 2.0
    return Formats(
        weight=weight,
        weight_bytes=bytes_of(weight),
        sharded_bytes=4.0 if plain else bytes_of(weight),
        text_bytes=bytes_of(text),
        vae_bytes=vae_bytes,
        arithmetic=arithmetic_of(weight, activation),
        eight_bit=eight_bit_of(activation),
        activation_scale=2.0 if activation == "fp32" else 1.0,
    )
