"""Cards as pages show them: rows of the list, the sheet of one card, two to four side by side. Plain values in, plain values out."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from itertools import pairwise

from catalog.measured import LABELS, TRAINING, measured_rows
from catalog.snapshot import PLAN_KINDS, Catalogue, Offer, PlanKind
from catalog.specs import SPEC, SPECS, Spec, derivations_by_column, sources_by_column, spec_value

MODIFIED_SUFFIX = " (modified)"
SECONDS_PER = {"second": 1, "minute": 60, "hour": 3600}
TERM_HOURS = {"day": 24, "week": 168, "month": 744}
COMPARE_LEAST, COMPARE_MOST = 2, 4
STOCK_ORDER = ("available", "scarce", "out")


def card_name(row: Mapping[str, str]) -> str:
    """The card's name; that it is modified is said beside it, in the reader's language."""
    return row["name"].removesuffix(MODIFIED_SUFFIX)


def card_price(plan: Mapping[str, object], count: int) -> Decimal:
    """A plan's unit price for one card, to 8 decimals where it is sold by the machine."""
    price = Decimal(str(plan["unit_price"]))
    return price if plan["per"] == "gpu" else round(price / count, 8)


def hour_price(plan: Mapping[str, object], count: int) -> Decimal | None:
    """What an hour of one card costs under a pay-as-you-go plan; None for a prepaid one."""
    seconds = SECONDS_PER.get(str(plan["price_per"]))
    if seconds is None or plan.get("term"):
        return None
    return card_price(plan, count) * 3600 / seconds


def cheaper_from_hours(term_price: Decimal, hourly_price: Decimal, unit: str) -> int | None:
    """The least whole number of hours that costs more by the hour than one prepaid term; None if even a full term does not."""
    hours = int((term_price / hourly_price).to_integral_value(ROUND_FLOOR)) + 1
    return hours if hours <= TERM_HOURS[unit] else None


@dataclass(frozen=True, slots=True)
class Card:
    """One card with what is sold of it. Prices are per card in the catalogue's currency, of the smallest priced machine."""

    slug: str
    name: str
    modified: bool
    row: Mapping[str, str]
    offers: tuple[Offer, ...]
    shown: Offer | None
    prices: Mapping[str, Decimal]
    hour: Decimal | None

    def number(self, column: str) -> Decimal | None:
        """A figure of the spec sheet; None where it is not known."""
        value = spec_value(SPEC[column], self.row[column])
        return Decimal(value) if isinstance(value, int | Decimal) else None

    @property
    def vram_gb(self) -> Decimal:
        """Memory in GB as on the card's name."""
        return self.number("vram_gb") or Decimal(0)

    @property
    def hour_per_gb(self) -> Decimal | None:
        """Hourly price per GB of memory."""
        return self.hour / self.vram_gb if self.hour is not None else None

    @property
    def stock(self) -> str:
        """The best stock of any of its machines, "" if none is listed."""
        return min((offer.stock for offer in self.offers), key=STOCK_ORDER.index, default="")

    @property
    def bandwidth(self) -> Decimal | None:
        """Memory bandwidth, GB/s."""
        return self.number("memory_bandwidth_gb_s")

    @property
    def fp16(self) -> Decimal | None:
        """Dense FP16 Tensor rate with FP32 accumulation, TFLOPS."""
        return self.number("fp16_tensor_dense_fp32acc_tflops")

    @property
    def fp8(self) -> Decimal | None:
        """Dense FP8 Tensor rate with FP32 accumulation, TFLOPS."""
        return self.number("fp8_tensor_dense_tflops")

    @property
    def fp64(self) -> Decimal | None:
        """FP64 rate outside the Tensor Cores, TFLOPS."""
        return self.number("fp64_tflops")

    @property
    def nvlink(self) -> Decimal | None:
        """NVLink of all links together, GB/s; 0 means none."""
        return self.number("nvlink_gb_s")

    @property
    def mig(self) -> Decimal | None:
        """How many isolated instances the card can be cut into; 0 means none."""
        return self.number("mig_instances")

    @property
    def ecc(self) -> str:
        """yes, no, optional or unknown."""
        text = self.row["ecc"]
        if not text:
            return "unknown"
        if "off by default" in text:
            return "optional"
        return "yes" if text.startswith("yes") else "no"

    @property
    def p2p(self) -> str:
        """Whether cards talk over PCIe without a detour: yes, no or unknown."""
        text = self.row["pcie_p2p_supported"]
        if not text or text == "NVLink pair: yes":
            return "unknown"
        return "no" if "no (stock driver)" in text else "yes"

    @property
    def nvlink_pairs_only(self) -> bool:
        """NVLink joins two boards by a bridge, no more."""
        return bool(self.nvlink) and "sxm" not in self.slug

    @property
    def break_even(self) -> Mapping[str, int | None]:
        """Prepaid kind -> hours of use in one term from which it beats the hourly price."""
        if self.hour is None:
            return {}
        return {
            kind: cheaper_from_hours(self.prices[kind], self.hour, kind)
            for kind in ("day", "week", "month")
            if kind in self.prices
        }

    @property
    def memory_share(self) -> str:
        """Memory as a share of the largest bar drawn (80 GB and more fill it), for an SVG width."""
        return _share(self.vram_gb, Decimal(80))


def _share(value: Decimal, whole: Decimal) -> str:
    part = min(Decimal(1), value / whole) * 100 if whole else Decimal(0)
    return f"{part:.2f}%"


def _card(slug: str, row: Mapping[str, str], offers: tuple[Offer, ...]) -> Card:
    shown = min((offer for offer in offers if offer.plans), key=lambda offer: (offer.count, offer.sku), default=None)
    prices: dict[str, Decimal] = {}
    hour = None
    for kind in PLAN_KINDS if shown else ():
        plan = shown.plan(kind) if shown else None
        if shown is None or plan is None:
            continue
        prices[kind] = card_price(plan, shown.count)
        if kind == "hour" or (kind == "minute" and shown.plan("hour") is None):
            hour = hour_price(plan, shown.count)
    return Card(slug, card_name(row), row["modified_card"] == "yes", row, offers, shown, prices, hour)


def cards_of(catalogue: Catalogue, region: str = "") -> list[Card]:
    """Every card of the catalogue, smallest memory first; with `region` only that region's machines are looked at."""
    offers: dict[str, list[Offer]] = {}
    for offer in catalogue.offers:
        if not region or offer.region == region:
            offers.setdefault(offer.gpu, []).append(offer)
    return [_card(slug, row, tuple(offers.get(slug, ()))) for slug, row in catalogue.gpus.items()]


REQUIREMENTS: Mapping[str, Callable[[Card], bool]] = {
    "ecc": lambda card: card.ecc in {"yes", "optional"},
    "nvlink": lambda card: bool(card.nvlink),
    "fp8": lambda card: bool(card.fp8),
    "fp64": lambda card: (card.fp64 or 0) * 4 >= (card.number("fp32_tflops") or 1),
    "mig": lambda card: bool(card.mig),
}
"""What a filter may ask for. `fp64`: double precision at no less than a quarter of the single-precision rate."""

SORTS: Mapping[str, Callable[[Card], Decimal | None]] = {
    "vram": lambda card: card.vram_gb,
    "hour": lambda card: card.hour,
    "per_gb": lambda card: card.hour_per_gb,
    "day": lambda card: card.prices.get("day"),
    "month": lambda card: card.prices.get("month"),
    "bandwidth": lambda card: card.bandwidth,
    "fp16": lambda card: card.fp16,
    "fp8": lambda card: card.fp8,
    "fp64": lambda card: card.fp64,
    "nvlink": lambda card: card.nvlink or None,
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """The answers of the filter, checked. `sort` is a key of `SORTS`, with a minus for the largest first."""

    min_vram_gb: Decimal | None = None
    max_hour: Decimal | None = None
    require: Sequence[str] = ()
    in_stock: bool = False
    no_modified: bool = False
    sort: str = "vram"

    def takes(self, card: Card) -> bool:
        """Whether the card passes. A card without an hourly price does not pass a limit on it."""
        return (
            (self.min_vram_gb is None or card.vram_gb >= self.min_vram_gb)
            and (self.max_hour is None or (card.hour is not None and card.hour <= self.max_hour))
            and all(REQUIREMENTS[name](card) for name in self.require)
            and (not self.in_stock or card.stock in {"available", "scarce"})
            and not (self.no_modified and card.modified)
        )

    def ordered(self, cards: Iterable[Card]) -> list[Card]:
        """By number, unknown last whichever way; ties by memory, then name."""
        key, down = SORTS[self.sort.removeprefix("-")], self.sort.startswith("-")

        def place(card: Card) -> tuple[bool, Decimal, Decimal, str]:
            value = key(card)
            return (
                value is None,
                (-value if down else value) if value is not None else Decimal(0),
                card.vram_gb,
                card.name,
            )

        return sorted(cards, key=place)


@dataclass(frozen=True, slots=True)
class SheetLine:
    """One figure of a spec sheet with where it comes from."""

    spec: Spec
    value: str | int | Decimal | None
    sources: Sequence[str]
    derivation: str


def sheet_of(row: Mapping[str, str]) -> dict[str, list[SheetLine]]:
    """The spec sheet by group of figures, empty cells (None or "") included: that a figure is not known is said too."""
    sources, derived = sources_by_column(row["sources"]), derivations_by_column(row["derived_cells"])
    groups: dict[str, list[SheetLine]] = {}
    for spec in SPECS:
        value = spec_value(spec, row[spec.name])
        line = SheetLine(spec, value, sources.get(spec.name, []), derived.get(spec.name, ""))
        groups.setdefault(spec.group, []).append(line)
    return groups


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a comparison: a number (None: not known) with its bar, and whether it is the best of its line."""

    value: Decimal | None
    share: str
    best: bool


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a comparison."""

    cells: Sequence[Cell]
    spec: Spec | None = None
    kind: PlanKind | None = None
    job: str = ""


def _line(values: Sequence[Decimal | None], *, least: bool = False) -> list[Cell]:
    known = [value for value in values if value is not None]
    best = (min(known) if least else max(known)) if len(set(known)) > 1 else None
    whole = max(known, default=Decimal(0))
    return [
        Cell(
            value,
            _share(value, whole) if value is not None else "0%",
            best is not None and value is not None and value == best,
        )
        for value in values
    ]


def spec_lines(cards: Sequence[Card], columns: Iterable[str]) -> list[Line]:
    """Figures of the spec sheet side by side."""
    return [Line(_line([card.number(column) for card in cards]), spec=SPEC[column]) for column in columns]


def price_lines(cards: Sequence[Card]) -> list[Line]:
    """Prices per card side by side, the lowest is best; kinds that nobody sells are left out."""
    kinds = [kind for kind in PLAN_KINDS if any(kind in card.prices for card in cards)]
    return [Line(_line([card.prices.get(kind) for card in cards], least=True), kind=kind) for kind in kinds]


def measured_lines(cards: Sequence[Card]) -> list[Line]:
    """Published measurements in which at least two of the cards took part."""
    lines = []
    for row in measured_rows():
        values = [row.values.get(card.slug) for card in cards]
        if sum(value is not None for value in values) >= min(2, len(cards)):
            lines.append(Line(_line(values), job=row.job))
    return lines


def measured_sources(lines: Iterable[Line]) -> list[str]:
    """Where the shown measurements come from, each source once."""
    jobs = {line.job for line in lines}
    return list(dict.fromkeys(row.source for row in measured_rows() if row.job in jobs))


@dataclass(frozen=True, slots=True)
class PeakAgainstMeasured:
    """Two cards: the ratio of their FP16 peaks, and the least and most of what was measured on the same jobs."""

    fast: Card
    slow: Card
    peak: Decimal
    least: Decimal
    most: Decimal
    training_least: Decimal | None
    training_most: Decimal | None
    jobs: int


def peaks_against_measured(cards: Sequence[Card]) -> list[PeakAgainstMeasured]:
    """For neighbours in peak speed that were measured on the same jobs: what the peaks promise and what was seen."""
    column = "fp16_tensor_dense_fp32acc_tflops"
    ranked = sorted(
        (card for card in cards if card.number(column)), key=lambda card: card.number(column) or 0, reverse=True
    )
    found = []
    for fast, slow in pairwise(ranked):
        ratios = {
            row.job: row.values[fast.slug] / row.values[slow.slug]
            for row in measured_rows()
            if fast.slug in row.values and slow.slug in row.values
        }
        peak = (fast.number(column) or Decimal(1)) / (slow.number(column) or Decimal(1))
        if len(ratios) < 2:
            continue
        training = [ratios[job] for job in TRAINING if job in ratios]
        found.append(
            PeakAgainstMeasured(
                fast,
                slow,
                peak,
                min(ratios.values()),
                max(ratios.values()),
                min(training, default=None),
                max(training, default=None),
                len(ratios),
            )
        )
    return found


def job_label(job: str) -> tuple[str, str, str]:
    """What was timed, its unit, and how: in the reader's language."""
    label, unit, how = LABELS[job]
    return str(label), str(unit), str(how)
