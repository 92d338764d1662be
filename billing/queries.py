"""Reading for the pages of quotations: the catalogue of a currency, discount limits, filtered lists, figures."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal

from django.contrib.auth.models import AnonymousUser, User
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.aggregates import Max

from billing.lifecycle import local_date
from billing.models import DiscountLimit, Quote, QuoteLine
from billing.models.choices import QuoteState
from billing.policy import Authority
from catalog.queries import current_catalogue
from catalog.snapshot import Catalogue

OPEN_STATES = (QuoteState.DRAFT, QuoteState.AWAITING_APPROVAL, QuoteState.APPROVED, QuoteState.SENT)
AGE_BANDS: Sequence[tuple[int, int | None]] = ((0, 7), (8, 14), (15, 30), (31, 60), (61, None))
"""Days since a quotation was made, both ends included."""
SORTS: Mapping[str, str] = {
    "number": "id",
    "customer": "customer__organisation",
    "state": "state",
    "total": "current__gross",
    "until": "current__valid_until",
}


def catalogue_of(currency: str) -> Catalogue:
    """What is on sale now in one currency."""
    return current_catalogue(currency)


def authority_of(user: User) -> Authority:
    """What this person may send alone: the largest limit of their roles; a superuser has none."""
    if user.is_superuser:
        return Authority(Decimal(100), may_price_freely=True)
    found = DiscountLimit.objects.filter(group__user=user).aggregate(limit=Max("max_percent"))["limit"]
    return Authority(found if found is not None else Decimal(0), user.has_perm("billing.approve_quote"))


@dataclass(frozen=True, slots=True)
class QuoteFilter:
    """What the list shows. Empty: everything."""

    q: str = ""
    state: str = ""
    scenario: str = ""
    gpu: str = ""
    mine: bool = False
    sort: str = "-number"


def quotes_listed(user: User | AnonymousUser, chosen: QuoteFilter, now: datetime, timezone: str) -> QuerySet[Quote]:
    """The quotations somebody may see, filtered, searched (number, customer, contact, purpose, machine) and sorted; ties by id."""
    rows = Quote.objects.visible_to(user).select_related("customer", "owner", "current")
    if chosen.mine:
        rows = rows.filter(owner__pk=user.pk or 0)
    if chosen.state:
        rows = rows.filter(state_condition(chosen.state, local_date(now, timezone)))
    if chosen.scenario:
        rows = rows.filter(scenario=chosen.scenario)
    lines = QuoteLine.objects.filter(revision=OuterRef("current"))
    if chosen.gpu:
        rows = rows.filter(Exists(lines.filter(gpu=chosen.gpu)))
    for word in chosen.q.split()[:8]:
        rows = rows.filter(
            Q(number__icontains=word)
            | Q(customer__organisation__icontains=word)
            | Q(customer__contact__icontains=word)
            | Q(customer__email__icontains=word)
            | Q(current__purpose__icontains=word)
            | Exists(lines.filter(Q(title__icontains=word) | Q(sku__icontains=word)))
        )
    name = chosen.sort.removeprefix("-")
    sign = "-" if chosen.sort.startswith("-") else ""
    column = SORTS.get(name, "id")
    return rows.order_by(sign + column, "-id") if column != "id" else rows.order_by(sign + "id")


def state_condition(state: str, today: date) -> Q:
    """Rows in a state as it is today: a sent offer past its last day counts as expired before anybody has written that down."""
    over = Q(state=QuoteState.SENT, current__valid_until__lt=today)
    if state == QuoteState.EXPIRED:
        return Q(state=state) | over
    if state == QuoteState.SENT:
        return Q(state=state) & ~over
    return Q(state=state)


@dataclass(frozen=True, slots=True)
class Conversion:
    """How many quotations of a group went out, and how they ended: all the others add up to `sent`.

    `open`: with the customer, or being revised. `rate` is accepted over all that went out; None: none did.
    """

    key: str
    sent: int
    accepted: int
    declined: int
    expired: int
    withdrawn: int

    @property
    def open(self) -> int:
        """What has come to no end yet."""
        return self.sent - self.accepted - self.declined - self.expired - self.withdrawn

    @property
    def rate_percent(self) -> int | None:
        """Accepted of sent, whole per cent."""
        return round(100 * self.accepted / self.sent) if self.sent else None


def _conversion(rows: QuerySet[Quote], key: str, today: date) -> tuple[Conversion, ...]:
    def count(state: str) -> Count:
        return Count("pk", filter=state_condition(state, today), distinct=True)

    groups = (
        rows.filter(sent_at__isnull=False)
        .order_by()
        .values(key)
        .annotate(
            sent=Count("pk", distinct=True),
            accepted=count(QuoteState.ACCEPTED),
            declined=count(QuoteState.DECLINED),
            expired=count(QuoteState.EXPIRED),
            withdrawn=count(QuoteState.WITHDRAWN),
        )
        .order_by("-sent", key)
    )
    return tuple(
        Conversion(
            str(group[key] or ""),
            group["sent"],
            group["accepted"],
            group["declined"],
            group["expired"],
            group["withdrawn"],
        )
        for group in groups
    )


def conversion_by_scenario(user: User, today: date) -> tuple[Conversion, ...]:
    """Conversion per scenario of what somebody may see."""
    return _conversion(Quote.objects.visible_to(user), "scenario", today)


def conversion_by_gpu(user: User, today: date) -> tuple[Conversion, ...]:
    """Conversion per card kind; a quotation with two kinds counts under both."""
    rows = Quote.objects.visible_to(user).filter(current__lines__kind=QuoteLine.Kind.GPU)
    return _conversion(rows, "current__lines__gpu", today)


@dataclass(frozen=True, slots=True)
class AgeBand:
    """Open quotations made so many days ago. `through` None: and older."""

    since: int
    through: int | None
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """All states together."""
        return sum(self.counts.values())


def ageing(user: User, now: datetime, timezone: str) -> tuple[AgeBand, ...]:
    """Open quotations by age and state; offers that have run out are not open."""
    today = local_date(now, timezone)
    rows = (
        Quote.objects.visible_to(user)
        .filter(state__in=OPEN_STATES)
        .exclude(state=QuoteState.SENT, current__valid_until__lt=today)
        .values_list("state", "created_at")
    )
    ages = [(state, (today - local_date(made, timezone)) // timedelta(days=1)) for state, made in rows]
    return tuple(
        AgeBand(
            since,
            through,
            {
                state.value: sum(
                    1 for at, age in ages if at == state and since <= age and (through is None or age <= through)
                )
                for state in OPEN_STATES
            },
        )
        for since, through in AGE_BANDS
    )
