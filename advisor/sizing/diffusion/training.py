"""Training image and video models: states by method and optimizer, activations by checkpointing, the peak over a step's phases."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.sizing.answer import Host, Note, Spread
from advisor.sizing.diffusion.formats import arithmetic_of, bytes_of
from advisor.sizing.diffusion.generation import DIT_A100_TFLOPS, FRAMEWORK_GIB, UNET_A100_TFLOPS, format_notes
from advisor.sizing.diffusion.model import DiffusionModel, model_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Load, Rate
from advisor.sizing.links import data_parallel_speedup, link_of, nodes_of
from advisor.sizing.taken import Taken
from advisor.sizing.training_states import OPTIMIZER_BYTES
from advisor.sizing.transfer import Format, relative_time
from advisor.sizing.units import gib
from advisor.sizing.workload import Workload

STEP_BYTES: Mapping[str, float] = {"adamw": 9.5, "adamw-8bit": 4.3, "paged-adamw-8bit": 4.3}
"""Temporary tensors of the optimizer step per trainable parameter; it does not overlap the activations (cogvideox-factory table)."""
OFFLOADED_STEP_BYTES = 3.8
OFFLOADED_STATE_BYTES = 1.0

TOKEN_BYTES = 42.6
"""Kept per token, width and layer without checkpointing (CogVideoX-2B, 43.8 GiB)."""
CHECKPOINT_BYTES = 2.0
BLOCK_BYTES = 96.0
"""With checkpointing: 2 B per token, width and layer, and one block being recomputed (CogVideoX 2B and 5B, batch 4)."""
UNET_PIXEL_BYTES = 14_000.0
"""Kept per pixel of the picture by a U-Net in 16 bit (ControlNet without checkpointing, batch 1 and 4: at most 20 and 38 GB in fp32)."""
UNET_CHECKPOINT_PIXEL_BYTES = 3_500.0
EAGER_ATTENTION = 1.25
"""U-Net activations with plain against memory-efficient attention."""
ZERO_ACTIVATIONS = 0.83
"""DeepSpeed runs of the same jobs keep this share of the activations (CogVideoX, 2 cards)."""
AUTOCAST_BYTES = 2.0
"""16-bit copies of fp32 master weights that autocast keeps through a step."""
ENCODE_SHARE = 0.5
"""Encoding pixels in the loop against decoding them."""
TRAINING_PACE = 0.85
"""Sustained rate of a training step against generation on the same card."""


@dataclass(frozen=True, slots=True)
class DiffusionTrainingJob:
    """Image or video model training, ready to be asked per card."""

    model: DiffusionModel
    task: str
    method: str
    optimizer: str
    precision: str
    base_bytes: float
    width: int
    height: int
    frames: int
    batch: int
    checkpointing: bool
    cached_latents: bool
    cached_text: bool
    rank: int
    attention: str
    offload: str
    sharding: str
    assumptions: tuple[Note, ...]

    @property
    def is_video(self) -> bool:
        """Frames over time rather than pictures."""
        return self.task == "video-training"

    def trained(self) -> float:
        """Trainable parameters."""
        model = self.model
        match self.method:
            case "lora":
                if model.is_unet:
                    return self.rank / 16 * 0.0045 * model.denoiser
                return self.rank * 8.0 * model.hidden * model.layers
            case "controlnet":
                return model.controlnet
            case "textual-inversion":
                return 1e6
            case _:
                return model.denoiser

    @property
    def master_bytes(self) -> float:
        """Bytes per trainable parameter and gradient: fp32 masters in the usual mixed recipes, 16 bit in the video ones."""
        if self.precision in ("bf16", "fp16") or (self.is_video and self.method != "lora"):
            return 2.0
        return 4.0

    def states(self, count: int) -> dict[str, float]:
        """GiB of weights, gradients and optimizer state on one card."""
        model, trained = self.model, self.trained()
        frozen = 0.0 if self.method in ("full", "dreambooth") else model.denoiser
        master = self.master_bytes
        copies = AUTOCAST_BYTES if master == 4.0 and self.precision.endswith("mixed") else 0.0
        optimizer = OPTIMIZER_BYTES[self.optimizer]
        if self.offload != "none":
            optimizer = OFFLOADED_STATE_BYTES if self.offload == "optimizer" else 0.0
        gradients = 0.0 if self.offload == "all" else master
        over_weights = count if self.sharding == "zero3" else 1
        over_gradients = count if self.sharding in ("zero2", "zero3") else 1
        over_optimizer = count if self.sharding in ("zero1", "zero2", "zero3") else 1
        return {
            "weights": gib(frozen * self.base_bytes + trained * (master + copies)) / over_weights,
            "gradients": gib(trained * gradients) / over_gradients,
            "optimizer": gib(trained * optimizer) / over_optimizer,
        }

    def activation_gib(self) -> float:
        """What forward keeps for backward, per card."""
        model = self.model
        wide = 2.0 if self.precision in ("fp32", "tf32") else 1.0
        zero = ZERO_ACTIVATIONS if self.sharding.startswith("zero") else 1.0
        if model.is_unet:
            per_pixel = UNET_CHECKPOINT_PIXEL_BYTES if self.checkpointing else UNET_PIXEL_BYTES
            pixels = self.width * self.height * max(1, self.frames)
            plain = EAGER_ATTENTION if self.attention == "eager" else 1.0
            return gib(per_pixel * pixels * self.batch * wide * plain * zero) + 0.1
        tokens = model.tokens(self.width, self.height, self.frames)
        per_width = CHECKPOINT_BYTES * model.layers + BLOCK_BYTES if self.checkpointing else TOKEN_BYTES * model.layers
        work = float(tokens) * model.hidden * per_width
        if self.attention == "eager":
            kept = 1 if self.checkpointing else model.layers
            work += 2.0 * tokens * tokens * max(1, model.hidden // 64) * kept
        return gib(work * self.batch * wide * zero)

    def encoders(self) -> dict[str, float]:
        """Text encoder and autoencoder held beside the denoiser where their outputs are not cached."""
        model = self.model
        parts = {}
        if not self.cached_text:
            parts["text_encoders"] = gib(model.text * 2)
        if not self.cached_latents:
            parts["vae"] = gib(model.vae * 2)
        return parts

    def load(self, gpu: Gpu, count: int) -> Load:
        """The larger of backward, optimizer step, encoding and loading."""
        states, encoders = self.states(count), self.encoders()
        held = sum(states.values()) + sum(encoders.values())
        trained = self.trained()
        over = count if self.sharding.startswith("zero") else 1
        step_bytes = OFFLOADED_STEP_BYTES if self.offload == "optimizer" else STEP_BYTES.get(self.optimizer, 2.0)
        step = 0.0 if self.offload == "all" else gib(trained * step_bytes) / over
        encode = 0.0 if self.cached_latents else self._encode_gib()
        work = {"activations": self.activation_gib(), "optimizer_step": step, "vae_encode": encode}
        loading = self._loading_gib() - held if self.is_video else 0.0
        name = max(work, key=lambda key: work[key])
        if loading > work[name]:
            work[name := "loading"] = loading
        parts = {**states, **encoders, name: work[name], "framework": FRAMEWORK_GIB}
        kind = "video-training" if self.is_video else "image-training"
        return Load(
            {key: size for key, size in parts.items() if size > 0}, kind, stack=None, known_model=self.model.known
        )

    def _loading_gib(self) -> float:
        """All parts in 16 bit at once, before the cached ones are let go: the video trainers measured read everything first."""
        model = self.model
        return gib(model.text * 2 + model.denoiser * min(2.0, self.base_bytes) + model.vae * 2)

    def _encode_gib(self) -> float:
        model = self.model
        megapixels = self.width * self.height / 1e6
        if model.vae_gib_per_megapixel_frame:
            return ENCODE_SHARE * model.vae_gib_per_megapixel_frame * megapixels * self.frames * self.batch
        return ENCODE_SHARE * model.vae_gib_per_megapixel * megapixels * self.batch

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """Copies per card, or split states."""
        link, nodes = link_of(gpu, count), nodes_of(count)
        if self.sharding == "zero3" and count > 1:
            return Spread(sharded=count, link=link, nodes=nodes)
        return Spread(data=count, link=link, nodes=nodes)

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return "image-batched" if self.model.is_unet else "transformer-training"

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        if self.precision in ("fp32", "tf32"):
            return "fp32" if self.precision == "fp32" else "tf32"
        return "fp16" if self.model.is_unet else arithmetic_of("bf16", None)

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Samples per second over all cards."""
        passes = {"lora": 2.0, "textual-inversion": 2.0, "controlnet": 2.2}.get(self.method, 3.0)
        passes += 1.0 if self.checkpointing else 0.0
        flops = self.model.step_flops(self.width, self.height, self.frames) / self.model.evaluations * passes
        form = self.arithmetic()
        sustained = (UNET_A100_TFLOPS if self.model.is_unet else DIT_A100_TFLOPS) * TRAINING_PACE
        sustained *= {"tf32": 0.5, "fp32": 0.07}.get(form, 1.0)
        kind = self.kind()
        seconds = flops / (sustained * 1e12) * relative_time(kind, gpu, form)
        if not self.cached_latents:
            seconds *= 1.10
        if self.offload != "none":
            seconds += self.trained() * 16 / 12e9 / self.batch
        faster = data_parallel_speedup("diffusion", gpu, count)
        return Rate(faster / seconds, "samples_per_second", "compute", kind, stack=None, known_model=self.model.known)

    def host(self, gpu: Gpu, count: int) -> Host:
        """Loading, offloaded states, and data loaders for each card."""
        model = self.model
        weights = gib((model.denoiser + model.text) * 2)
        offloaded = gib(self.trained() * 16) if self.offload != "none" else 0.0
        return Host(
            ram_gib=math.ceil(12 + weights * 1.2 + offloaded + 4 * count),
            cpu_cores=6 * count,
            disk_gib=math.ceil(weights * 1.3 + gib(self.trained() * 12) + 60),
        )

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What this card lacks, and which cap makes the job fit."""
        found = list(format_notes("bf16" if self.precision.startswith("bf16") else "fp16", "bf16", gpu))
        over = sum(self.load(gpu, count).parts.values()) - gpu.usable_gib
        if over > 0:
            if not self.checkpointing:
                found.append(Note("checkpoint", "gradient_checkpointing", {"over_gib": round(over, 1)}))
            if not self.cached_text and not self.model.is_unet:
                saved = gib(self.model.text * 2)
                found.append(Note("cap-cache-text", "cached_text", {"saves_gib": round(saved, 1)}))
            if self.batch > 1:
                found.append(Note("cap-batch", "micro_batch", {"batch": 1, "asked": self.batch}))
        if self.offload != "none":
            found.append(Note("offload-slow", "offload", {"offload": self.offload}))
        return tuple(found)


def prepare_training(workload: Workload, library: Library) -> DiffusionTrainingJob:
    """Full, LoRA, DreamBooth, ControlNet and textual-inversion training of image and video models."""
    taken = Taken(workload)
    video = workload.task == "video-training"
    model = model_of(workload.model, library, taken, video=video)
    method = taken.word("method", "lora")
    precision = taken.word("precision", "fp16-mixed" if model.is_unet else "bf16-mixed")
    base = taken.said("base_format")
    offload = taken.said("offload") or "none"
    sharding = taken.said("sharding") or "ddp"
    usual_base = 4.0 if precision in ("fp32", "tf32") else 2.0
    return DiffusionTrainingJob(
        model=model,
        task=workload.task,
        method=method,
        optimizer=taken.word("optimizer", "adamw"),
        precision=precision,
        base_bytes=bytes_of(base) if base else usual_base,
        width=taken.whole("width", model.width),
        height=taken.whole("height", model.height),
        frames=taken.whole("frames", model.frames) if video else 1,
        batch=taken.whole("micro_batch", 1),
        checkpointing=taken.flag("gradient_checkpointing", False, noted=True),
        cached_latents=taken.flag("cached_latents", False, noted=True),
        cached_text=taken.flag("cached_text", False, noted=True),
        rank=taken.whole("lora_rank", 16) if method == "lora" else 0,
        attention=taken.said("attention") or "sdpa",
        offload="all" if offload in ("all", "model", "sequential", "group") else offload,
        sharding="zero3" if sharding == "fsdp" else sharding,
        assumptions=taken.notes,
    )
