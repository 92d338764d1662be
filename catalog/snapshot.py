"""The catalogue at one moment as plain frozen values: what billing and the advisor work with, whoever read it.

`catalog.queries.current_catalogue` reads it from the database, `catalog.example.example_catalogue` from the data files; both give
these same types, so a page, a task and a command line answer alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from catalog.plan_limits import Fault

type Link = Literal["none", "pcie", "nvlink"]
type Stock = Literal["available", "scarce", "out"]
type PlanKind = Literal["minute", "hour", "day", "week", "month"]

PLAN_KINDS: tuple[PlanKind, ...] = ("minute", "hour", "day", "week", "month")
"""Every kind of rental plan, in the order they are shown."""


def plan_rules(plan: Mapping[str, object]) -> dict[str, object]:
    """A plan of an offer in the binding form of the plan contract alone: without `kind`, which is the catalogue's own word."""
    return {key: value for key, value in plan.items() if key != "kind"}


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be rented: `count` cards of one kind with their host, and its price under every plan on sale.

    `gpu` is the card's slug, `count` the cards in all, spread evenly over `nodes` machines; `link` joins the cards inside a node,
    `network_gbit_s` the nodes (None: one node). `cpu_cores`, `ram_gib` and `disk_gb` are per node. `nvlink_group` is the number of
    cards one NVLink domain joins (1: none).

    `plans`: mappings in the form of the plan contract (`name`, `currency`, `unit_price` as decimal string per GPU, `price_per`,
    `per` = "gpu", `billing_step_seconds`, ...) with one more key, `kind` (minute, hour, day, week, month), in the order of
    `PLAN_KINDS`. Empty: the card is known and perhaps in stock, but has no price in this currency.
    """

    sku: str
    gpu: str
    count: int
    link: Link
    nodes: int
    region: str
    stock: Stock
    cpu_cores: int
    ram_gib: int
    disk_gb: int
    images: tuple[str, ...] = ()
    plans: tuple[Mapping[str, object], ...] = ()
    nvlink_group: int = 1
    network_gbit_s: int | None = None
    is_sample: bool = False

    @property
    def gpus_per_node(self) -> int:
        """Cards in one machine."""
        return self.count // self.nodes

    def plan(self, kind: PlanKind) -> Mapping[str, object] | None:
        """The plan of this kind, None where it is not sold."""
        return next((plan for plan in self.plans if plan["kind"] == kind), None)


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A plan with a price that is not sold because money cannot be counted by it, on so many machines, and why."""

    plan: str
    fault: Fault
    machines: int


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Every card with a spec sheet and every offer on sale in one currency at one moment.

    `version` grows with every change of the catalogue (0: nothing was ever written); `as_of` is the moment whose prices these are;
    `is_sample` is true as soon as one price in it is sample data. `gpus` maps slug to the row of `gpu_specs.csv` (texts, empty =
    not known), in the order of memory, then name. `left_out` are the plans staff have to put right.
    """

    version: int
    as_of: datetime
    currency: str
    is_sample: bool
    gpus: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    offers: tuple[Offer, ...] = ()
    left_out: tuple[LeftOut, ...] = ()

    def offers_of(self, gpu: str) -> tuple[Offer, ...]:
        """Every offer of one card kind, smallest count first."""
        return tuple(offer for offer in self.offers if offer.gpu == gpu)

    def offer(self, sku: str) -> Offer | None:
        """The offer with this code."""
        return next((offer for offer in self.offers if offer.sku == sku), None)

    @property
    def priced_offers(self) -> tuple[Offer, ...]:
        """Offers with at least one price in this currency."""
        return tuple(offer for offer in self.offers if offer.plans)
