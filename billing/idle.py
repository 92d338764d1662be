"""What not paying attention costs: a machine left on overnight or over a weekend, and short starts that are billed in whole steps."""

from dataclasses import dataclass
from decimal import Decimal

from billing.costing.cost import cost
from billing.costing.moments import DEFAULT_ZONE, HOUR, zone_named
from billing.costing.plans import Plan, parse_plans
from billing.costing.usage import Usage
from catalog.snapshot import Offer, PlanKind, plan_rules

OVERNIGHT_HOURS = 15
"""From 18:00 to 09:00."""
WEEKEND_HOURS = 63
"""From Friday 18:00 to Monday 09:00."""
SHORT_STARTS = 10
SHORT_MINUTES = 20

_ZONE = zone_named(DEFAULT_ZONE, "timezone")


@dataclass(frozen=True, slots=True)
class IdleMoney:
    """Totals for one machine in the offer's currency, rounded as its plans say; None where no such plan is on sale.

    `overnight` and `weekend`: the machine runs on and nobody uses it, pay as you go. `short_by_hour` and `short_by_minute`: ten
    starts of twenty minutes each.
    """

    overnight: Decimal | None
    weekend: Decimal | None
    short_by_hour: Decimal | None
    short_by_minute: Decimal | None

    @property
    def saved(self) -> Decimal | None:
        """What paying by the minute saves on the short starts; negative where it costs more."""
        if self.short_by_hour is None or self.short_by_minute is None:
            return None
        return self.short_by_hour - self.short_by_minute


def usage_of(offer: Offer, *lengths: int) -> Usage:
    """Runs of so many microseconds, one a day, on all machines of an offer."""
    day = 24 * HOUR
    intervals = tuple((index * day, index * day + length) for index, length in enumerate(lengths))
    return Usage(
        intervals=intervals, zone=_ZONE, keep_until=intervals[-1][1], gpus=offer.gpus_per_node, machines=offer.nodes
    )


def _plan(offer: Offer, kind: PlanKind) -> Plan | None:
    found = offer.plan(kind)
    return parse_plans([plan_rules(found)])[0] if found else None


def idle_money(offer: Offer) -> IdleMoney:
    """The sums for one offer. A shop without hourly plans is counted by the minute overnight."""
    by_hour, by_minute = _plan(offer, "hour"), _plan(offer, "minute")
    running = by_hour or by_minute

    def total(plan: Plan | None, *lengths: int) -> Decimal | None:
        return cost(plan, usage_of(offer, *lengths)).total if plan else None

    short = [SHORT_MINUTES * HOUR // 60] * SHORT_STARTS
    return IdleMoney(
        overnight=total(running, OVERNIGHT_HOURS * HOUR),
        weekend=total(running, WEEKEND_HOURS * HOUR),
        short_by_hour=total(by_hour, *short),
        short_by_minute=total(by_minute, *short),
    )
