"""Speech: transcription, synthesis and training. Weights, windows of sound, beams and batches; launches against arithmetic."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Job, Library, Load, Rate
from advisor.sizing.links import data_parallel_speedup, link_of, nodes_of
from advisor.sizing.taken import Taken, figure
from advisor.sizing.training_states import OPTIMIZER_BYTES
from advisor.sizing.transfer import Format, has_format, relative_time
from advisor.sizing.units import gib
from advisor.sizing.workload import ModelRef, Workload

WINDOW_SECONDS = 30.0
"""Whisper hears the sound in windows of 30 s: a shorter clip costs a whole one."""
BYTES: Mapping[str, float] = {
    "fp32": 4.0,
    "fp16": 2.0,
    "bf16": 2.0,
    "fp8": 1.02,
    "int8": 1.08,
    "int4": 0.62,
    "q8_0": 1.0625,
    "q5_1": 0.75,
    "q5_0": 0.6875,
    "q4_0": 0.5625,
}
"""Bytes per parameter. int8 of CTranslate2 keeps norms and scales wider: 1.08 (faster-whisper README)."""


@dataclass(frozen=True, slots=True)
class SpeechModel:
    """A speech model. `encoder` and `decoder` count layers; `kind` is its family in the library."""

    name: str
    kind: str
    params: float
    encoder: int
    decoder: int
    hidden: int
    unit: str
    known: bool

    @property
    def size(self) -> float:
        """Decoder depth and width against Whisper large: 1 is 32 layers of 1,280."""
        return self.decoder * self.hidden / (32 * 1280)

    @property
    def encoder_size(self) -> float:
        """Encoder depth and width against Whisper large."""
        return self.encoder * self.hidden / (32 * 1280)


@dataclass(frozen=True, slots=True)
class Engine:
    """An inference engine: GiB beside the weights (fixed, decoder's share, per further batch item) and how it paces."""

    fixed_gib: float
    decoder_gib: float
    item_gib: float
    pace: float
    item_pace: float = 1.0
    weight_bytes: float | None = None


ENGINES: Mapping[str, Engine] = {
    "faster-whisper": Engine(0.95, 0.50, 0.22, 1.0),
    "whisperx": Engine(1.90, 0.50, 0.22, 1.0),
    "whispers2t": Engine(0.95, 0.50, 0.20, 0.8),
    "openai-whisper": Engine(0.42, 1.30, 0.45, 2.3),
    "whisper.cpp": Engine(0.45, 0.70, 0.45, 1.03),
    "transformers": Engine(0.80, 1.15, 1.05, 1.8),
    "whisper-jax": Engine(1.50, 1.15, 0.30, 1.5),
    "funasr": Engine(0.80, 0.30, 0.08, 0.5),
    "tensorrt": Engine(0.90, 0.40, 0.15, 0.35, 0.35),
}
"""Read off the faster-whisper READMEs of 2024 and 2025 and issue 1030 (large-v2 4.4 GiB at batch 1, 5.9 at batch 8)."""
LIKELY_ENGINE = "faster-whisper"

WINDOW_HOST_SECONDS = 0.29
WINDOW_FIXED_SHARE = 0.15
"""Of a window's time before the decoder what is there for the smallest encoder too; the rest goes with its size."""
LAYER_HOST_SECONDS = 0.030
"""Per 30 s window and decoder layer: about 130 steps of launching that layer (large-v2 about 2 s on a small card, turbo with 4 layers 0.7 s)."""
LAYER_WIDTH_SHARE = 0.4
"""Of that what goes with the layer's weights, read at every step; with it the sizes come out as openai/whisper's README has them (10, 7, 4, 2, 1)."""
ITEM_SECONDS = 0.10
"""Arithmetic of one window of Whisper large on an A100, batched with FlashAttention."""
FEATURE_SECONDS = 0.06
"""Cutting and transforming one window on the host, where the engine does that in Python."""
ENCODER_SHARE = 0.7
"""Of a window's arithmetic in Whisper large that is the encoder's."""
FUSED_ATTENTION = ("faster-whisper", "whisperx", "whispers2t", "tensorrt", "funasr")
PLAIN_ATTENTION = 6.0
"""The same without it (29.8 against 91.8 x real time at batch 24)."""
BEAM_SHARE = 0.035
"""Each beam beyond the first."""
ENCODER_ONLY = 0.35
"""Encoders without a decoder per parameter against Whisper: fewer frames, no 30 s padding."""
DIARIZATION_GIB = 1.2
DIARIZATION_SECONDS_PER_HOUR = 34.0
"""pyannote community-1: 31-37 s per hour of sound on an H100."""
ALIGNMENT_GIB = 1.2


def speech_model(reference: ModelRef | None, library: Library, taken: Taken) -> SpeechModel:
    """The model a workload names; an unknown one is shaped like Whisper of its size, and said so."""
    if reference is not None and reference.slug is not None:
        return _from_row(reference.slug, library.models[reference.slug])
    if reference is not None and reference.hf_config is not None:
        return _from_config(reference.hf_config, taken)
    return _typical((reference.parameters_b if reference else None) or 1.5, taken)


def _from_row(slug: str, row: Mapping[str, str]) -> SpeechModel:
    layers = (row.get("layers") or "").split("+")
    encoder = int(float(layers[0])) if layers[0] else 24
    decoder = int(float(layers[1])) if len(layers) > 1 else 0
    params = figure(row, "params_b") * 1e9
    kind = row.get("family") or ("whisper" if decoder else "encoder")
    if not params:
        params = 1e8
    return SpeechModel(
        name=slug,
        kind=kind,
        params=params,
        encoder=encoder,
        decoder=decoder if kind == "whisper" else encoder if kind in ("tts", "tts-fused", "llm-audio") else decoder,
        hidden=int(figure(row, "hidden_size", 768)),
        unit=row.get("training_unit") or "samples_per_second",
        known=True,
    )


def _from_config(config: Mapping[str, Any], taken: Taken) -> SpeechModel:
    """A Hugging Face config.json: Whisper's names first, those of plain encoders else."""

    def number(*names: str, default: int) -> int:
        for name in names:
            value = config.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e7:
                return int(value)
        return default

    hidden = number("d_model", "hidden_size", "encoder_hidden_size", default=768)
    encoder = number("encoder_layers", "num_hidden_layers", "encoder_num_layers", default=24)
    decoder = number("decoder_layers", default=0)
    feed = number("encoder_ffn_dim", "intermediate_size", default=4 * hidden)
    vocab = number("vocab_size", default=1000)
    params = encoder * (4.0 * hidden * hidden + 2 * hidden * feed)
    params += decoder * (8.0 * hidden * hidden + 2 * hidden * number("decoder_ffn_dim", default=feed)) + vocab * hidden
    taken.assume(
        "shape-from-config", "model.hf_config", layers=encoder, decoder_layers=decoder, parameters_b=params / 1e9
    )
    kind = "whisper" if decoder else "encoder"
    return SpeechModel("config", kind, params, encoder, decoder, hidden, "samples_per_second", known=False)


def _typical(parameters_b: float, taken: Taken) -> SpeechModel:
    share = (parameters_b / 1.543) ** (1 / 3)
    layers, hidden = max(2, round(32 * share)), max(128, 64 * round(1280 * share / 64))
    taken.assume("typical-speech-model", "model.parameters_b", layers=layers, hidden=hidden)
    return SpeechModel(
        "unknown", "whisper", parameters_b * 1e9, layers, layers, hidden, "samples_per_second", known=False
    )


def _speech_host(model: SpeechModel, count: int, loaders: int) -> Host:
    return Host(
        ram_gib=math.ceil(6 + 3 * gib(model.params * 2) + 2 * loaders * count), cpu_cores=loaders * count, disk_gib=40
    )


@dataclass(frozen=True, slots=True)
class TranscriptionJob:
    """Sound to text."""

    model: SpeechModel
    engine_name: str
    engine: Engine
    weight_format: str
    batch: int
    beams: int
    streams: int
    clip_seconds: float
    diarization: bool
    flash: bool
    assumptions: tuple[Note, ...]

    @property
    def at_once(self) -> int:
        """Windows in flight: batch slots of every live stream share the weights."""
        return max(self.batch, self.streams)

    def load(self, gpu: Gpu, count: int) -> Load:
        """Weights, work space, one window's state for each batch item."""
        engine, model = self.engine, self.model
        int8 = self.weight_format == "int8" and self.engine_name == "faster-whisper"
        fixed, deep = (0.65, 0.62) if int8 else (engine.fixed_gib, engine.decoder_gib)
        beams = (1 + 0.5 * self.beams) / 3.5
        windows = min(1.0, self.clip_seconds / WINDOW_SECONDS) if model.kind != "whisper" else 1.0
        item = engine.item_gib * max(model.size, 0.25 * model.encoder_size) * beams * max(0.1, windows)
        if not self.flash and self.engine_name == "transformers":
            item *= 1.15
        parts = {
            "weights": gib(model.params * (engine.weight_bytes or BYTES[self.weight_format])),
            "framework": fixed * (0.55 + 0.45 * min(1.0, model.encoder_size)),
            "decoder_state": deep * model.size * beams,
            "batch": item * (self.at_once - 1),
        }
        if model.kind not in ("whisper", "llm-audio"):
            parts["sound"] = (
                0.012 * self.at_once * max(1.0, self.clip_seconds / WINDOW_SECONDS) * max(0.3, model.encoder_size)
            )
        if self.diarization:
            parts["diarization"] = DIARIZATION_GIB
        known = self.engine_name in ENGINES
        return Load(
            {name: size for name, size in parts.items() if size > 0},
            "transcription",
            stack=self.engine_name if known else None,
            known_model=model.known,
        )

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """A copy per card: recordings are independent."""
        return Spread(data=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return transcription_kind(self.at_once)

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "fp32" if self.weight_format == "fp32" else "fp16"

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Times real time over all cards."""
        model, engine, kind = self.model, self.engine, self.kind()
        form = self.arithmetic()
        launches = self._window_seconds() * engine.pace
        launches *= 1 + BEAM_SHARE * (self.beams - 1)
        if self.weight_format == "fp32":
            launches *= 1.6
        arithmetic = ITEM_SECONDS * engine.item_pace
        if model.kind == "encoder":
            arithmetic *= ENCODER_ONLY * model.params / 1.54e9
        else:
            arithmetic *= ENCODER_SHARE * model.encoder_size + (1 - ENCODER_SHARE) * model.size
            if not self.flash and self.engine_name not in FUSED_ATTENTION:
                arithmetic *= PLAIN_ATTENTION
        at_once = self.at_once
        windows = (
            at_once * WINDOW_SECONDS * (min(1.0, self.clip_seconds / WINDOW_SECONDS) if self.clip_seconds else 1.0)
        )
        launch_time = launches * relative_time("asr-single", gpu, form)
        work_time = arithmetic * at_once * relative_time("asr-batched", gpu, form)
        if self.engine_name in ("transformers", "whisper-jax"):
            work_time += FEATURE_SECONDS * at_once
        seconds = launch_time + work_time
        if self.diarization:
            seconds += windows / 3600 * DIARIZATION_SECONDS_PER_HOUR * 2
        limit: Limit = "host" if launch_time > work_time else "compute"
        known = self.engine_name in ENGINES
        return Rate(
            count * windows / seconds,
            "x_realtime",
            limit,
            kind,
            stack=self.engine_name if known else None,
            known_model=model.known,
        )

    def _window_seconds(self) -> float:
        """Launching one window on an A100's host: what comes before the decoder, then its layers step by step."""
        model = self.model
        if model.kind == "encoder":
            return WINDOW_HOST_SECONDS * 0.3 + 0.05
        if model.kind not in ("whisper", "llm-audio"):
            return WINDOW_HOST_SECONDS + 0.05
        if model.kind == "llm-audio":
            return WINDOW_HOST_SECONDS + LAYER_HOST_SECONDS * model.decoder
        before = WINDOW_HOST_SECONDS * (WINDOW_FIXED_SHARE + (1 - WINDOW_FIXED_SHARE) * min(1.0, model.encoder_size))
        width = (model.hidden / 1280) ** 2
        layer = LAYER_HOST_SECONDS * (1 - LAYER_WIDTH_SHARE + LAYER_WIDTH_SHARE * width)
        return before + layer * model.decoder

    def host(self, gpu: Gpu, count: int) -> Host:
        """Decoding and resampling sound takes a few cores per card."""
        return _speech_host(self.model, count, 4)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """Spend spare memory on batch before a dearer card; the old reference code takes twice the memory."""
        found: list[Note] = []
        spare = gpu.usable_gib - sum(self.load(gpu, count).parts.values())
        item = max(0.02, self.engine.item_gib * max(self.model.size, 0.25 * self.model.encoder_size))
        if self.at_once == 1 and spare > 4 * item and self.streams <= 1:
            found.append(
                Note("batch-more", "batch", {"batch": min(32, int(spare / item)), "gib_per_item": round(item, 2)})
            )
        if self.engine_name == "openai-whisper" and self.model.params > 1e9:
            found.append(Note("old-openai-whisper", "engine", {"gib": 11.1}))
        if self.weight_format == "fp8" and not has_format(gpu, "fp8"):
            found.append(Note("no-fp8", "weight_format", {"gpu": gpu.slug}))
        return tuple(found)


def transcription_kind(at_once: int) -> str:
    """One window at a time keeps the host busy, many keep the card busy."""
    return "asr-single" if at_once <= 2 else "asr-batched"


LAYER_STEP_SECONDS = 0.0007
"""Launching one decoder layer for one speech token from Python; fused engines take a tenth."""
SPEECH_TOKENS_PER_SECOND = 50.0
VOCODER_SECONDS = 0.18
FUSED = 0.017
PARALLEL_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class SynthesisJob:
    """Text to sound."""

    model: SpeechModel
    weight_format: str
    batch: int
    streams: int
    assumptions: tuple[Note, ...]

    @property
    def at_once(self) -> int:
        """Utterances in flight."""
        return max(self.batch, self.streams)

    def load(self, gpu: Gpu, count: int) -> Load:
        """Weights, vocoder and work space; cache and waveform for each utterance."""
        model = self.model
        parts = {
            "weights": gib(model.params * BYTES[self.weight_format]),
            "framework": 1.1,
            "batch": 0.25 * max(0.3, min(2.0, model.hidden / 1024)) * self.at_once,
        }
        return Load(parts, "speech-synthesis", stack=None, known_model=model.known)

    def spread(self, gpu: Gpu, count: int) -> Spread:
        """A copy per card."""
        return Spread(data=count, link=link_of(gpu, count), nodes=nodes_of(count))

    def kind(self) -> str:
        """Kind of work for the transfer law."""
        return "tts"

    def arithmetic(self) -> Format:
        """Number format of the heavy arithmetic."""
        return "fp16"

    def rate(self, gpu: Gpu, count: int) -> Rate:
        """Seconds of sound per second, all utterances and cards."""
        model = self.model
        match model.kind:
            case "tts-parallel" | "flow" | "rnn":
                second = PARALLEL_SECONDS * (model.params / 1e8) ** 0.5
            case "tts-fused":
                second = FUSED * (model.decoder / 24)
            case _:
                second = (
                    SPEECH_TOKENS_PER_SECOND * LAYER_STEP_SECONDS * max(1, model.decoder or model.encoder)
                    + VOCODER_SECONDS
                )
        together = self.at_once / (1 + 0.15 * (self.at_once - 1))
        speed = count * together / (second * relative_time("tts", gpu, "fp16"))
        return Rate(speed, "x_realtime", "host", self.kind(), stack=None, known_model=model.known)

    def host(self, gpu: Gpu, count: int) -> Host:
        """A few cores per card: launching is the host's work."""
        return _speech_host(self.model, count, 4)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """One utterance at a time is limited by the host."""
        return (Note("host-limited", "batch", {"batch": self.at_once}),) if self.at_once == 1 else ()


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
        return _speech_host(self.model, count, 8)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """What the card lacks; what the loaders need."""
        if self.precision == "bf16" and not has_format(gpu, "bf16"):
            return (Note("no-bf16", "precision", {"gpu": gpu.slug}),)
        if self.precision == "tf32" and not has_format(gpu, "tf32"):
            return (Note("no-tf32", "precision", {"gpu": gpu.slug}),)
        return ()


def prepare(workload: Workload, library: Library) -> Job:
    """A speech workload, ready to be asked per card."""
    taken = Taken(workload)
    model = speech_model(workload.model, library, taken)
    match workload.task:
        case "transcription":
            return _transcription(taken, model)
        case "speech-synthesis":
            weight = taken.word("weight_format", "fp16")
            batch, streams = taken.whole("batch", 1), int(taken.said("streams") or 1)
            return SynthesisJob(model, weight, batch, streams, taken.notes)
        case _:
            optimizer = taken.word("optimizer", "adamw")
            precision = taken.word("precision", "amp")
            batch = taken.whole("batch", 16)
            seconds = taken.number("clip_seconds", 15.0)
            return SpeechTrainingJob(model, batch, precision, optimizer, seconds, taken.notes)


def _transcription(taken: Taken, model: SpeechModel) -> TranscriptionJob:
    likely = LIKELY_ENGINE if model.kind == "whisper" else "funasr" if model.kind == "encoder" else "transformers"
    name = taken.word("engine", likely)
    weight = taken.word("weight_format", "fp16")
    batch = taken.whole("batch", 1)
    beams = taken.whole(
        "beam_size", 5 if name in ("faster-whisper", "openai-whisper", "whisper.cpp", "whisperx") else 1
    )
    return TranscriptionJob(
        model=model,
        engine_name=name,
        engine=ENGINES.get(name, ENGINES[likely]),
        weight_format=weight,
        batch=batch,
        beams=beams,
        streams=int(taken.said("streams") or 1),
        clip_seconds=float(taken.said("clip_seconds") or WINDOW_SECONDS),
        diarization=bool(taken.said("diarization")),
        flash=bool(taken.said("flash_attention")),
        assumptions=taken.notes,
    )
