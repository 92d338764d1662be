"""A plan as price lists name it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PlanSlot:
    """A plan on sale that a price may be set for."""

    name: str
    kind: str
    currency: str
    price_per: str
    per: str
