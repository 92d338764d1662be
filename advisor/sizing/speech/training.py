"""Training speech models: states in fp32, activations by family, steps of launches and of arithmetic."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Load, Rate
from advisor.sizing.links import data_parallel_speedup, link_of, nodes_of
from advisor.sizing.speech.host import host_of
from advisor.sizing.speech.model import WINDOW_SECONDS, SpeechModel
from advisor.sizing.taken import Taken
from advisor.sizing.training_states import OPTIMIZER_BYTES
from advisor.sizing.transfer import Format, has_format, relative_time
from advisor.sizing.units import gib

TRAINING_GIB: Mapping[str, tuple[float, float]] = {
    # fixed GiB, GiB per sample in half precision
    "rnn": (1.5, 0.255),
    "flow": (4.2, 1.25),
    "conv": (1.5, 0.45),
    "tts-parallel": (1.5, 0.22),
}
"""Tacotron 2 and WaveGlow: Lambda's largest batches that fit 10 to 80 GB cards; the others by their share of layers."""
OLD_RNN_SHARE = 0.56
"""Volta and Turing fitted 1.8 times the Tacotron 2 batch per GiB that Ampere did (220 in 32 GB, 256 in 80 GB)."""
ENCODER_BYTES = 34.0
"""Kept per frame, width and layer of an encoder, 16 bit, without checkpointing."""
FRAMES_PER_SECOND = 50.0
TRAINING_TFLOPS: Mapping[str, float] = {
    "conv": 95.0,
    "tts-parallel": 40.0,
    "encoder": 60.0,
    "whisper": 90.0,
}
"""Sustained on an A100 in half precision: recurrent decoders step by step, convolutions and encoders in large products."""


@dataclass(frozen=True, slots=True)
class Steps:
    """A training step on an A100: seconds of launches one after the other whatever the batch, seconds per sample, counted items per
    sample, and the parameters these are for."""

    fixed_seconds: float
    sample_seconds: float
    items: float
    params: float


STEPS: Mapping[str, Steps] = {"rnn": Steps(1.74, 0.0029, 570.0, 28.2e6), "flow": Steps(0.36, 0.0258, 8000.0, 87.9e6)}
"""Tacotron 2 (38,131 frames per second at batch 144, 58,956 at 256) and WaveGlow (195,100 samples of sound at 24, 239,000 at 48)."""
TF32_SHARE = 0.62
FP32_SHARE = 0.30


def training_kind(family: str) -> str:
    """Kind of work of training a family of speech models."""
    if family in STEPS:
        return "recurrent"
    return "speech-training" if family in ("conv", "tts-parallel") else "transformer-training"


@dataclass(frozen=True, slots=True)
class SpeechTrainingJob:
    """Training of speech models."""

    model: SpeechModel
    batch: int
    precision: str
    optimizer: str
    clip_seconds: float
    assumptions: tuple[Note, ...]

    @property
    def half(self) -> bool:
        """16-bit arithmetic."""
        return self.precision in ("amp", "fp16", "bf16")

    def load(self, gpu: Gpu, count: int) -> Load:
        """Weights, gradients and optimizer in fp32, activations by family."""
        model = self.model
        wide = 1.0 if self.half else 1.7
        parts = {
            "weights": gib(model.params * (6.0 if self.half else 4.0)),
            "gradients": gib(model.params * 4.0),
            "optimizer": gib(model.params * OPTIMIZER_BYTES[self.optimizer]),
        }
        fixed, per_sample = self._activations(gpu)
        parts["activations"] = per_sample * self.batch * wide
        parts["framework"] = fixed
        return Load(parts, "speech-training", stack=None, known_model=model.known)

    def _activations(self, gpu: Gpu) -> tuple[float, float]:
        model = self.model
        if model.kind in TRAINING_GIB:
            fixed, per_sample = TRAINING_GIB[model.kind]
            old = OLD_RNN_SHARE if model.kind in ("rnn", "flow") and gpu.compute_capability < 8 else 1.0
            length = self.clip_seconds / 15.0 if model.kind == "conv" else 1.0
            return fixed, per_sample * old * length
        layers = model.encoder + 0.6 * model.decoder  # fewer text tokens than frames
        seconds = WINDOW_SECONDS if model.kind == "whisper" else self.clip_seconds
        return 1.0, gib(ENCODER_BYTES * FRAMES_PER_SECOND * seconds * layers * model.hidden)

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """A copy per card, gradients averaged."""
        return Spread(data=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return training_kind(self.model.kind)

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "fp16" if self.half else "fp32" if self.precision == "fp32" else "tf32"

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Training speed in the unit this model is usually counted in."""
        model, form, kind = self.model, self.arithmetic(), self.kind()
        slower = 1.0 if self.half else 1 / TF32_SHARE if form == "tf32" else 1 / FP32_SHARE
        if kind == "recurrent":
            step = STEPS[model.kind]
            fixed = step.fixed_seconds * relative_time(kind, gpu, form)
            samples = step.sample_seconds * slower * relative_time("recurrent-batch", gpu, form) * self.batch
            seconds = (fixed + samples) * math.sqrt(model.params / step.params) / (self.batch * step.items)
        else:
            sustained = TRAINING_TFLOPS.get(model.kind, 60.0) / slower
            seconds = 6.0 * model.params * self._steps_per_unit() / (sustained * 1e12) * relative_time(kind, gpu, form)
        faster = data_parallel_speedup("speech", gpu, count)
        limit: Limit = "host" if kind == "recurrent" else "memory-bandwidth"
        return Rate(faster / seconds, model.unit, limit, kind, stack=None, known_model=model.known)

    def _steps_per_unit(self) -> float:
        """Positions each parameter sees for one counted unit."""
        match self.model.unit:
            case "items_per_second":
                return 1.0
            case "frames_per_second":
                return 1.0
            case "tokens_per_second":
                return 2.7  # the convolutions over raw sound in front of the encoder
            case _:
                return FRAMES_PER_SECOND * self.clip_seconds

    def host(self, gpu: Gpu, count: int) -> Host:
        """Loaders that decode and cut sound."""
        return host_of(self.model, count, 8)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What the card lacks; what the loaders need."""
        if self.precision == "bf16" and not has_format(gpu, "bf16"):
            return (Note("no-bf16", "precision", {"gpu": gpu.slug}),)
        if self.precision == "tf32" and not has_format(gpu, "tf32"):
            return (Note("no-tf32", "precision", {"gpu": gpu.slug}),)
        return ()


def prepare_training(taken: Taken, model: SpeechModel) -> SpeechTrainingJob:
    """A training, ready to be asked per card."""
    return SpeechTrainingJob(
        model=model,
        optimizer=taken.word("optimizer", "adamw"),
        precision=taken.word("precision", "amp"),
        batch=taken.whole("batch", 16),
        clip_seconds=taken.number("clip_seconds", 15.0),
        assumptions=taken.notes,
    )
