"""Sound to text: weights, windows of sound, beams and batches; launches against arithmetic."""

from dataclasses import dataclass

from advisor.sizing.answer import Host, Limit, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Load, Rate
from advisor.sizing.links import link_of, nodes_of
from advisor.sizing.speech.engines import ENGINES, FUSED_ATTENTION, LIKELY_ENGINE, Engine
from advisor.sizing.speech.formats import BYTES
from advisor.sizing.speech.host import host_of
from advisor.sizing.speech.model import WINDOW_SECONDS, SpeechModel
from advisor.sizing.taken import Taken
from advisor.sizing.transfer import Format, has_format, relative_time
from advisor.sizing.units import gib

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
PLAIN_ATTENTION = 6.0
"""Times the arithmetic without FlashAttention (29.8 against 91.8 x real time at batch 24)."""
BEAM_SHARE = 0.035
"""Each beam beyond the first."""
ENCODER_ONLY = 0.35
"""Encoders without a decoder per parameter against Whisper: fewer frames, no 30 s padding."""
DIARIZATION_GIB = 1.2
DIARIZATION_SECONDS_PER_HOUR = 34.0
"""pyannote community-1: 31-37 s per hour of sound on an H100."""


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
        return host_of(self.model, count, 4)

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


def prepare_transcription(taken: Taken, model: SpeechModel) -> TranscriptionJob:
    """A transcription, ready to be asked per card."""
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
