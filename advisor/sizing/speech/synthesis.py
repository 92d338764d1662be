"""Text to sound: a decoder stepping through speech tokens, then the vocoder."""

from dataclasses import dataclass

from advisor.sizing.answer import Host, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Load, Rate
from advisor.sizing.links import link_of, nodes_of
from advisor.sizing.speech.formats import BYTES
from advisor.sizing.speech.host import host_of
from advisor.sizing.speech.model import SpeechModel
from advisor.sizing.taken import Taken
from advisor.sizing.transfer import Format, relative_time
from advisor.sizing.units import gib

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
        return host_of(self.model, count, 4)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        """One utterance at a time is limited by the host."""
        return (Note("host-limited", "batch", {"batch": self.at_once}),) if self.at_once == 1 else ()


def prepare_synthesis(taken: Taken, model: SpeechModel) -> SynthesisJob:
    """A synthesis, ready to be asked per card."""
    return SynthesisJob(
        model=model,
        weight_format=taken.word("weight_format", "fp16"),
        batch=taken.whole("batch", 1),
        streams=int(taken.said("streams") or 1),
        assumptions=taken.notes,
    )
