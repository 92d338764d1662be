"""The cheapest mix: the exact least total of prepaid terms and pay as you go over a calendar of use.

A term may begin when use begins (the start of an interval) or, inside an interval, the moment another term ends; what no term
covers is paid as you go to the end of that interval; unused time of a term is lost. Ties go to fewer purchases, then to the
earlier plan in the list.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from billing.costing.bill import Group, Line, bill, total_of
from billing.costing.cost import Purchase, charge_items, cost, disk_groups, term_items
from billing.costing.mix_search import Effort, Search, Step
from billing.costing.moments import HOUR, local
from billing.costing.money import plain
from billing.costing.plans import Plan
from billing.costing.terms import Span
from billing.costing.usage import Usage


@dataclass(frozen=True, slots=True)
class Mix:
    """The cheapest mix. `on_demand_hours`: hours of one machine paid as you go. `lines` add up to `total`."""

    total: Decimal
    currency: str
    lines: tuple[Line, ...]
    purchases: tuple[Purchase, ...]
    on_demand_hours: Decimal


def cheapest_mix(plans: Sequence[Plan], usage: Usage, shared: Effort | None = None) -> Mix:
    """The least total that covers the whole usage. Plans have one currency. Raises MixTooLarge where the search is too large.

    `shared`: the decisions several mixes together may weigh.
    """
    if not usage.intervals:
        return Mix(total_of((), plans[0].currency), plans[0].currency, (), (), Decimal(0))
    search = Search(plans, usage, shared)
    found = _mix_of(search, search.road())
    single = _best_single(plans, usage)
    # cents of rounding, and a stopped card billed as one long run, are no sums over decisions: a plan alone may be below
    return single if single is not None and single.total < found.total else found


def _best_single(plans: Sequence[Plan], usage: Usage) -> Mix | None:
    """The cheapest plan alone, among those that need no refund and leave nothing uncovered."""
    best: Mix | None = None
    for plan in plans:
        if plan.term is not None and (plan.unused != "lost" or plan.refund_free_days or plan.after_term != "renew"):
            continue
        found = cost(plan, usage)
        if best is None or found.total < best.total:
            hours = usage.hours if plan.term is None else Decimal(0)
            best = Mix(found.total, plan.currency, found.lines, found.purchases, hours)
    return best


def _mix_of(search: Search, road: Sequence[Step]) -> Mix:
    """The bill of a road: each plan's terms, pay as you go and disk, by its own rounding and tax."""
    usage, open_time = search.usage, 0
    lines: tuple[Line, ...] = ()
    for index, plan in enumerate(search.plans):
        steps = [step for step in road if step.plan == index]
        if not steps:
            continue
        groups: list[Group] = []
        if plan.term is None:
            open_time += sum(step.end - step.start for step in steps)
            charges = [search.charge(index, step.start, step.end) for step in steps]
            groups.append(charge_items(plan, usage, search.meters[index].settle(charges), len(steps)))
        else:
            groups.append(term_items(plan, usage, [Span(step.start, step.end) for step in steps], refunds=False))
        times = [search.disk_time(step.start, step.after[0] if step.after else None) for step in steps]
        groups += disk_groups(plan, usage, sum(r for r, _ in times), sum(s for _, s in times))
        lines += bill(plan, groups)
    purchases = tuple(
        Purchase(search.plans[step.plan].name, local(step.start, usage.zone), local(step.end, usage.zone))
        for step in road
        if search.plans[step.plan].term is not None
    )
    currency = search.plans[0].currency
    return Mix(total_of(lines, currency), currency, lines, purchases, plain(Fraction(open_time, HOUR)))
