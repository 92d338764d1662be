"""A few published measurements that compare cards on the same job, so that a page can show what the peak figures do not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

MEASURED_FILE = Path(__file__).parent / "data" / "measured_comparison.json"

GROUPS: Mapping[str, str] = {
    "l-36e5b4c65b": "resnet50-training",
    "l-74ea8117ab": "bert-large-training",
    "g-b58f0e532a": "llama3-8b-generation",
    "g-c951ec4b62": "llama3-8b-prompt",
    "g-0e6291b739": "sd15-generation",
    "g-805be0bba1": "openmm-apoa1",
    "g-0962ca4dcd": "fluidx3d-single",
}
"""Which groups of the measured facts are shown, and the name of the job each one times."""

LABELS = {
    "resnet50-training": (
        _("ResNet-50 training, AMP"),
        pgettext_lazy("unit", "images/s"),
        _("each card at the batch its memory allows"),
    ),
    "bert-large-training": (
        _("BERT-large training, FP16"),
        pgettext_lazy("unit", "sequences/s"),
        _("each card at the batch its memory allows"),
    ),
    "llama3-8b-generation": (
        _("Llama-3-8B generation, Q4_K_M"),
        pgettext_lazy("unit", "tokens/s"),
        _("llama.cpp, one request at a time"),
    ),
    "llama3-8b-prompt": (
        _("Llama-3-8B prompt, Q4_K_M"),
        pgettext_lazy("unit", "tokens/s"),
        _("llama.cpp, prompt of 1,024 tokens"),
    ),
    "sd15-generation": (_("SD 1.5 image, batch 1"), pgettext_lazy("unit", "steps/s"), _("diffusers, 512 × 512, FP16")),
    "openmm-apoa1": (_("OpenMM ApoA1, PME"), pgettext_lazy("unit", "ns/day"), _("molecular dynamics, mixed precision")),
    "fluidx3d-single": (
        _("FluidX3D, FP32"),
        pgettext_lazy("unit", "million cells/s"),
        _("lattice Boltzmann, bound by bandwidth"),
    ),
}

TRAINING = ("resnet50-training", "bert-large-training")


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One job timed on several cards: more is better, one card each. `values` are as published, by slug."""

    job: str
    values: Mapping[str, Decimal]
    source: str
    software: str
    facts: Mapping[str, str]


def comparison_from_facts(lines: list[str]) -> list[dict[str, object]]:
    """The rows of `measured_comparison.json` from the lines of the measured facts: speeds of one card, doubtful ones left out."""
    rows: dict[str, dict[str, object]] = {}
    values: dict[str, dict[str, str]] = {}
    facts: dict[str, dict[str, str]] = {}
    for fact in (json.loads(line, parse_float=Decimal) for line in lines if line.strip()):
        job = GROUPS.get(fact.get("group") or "") or GROUPS.get(fact.get("loose_group") or "")
        usable = fact["metric"] == "speed" and fact["count"] == 1 and fact["quality"] == "measured"
        if not job or not usable or fact.get("doubt") or not fact["gpu"]:
            continue
        rows.setdefault(job, {"job": job, "source": fact["source"], "software": fact.get("software") or ""})
        values.setdefault(job, {})[fact["gpu"]] = str(fact["value"])
        facts.setdefault(job, {})[fact["gpu"]] = fact["id"]
    return [{**rows[job], "values": values[job], "facts": facts[job]} for job in LABELS if job in rows]


@lru_cache(maxsize=1)
def measured_rows() -> tuple[MeasuredRow, ...]:
    """What `data/measured_comparison.json` holds, in the order it is shown."""
    said = json.loads(MEASURED_FILE.read_text(encoding="utf-8"))
    return tuple(
        MeasuredRow(
            job=row["job"],
            values={slug: Decimal(value) for slug, value in row["values"].items()},
            source=row["source"],
            software=row["software"],
            facts=row["facts"],
        )
        for row in said["rows"]
    )
