"""Pages of evidence: accuracy, models, measurements of a card. Read-only, from the project's data files."""

import csv
import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from advisor.library import DATA, library
from advisor.pages.wizard import model_name, setting_word, with_query
from advisor.plots import Scatter, scatter
from advisor.sizing.estimate import shared_of
from advisor.sizing.evidence import ASIDE, Fact
from advisor.sizing.fields import TASKS
from advisor.sources import address_of
from catalog.cards import cards_of
from catalog.forms import DEFAULT_CURRENCY
from catalog.queries import current_catalogue

FEWEST_DRAWN = 20
"""Measurements of one unit below which a chart shows nothing a table would not."""
ROWS = 60
"""Measurements of memory, and as many of speed, on one page."""

TARGET_NAMES: Mapping[str, Promise] = {
    "memory: LLM inference": _("Memory: LLM inference"),
    "memory: LoRA and QLoRA": _("Memory: LoRA and QLoRA training"),
    "memory: full training": _("Memory: full training"),
    "memory: image and video generation": _("Memory: image and video generation"),
    "memory: image and video training": _("Memory: image and video training"),
    "memory: speech": _("Memory: speech"),
    "memory: vision": _("Memory: vision"),
    "speed: LLM decode": _("Speed: LLM generation"),
    "speed: LLM training, one card": _("Speed: LLM training on one card"),
    "speed: LLM training, several cards": _("Speed: LLM training on several cards"),
}
TRANSFER_NAMES: Mapping[str, Promise] = {
    "video": _("Video generation"),
    "image": _("Image generation"),
    "vision": _("Vision"),
    "speech": _("Speech"),
    "llm inference": _("LLM inference"),
    "llm training": _("LLM training"),
    "small molecular dynamics": _("Molecular dynamics, up to 30,000 atoms"),
    "big molecular dynamics": _("Molecular dynamics, larger"),
    "lattice Boltzmann": _("Lattice Boltzmann flow"),
}
SCENARIO_NAMES: Mapping[str, Promise] = {
    "llm": _("Language models"),
    "aigc": _("Images and video"),
    "speech": _("Speech"),
    "vision": _("Vision"),
    "science": _("Simulation"),
}
TASK_NAMES: Mapping[str, Promise] = {
    "inference": _("inference"),
    "training": _("training"),
    "image-generation": _("image generation"),
    "image-editing": _("image editing"),
    "video-generation": _("video generation"),
    "image-training": _("image training"),
    "video-training": _("video training"),
    "transcription": _("transcription"),
    "speech-synthesis": _("speech synthesis"),
    "simulation": _("simulation"),
    "structure-prediction": _("structure prediction"),
}
METRIC_NAMES: Mapping[str, Promise] = {"memory": _("memory"), "speed": _("speed")}
TIER_NAMES: Mapping[str, Promise] = {
    "anchored": _("the same work was measured"),
    "known-stack": _("software and model were measured"),
    "new-model": _("software measured, model new"),
    "unknown-stack": _("software not measured"),
}
LINK_NAMES: Mapping[str, Promise] = {"nvlink": _("NVLink"), "pcie": _("PCIe")}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the accuracy tables, ready to show; None where the judgement has no facts."""

    name: str
    facts: int
    sources: int
    median: float
    p90: float
    coverage: float | None


@dataclass(frozen=True, slots=True)
class Pair:
    """The same line under both judgements."""

    name: str
    fact: Row | None
    source: Row | None


@dataclass(frozen=True, slots=True)
class Shown:
    """A measurement as the tables show it."""

    id: str
    what: str
    model: str
    name: str
    gpu: str
    gpu_slug: str | None
    count: int
    task: str
    value: float
    unit: str
    bound: str | None
    software: str
    source: str
    address: str | None


@lru_cache(maxsize=1)
def accuracy_data() -> Mapping[str, Any]:
    """What `manage.py validate_sizing --write` found; empty where it never ran."""
    path = DATA / "accuracy.json"
    found: Mapping[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found


def _row(line: Mapping[str, Any], name: str) -> Row:
    coverage = line["coverage"]
    return Row(
        name=name,
        facts=line["facts"],
        sources=line["sources"],
        median=100 * line["median"],
        p90=100 * line["p90"],
        coverage=None if coverage is None else 100 * coverage,
    )


def _pairs(data: Mapping[str, Any], table: str, names: Mapping[str, str]) -> list[Pair]:
    by_mode = {mode: {line["name"]: line for line in data["modes"][mode][table]} for mode in ("fact", "source")}
    found = []
    for name, title in names.items():
        fact, source = (by_mode[mode].get(name) for mode in ("fact", "source"))
        if fact or source:
            found.append(Pair(title, fact and _row(fact, title), source and _row(source, title)))
    return found


def _task_names(data: Mapping[str, Any]) -> dict[str, str]:
    names = {}
    for line in data["modes"]["fact"]["tasks"]:
        scenario, task, metric = line["name"].split(" / ")
        names[line["name"]] = f"{SCENARIO_NAMES[scenario]} · {TASK_NAMES[task]} · {METRIC_NAMES[metric]}"
    return names


def _tier_names(data: Mapping[str, Any]) -> dict[str, str]:
    names = {}
    for mode in ("fact", "source"):
        for line in data["modes"][mode]["tiers"]:
            metric, tier = line["name"].split(" / ")
            names[line["name"]] = f"{METRIC_NAMES[metric]} · {TIER_NAMES[tier]}"
    return names


def _scaling_rows(data: Mapping[str, Any]) -> list[Row]:
    rows = []
    for line in data["scaling"]:
        link, count = line["name"].split(" x")
        rows.append(_row(line, f"{LINK_NAMES.get(link, link)} × {count}"))
    return rows


def _charts(points: Iterable[Mapping[str, Any]]) -> list[Scatter]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = defaultdict(list)
    for point in points:
        groups[point["metric"], point["unit"]].append(point)
    order = sorted(groups, key=lambda key: (key[0] != "memory", -len(groups[key])))
    drawn = (scatter(*key, groups[key]) for key in order if len(groups[key]) >= FEWEST_DRAWN)
    return [chart for chart in drawn if chart]


def _ranking(data: Mapping[str, Any], mode: str) -> dict[str, Any]:
    pairs = data["modes"][mode]["ranking"].values()
    right, tried = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
    return {"right": right, "pairs": tried, "share": 100 * right / tried if tried else None}


def _worst(data: Mapping[str, Any], mode: str) -> list[dict[str, Any]]:
    gpus = library().gpus
    return [
        {
            **one,
            "error": 100 * one["error"],
            "model": model_name(one["model"]) if one["model"] else "",
            "task": TASK_NAMES.get(one["task"], one["task"]),
            "gpu": gpus[one["gpu"]].name if one["gpu"] in gpus else one["gpu"],
            "tier": TIER_NAMES[one["tier"]],
            "address": address_of(one["source"]),
        }
        for one in data["modes"][mode]["worst"]
    ]


@require_safe
def accuracy(request: HttpRequest) -> HttpResponse:
    """How far off the answers are, on measurements they were not allowed to see."""
    data = accuracy_data()
    if not data:
        return render(request, "advisor/accuracy.html", {"nav": "accuracy", "data": None})
    context = {
        "nav": "accuracy",
        "data": data,
        "facts": len(data["points"]),
        "all": len(shared_of(library()).index.facts),
        "sources": len({point["source"].split("@")[0] for point in data["points"]}),
        "targets": _pairs(data, "targets", {name: str(title) for name, title in TARGET_NAMES.items()}),
        "tasks": _pairs(data, "tasks", _task_names(data)),
        "tiers": _pairs(data, "tiers", _tier_names(data)),
        "transfer": [_row(line, str(TRANSFER_NAMES.get(line["name"], line["name"]))) for line in data["transfer"]],
        "scaling": _scaling_rows(data),
        "ranking": {mode: _ranking(data, mode) for mode in ("fact", "source")},
        "false_fits": {mode: data["modes"][mode]["false_fits"] for mode in ("fact", "source")},
        "worst": {mode: _worst(data, mode) for mode in ("fact", "source")},
        "charts": _charts(data["points"]),
    }
    return render(request, "advisor/accuracy.html", context)


@require_safe
def accuracy_csv(request: HttpRequest) -> HttpResponse:
    """Every measurement beside its prediction, as a table for other programs."""
    points: Sequence[Mapping[str, Any]] = accuracy_data().get("points", ())
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="accuracy.csv"'
    if points:
        writer = csv.DictWriter(response, fieldnames=list(points[0]))
        writer.writeheader()
        writer.writerows(points)
    return response


def _what(fact: Fact) -> str:
    told = (
        setting_word(*fact.scenario_task, name, value)
        for name, value in fact.workload.items()
        if name not in ASIDE | {"model"} and value is not None
    )
    return _(" · ").join(told)


def _shown(fact: Fact) -> Shown:
    gpu = library().gpus.get(fact.gpu or "")
    return Shown(
        id=fact.id,
        what=_what(fact),
        model=fact.model or "",
        name=model_name(fact.model) if fact.model else "",
        gpu=gpu.name if gpu else (fact.gpu or ""),
        gpu_slug=fact.gpu,
        count=fact.count,
        task=str(TASK_NAMES.get(fact.workload["task"], fact.workload["task"])),
        value=fact.value,
        unit=fact.unit,
        bound=fact.bound,
        software=fact.software,
        source=fact.source,
        address=address_of(fact.source),
    )


def _measured() -> tuple[Fact, ...]:
    return tuple(fact for fact in shared_of(library()).index.facts if fact.usable_for)


def _tables(facts: Iterable[Fact], wanted: str) -> dict[str, Any]:
    """One page of both tables, memory and speed apart, each ordered by task, model, card and count."""
    ordered = sorted(
        facts, key=lambda fact: (fact.scenario_task, fact.model or "", fact.gpu or "", fact.count, fact.id)
    )
    lists = {metric: [fact for fact in ordered if fact.metric == metric] for metric in ("memory", "speed")}
    last = max(1, *(math.ceil(len(found) / ROWS) for found in lists.values()))
    page = min(int(wanted), last) if re.fullmatch(r"[1-9]\d{0,5}", wanted) else 1
    rows = slice((page - 1) * ROWS, page * ROWS)
    shown = {metric: [_shown(fact) for fact in found[rows]] for metric, found in lists.items()}
    return {"tables": shown, "page": page, "pages": range(1, last + 1)}


@require_safe
def models(request: HttpRequest) -> HttpResponse:
    """Every model of the library with how much was measured of it."""
    counts: dict[str, int] = defaultdict(int)
    for fact in _measured():
        counts[fact.model or ""] += 1
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for slug, row in library().models.items():
        scenario = (row.get("scenario") or "").split(" ")[0]
        params_b = row.get("params_b") or row.get("denoiser_params_b")
        groups[scenario].append({"slug": slug, "row": row, "params_b": params_b, "facts": counts.get(slug, 0)})
    context = {"nav": "models", "groups": [(str(SCENARIO_NAMES.get(key, key)), rows) for key, rows in groups.items()]}
    return render(request, "advisor/models.html", context)


@require_safe
def model(request: HttpRequest, slug: str) -> HttpResponse:
    """What is known of a model: its shape and every measurement of it."""
    row = library().models.get(slug)
    facts = [fact for fact in _measured() if fact.model == slug]
    if row is None and not facts:
        raise Http404
    context = {
        "nav": "models",
        "slug": slug,
        "row": row,
        "name": (row or {}).get("name") or slug,
        "choose": _choose(slug, row) if row else "",
        "facts": len(facts),
        **_tables(facts, request.GET.get("page", "")),
    }
    return render(request, "advisor/model.html", context)


def _choose(slug: str, row: Mapping[str, str]) -> str:
    """Where the advisor begins with this model; empty for what it is not asked about by name."""
    scenario = (row.get("scenario") or "").split(" ")[0]
    if scenario not in TASKS or scenario == "science":
        return ""
    return with_query("scenario", urlencode({"model": slug}), scenario=scenario)


@require_safe
def card(request: HttpRequest, slug: str) -> HttpResponse:
    """Every measurement taken on a card kind."""
    gpu = library().gpus.get(slug)
    if gpu is None:
        raise Http404
    facts = [fact for fact in _measured() if fact.gpu == slug]
    described = any(one.slug == slug for one in cards_of(current_catalogue(DEFAULT_CURRENCY)))
    context = {
        "nav": "cards",
        "gpu": gpu,
        "card_url": reverse("catalog:card", args=[slug]) if described else "",
        "facts": len(facts),
        **_tables(facts, request.GET.get("page", "")),
    }
    return render(request, "advisor/card_evidence.html", context)
