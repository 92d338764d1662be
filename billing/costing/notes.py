"""What was assumed, and what was mended in the input: codes with params, one English sentence for each code."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Note:
    """One assumption or warning. `plans` names the plans it concerns; empty: all of them."""

    code: str
    params: Mapping[str, object] = dataclasses.field(default_factory=dict)
    plans: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The English sentence, without the names of the plans."""
        return NOTE_SENTENCES[self.code] % self.params

    def __str__(self) -> str:
        return f"{', '.join(self.plans)}: {self.sentence}" if self.plans else self.sentence


NOTE_SENTENCES: Mapping[str, str] = MappingProxyType(
    {
        "zone": "Calendar days, months and full hours are those of %(zone)s.",
        "no-date": "No date was given: the hours are counted from %(start)s.",
        "back-to-back": "The %(starts)s starts are taken to follow one another without a gap.",
        "units": "All of %(machines)s machines with %(gpus)s cards each run the whole usage.",
        "time-rounded": "The time of each piece is rounded up to %(step)s s.",
        "clock-hours": "Pieces are cut at each full hour of the clock.",
        "rounding-piece": "Money is rounded (%(rule)s) for each piece of each card or machine, whichever is priced.",
        "rounding-line": "Money is rounded (%(rule)s) line by line.",
        "rounding-total": "Money is rounded (%(rule)s) once, on the total.",
        "minimum": "Each start costs at least %(seconds)s s of time and at least %(charge)s, the dearer of the two.",
        "cap": "Pay as you go stops growing after %(hours)s hours of a calendar month, machine by machine.",
        "day-24h": "A day is 24 hours.",
        "day-calendar": "A day ends at the same time of the next day; days with a clock change have 23 or 25 hours.",
        "week-168h": "A week is 168 hours.",
        "week-calendar": "A week ends at the same time of the same weekday.",
        "month-30d": "A month is 30 days.",
        "month-720h": "A month is 720 hours.",
        "month-730h": "A month is 730 hours.",
        "month-365d/12": "A month is a twelfth of 365 days (730 hours).",
        "month-calendar": "A month ends on the same day of the next month, on its last day where there is no such day.",
        "unused-lost": "Prepaid time that is not used is lost.",
        "unused-refund_pro_rata": "Unused prepaid time is refunded to the second.",
        "unused-refund_clawback": "Unused prepaid time is refunded less the discount already enjoyed and a fee of %(fee)s %% of it.",
        "refund-free": "Ended within %(days)s days of a new purchase, all is refunded; a renewal is no new purchase.",
        "after-renew": "A term is bought when use begins, and again at its end or at the next use.",
        "after-on_demand": "After the term, use goes on by the plan %(plan)s.",
        "after-stop": "After the term nothing more is bought; what it does not cover is reported as uncovered hours.",
        "stopped-billed": "A stopped machine's card goes on costing until the machine is released.",
        "disk": "Disk is priced per GB and 24 hours; %(free)s GB are free.",
        "tax-none": "No tax is counted.",
        "tax-added": "Tax of %(percent)s %% is added.",
        "tax-included": "Prices include tax of %(percent)s %%.",
        "mix-unused-lost": "In the mix, unused time of a term is lost.",
        "mix-skipped": "The cheapest mix was not searched to the end: there are too many decisions to weigh. "
        "Fewer plans, starts or weeks are answered.",
        "overlap-merged": "Overlapping intervals were merged: %(count)s became part of an earlier one.",
        "zero-length": "%(count)s intervals without any length were passed over.",
        "time-skipped": "%(count)s times do not exist because the clock is put forward; the time an hour later was taken.",
        "time-twice": "%(count)s times occur twice because the clock is put back; the first was taken.",
    }
)
"""Code -> English sentence with %(named)s params."""


def gather(notes: Iterable[Note], plans: int) -> tuple[Note, ...]:
    """Equal notes of several plans as one that names them; what holds for all `plans` names none. Order of first mention."""
    named: dict[tuple[str, tuple[tuple[str, object], ...]], list[str]] = {}
    for note in notes:
        names = named.setdefault((note.code, tuple(sorted(note.params.items()))), [])
        names.extend(name for name in note.plans if name not in names)
    return tuple(
        Note(code, dict(params), () if len(names) == plans else tuple(names)) for (code, params), names in named.items()
    )
