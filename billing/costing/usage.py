"""When machines run: intervals on the calendar, whichever of the contract's three forms they were given in."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from zoneinfo import ZoneInfo

from billing.costing.errors import CostingErrors, FieldError, shown
from billing.costing.fields import Fields, raise_all, read_list
from billing.costing.moments import (
    DEFAULT_ZONE,
    FIRST_YEAR,
    HOUR,
    LAST_YEAR,
    TimeReader,
    in_range,
    local,
    read_clock,
    read_date,
    wall,
    zone_named,
)
from billing.costing.money import plain
from billing.costing.notes import Note

FIELDS = (
    "hours",
    "starts",
    "intervals",
    "weekly",
    "weeks",
    "from",
    "timezone",
    "gpus",
    "machines",
    "disk_gb",
    "keep_until",
)
KINDS = ("hours", "intervals", "weekly")
_FORMS = {"hours": ("starts", "from"), "intervals": (), "weekly": ("weeks", "from")}
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")

REFERENCE = date(2026, 1, 1)
"""Where hours without a date are laid on the calendar: the first of a month of 31 days."""
REFERENCE_MONDAY = date(2026, 1, 5)

MOST_INTERVALS = 100_000
MOST_YEARS = 30
MOST_HOURS = MOST_YEARS * 8766


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Runs of one or several equal machines. Every machine runs every interval.

    `intervals`: (start, stop) in microseconds since 1970 UTC, in order, without overlap, none empty. `keep_until`: when the
    machine is released, not before the last stop. `disk_gb` is per machine, GB of 1e9 bytes.
    """

    intervals: tuple[tuple[int, int], ...]
    zone: ZoneInfo
    keep_until: int
    gpus: int = 1
    machines: int = 1
    disk_gb: Decimal = Decimal(0)
    assumptions: tuple[Note, ...] = ()
    warnings: tuple[Note, ...] = ()

    @property
    def running(self) -> int:
        """Microseconds one machine runs."""
        return sum(stop - start for start, stop in self.intervals)

    @property
    def hours(self) -> Decimal:
        """Hours one machine runs."""
        return plain(Fraction(self.running, HOUR))

    @property
    def spans(self) -> tuple[tuple[datetime, datetime], ...]:
        """The intervals as local times."""
        return tuple((local(start, self.zone), local(stop, self.zone)) for start, stop in self.intervals)


def parse_usage(value: object, path: str = "usage") -> Usage:
    """A usage from its JSON form. Raises CostingErrors with everything wrong, each with its path."""
    errors: list[FieldError] = []
    fields = Fields(value, path, FIELDS, errors)
    given = [kind for kind in KINDS if fields.has(kind)]
    if not given:
        fields.errors.append(FieldError(path, "usage-kind-missing"))
        fields.finish()
    kind = given[0]
    for other in given[1:]:
        fields.note(other, "usage-kind-twice", other=kind)
    for name in ("starts", "weeks", "from"):
        if fields.has(name) and name not in _FORMS[kind]:
            fields.note(name, "not-with", kind=kind)
    usage = _common(fields)
    reader = TimeReader(usage.zone)
    try:
        usage = {"hours": _hours, "intervals": _intervals, "weekly": _weekly}[kind](fields, reader, usage)
        usage = _keep(fields, reader, usage, dated=kind == "intervals" or fields.has("from"))
    except FieldError as error:
        errors.append(error)
    except CostingErrors as error:
        errors.extend(error.errors)
    fields.finish()
    return replace(usage, warnings=(*usage.warnings, *_clock_warnings(reader)))


def _common(fields: Fields) -> Usage:
    try:
        zone = (
            zone_named(fields.raw("timezone"), fields.at("timezone"))
            if fields.has("timezone")
            else ZoneInfo(DEFAULT_ZONE)
        )
    except FieldError as error:
        fields.errors.append(error)
        zone = ZoneInfo(DEFAULT_ZONE)
    return Usage(
        intervals=(),
        zone=zone,
        keep_until=0,
        gpus=fields.whole("gpus", 1, minimum=1, maximum=10_000),
        machines=fields.whole("machines", 1, minimum=1, maximum=100_000),
        disk_gb=fields.decimal("disk_gb", "0"),
    )


def _clock_warnings(reader: TimeReader) -> tuple[Note, ...]:
    counted = (("time-skipped", reader.skipped), ("time-twice", reader.twice))
    return tuple(Note(code, {"count": count}) for code, count in counted if count)


def _hours(fields: Fields, reader: TimeReader, usage: Usage) -> Usage:
    """Equal pieces, one after the other."""
    hours = fields.decimal("hours", maximum=MOST_HOURS, decimals=40)
    starts = fields.whole("starts", 1, minimum=1, maximum=MOST_INTERVALS)
    notes = []
    if fields.has("from"):
        start = reader.time_or_date(fields.raw("from"), fields.at("from"))
    else:
        start = wall(datetime.combine(REFERENCE, time()), usage.zone)
        notes.append(Note("no-date", {"start": REFERENCE.isoformat()}))
    if starts > 1:
        notes.append(Note("back-to-back", {"starts": starts}))
    # to the nearest microsecond: what binary fractions add below it is no time
    piece = round(Fraction(hours) * HOUR / starts)
    _within(start + piece * starts, usage.zone, fields.at("hours"))
    intervals = tuple((start + n * piece, start + (n + 1) * piece) for n in range(starts)) if piece else ()
    warnings = () if piece else (Note("zero-length", {"count": starts}),)
    return replace(
        usage, intervals=intervals, keep_until=start + piece * starts, assumptions=tuple(notes), warnings=warnings
    )


def _within(last: int, zone: ZoneInfo, path: str) -> None:
    in_range(local(last, zone).date() if last < 10**16 else date(9999, 1, 1), path)


def _intervals(fields: Fields, reader: TimeReader, usage: Usage) -> Usage:
    at = fields.at("intervals")
    pairs = read_list(fields.raw("intervals"), at, maximum=MOST_INTERVALS)
    read: list[tuple[int, int]] = []
    errors: list[FieldError] = []
    for index, pair in enumerate(pairs):
        try:
            read.append(_pair(pair, f"{at}[{index}]", reader))
        except FieldError as error:
            errors.append(error)
            if len(errors) == 20:  # enough to mend the rest by
                break
    if errors:
        raise_all(errors)
    return _laid_out(usage, read, at)


def _pair(pair: object, at: str, reader: TimeReader) -> tuple[int, int]:
    if not isinstance(pair, list | tuple) or len(pair) != 2:
        raise FieldError(at, "not-a-pair")
    start, stop = reader.time(pair[0], f"{at}[0]"), reader.time(pair[1], f"{at}[1]")
    if stop < start:
        raise FieldError(at, "stop-before-start")
    return start, stop


def _laid_out(usage: Usage, read: list[tuple[int, int]], path: str) -> Usage:
    """Sorted, overlaps merged, empty ones passed over; touching ones stay two starts."""
    first, last = min(start for start, _ in read), max(stop for _, stop in read)
    if last - first > MOST_YEARS * 8766 * HOUR:
        raise FieldError(path, "span-too-long", {"maximum": MOST_YEARS})
    merged: list[tuple[int, int]] = []
    empty = joined = 0
    for start, stop in sorted(read):
        if start == stop:
            empty += 1
        elif merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(stop, merged[-1][1]))
            joined += 1
        else:
            merged.append((start, stop))
    counted = (("overlap-merged", joined), ("zero-length", empty))
    warnings = tuple(Note(code, {"count": count}) for code, count in counted if count)
    return replace(usage, intervals=tuple(merged), keep_until=last, warnings=warnings)


def _weekly(fields: Fields, reader: TimeReader, usage: Usage) -> Usage:
    """Each named weekday of so many weeks from a date; to <= from runs over midnight."""
    inner = Fields(fields.raw("weekly"), fields.at("weekly"), ("days", "from", "to"), [])
    days = _days(inner)
    clocks = []
    for name in ("from", "to"):
        if not inner.has(name):
            inner.note(name, "missing")
            continue
        try:
            clocks.append(read_clock(inner.raw(name), inner.at(name)))
        except FieldError as error:
            inner.errors.append(error)
    fields.errors.extend(inner.errors)
    weeks = fields.whole("weeks", minimum=1, maximum=MOST_YEARS * 52)
    notes = []
    if fields.has("from"):
        first = read_date(fields.raw("from"), fields.at("from"))
    else:
        first = REFERENCE_MONDAY
        notes.append(Note("no-date", {"start": first.isoformat()}))
    if fields.errors:
        raise_all([])
    opens, closes = clocks
    over_midnight = timedelta(days=int(closes <= opens))
    read = []
    for offset in range(weeks * 7):
        day = first + timedelta(days=offset)
        if WEEKDAYS[day.weekday()] in days:
            start = reader.wall(datetime.combine(day, opens))
            # a clock put forward can leave nothing of a short interval
            read.append((start, max(start, reader.wall(datetime.combine(day + over_midnight, closes)))))
    _within(read[-1][1], usage.zone, fields.at("weeks"))
    return replace(_laid_out(usage, read, fields.at("weekly")), assumptions=tuple(notes))


def _days(inner: Fields) -> frozenset[str]:
    if not inner.has("days"):
        inner.note("days", "missing")
        return frozenset()
    days: list[str] = []
    try:
        items = read_list(inner.raw("days"), inner.at("days"), maximum=7)
    except FieldError as error:
        inner.errors.append(error)
        return frozenset()
    for index, item in enumerate(items):
        at = f"days[{index}]"
        if item not in WEEKDAYS:
            inner.note(at, "unknown-value", value=shown(item), allowed=", ".join(WEEKDAYS), suggestion=_near_day(item))
        elif item in days:
            inner.note(at, "duplicate-day", value=item)
        else:
            days.append(str(item))
    return frozenset(days)


def _near_day(item: object) -> str:
    start = str(item)[:3].lower() if isinstance(item, str) else ""
    return start if start in WEEKDAYS else "mon"


def _keep(fields: Fields, reader: TimeReader, usage: Usage, *, dated: bool) -> Usage:
    if not fields.has("keep_until"):
        return usage
    if not dated:
        raise FieldError(fields.at("keep_until"), "keep-without-date")
    kept = reader.time(fields.raw("keep_until"), fields.at("keep_until"))
    if kept < usage.keep_until:
        raise FieldError(fields.at("keep_until"), "keep-before-stop")
    if usage.intervals and kept - usage.intervals[0][0] > MOST_YEARS * 8766 * HOUR:
        raise FieldError(fields.at("keep_until"), "span-too-long", {"maximum": MOST_YEARS})
    return replace(usage, keep_until=kept)


assert FIRST_YEAR < REFERENCE.year < LAST_YEAR
