"""Bodies of the API in and out: the contract's questions read strictly, answers worded in the reader's language."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from advisor.presets import Preset
from advisor.questions import MOST_WORK, STARTS_A_PIECE
from advisor.sentences import problem_sentence
from advisor.sizing.fields import CURRENCIES
from advisor.sizing.problems import Problem, WorkloadError, shown
from billing.problems import Problems
from catalog.queries import currencies_on_sale

__all__ = ["MOST_QUESTIONS", "Problems", "model_detail", "model_line", "preset_line", "problem_dict", "problems_of"]

MOST_QUESTIONS = 100
DEFAULT_CURRENCY = "CNY"

type Row = Mapping[str, str]


def problem_dict(problem: Problem) -> dict[str, Any]:
    """One thing wrong: path, code, sentence, and where they help what is allowed and the nearest spelling."""
    told: dict[str, Any] = {"path": problem.path, "code": problem.code, "message": problem_sentence(problem)}
    if "allowed" in problem.values:
        told["allowed"] = str(problem.values["allowed"]).split(", ")
    if problem.values.get("suggestion"):
        told["suggestion"] = str(problem.values["suggestion"]).split(", ")
    return told


def problems_of(error: WorkloadError, under: str = "workload") -> list[dict[str, Any]]:
    """Everything wrong with a workload. Paths are those inside the workload; `under` names it where the whole of it is meant."""
    return [problem_dict(problem) for problem in error.problems]


def bad_list(count: int) -> Problems:
    """A list of questions that is empty or too long."""
    message = _("A list holds 1 to %(most)d questions.") % {"most": MOST_QUESTIONS}
    return Problems([{"path": "", "code": "too-many" if count else "empty", "message": message}])


def too_much_work(pieces: Sequence[int]) -> Problems:
    """A list whose questions take longer than one request may; where one schedule is the heaviest, it is named."""
    heaviest = max(pieces)
    message = _(
        "Too much work in one request: %(count)d pieces, at most %(maximum)d. A question is one piece, and one more for "
        "every %(starts)d starts of its schedule. Send the list in smaller parts, or shorten the schedules."
    ) % {"count": sum(pieces), "maximum": MOST_WORK, "starts": STARTS_A_PIECE}
    path = f"[{pieces.index(heaviest)}].workload.schedule" if heaviest > 1 else ""
    return Problems([{"path": path, "code": "too-much-work", "message": message}])


def bad_currency(asked: str, allowed: list[str]) -> Problems:
    """A currency in which nothing is priced."""
    message = _("Nothing is priced in %(asked)s. Currencies with prices: %(allowed)s.") % {
        "asked": shown(asked),
        "allowed": ", ".join(allowed) or "-",
    }
    return Problems([{"path": "currency", "code": "no-prices", "message": message, "allowed": allowed}])


def priced_currency(asked: str) -> str:
    """The currency asked for, CNY where none is named. Raises Problems where nothing is priced in it."""
    asked = asked.upper() or DEFAULT_CURRENCY
    on_sale = currencies_on_sale()
    if asked not in on_sale and (asked not in CURRENCIES or on_sale):
        raise bad_currency(asked, on_sale)
    return asked


def preset_line(preset: Preset) -> dict[str, Any]:
    """A common workload as the API lists it."""
    return {
        "slug": preset.slug,
        "title": str(preset.title),
        "scenario": preset.scenario,
        "task": preset.task,
        "workload": dict(preset.workload),
    }


def _number(text: str | None) -> float | None:
    try:
        return float(text or "")
    except ValueError:
        return None


def model_line(slug: str, row: Row) -> dict[str, Any]:
    """A model of the library as the API lists it. Parameters in 1e9."""
    scenario, _space, kind = row["scenario"].partition(" ")
    return {
        "slug": slug,
        "name": row["name"],
        "scenario": scenario,
        "kind": kind.strip("()") or None,
        "parameters_b": _number(row.get("params_b")),
        "active_parameters_b": _number(row.get("active_params_b")),
        "max_context": _number(row.get("max_context")),
    }


SHAPE_COLUMNS = [
    "layers",
    "hidden_size",
    "intermediate_size",
    "heads",
    "kv_heads",
    "head_dim",
    "vocab",
    "kv_cache_bytes_per_token_16bit",
    "denoiser_params_b",
    "text_encoder_params_b",
    "vae_params_b",
    "other_params_b",
]


def model_detail(slug: str, row: Row) -> dict[str, Any]:
    """A model with its shape, licence and source; null where nobody knows."""
    shape = {name: _number(row.get(name)) if row.get(name) else None for name in SHAPE_COLUMNS}
    words = {name: row.get(name) or None for name in ("attention_kind", "license", "source")}
    return {**model_line(slug, row), "shape": shape, **words}
