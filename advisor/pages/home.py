"""The door: scenarios with their common jobs, a ruler of measured memory needs, the cards on offer with prices."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from advisor import answer_labels, charts, labels
from advisor.answers import ConfigTextError, answers_of, clean_query, pack_config, unpack_config, without_noise
from advisor.library import facts, library
from advisor.model_files import ModelPart
from advisor.pages.wizard import with_query
from advisor.presets import Preset, presets_of
from advisor.sizing.fields import SCENARIOS
from advisor.sizing.gpu import Gpu
from advisor.templatetags.figures import card_name
from catalog.snapshot import Catalogue, Offer, PlanKind

CHIPS = 4
"""Presets of a scenario shown at the door; its page has all of them."""
PRICE_COLUMNS: tuple[PlanKind, ...] = ("hour", "minute", "day", "week", "month")
"""The hourly price first: it is the one people compare."""
RULER_ROOM = 1.05
"""A card must hold a measured need with so much to spare to be named as the size to begin with."""

RULER: tuple[tuple[str, labels.Text, labels.Text], ...] = (
    ("S0019", _("Whisper large-v2, transcription"), _("faster-whisper, FP16, beam 5")),
    ("G0002", _("Wan2.1 1.3B, text to video"), _("480p, 81 frames, with offload")),
    ("L0297", _("Qwen-7B, QLoRA"), _("INT4, 1,024 tokens")),
    ("L0541", _("Qwen2.5-32B, inference"), _("AWQ 4-bit, one user")),
    ("L0766", _("Zephyr-7B, LoRA"), _("ms-swift, 4,096 tokens")),
    ("C0296", _("Fluid simulation, LBM"), _("double precision, 100 million cells")),
    ("L0168", _("Llama-2-70B, inference"), _("NF4, doubly quantised")),
    ("G0100", _("Wan2.2 A14B, text to video"), _("720p, 81 frames, with offload")),
)
"""Fact -> its name and its setting; the figure itself comes from the fact. Only jobs of which the advisor, asked for just
that, begins with the same size of card: a door must not promise what the next page takes back."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A row of the door."""

    slug: str
    words: labels.Words
    href: str
    chips: tuple[tuple[labels.Text, str], ...]


@dataclass(frozen=True, slots=True)
class RulerRow:
    """A measured need and the smallest size of card that holds it."""

    name: labels.Text
    setting: labels.Text
    href: str
    gib: float
    width: str
    starts_gb: float | None
    lines: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True)
class Ruler:
    """The ruler: its marks and rows, and where the figures come from."""

    ticks: tuple[tuple[str, str, bool], ...]
    rows: tuple[RulerRow, ...]
    sources: str


@dataclass(frozen=True, slots=True)
class CardRow:
    """A card on offer, one card of it."""

    slug: str
    name: str
    href: str
    vram_gb: float
    width: str
    prices: tuple[tuple[str, str | None], ...]
    stock: labels.Text
    card: Gpu

    @property
    def modified(self) -> bool:
        """Whether someone changed its memory."""
        return self.card.modified


def scenarios() -> tuple[Scenario, ...]:
    """The five rows of the door."""
    return tuple(
        Scenario(
            slug,
            labels.SCENARIOS[slug],
            reverse("advisor:scenario", kwargs={"scenario": slug}),
            tuple((preset.title, with_query("result", f"preset={preset.slug}")) for preset in door_presets(slug)),
        )
        for slug in SCENARIOS
    )


def door_presets(scenario: str) -> tuple[Preset, ...]:
    """The commonest presets of a scenario, of every task one before a second of the same."""
    found = presets_of(scenario)
    turns = Counter[str]()
    turn_of = {}
    for preset in found:
        turn_of[preset.slug] = turns[preset.task]
        turns[preset.task] += 1
    first = sorted(found, key=lambda preset: turn_of[preset.slug])[:CHIPS]
    return tuple(preset for preset in found if preset in first)


def ruler(sizes: Iterable[Gpu]) -> Ruler:
    """Measured needs on one ruler with the usable memory of the sizes on offer."""
    cards = tuple(sizes)
    by_id = {str(fact["id"]): fact for fact in facts()}
    told = [(by_id[name], title, setting) for name, title, setting in RULER if name in by_id]
    needs = sorted(told, key=lambda one: float(one[0]["value"]))
    end = (
        max([*(card.usable_gib for card in cards), *(float(fact["value"]) for fact, _t, _s in needs)], default=80.0)
        * 1.02
    )
    marks = tuple(
        (charts.share(card.usable_gib, end), f"{card.vram_gb:g}", index % 2 == 1) for index, card in enumerate(cards)
    )
    rows = tuple(_ruler_row(fact, title, setting, cards, end) for fact, title, setting in needs)
    sources = ", ".join(dict.fromkeys(str(fact["source"]).split("@")[0] for fact, _t, _s in needs))
    return Ruler(marks, rows, sources)


def _ruler_row(
    fact: Mapping[str, Any], title: labels.Text, setting: labels.Text, cards: tuple[Gpu, ...], end: float
) -> RulerRow:
    need = float(fact["value"])
    first = next((card for card in cards if card.usable_gib >= need * RULER_ROOM), None)
    workload = fact["workload"]
    query = clean_query(answers_of(workload), drop=("scenario", "task"))
    return RulerRow(
        name=title,
        setting=setting,
        href=with_query("what", query, scenario=workload["scenario"], task=workload["task"]),
        gib=need,
        width=charts.share(need, end),
        starts_gb=first.vram_gb if first else None,
        lines=tuple((charts.share(card.usable_gib, end), card is first) for card in cards),
    )


def card_rows(catalogue: Catalogue) -> tuple[CardRow, ...]:
    """Single cards on offer, smallest memory first."""
    singles: dict[str, Offer] = {}
    for offer in catalogue.offers:
        if offer.count == 1 and offer.gpu in library().gpus:
            singles.setdefault(offer.gpu, offer)
    largest = max((library().gpus[slug].vram_gb for slug in singles), default=1.0)
    return tuple(_card_row(library().gpus[slug], offer, largest) for slug, offer in singles.items())


def _card_row(card: Gpu, offer: Offer, largest: float) -> CardRow:
    prices = tuple((kind, str(plan["unit_price"]) if (plan := offer.plan(kind)) else None) for kind in PRICE_COLUMNS)
    return CardRow(
        slug=card.slug,
        name=card_name(card.slug),
        href=reverse("catalog:card", args=[card.slug]),
        vram_gb=card.vram_gb,
        width=charts.share(card.vram_gb, largest),
        prices=prices,
        stock=answer_labels.STOCKS[offer.stock],
        card=card,
    )


VISION_WORDS = ("yolo", "resnet", "vit", "swin", "convnext", "detr", "segformer", "deit", "efficientnet", "mask2former")
SPEECH_WORDS = ("whisper", "wav2vec", "hubert", "speech", "seamless", "vits", "bark")


def scenario_of_config(config: Mapping[str, Any]) -> str:
    """The scenario a configuration belongs to, by what it calls itself."""
    named = json.dumps([config.get("model_type"), config.get("architectures"), config.get("_class_name")]).lower()
    if "_class_name" in config:
        return "aigc"
    if any(word in named for word in SPEECH_WORDS):
        return "speech"
    if any(word in named for word in VISION_WORDS) and "vocab_size" not in config:
        return "vision"
    return "llm"


def address_of_config(text: str) -> str:
    """Where a pasted config.json leads: the tasks of its scenario, with the model filled in. Raises ConfigTextError."""
    config = unpack_config(text)
    if not any(isinstance(value, int) and not isinstance(value, bool) for value in _flat(config)):
        raise ConfigTextError("no-figures")
    packed = pack_config(without_noise(config))
    query = clean_query(answers_of({"model": {"hf_config": unpack_config(packed)}}))
    return with_query("scenario", query, scenario=scenario_of_config(config))


def address_of_part(part: ModelPart) -> str:
    """Where an uploaded file leads: to its task with everything it says filled in. Raises ConfigTextError."""
    body = dict(part.fields)
    model = body.get("model")
    if part.kind == "config" and isinstance(model, Mapping):
        return address_of_config(json.dumps(model["hf_config"]))
    task = "training" if part.kind == "adapter" else "inference"
    return with_query("what", clean_query(answers_of(body)), scenario="llm", task=task)


def _flat(config: Mapping[str, Any]) -> Iterable[Any]:
    for value in config.values():
        if isinstance(value, Mapping):
            yield from value.values()
        else:
            yield value
