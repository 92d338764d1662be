"""The result page as plain values: verdict, ranking, charts, what would change it, who was rejected, how we know."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from advisor import charts
from advisor.answers import PARENT, ConfigTextError, answers_of, clean_query, input_of, query_of
from advisor.pages.charts_of import CostCurve, TimeCost, cost_curve, time_cost
from advisor.pages.grounds import Measured, measured_of
from advisor.pages.naming import card_of, named, told
from advisor.pages.ranking import Group, Row, folds, grouped, row_of, scale_ticks
from advisor.pages.what_if import WhatIf, what_if
from advisor.pages.wizard import Line, answer_lines, value_text, with_query
from advisor.recommendation import Advice, Recommendation, Rejection
from advisor.sizing.answer import Note
from advisor.sizing.fields import field_of
from advisor.sizing.workload import Workload
from advisor.templatetags.figures import about_hours, money_text, number, sign
from billing.charts import Tick
from catalog.snapshot import Catalogue


@dataclass(frozen=True, slots=True)
class Change:
    """A line of what would change the answer. `memory`: GiB after it, None where it stays."""

    text: str
    memory: float | None
    answer: str
    total_delta: Decimal | None
    currency: str
    hours_text: str
    href: str


@dataclass(frozen=True, slots=True)
class Rejected:
    """A card that was not chosen."""

    name: str
    slug: str
    fit: str
    reason: str
    more: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Question:
    """What we would ask back of a field; `options`: the answers to choose from, each with the address of its result."""

    text: str
    options: tuple[tuple[str, str], ...] = ()
    field: str = ""


SAID_BY_THE_VERDICT = frozenset({"sample-price", "limits-unmet"})
"""Warnings the verdict itself tells, in its sentence or its tags."""


@dataclass(frozen=True, slots=True)
class ResultPage:
    """Everything the page shows."""

    advice: Recommendation
    key: tuple[Line, ...]
    lead: str
    rows: tuple[Row, ...]
    groups: tuple[Group, ...]
    scale_gib: float
    scale_ticks: tuple[Tick, ...]
    gauge: charts.MemoryBar | None
    gauge_end: float
    time_cost: TimeCost | None
    cost_curve: CostCurve | None
    changes: tuple[Change, ...]
    what_if: WhatIf | None
    rejected: tuple[Rejected, ...]
    unoffered: int
    evidence: tuple[Measured, ...]
    assumptions: tuple[str, ...]
    warnings: tuple[str, ...]
    questions: tuple[Question, ...]
    sizes: tuple[str, ...]
    edit: str
    tell: str
    query: str
    sign: str
    fitting: int

    @property
    def rejected_more(self) -> str | None:
        """What stands against every rejected card besides; None where it stands in each row."""
        return _common([one.more for one in self.rejected])

    @property
    def rejected_remedy(self) -> str | None:
        """What would do for every rejected card; None where it stands in each row."""
        return _common([one.remedy for one in self.rejected])

    @property
    def must_tell(self) -> bool:
        """Whether a question has no answers to choose from."""
        return any(not question.options for question in self.questions)

    @property
    def side_by_side(self) -> str:
        """The address that compares the first three kinds of card; empty where there is one kind only."""
        kinds = list(dict.fromkeys(row.choice.gpu for row in self.rows))[:3]
        return f"{reverse('catalog:compare')}?{urlencode({'cmp': kinds}, doseq=True)}" if len(kinds) > 1 else ""

    @property
    def best(self) -> Row | None:
        """The recommended row."""
        return self.rows[0] if self.rows else None


def lead_of(advice: Recommendation, fitting: int) -> str:
    """The sentence under the verdict: why this one, and what to take instead in a hurry or to save."""
    best = advice.recommended
    if best is None or not best.meets:
        return ""
    parts = []
    if fitting == 1:
        parts.append(_("The only one on offer that surely holds it."))
    elif "cheapest" in best.roles:
        parts.append(_("The cheapest of the %(count)s choices that fit.") % {"count": number(fitting)})
    elif "fastest" in best.roles:
        parts.append(_("The fastest of the %(count)s choices that fit.") % {"count": number(fitting)})
    elif best.meets and best.estimate.fit == "fits":
        parts.append(
            _("The best balance of money and time among the %(count)s choices that fit.") % {"count": number(fitting)}
        )
    other = _alternative(advice)
    if other:
        parts.append(other)
    return "".join(text if text.endswith("。") else f"{text} " for text in parts).strip()


def _alternative(advice: Recommendation) -> str:
    best = advice.recommended
    hours = best.span_hours if best else None
    if best is None or hours is None:
        return ""
    others = [
        one for one in advice.choices if one.span_hours and one.meets and one.estimate.fit == "fits" and one is not best
    ]
    faster = [one for one in others if one.span_hours is not None and one.span_hours < 0.9 * hours]
    if faster:
        one = min(faster, key=lambda choice: (choice.total, choice.span_hours))
        more = one.total - best.total
        values = {"card": named(one.gpu, one.count), "time": about_hours(hours - (one.span_hours or 0.0))}
        if more <= 0:
            return _("In a hurry, take %(card)s: done about %(time)s sooner.") % values
        return _("In a hurry, take %(card)s: %(money)s more, done about %(time)s sooner.") % {
            **values, "money": money_text(more, best.currency)}  # fmt: skip
    cheaper = [one for one in others if one.total < best.total]
    if cheaper:
        one = min(cheaper, key=lambda choice: choice.total)
        later = (one.span_hours or 0.0) - hours
        return _("To save, take %(card)s: %(money)s less, about %(time)s later.") % {
            "card": named(one.gpu, one.count),
            "money": money_text(best.total - one.total, best.currency),
            "time": about_hours(max(later, 0.0)),
        }
    return ""


def change_of(advice: Advice, currency: str) -> Change:
    """A line of what would change the answer."""
    href = ""
    if advice.workload is not None:
        try:
            href = with_query("result", query_of(advice.workload))
        except ConfigTextError:
            href = ""
    hours = told(advice.outcome) if advice.outcome and advice.total_delta is None and advice.hours_delta is None else ""
    if advice.hours_delta is not None and abs(advice.hours_delta) >= 0.05:
        shown = about_hours(abs(advice.hours_delta))
        hours = (_("about %(time)s later") if advice.hours_delta > 0 else _("about %(time)s sooner")) % {"time": shown}
    elif advice.speed_ratio is not None and abs(advice.speed_ratio - 1) >= 0.03:
        hours = _("%(times)s times the speed") % {"times": number(round(advice.speed_ratio, 2))}
    return Change(
        text=told(advice.note),
        memory=round(advice.memory_gib, 1) if advice.memory_gib is not None and advice.memory_saved_gib != 0 else None,
        answer=named(advice.gpu, advice.count or 1) if advice.gpu else "",
        total_delta=advice.total_delta or None,
        currency=advice.currency or currency,
        hours_text=hours,
        href=href,
    )


def _common(texts: Sequence[str]) -> str | None:
    """The one text (or emptiness) that all lines share; None where they differ, or where a single line says something."""
    return None if len(set(texts)) != 1 or (len(texts) == 1 and texts[0]) else texts[0]


def rejected_of(rejection: Rejection) -> Rejected:
    """A rejected card with its deciding reason first."""
    first = rejection.reasons[0] if rejection.reasons else Note("not-offered")
    fit = "does_not_fit" if first.code in ("does-not-fit", "does-not-run") else ""
    more = [told(note) for note in rejection.reasons[1:2] if note.code != "sample-price"]
    return Rejected(
        name=named(rejection.gpu, rejection.count),
        slug=rejection.gpu,
        fit=fit,
        reason=told(first),
        more=_("; ").join(more),
        remedy=told(rejection.remedy) if rejection.remedy else "",
    )


def result_page(advice: Recommendation, workload: Workload, catalogue: Catalogue) -> ResultPage:
    """The whole page for one recommendation."""
    basis = advice.basis.kind
    body = workload.to_dict()
    memories = [choice.estimate.memory for choice in advice.choices if choice.estimate.memory]
    sizes = [card.vram_gb for choice in advice.choices if (card := card_of(choice.gpu))]
    scale = charts.scale_of(sizes, (memory.high_gib for memory in memories))
    rows = tuple(
        row
        for choice, folded in zip(advice.choices, folds(advice.choices), strict=True)
        if (row := row_of(choice, basis, body, scale, folded))
    )
    best = rows[0] if rows else None
    gauge, gauge_end = None, 0.0
    if best and best.choice.estimate.memory:
        memory = best.choice.estimate.memory
        gauge_end = max(best.card.vram_gb, min(memory.high_gib, 1.4 * best.card.vram_gb))
        gauge = charts.memory_bar(memory, best.card.vram_gb, gauge_end, ticks=True)
    fitting = sum(1 for choice in advice.choices if choice.estimate.fit == "fits" and choice.meets)
    shown_rejected = [one for one in advice.rejected if not _unoffered(one)]
    query = query_of(workload)
    questions = questions_of(advice.questions, workload)
    return ResultPage(
        advice=advice,
        key=answer_lines(body),
        lead=lead_of(advice, fitting),
        rows=rows,
        groups=grouped(rows),
        scale_gib=scale,
        scale_ticks=scale_ticks(scale),
        gauge=gauge,
        gauge_end=round(gauge_end, 1),
        time_cost=time_cost(advice, catalogue),
        cost_curve=cost_curve(best.choice) if best else None,
        changes=tuple(change_of(one, advice.currency) for one in advice.advice),
        what_if=what_if(workload, advice),
        rejected=tuple(rejected_of(one) for one in shown_rejected),
        unoffered=len(advice.rejected) - len(shown_rejected),
        evidence=tuple(
            measured_of(one, workload.scenario, workload.task)
            for one in (best.choice.estimate.evidence if best else ())
        ),
        assumptions=tuple(dict.fromkeys(told(note) for note in advice.assumptions)),
        warnings=tuple(told(note) for note in advice.warnings if note.code not in SAID_BY_THE_VERDICT),
        questions=questions,
        sizes=_sizes(advice) if best is None else (),
        edit=with_query("check", query),
        tell=_tell(questions, workload),
        query=query,
        sign=sign(advice.currency),
        fitting=fitting,
    )


MOST_OPTIONS = 8


def questions_of(notes: Sequence[Note], workload: Workload) -> tuple[Question, ...]:
    """What we would ask back; a plain call to name the software only where nothing better asks for it."""
    found = [(note, _question(note, workload)) for note in notes]
    better = any(question.options for note, question in found if note.code != "software-open")
    return tuple(question for note, question in found if note.code != "software-open" or not better)


def _question(note: Note, workload: Workload) -> Question:
    """A question; each answer it names, or each one there is if few, leads to its result."""
    lists = {key: str(note.values[key]).split(", ") for key in ("values", "cases") if note.values.get(key)}
    text = told(replace(note, values={**note.values, **{key: _(", ").join(names) for key, names in lists.items()}}))
    field = field_of(workload.scenario, workload.task, note.field) if note.field else None
    if field is None:
        return Question(text, field=note.field or "")
    names = lists.get("values") or (field.choices if len(field.choices) <= MOST_OPTIONS else ())
    body = workload.to_dict()
    return Question(
        text,
        tuple(
            (
                value_text(workload.scenario, workload.task, field.name, name),
                with_query("result", query_of({**body, field.name: name})),
            )
            for name in names
        ),
        field.name,
    )


def _tell(questions: Sequence[Question], workload: Workload) -> str:
    """Where the first question without answers to choose from is answered: its field, on the step that asks it."""
    name = input_of(next((one.field for one in questions if not one.options), ""))
    answers = answers_of(workload.to_dict())
    if field_of(workload.scenario, workload.task, name) is None:
        return f"{with_query('amount', clean_query(answers))}#f-{name if name in PARENT else 'amount'}"
    inner = clean_query(answers, drop=("scenario", "task"))
    return f"{with_query('what', inner, scenario=workload.scenario, task=workload.task)}#f-{name}"


def _sizes(advice: Recommendation) -> tuple[str, ...]:
    """What the job needs on cards that fit but cannot be had: said where nothing can be recommended."""
    found = []
    for one in advice.rejected:
        memory = one.estimate.memory if one.estimate else None
        if memory is None or one.estimate is None or one.estimate.fit == "does_not_fit":
            continue
        found.append(
            _("%(card)s would hold it: %(need)s of %(usable)s GiB usable")
            % {
                "card": named(one.gpu, one.count),
                "need": number(memory.per_gpu_gib, 1),
                "usable": number(memory.usable_gib, 1),
            }
        )
    return tuple(found[:5])


def _unoffered(rejection: Rejection) -> bool:
    return bool(rejection.reasons) and rejection.reasons[0].code in ("not-offered", "no-spec")
