"""Which card: every offer sized and priced for one job, ranked with reasons. Pure: workload, catalogue, library and clock come in.

The order of the guide: memory decides whether a card is a choice at all, then speed and money decide which; limits of the customer
come before both. A tight fit is shown, but never before one that fits.
"""

import math
import operator
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal

from advisor import reasons
from advisor.advice import advise
from advisor.costs import Usages
from advisor.recommendation import (
    Advice,
    Basis,
    Choice,
    Recommendation,
    Rejection,
    Role,
    to_dict,
)
from advisor.sizing import estimate as sizing
from advisor.sizing.answer import Estimate, Note, Value
from advisor.sizing.estimate import prepare
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library
from advisor.sizing.workload import Workload
from advisor.survey import (
    Candidate,
    CardSurvey,
    Prepared,
    Survey,
    Turned,
    breach,
    has_fast_fp64,
    least_possible,
    plain_name,
    with_whole_bill,
)
from catalog.snapshot import Catalogue

__all__ = ["SIZING_VERSION", "Recommendation", "recommend", "to_dict"]

SIZING_VERSION = "4"
"""Grows whenever the same question may get another answer: stored tables of an older one are not current."""

JOB_TIME_WEIGHT = 0.25
"""Balanced, length of the job known: twice the speed is worth 2 ** 0.25 = 19 % more money."""
RENTED_TIME_WEIGHT = 0.5
"""Balanced, a service paid by the hour: twice the speed is worth a 41 % higher hourly price, for half the hours may be idle ones."""
BATCH_TIME_WEIGHT = 0.75
"""Balanced, batch work of unknown amount: twice the speed is worth a 68 % higher hourly price, for most hours are worked."""
SAME_SPEED = 0.03
"""Speeds this close count as the same when the fastest is asked for: the cheaper one wins."""
MODIFIED_PENALTY = math.log(1.08)
"""A card without a maker's specification must be so much cheaper to be recommended before one that has it."""
NO_ECC_PENALTY = math.log(1.5)
"""The same for a run whose result must stand on a card without error correction."""
SLOW_FP64_PENALTY = math.log(3)
"""The same for double precision on a card that is not made for it, beside its lower speed."""
NO_SPEED_PENALTY = math.log(2)
"""The same for a card whose speed nobody knows."""
OF_THE_QUESTION = frozenset({"context-over-model", "model-of-other-task", "no-vision-tower", "not-used"})
"""Remarks of the sizing core that are about the question, whatever the card: said before the ranking."""
MORE_CARDS_PENALTY = math.log(1.08)
"""The same for each doubling of the cards: splitting is set up, tested and waited for, and how far it scales is the least sure figure."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """How candidates of one job are compared."""

    workload: Workload
    basis: Basis

    @property
    def priority(self) -> str:
        return self.workload.priority

    def key(self, one: Candidate) -> tuple[bool, bool, float, Decimal, int, str]:
        """Sort key, best first."""
        return self._key(one, self.score(one))

    def _key(self, one: Candidate, score: float) -> tuple[bool, bool, float, Decimal, int, str]:
        tight = one.estimate.fit != "fits" or reasons.host_falls_short(one)
        return (bool(one.failures), tight, score, one.total, one.offer.count, one.offer.sku)

    def score(self, one: Candidate) -> float:
        """Lower is better: logarithms of money and time by priority, plus what is held against a card."""
        money, pace = math.log(max(float(one.total), 1e-9)), self._pace(one)
        match self.priority:
            case "fastest":
                return -round((pace or 0.0) / SAME_SPEED) * SAME_SPEED if pace is not None else math.inf
            case "cheapest":
                return money - pace if self._per_work and pace is not None else money
            case _:
                return money - self._time_weight * (pace or 0.0) + self._held_against(one)

    def _pace(self, one: Candidate) -> float | None:
        rate = one.rate
        return None if rate is None else math.log(rate)

    @property
    def _time_weight(self) -> float:
        if self.basis.kind.startswith("job"):
            return JOB_TIME_WEIGHT
        return BATCH_TIME_WEIGHT if self._per_work else RENTED_TIME_WEIGHT

    @property
    def _per_work(self) -> bool:
        """Whether an hour's price says nothing without the work done in it: batch work whose amount was not told."""
        serving = (self.workload.scenario == "llm" and self.workload.task == "inference") or self.workload.get(
            "streams"
        )
        return self.basis.kind == "hour" and not serving

    def _held_against(self, one: Candidate) -> float:
        held = _for_cards(one)
        if one.gpu.modified:
            held += MODIFIED_PENALTY
        if not one.gpu.ecc and reasons.wants_ecc(self.workload, one.hours):
            held += NO_ECC_PENALTY
        if reasons.double_precision(self.workload) and not has_fast_fp64(one.gpu):
            held += SLOW_FP64_PENALTY
        if one.rate is None:
            held += NO_SPEED_PENALTY
        return held

    def spared(self, shown: Sequence[Candidate]) -> Candidate | None:
        """Of the choices, best first, the one with more cards that would be first if cards were not counted; None if it is first anyway."""
        if self.priority != "balanced" or not shown or shown[0].failures:
            return None
        rival = min(shown, key=lambda one: self._key(one, self.score(one) - _for_cards(one)))
        return rival if rival.offer.count > shown[0].offer.count else None


def _for_cards(one: Candidate) -> float:
    """What is held against the number of cards."""
    return MORE_CARDS_PENALTY * math.log2(one.offer.count)


def recommend(workload: Workload, catalogue: Catalogue, library: Library, now: datetime) -> Recommendation:
    """Ranks every offer of the catalogue for a workload.

    `now`: the moment use begins. Raises nothing for a checked workload: an impossible job is answered with why and what would do.
    """
    start = Usages(workload, now)
    weighed = _weigh(workload, prepare(workload, library), catalogue, library, start)
    cards, shown, ranking, usages = weighed.cards, weighed.shown, weighed.ranking, weighed.survey.usages

    def recommend_for(other: Workload) -> Candidate | None:
        """What is recommended where only fields of the workload changed: the calendar stays."""
        found = _weigh(other, _Bare(prepare(other, library)), catalogue, library, start).shown
        return found[0] if found else None

    choices = tuple(_choices(shown, workload, ranking.spared(shown)))
    advice: tuple[Advice, ...] = advise(weighed.survey, shown[0] if shown else None, cards, recommend_for)
    return Recommendation(
        workload=workload.to_dict(),
        basis=usages.basis,
        choices=choices,
        rejected=tuple(_rejections(cards, shown, workload)),
        advice=advice,
        warnings=tuple(_warnings(workload, catalogue, cards, shown, choices, usages)),
        questions=(*_questions(workload, usages), *_asked_back(weighed.survey, shown, cards)),
        assumptions=(
            *usages.assumptions,
            *_terms(shown, catalogue),
            *(choices[0].estimate.assumptions if choices else _any_assumptions(cards)),
        ),
        currency=catalogue.currency,
        catalogue_version=catalogue.version,
        catalogue_as_of=catalogue.as_of,
        is_sample=catalogue.is_sample,
        sizing_version=SIZING_VERSION,
    )


@dataclass(frozen=True, slots=True)
class _Weighed:
    """A workload held against every offer: what was found of each card kind, and the candidates to show, best first."""

    survey: Survey
    cards: Sequence[CardSurvey]
    ranking: _Ranking
    shown: Sequence[Candidate]


class _Bare:
    """A prepared job asked without evidence: where only the outcome counts, none is shown."""

    def __init__(self, prepared: sizing.Prepared) -> None:
        self.prepared = prepared

    def on(self, gpu: Gpu, count: int) -> Estimate:
        return self.prepared.on(gpu, count, with_evidence=False)


def _weigh(workload: Workload, prepared: Prepared, catalogue: Catalogue, library: Library, usages: Usages) -> _Weighed:
    every = workload.priority == "fastest"
    survey = Survey(workload, prepared, catalogue, library, usages)
    cards = [survey.card(slug, every_count=every) for slug in _slugs(catalogue)]
    if usages.needs_hours and not any(card.candidates for card in cards) and _all_unknown(cards):
        usages = usages.by_the_hour()
        survey = Survey(workload, prepared, catalogue, library, usages)
        cards = [survey.card(slug, every_count=every) for slug in _slugs(catalogue)]
    ranking = _Ranking(workload, usages.basis)
    return _Weighed(survey, cards, ranking, _choose(cards, ranking, usages))


def _slugs(catalogue: Catalogue) -> tuple[str, ...]:
    """Every card kind: those of the spec sheet, then offers of kinds without one."""
    return tuple(dict.fromkeys([*catalogue.gpus, *(offer.gpu for offer in catalogue.offers)]))


def _all_unknown(cards: Iterable[CardSurvey]) -> bool:
    return any(turned.reason.code == "speed-unknown" for card in cards for turned in card.turned)


def _any_assumptions(cards: Iterable[CardSurvey]) -> tuple[Note, ...]:
    sized = (turned.estimate for card in cards for turned in card.turned if turned.estimate is not None)
    return next((estimate.assumptions for estimate in sized), ())


def _choose(cards: Sequence[CardSurvey], ranking: _Ranking, usages: Usages) -> list[Candidate]:
    """The candidates to show, with complete bills, best first. Where no card keeps every limit: the nearest of each card.

    The cheapest and the fastest of all that were considered are always among them: whoever is called so on the page is so.
    """
    shown = [one for card in cards for one in _of_card(card, ranking)]
    nearest = not shown
    if nearest:
        shown = [min(card.candidates, key=breach) for card in cards if card.candidates]
    considered = [one for card in cards for one in card.candidates if nearest or not one.failures]
    shown = [with_whole_bill(one, usages) for one in shown]
    for extreme in _extremes(considered, usages):
        if not any(one.offer is extreme.offer for one in shown):
            shown.append(extreme)
    return sorted(shown, key=lambda one: (breach(one) if nearest else 1.0, ranking.key(one)))


def _extremes(considered: Sequence[Candidate], usages: Usages) -> Iterator[Candidate]:
    """The cheapest and the fastest of those that fit, with complete bills."""
    fitting = [one for one in considered if one.estimate.fit == "fits"]
    cheapest: Candidate | None = None
    for least, one in sorted(((least_possible(one, usages), one) for one in fitting), key=lambda pair: pair[0]):
        if cheapest is not None and least >= cheapest.total:
            break
        whole = with_whole_bill(one, usages)
        if cheapest is None or whole.total < cheapest.total:
            cheapest = whole
    if cheapest is not None:
        yield cheapest
    if (fastest := reasons.fastest_of(fitting)) is not None:
        yield with_whole_bill(fastest, usages)


def _of_card(card: CardSurvey, ranking: _Ranking) -> Iterator[Candidate]:
    """At most two counts of a kind: the fewest cards that fit (or the fastest count, if asked for), and fewer where those are tight."""
    kept = [one for one in card.candidates if not one.failures]
    fitting = [one for one in kept if one.estimate.fit == "fits"]
    best = None
    if fitting:
        best = min(fitting, key=ranking.key) if ranking.priority == "fastest" else fitting[0]
        yield best
    tight = next((one for one in kept if one.estimate.fit == "tight"), None)
    if tight is not None and (best is None or tight.offer.count < best.offer.count):
        yield tight


def _choices(shown: Sequence[Candidate], workload: Workload, spared: Candidate | None) -> Iterator[Choice]:
    if not shown:
        return
    field = reasons.field_of(shown, spared)
    for rank, one in enumerate(shown, 1):
        roles = tuple(_roles(one, field))
        yield Choice(
            rank=rank,
            estimate=one.estimate,
            offer=one.offer,
            total=one.bill.least,
            currency=one.bill.cheapest.currency,
            costs=one.bill.costs,
            cheapest_plan=one.bill.cheapest.kind,
            mix=one.bill.mix,
            use_costs=one.bill.use_costs,
            span_hours=one.span_hours,
            meets=not one.failures,
            roles=roles,
            reasons_for=reasons.in_favour(one, field, workload, roles),
            reasons_against=reasons.against(one, field, workload),
            remedy=reasons.remedy(one.estimate),
        )


def _roles(one: Candidate, field: reasons.Field) -> Iterator[Role]:
    if one is field.recommended:
        yield "recommended"
    if one is field.cheapest:
        yield "cheapest"
    if one is field.fastest:
        yield "fastest"
    if one is field.roomiest and len(field.all) > 1:
        yield "most-headroom"


def _rejections(cards: Sequence[CardSurvey], shown: Sequence[Candidate], workload: Workload) -> Iterator[Rejection]:
    """Every card kind that is not among the choices; rentable kinds first, each at the count that came nearest."""
    chosen = {one.gpu.slug for one in shown}
    left = [card for card in cards if card.slug not in chosen]
    for card in sorted(left, key=lambda card: not card.candidates and card.turned[0].reason.code == "not-offered"):
        yield _failed(card.candidates, workload) if card.candidates else _turned(card, workload)


def _failed(candidates: Sequence[Candidate], workload: Workload) -> Rejection:
    one = min(candidates, key=breach)
    more = reasons.card_reasons(workload, one.gpu, one.offer.count, one.hours)
    return Rejection(
        gpu=one.gpu.slug,
        count=one.offer.count,
        reasons=_distinct([*one.failures, *more]),
        estimate=one.estimate,
        offer=one.offer,
        total=one.bill.least,
        currency=one.bill.cheapest.currency,
        remedy=reasons.remedy(one.estimate, one.failures, one.bill.least, one.bill.cheapest.currency),
    )


def _turned(card: CardSurvey, workload: Workload) -> Rejection:
    """The reason of the count that came nearest: the most cards that still do not fit, else the first hurdle."""
    others = [one for one in card.turned if one.reason.code not in {"does-not-fit", "does-not-run"}]
    counted = [one for one in card.turned if one not in others]
    deciding: Turned = others[0] if others else counted[-1]
    if counted and others and others[0].reason.code in {"too-many-cards", "out-of-stock"}:
        deciding = counted[-1]
    hours = deciding.estimate.hours if deciding.estimate else None
    offered = max((one.count for one in card.turned), default=1)
    more = reasons.card_reasons(workload, deciding.gpu, offered, hours) if deciding.gpu else ()
    return Rejection(
        gpu=card.slug,
        count=deciding.count,
        reasons=_distinct([deciding.reason, *(one.reason for one in others), *more]),
        estimate=deciding.estimate,
        offer=deciding.offer,
        remedy=reasons.remedy(deciding.estimate) if deciding.estimate else None,
    )


def _distinct(notes: Iterable[Note]) -> tuple[Note, ...]:
    found: dict[str, Note] = {}
    for note in notes:
        found.setdefault(note.code, note)
    return tuple(found.values())


def _warnings(
    workload: Workload,
    catalogue: Catalogue,
    cards: Sequence[CardSurvey],
    shown: Sequence[Candidate],
    choices: Sequence[Choice],
    usages: Usages,
) -> Iterator[Note]:
    if not catalogue.offers:
        yield Note("catalogue-empty")
    elif not shown:
        yield _nothing_runs(cards, catalogue)
    elif shown[0].failures:
        yield _limits_unmet(workload, cards, reasons.field_of(shown))
    if shown and all(one.estimate.fit == "tight" for one in shown):
        yield Note("only-tight", None, reasons.named(shown[0].gpu))
    yield from _format_warnings(workload)
    yield from reasons.many_requests_at_four_bits(workload)
    sized = (
        [shown[0].estimate]
        if shown
        else [one.estimate for card in cards for one in card.turned if one.estimate is not None]
    )
    if sized:
        yield from (note for note in sized[0].warnings if note.code in OF_THE_QUESTION)
        yield from reasons.states_are_not_all(workload, sized[0])
    yield from usages.warnings(catalogue.currency)
    if catalogue.is_sample and catalogue.offers:
        yield Note("sample-price", None, {"currency": catalogue.currency})


def _nothing_runs(cards: Sequence[CardSurvey], catalogue: Catalogue) -> Note:
    turned = [one for card in cards for one in card.turned if one.offer is not None]
    codes = {one.reason.code for one in turned}
    if "no-price" in codes and not codes - {"no-price", "does-not-fit", "does-not-run"}:
        return Note("no-prices", None, {"currency": catalogue.currency})
    short = [one for one in turned if one.reason.code == "does-not-fit" and one.estimate and one.estimate.memory]
    if not short or codes - {"does-not-fit", "does-not-run"}:
        return Note("nothing-rentable", None, {"reasons": len(codes)})
    nearest = min(short, key=lambda one: float(one.reason.values.get("over_gib", math.inf)))
    return Note("nothing-fits", None, dict(nearest.reason.values))


def _limits_unmet(workload: Workload, cards: Sequence[CardSurvey], field: reasons.Field) -> Note:
    """What cannot be had, with the nearest that can: the least money and its hours, the least hours and their money."""
    nearest = Note(
        "limits-unmet", "constraints", {**reasons.named(field.recommended.gpu), "count": field.recommended.offer.count}
    )
    code, path = _limits_broken([one for card in cards for one in card.candidates])
    if not code or not field.fits:
        return nearest
    values: dict[str, Value] = {"currency": field.cheapest.bill.cheapest.currency}
    for name, one in (("cheapest", field.cheapest), ("fastest", field.fastest)):
        if one is not None:
            values |= {
                f"{name}_gpu": plain_name(one.gpu),
                f"{name}_count": one.offer.count,
                f"{name}_total": str(one.total),
            }
            values |= {} if one.span_hours is None else {f"{name}_hours": one.span_hours}
    limits = workload.constraints
    values |= {} if limits.deadline_hours is None else {"deadline_hours": limits.deadline_hours}
    values |= {} if limits.budget is None else {"budget": str(limits.budget)}
    return Note(code, path, values)


def _limits_broken(every: Sequence[Candidate]) -> tuple[str, str]:
    """Which of deadline and budget nothing keeps, as code and path; empty where other limits are in the way."""
    late, dear = (
        [any(note.code == code for note in one.failures) for one in every]
        for code in ("deadline-missed", "over-budget")
    )
    if any(late) and any(dear) and all(map(operator.or_, late, dear)):
        return "deadline-and-budget-unmet", "constraints"
    if all(late):
        return "deadline-unmet", "constraints.deadline_hours"
    if all(dear):
        return "budget-unmet", "constraints.budget"
    return "", ""


def _format_warnings(workload: Workload) -> Iterator[Note]:
    """The price of few bits, said for the format the work already uses."""
    for name in ("weight_format", "base_format"):
        kind = workload.get(name)
        if kind in reasons.LOW_BIT_FORMATS:
            yield Note("quantise-low-bit", name, {"format": str(kind)})
        elif kind in reasons.FOUR_BIT_FORMATS and workload.task == "inference":
            yield Note("quantise-quality", name, {"format": str(kind)})


def _questions(workload: Workload, usages: Usages) -> Iterator[Note]:
    """What is not told and would decide."""
    if usages.basis.kind == "hour":
        yield Note("how-many-epochs" if workload.task.endswith("training") else "how-much-work", "demand")
        if workload.constraints.deadline_hours is not None:
            yield Note("deadline-needs-demand", "constraints.deadline_hours")
        if workload.constraints.budget is not None:
            yield Note("budget-needs-demand", "constraints.budget")
    if workload.scenario == "science" and workload.get("precision") is None and workload.task == "simulation":
        yield Note("which-precision", "precision")


def _terms(shown: Sequence[Candidate], catalogue: Catalogue) -> Iterator[Note]:
    """What holds for the recommended machine: its host, what its price holds, what it costs stopped."""
    if not shown:
        return
    yield reasons.host_needed(shown[0])
    told = (reasons.price_terms(shown[0], catalogue), reasons.stopped_machine(shown[0].offer))
    yield from (note for note in told if note is not None)


def _asked_back(survey: Survey, shown: Sequence[Candidate], cards: Sequence[CardSurvey]) -> tuple[Note, ...]:
    """What the sizing core asks back about the recommended card, or about any where none can be recommended."""
    sized = [one.estimate for one in shown[:1]]
    sized += [one.estimate for card in cards for one in card.turned if one.estimate is not None]
    notes = sized[0].warnings if sized else ()
    asked = [note for note in notes if note.code.startswith("ask-") or note.code == "software-open"]
    return _distinct(_with_cases(survey, note, sized[0]) for note in asked)


def _with_cases(survey: Survey, note: Note, sized: Estimate) -> Note:
    """A question about software with the answer for each case: GiB on the same card."""
    workload, named = survey.workload, note.values.get("values")
    gpu = survey.library.gpus.get(sized.gpu)
    if (
        note.code not in {"ask-engine", "ask-framework"}
        or note.field is None
        or gpu is None
        or not isinstance(named, str)
    ):
        return note
    told = []
    for name in named.split(", "):
        case = replace(workload, fields={**workload.fields, note.field: name})
        memory = prepare(case, survey.library).on(gpu, sized.count, with_evidence=False).memory
        if memory is not None:
            told.append(f"{name} {memory.per_gpu_gib:.1f} GiB")
    values = {**note.values, **reasons.named(gpu), "cases": ", ".join(told)}
    return replace(note, values=values) if told else note
