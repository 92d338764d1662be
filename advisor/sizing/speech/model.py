"""The speech model a workload names: its layers, width and family."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from advisor.sizing.job import Library
from advisor.sizing.taken import Taken, figure
from advisor.sizing.workload import ModelRef

WINDOW_SECONDS = 30.0
"""Whisper hears the sound in windows of 30 s: a shorter clip costs a whole one."""


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


def model_of(reference: ModelRef | None, library: Library, taken: Taken) -> SpeechModel:
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
