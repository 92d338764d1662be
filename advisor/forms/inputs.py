"""Inputs of the forms, drawn from the field table and the answers: which values a field shows and what is wrong with them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from advisor import labels
from advisor.answers import Answers, input_of, last
from advisor.forms.problems import problem_text
from advisor.library import library
from advisor.sizing.fields import Field
from advisor.sizing.problems import Problem

type Draw = Literal["text", "number", "select", "radio", "many", "checks", "model", "gpu-hours"]

MAIN_CHOICES: dict[tuple[str, str, str], tuple[str, ...]] = {
    ("llm", "training", "method"): ("full", "lora", "qlora"),
    ("aigc", "image-training", "method"): ("lora", "dreambooth", "full"),
    ("aigc", "video-training", "method"): ("lora", "full"),
    ("vision", "training", "kind"): ("classification", "detection", "segmentation"),
    ("vision", "inference", "kind"): ("classification", "detection", "segmentation"),
    ("science", "simulation", "precision"): ("mixed", "single", "double"),
}
"""Choices drawn as cards with a sentence each; the rest of the field's values fold away below them."""

PICKS: dict[tuple[str, str, str], tuple[int, ...]] = {
    ("llm", "training", "sequence_tokens"): (512, 1024, 2048, 4096, 8192),
    ("llm", "inference", "concurrency"): (1, 4, 16, 64, 256),
}
"""Figures most people need, offered at a click beside a field for any other."""

MODEL_EXAMPLES = {
    "llm": ("qwen2.5-7b", "qwen3-14b", "llama-3.1-8b", "llama-3.1-70b", "qwen2.5-72b", "deepseek-v3"),
    "aigc": ("sdxl-base-1.0", "flux.1-dev", "stable-diffusion-1.5", "wan2.2-t2v-a14b", "wan2.1-t2v-1.3b"),
    "speech": ("whisper-large-v3", "whisper-large-v3-turbo", "whisper-large-v2"),
    "vision": ("yolov8x", "yolo11m", "resnet-50", "vit-b-16"),
    "science": (),
}


@dataclass(frozen=True, slots=True)
class Option:
    """One value to choose."""

    value: str
    label: labels.Text
    hint: labels.Text = ""
    chosen: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """One field as a page draws it. `more`: rarer options, folded away. `error`: the sentence of the error summary, too."""

    name: str
    label: labels.Text
    hint: labels.Text = ""
    draw: Draw = "text"
    value: str = ""
    options: tuple[Option, ...] = ()
    more: tuple[Option, ...] = ()
    unit: labels.Text = ""
    error: str = ""
    expert: bool = False
    small: bool = False
    required: bool = False
    inputs: tuple["Input", ...] = ()

    @property
    def id(self) -> str:
        """Id of the control; of a group, that of its first control."""
        return f"f-{self.name.replace('.', '-')}"

    @property
    def described_by(self) -> str:
        """Ids of hint and error, for assistive technology."""
        ids = [f"{self.id}-h"] if self.hint else []
        return " ".join([*ids, *([f"{self.id}-e"] if self.error else [])])

    @property
    def more_chosen(self) -> bool:
        """Whether a folded option is the chosen one, so that the fold must stand open."""
        return any(option.chosen for option in self.more)


@dataclass(frozen=True, slots=True)
class Trouble:
    """A line of the error summary: the sentence, and the control it leads to (None: the control is on another page)."""

    text: str
    target: str | None
    href: str = ""


class InputBuilder:
    """Draws inputs from answers; what is wrong with an answer stands at its field and in the summary, in the same words."""

    def __init__(self, scenario: str, task: str, answers: Answers, problems: Sequence[Problem]) -> None:
        self.scenario = scenario
        self.task = task
        self.answers = answers
        self.problems = problems
        self.drawn: dict[str, str] = {}

    def value(self, name: str) -> str:
        """The value given, as written, so that nothing is lost."""
        return last(self.answers, name)

    def error(self, name: str, label: labels.Text) -> str:
        self.drawn[name] = f"f-{name.replace('.', '-')}"
        return next((problem_text(one, str(label)) for one in self.problems if input_of(one.path) == name), "")

    def of_field(self, field: Field) -> Input:
        if field.kind == "gpu-hours":
            return self.gpu_hours(field)
        key = (self.scenario, self.task, field.name)
        words = labels.field_words(*key)
        value = self.value(field.name) or default_text(field)
        options, more, draw = self.options(field, key, value)
        return Input(
            name=field.name,
            label=words.label,
            hint=words.hint,
            draw=draw,
            value="" if draw == "many" and any(option.chosen for option in options) else value,
            options=options,
            more=more,
            unit=_unit(field),
            error=self.error(field.name, words.label),
            expert=not field.common,
            required=field.required,
        )

    def options(
        self, field: Field, key: tuple[str, str, str], value: str
    ) -> tuple[tuple[Option, ...], tuple[Option, ...], Draw]:
        if field.kind == "bool":
            words = (("", _("Automatic")), ("true", _("Yes")), ("false", _("No")))
            return tuple(Option(v, label, chosen=v == value) for v, label in words), (), "select"
        if picks := PICKS.get(key):
            return tuple(Option(str(p), f"{p:,}", chosen=str(p) == value) for p in picks), (), "many"
        if field.kind not in ("choice", "open-choice"):
            return (), (), "number" if field.kind in ("int", "number") else "text"
        if main := MAIN_CHOICES.get(key):
            rest = [choice for choice in field.choices if choice not in main]
            return self.choices(field, main, value), self.choices(field, rest, value), "radio"
        listed = [value] if value and value not in field.choices else []
        empty = () if field.required else (Option("", _("Automatic"), chosen=not value),)
        return (*empty, *self.choices(field, [*listed, *field.choices], value)), (), "select"

    def choices(self, field: Field, values: Iterable[str], chosen: str) -> tuple[Option, ...]:
        found = []
        for value in values:
            words = labels.choice_words(self.scenario, field.name, value)
            found.append(Option(value, words.label, words.hint, chosen=value == chosen))
        return tuple(found)

    def gpu_hours(self, field: Field) -> Input:
        words = labels.field_words(self.scenario, self.task, field.name)
        gpu, hours = (f"{field.name}.{part}" for part in ("gpu", "hours"))
        chosen = self.value(gpu)
        cards = [Option("", _("None"), chosen=not chosen)]
        cards += [Option(card.slug, card.name, chosen=card.slug == chosen) for card in library().gpus.values()]
        return Input(
            name=field.name,
            label=words.label,
            hint=words.hint,
            draw="gpu-hours",
            expert=True,
            error=self.error(field.name, words.label),
            inputs=(
                Input(gpu, _("Card"), draw="select", options=tuple(cards), error=self.error(gpu, _("Card"))),
                Input(
                    hours,
                    _("Hours"),
                    draw="number",
                    value=self.value(hours),
                    unit=_("hours"),
                    error=self.error(hours, _("Hours")),
                ),
            ),
        )

    def model(self) -> Input | None:
        if self.scenario == "science":
            return None
        models = library().models
        own = [slug for slug, row in models.items() if (row.get("scenario") or "").split(" ")[0] == self.scenario]
        first = [slug for slug in MODEL_EXAMPLES[self.scenario] if slug in models]
        names = list(dict.fromkeys([*first, *own]))
        options = tuple(Option(slug, models[slug]["name"]) for slug in names)
        return Input(
            "model",
            labels.MODEL,
            labels.MODEL_HINTS[self.scenario],
            "model",
            self.value("model"),
            options,
            error=self.error("model", labels.MODEL),
            required=True,
        )

    def number(self, field: Field) -> Input:
        words = labels.FIELDS[field.name]
        return Input(
            field.name,
            words.label,
            words.hint,
            "number",
            self.value(field.name),
            unit="" if field.unit == "cards" else _unit(field),
            error=self.error(field.name, words.label),
            small=True,
        )

    def choice(
        self, name: str, values: Iterable[str], default: str, draw: Draw, words: dict[str, labels.Text] | None = None
    ) -> Input:
        chosen = last(self.answers, name) or default
        options = []
        for value in values:
            said = labels.Words(words[value]) if words else labels.choice_words(self.scenario, name, value)
            options.append(Option(value, said.label, said.hint, chosen=value == chosen))
        about = labels.FIELDS[name]
        return Input(name, about.label, about.hint, draw, chosen, tuple(options), error=self.error(name, about.label))

    def text(self, name: str, unit: labels.Text = "", hint: labels.Text = "", *, small: bool = False) -> Input:
        words = labels.FIELDS[name]
        return Input(
            name,
            words.label,
            hint or words.hint,
            "number",
            self.value(name),
            unit=unit,
            error=self.error(name, words.label),
            small=small,
        )

    def troubles(self) -> tuple[Trouble, ...]:
        found = []
        for problem in self.problems:
            name = input_of(problem.path)
            label = str(self.label(name))
            trouble = Trouble(problem_text(problem, label), self.drawn.get(name))
            if trouble not in found:
                found.append(trouble)
        return tuple(found)

    def label(self, name: str) -> labels.Text:
        if name == "model":
            return labels.MODEL
        return labels.field_words(self.scenario, self.task, name.split(".")[0]).label


def default_text(field: Field) -> str:
    """The default of a field as a form writes it; empty where it follows from the other answers."""
    if isinstance(field.default, bool):
        return "true" if field.default else "false"
    return "" if field.default is None else str(field.default)


def _unit(field: Field) -> labels.Text:
    units: dict[str, labels.Text] = {
        "tokens": _("tokens"),
        "pixels": _("pixels"),
        "seconds": _("seconds"),
        "frames": _("frames"),
        "hours": _("hours"),
        "days": _("days"),
        "weeks": _("weeks"),
        "cards": _("cards"),
        "steps": _("steps"),
        "starts": _("times"),
        "GiB": "GiB",
        "tokens per second": _("tokens/s"),
        "frames per second": _("frames/s"),
    }
    return units.get(field.unit or "", "")
