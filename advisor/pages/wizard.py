"""The wizard's frame: steps, the panel that follows the answers, the list of answers to check."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from advisor import charts, labels
from advisor.answers import Answers, ConfigTextError, Reading, answers_of, clean_query, last, model_json
from advisor.forms.steps import answer_troubles
from advisor.library import library
from advisor.pages.naming import named
from advisor.presets import presets_of
from advisor.recommendation import Recommendation
from advisor.sizing.answer import Estimate
from advisor.sizing.estimate import prepare
from advisor.sizing.fields import FIELDS, field_of
from advisor.sizing.gpu import Gpu
from advisor.sizing.model_names import canonical_slug
from advisor.sizing.shape import Shape
from advisor.sizing.shapes import NoShape, shape_of
from advisor.sizing.workload import ModelRef, Workload
from advisor.templatetags.figures import card_name, compact, money_text, number
from catalog.snapshot import Catalogue

FEW_NAMES = 2
"""Cards named below the smallest size that fits."""
OTHER_FORMATS = frozenset({"text_encoder_format", "kv_cache_format", "activation_format"})
"""Formats that stand beside that of the weights and so need their name."""
VALUE_UNITS: Mapping[str, labels.Text] = {
    "tokens": labels.UNITS["tokens"],
    "pixels": gettext_lazy("pixels"),
    "seconds": "s",
    "GiB": "GiB",
}
"""Units an answer in a table needs; of frames and steps the label speaks."""


@dataclass(frozen=True, slots=True)
class Step:
    """One of the four steps."""

    label: str
    done: bool
    current: bool
    href: str = ""


@dataclass(frozen=True, slots=True)
class Chip:
    """A preset as a link that fills the answers in."""

    label: labels.Text
    href: str
    current: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One answer: what was asked, what was said, where to change it."""

    label: labels.Text
    value: str
    href: str = ""
    technical: bool = False


@dataclass(frozen=True, slots=True)
class Live:
    """The panel beside the questions: what is known so far. `missing`: why nothing is known yet."""

    lines: tuple[Line, ...]
    missing: str = ""
    need_gib: float | None = None
    low_gib: float = 0.0
    high_gib: float = 0.0
    smallest_gb: float | None = None
    smallest_names: str = ""
    rungs: tuple[charts.Rung, ...] = ()
    advice: Recommendation | None = None

    @property
    def said(self) -> str:
        """The panel in one line, for those who hear the page."""
        if self.need_gib is None:
            return self.missing
        parts = [_("%(need)s GiB of memory") % {"need": number(self.need_gib, 1)}]
        if self.smallest_gb is not None:
            parts.append(_("smallest card %(size)s GB") % {"size": number(self.smallest_gb)})
        if self.advice is not None and (best := self.advice.recommended) is not None:
            said = {"card": named(best.gpu, best.count), "price": money_text(best.total, best.currency)}
            parts.append(_("recommended: %(card)s, %(price)s") % said)
        return _(", ").join(parts)


def with_query(name: str, query: str, **kwargs: str) -> str:
    """Address of a page with answers."""
    address = reverse(f"advisor:{name}", kwargs=kwargs or None)
    return f"{address}?{query}" if query else address


def steps(current: int, answers: Answers, scenario: str = "", task: str = "") -> tuple[Step, ...]:
    """The four steps; those behind are links that keep every answer."""
    query = clean_query(answers, scenario=scenario, task=task) if task else ""
    names = (_("1 Scenario"), _("2 The work"), _("3 Amount and limits"), _("4 Check"))
    hrefs = (
        reverse("advisor:home"),
        with_query("what", clean_query(answers, drop=("scenario", "task")), scenario=scenario, task=task)
        if task
        else "",
        with_query("amount", query) if task else "",
        "",
    )
    return tuple(
        Step(name, done=index <= current, current=index == current, href=href if index < current else "")
        for index, (name, href) in enumerate(zip(names, hrefs, strict=True), 1)
    )


def chips(scenario: str, task: str, answers: Answers) -> tuple[Chip, ...]:
    """Presets of one task, the one that is filled in marked."""
    said = {name: last(answers, name) for name in answers if last(answers, name)}
    found = []
    for preset in presets_of(scenario):
        if preset.task != task:
            continue
        own = answers_of(preset.workload)
        values = {name: last(own, name) for name in own if name not in ("scenario", "task")}
        query = clean_query(own, drop=("scenario", "task"))
        chosen = bool(values) and all(said.get(name) == value for name, value in values.items())
        found.append(Chip(preset.title, with_query("what", query, scenario=scenario, task=task), chosen))
    return tuple(found)


def model_name(value: object) -> str:
    """A model as people call it."""
    if isinstance(value, Mapping):
        if "parameters_b" in value:
            return _("a model of %(size)s parameters") % {"size": compact(float(value["parameters_b"]) * 1e9)}
        config = value.get("hf_config", {})
        return str(config.get("_name_or_path") or config.get("model_type") or _("your config.json"))[:60]
    row = library().models.get(canonical_slug(str(value), library().models) or "")
    return row["name"].split(" / ")[0] if row else str(value)


def _shape(model: object) -> Shape | None:
    if isinstance(model, Mapping):
        ref = ModelRef(hf_config=model.get("hf_config"), parameters_b=model.get("parameters_b"))
    else:
        slug = canonical_slug(str(model), library().models)
        if slug is None:
            return None
        ref = ModelRef(slug=slug)
    try:
        return shape_of(ref, library().models)
    except (NoShape, KeyError, ValueError):
        return None


def model_note(answers: Answers, reading: Reading | None = None) -> str:
    """What was recognised of a model: its size and build, the weight format its name says; empty where nothing was."""
    return _("; ").join(filter(None, (_recognised(answers), _format_note(answers, reading))))


def _format_note(answers: Answers, reading: Reading | None) -> str:
    """That the name's weight format is taken, where none was chosen."""
    if reading is None or reading.workload is None or last(answers, "weight_format"):
        return ""
    named = reading.workload.get("weight_format")
    if not named:
        return ""
    words = labels.choice_words(reading.workload.scenario, "weight_format", str(named))
    return _("Weights as the name says: %(format)s") % {"format": words.label}


def _recognised(answers: Answers) -> str:
    text = last(answers, "model")
    if not text:
        return ""
    try:
        model = model_json(text)
    except ConfigTextError:
        return ""
    shape = _shape(model)
    if shape is not None and shape.params:
        return _("Recognised: %(size)s parameters, %(layers)s layers, hidden size %(hidden)s") % {
            "size": compact(shape.params),
            "layers": number(shape.layers),
            "hidden": number(shape.hidden),
        }
    row = library().models.get(canonical_slug(text, library().models) or "", {})
    size = row.get("params_b") or row.get("denoiser_params_b")
    if not row:
        return ""
    if not size:
        return _("Recognised: %(name)s") % {"name": row["name"]}
    return _("Recognised: %(name)s, %(size)s parameters") % {"name": row["name"], "size": compact(float(size) * 1e9)}


def near_models(reading: Reading, answers: Answers, path: str) -> tuple[Chip, ...]:
    """Models whose name is near to one nobody knows, each as a link that takes it instead and keeps every other answer."""
    names = next((str(p.values["suggestion"]) for p in reading.problems if p.code == "unknown-model-near"), "")
    rest = {"scenario": last(answers, "scenario"), "task": last(answers, "task")}
    keep = {name: value for name, value in rest.items() if value}
    return tuple(
        Chip(model_name(slug), f"{path}?{clean_query(answers, **keep, model=slug)}", current=False)
        for slug in names.split(", ")
        if slug
    )


def value_text(scenario: str, task: str, name: str, value: object) -> str:
    """An answer as people read it."""
    if name == "model":
        return model_name(value)
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, list | tuple):
        return " × ".join(number(side) for side in value)
    if isinstance(value, int | float):
        field = field_of(scenario, task, name)
        unit = VALUE_UNITS.get(field.unit or "", "") if field else ""
        return f"{compact(float(value))} {unit}" if unit else compact(float(value))
    if isinstance(value, Mapping):
        gpu = library().gpus.get(str(value.get("gpu")))
        return f"{gpu.name if gpu else value.get('gpu')}: {number(value.get('hours', 0))} h"
    return str(labels.choice_words(scenario, name, str(value)).label)


def setting_word(scenario: str, task: str, name: str, value: object) -> str:
    """A setting in a list of several: `batch 8`, `AWQ`, `no FlashAttention`."""
    words = str(labels.SHORT.get(name) or labels.field_words(scenario, task, name).label)
    if value is False or value == "none":
        return _("no %(what)s") % {"what": words}
    if value is True:
        return words
    text = value_text(scenario, task, name, value)
    return text if isinstance(value, str) and name not in OTHER_FORMATS else f"{words} {text}"


def answer_lines(body: Mapping[str, Any], *, links: bool = False) -> tuple[Line, ...]:
    """Every answer of a workload, in the order of the wizard."""
    scenario, task = str(body.get("scenario", "")), str(body.get("task", ""))
    if (scenario, task) not in FIELDS:
        return ()
    query = clean_query(answers_of(body), drop=("scenario", "task"))
    what = with_query("what", query, scenario=scenario, task=task) if links else ""
    amount = with_query("amount", clean_query(answers_of(body))) if links else ""
    job = with_query("scenario", query, scenario=scenario) if links else ""
    lines = [Line(_("Job"), str(labels.TASKS[scenario, task].label), job)]
    if "model" in body:
        lines.append(Line(labels.MODEL, model_name(body["model"]), _at(what, "f-model")))
    for field in FIELDS[scenario, task]:
        if field.name in body:
            words = labels.field_words(scenario, task, field.name)
            text = value_text(scenario, task, field.name, body[field.name])
            lines.append(Line(words.label, text, _at(what, f"f-{field.name}"), technical=not field.common))
    return (*lines, *_use_lines(body, amount), *_limit_lines(body, scenario, amount))


def _at(page: str, anchor: str) -> str:
    return f"{page}#{anchor}" if page else ""


def demand_text(demand: Mapping[str, Any]) -> str:
    """`20M tokens`, `3 epochs of 52,000`."""
    unit = str(labels.UNITS.get(str(demand["unit"]), demand["unit"]))
    text = f"{compact(float(demand['amount']))} {unit}"
    if demand.get("samples"):
        return _("%(amount)s of %(samples)s samples") % {"amount": text, "samples": compact(float(demand["samples"]))}
    return text


def _one(told: str) -> int:
    """What ngettext counts of a figure that was written already: 1.5 is several."""
    return 1 if told == "1" else 2


def schedule_text(schedule: Mapping[str, Any]) -> str:
    """`8 hours a day, 5 days a week, 4 weeks`."""
    said = {key: number(value) for key, value in schedule.items()}
    parts = []
    if "hours_per_day" in said:
        parts.append(
            ngettext("%(n)s hour a day", "%(n)s hours a day", _one(said["hours_per_day"]))
            % {"n": said["hours_per_day"]}
        )
    if "days_per_week" in said:
        parts.append(
            ngettext("%(n)s day a week", "%(n)s days a week", _one(said["days_per_week"]))
            % {"n": said["days_per_week"]}
        )
    if "weeks" in said:
        parts.append(ngettext("%(n)s week", "%(n)s weeks", _one(said["weeks"])) % {"n": said["weeks"]})
    if "starts_per_day" in said:
        parts.append(
            ngettext("started %(n)s time a day", "started %(n)s times a day", _one(said["starts_per_day"]))
            % {"n": said["starts_per_day"]}
        )
    return _(", ").join(parts)


def _use_lines(body: Mapping[str, Any], page: str) -> Iterable[Line]:
    if demand := body.get("demand"):
        yield Line(_("How much"), demand_text(demand), _at(page, "f-amount"))
    if schedule := body.get("schedule"):
        yield Line(_("When"), schedule_text(schedule), _at(page, "f-hours_per_day"))
    if not demand and not schedule:
        yield Line(_("How much"), _("not said: prices per hour"), _at(page, "f-amount"))


def _limit_lines(body: Mapping[str, Any], scenario: str, page: str) -> Iterable[Line]:
    limits: Mapping[str, Any] = body.get("constraints", {})
    for name, value in limits.items():
        if name == "currency":
            continue
        if name == "budget":
            text = money_text(Decimal(str(value)), str(limits.get("currency", "CNY")))
        elif name == "require":
            words = [str(labels.choice_words(scenario, "require", word).label) for word in value]
            text = pgettext("between names", ", ").join(words)
        else:
            text = _limit_text(name, value)
        yield Line(labels.FIELDS[name].label, text, _at(page, f"f-{name}"))
    yield Line(
        _("Priority"),
        str(labels.choice_words(scenario, "priority", str(body.get("priority", "balanced"))).label),
        _at(page, "f-priority"),
    )
    yield Line(
        labels.FIELDS["stage"].label,
        str(labels.choice_words(scenario, "stage", str(body.get("stage", "production"))).label),
        _at(page, "f-stage"),
    )


def _limit_text(name: str, value: Any) -> str:
    if name.endswith("_hours"):
        return ngettext("%(count)s hour", "%(count)s hours", _one(number(value))) % {"count": number(value)}
    if name == "max_gpus":
        return ngettext("%(count)s card", "%(count)s cards", value) % {"count": number(value)}
    if name.endswith("_gib"):
        return f"{number(value)} GiB"
    return number(value) if isinstance(value, int | float) else str(value)


def ladder_cards(catalogue: Catalogue) -> tuple[Gpu, ...]:
    """One card on offer for each memory size, smallest first."""
    offered = dict.fromkeys(offer.gpu for offer in catalogue.offers if offer.count == 1)
    cards = [library().gpus[slug] for slug in offered if slug in library().gpus]
    by_size: dict[float, Gpu] = {}
    for card in sorted(cards, key=lambda one: (one.vram_gb, one.modified, one.slug)):
        by_size.setdefault(card.vram_gb, card)
    return tuple(by_size.values())


def live(reading: Reading, catalogue: Catalogue, *, advice: Recommendation | None = None, marked: bool = False) -> Live:
    """The panel for what was answered so far. `marked`: mistakes are told on the page already."""
    lines = answer_lines(reading.sound)
    workload = reading.workload
    if workload is None:
        return Live(lines, missing=_missing(reading, marked=marked))
    cards = ladder_cards(catalogue)
    if not cards:
        return Live(lines, missing=_("No card is on offer at the moment, so there is nothing to compare with."))
    found = _on_each(workload, cards)
    sized = [(card, answer) for card, answer in found if answer.memory is not None]
    if not sized:
        return Live(
            lines, missing=_("How much memory this takes is not known: say it under the expert fields if you do.")
        )
    return _with_ladder(lines, sized, catalogue, advice)


def _missing(reading: Reading, *, marked: bool) -> str:
    if any(problem.code == "missing-model" for problem in reading.problems):
        return _("Name the model, and the memory it needs stands here.")
    if marked:
        return _("Put right what is marked, and the figures stand here.")
    key = (str(reading.body.get("scenario", "")), str(reading.body.get("task", "")))
    return answer_troubles(reading, *key, answers_of({}), {})[0].text


def _on_each(workload: Workload, cards: Iterable[Gpu]) -> list[tuple[Gpu, Estimate]]:
    prepared = prepare(workload, library())
    return [(card, prepared.on(card, 1, with_evidence=False)) for card in cards]


def _with_ladder(
    lines: tuple[Line, ...], sized: list[tuple[Gpu, Estimate]], catalogue: Catalogue, advice: Recommendation | None
) -> Live:
    fitting = next(((card, answer) for card, answer in sized if answer.fit == "fits"), None)
    card, answer = fitting or sized[-1]
    memory = answer.memory
    assert memory is not None  # only sized estimates come here
    scale = max(card.vram_gb for card, _answer in sized)
    rungs = tuple(
        charts.rung(card.vram_gb, answer.memory.usable_gib, answer.memory, answer.fit, scale)
        for card, answer in sized
        if answer.memory
    )
    names = _names_of_size(card.vram_gb, catalogue) if fitting else ""
    return Live(
        lines,
        need_gib=memory.per_gpu_gib,
        low_gib=memory.low_gib,
        high_gib=memory.high_gib,
        smallest_gb=card.vram_gb if fitting else None,
        smallest_names=names,
        rungs=rungs,
        advice=advice,
    )


def _names_of_size(vram_gb: float, catalogue: Catalogue) -> str:
    offered = dict.fromkeys(offer.gpu for offer in catalogue.offers)
    names = [card_name(slug) for slug in offered if slug in library().gpus and library().gpus[slug].vram_gb == vram_gb]
    return pgettext("between names", ", ").join(names[:FEW_NAMES])
