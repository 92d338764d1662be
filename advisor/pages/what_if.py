"""What if: other answers tried beside the result they came from, on its cards and then at their own best."""

from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from advisor.answers import query_of
from advisor.pages.naming import card_of, named
from advisor.pages.ranking import MemoryFigures, memory_figures
from advisor.pages.sensitivity import Held, Multiples, multiples, on_held
from advisor.pages.wizard import Line, answer_lines, with_query
from advisor.recommendation import Choice, Recommendation
from advisor.sizing.workload import Workload
from advisor.templatetags.figures import about_hours


@dataclass(frozen=True, slots=True)
class Trial:
    """Answers on trial. `fit`, `memory`: on the first result's cards. `more_money`, `more_time`: their own best against that result."""

    changes: tuple[Line, ...]
    held_name: str
    fit: str
    memory: MemoryFigures | None
    advice: Recommendation
    more_money: Decimal | None
    more_time: str
    href: str

    @property
    def choice(self) -> Choice | None:
        """What is recommended now."""
        return self.advice.recommended

    @property
    def name(self) -> str:
        """Its cards; empty where nothing is recommended."""
        return named(self.choice.gpu, self.choice.count) if self.choice else ""


@dataclass(frozen=True, slots=True)
class WhatIf:
    """The small multiples of a result. `first`: its own address; `trial`: what other answers do, none while they are its own."""

    multiples: Multiples
    held_name: str
    usable_gib: float
    first: str
    trial: Trial | None = None


def what_if(workload: Workload, advice: Recommendation) -> WhatIf | None:
    """The multiples of a result on its own recommended cards; None where it has none to show."""
    found = _held(advice)
    if found is None:
        return None
    best, held = found
    several = multiples(workload, held)
    if not several:
        return None
    first = with_query("result", query_of(workload))
    return WhatIf(several, named(best.gpu, best.count), round(held.card.usable_gib, 1), first)


def tried(workload: Workload, advice: Recommendation, first: Workload, first_advice: Recommendation) -> WhatIf | None:
    """The multiples of other answers on the first result's cards, and what becomes of the recommendation."""
    found = _held(first_advice)
    if found is None:
        return None
    best, held = found
    before = {(str(line.label), line.value) for line in answer_lines(first.to_dict())}
    lines = answer_lines(workload.to_dict())
    estimate = on_held(workload.to_dict(), held)
    new = advice.recommended
    trial = Trial(
        changes=tuple(line for line in lines if (str(line.label), line.value) not in before),
        held_name=named(best.gpu, best.count),
        fit=estimate.fit,
        memory=memory_figures(estimate.memory, held.card) if estimate.memory else None,
        advice=advice,
        more_money=new.total - best.total if new and new.currency == best.currency else None,
        more_time=_more_time(new, best),
        href=with_query("result", query_of(workload)),
    )
    return WhatIf(
        multiples=multiples(workload, held, first),
        held_name=trial.held_name,
        usable_gib=round(held.card.usable_gib, 1),
        first=with_query("result", query_of(first)),
        trial=trial if trial.changes else None,
    )


def _held(advice: Recommendation) -> tuple[Choice, Held] | None:
    best = advice.recommended
    card = card_of(best.gpu) if best else None
    return (best, Held(card, best.count, best.estimate.spread)) if best and card else None


def _more_time(new: Choice | None, old: Choice) -> str:
    """`about 3 hours later`; empty where the time is unknown or stays."""
    if new is None or new.span_hours is None or old.span_hours is None:
        return ""
    hours = new.span_hours - old.span_hours
    if abs(hours) < 0.05:
        return ""
    words = _("about %(time)s later") if hours > 0 else _("about %(time)s sooner")
    return words % {"time": about_hours(abs(hours))}
