"""Time: moments as whole microseconds since 1970 in UTC, walls clocks of a zone, calendar arithmetic.

A moment is an int, so that ten years of hourly intervals stay cheap and nothing depends on the server's zone. Local times
that do not exist (clock put forward) count with the offset before the change, those that occur twice are the first: RFC 5545.
"""

import re
from bisect import bisect_right
from calendar import isleap
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from billing.costing.errors import FieldError, nearest, shown, type_word

SECOND = 1_000_000
HOUR = 3600 * SECOND
DAY = 24 * HOUR
FIRST_YEAR, LAST_YEAR = 1971, 2199
DEFAULT_ZONE = "Asia/Shanghai"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_TIME = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)([Zz]|[+-][0-9]{2}:[0-9]{2})?",
    re.ASCII,
)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2})?", re.ASCII)
_ZONE = re.compile(r"[A-Za-z][A-Za-z0-9_+/-]{0,63}", re.ASCII)
_DAYS_IN_MONTH = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NO_ZONES = ("posix/", "right/", "localtime", "posixrules", "Factory")
# `localtime` would be the server's own zone; right/ counts leap seconds


def zone_named(value: object, path: str) -> ZoneInfo:
    """The IANA zone of that name. Raises FieldError wrong-type or unknown-zone."""
    if not isinstance(value, str):
        raise FieldError(path, "wrong-type", {"wanted": "the name of a time zone", "got": type_word(value)})
    if _ZONE.fullmatch(value) and not value.startswith(_NO_ZONES):
        try:
            return ZoneInfo(value)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass  # told below, with the nearest name
    raise FieldError(path, "unknown-zone", {"value": shown(value), "suggestion": _nearest_zone(shown(value))})


def _nearest_zone(value: str) -> str:
    zones = sorted(available_timezones())
    same = [zone for zone in zones if zone.lower() == value.lower()]
    near = same[0] if same else nearest(value, zones)
    return near if "," not in near else DEFAULT_ZONE


def moment(aware: datetime) -> int:
    """An aware time as a moment."""
    return (aware - _EPOCH) // _MICROSECOND


def local(at: int, zone: ZoneInfo) -> datetime:
    """A moment as the wall clock of a zone shows it, with its offset."""
    return (_EPOCH + timedelta(microseconds=at)).astimezone(zone)


def wall(naive: datetime, zone: ZoneInfo) -> int:
    """The moment a wall clock shows `naive`."""
    return moment(naive.replace(tzinfo=zone))


class TimeReader:
    """Reads times of one zone and counts those the clock change makes doubtful."""

    def __init__(self, zone: ZoneInfo) -> None:
        self.zone = zone
        self.skipped = 0
        self.twice = 0

    def time(self, value: object, path: str) -> int:
        """RFC 3339, or local to the zone: `2026-03-02T10:00`."""
        found = _TIME.fullmatch(value) if isinstance(value, str) else None
        if found is None:
            raise FieldError(path, "bad-time", {"value": shown(value)})
        day, clock, offset = found.groups()
        try:
            read = datetime.fromisoformat(f"{day}T{clock}{(offset or '').upper()}")
        except ValueError:
            raise FieldError(path, "bad-time", {"value": shown(value)}) from None
        in_range(read.date(), path)
        return moment(read) if read.tzinfo else self.wall(read)

    def time_or_date(self, value: object, path: str) -> int:
        """A time, or a date for its midnight."""
        if isinstance(value, str) and _DATE.fullmatch(value):
            return self.wall(datetime.combine(read_date(value, path), time()))
        return self.time(value, path)

    def wall(self, naive: datetime) -> int:
        """The moment a wall clock shows `naive`, counting times that do not exist or occur twice."""
        aware = naive.replace(tzinfo=self.zone)
        at = moment(aware)
        if aware.utcoffset() != aware.replace(fold=1).utcoffset():  # the same offset: an ordinary time
            if local(at, self.zone).replace(tzinfo=None) == naive:
                self.twice += 1
            else:
                self.skipped += 1
        return at


def read_date(value: object, path: str) -> date:
    """A date: `2026-03-02`."""
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        raise FieldError(path, "bad-date", {"value": shown(value)})
    try:
        read = date.fromisoformat(value)
    except ValueError:
        raise FieldError(path, "bad-date", {"value": shown(value)}) from None
    in_range(read, path)
    return read


def read_clock(value: object, path: str) -> time:
    """A time of day: `09:00`; `24:00` is midnight."""
    if not isinstance(value, str) or not _CLOCK.fullmatch(value):
        raise FieldError(path, "bad-clock", {"value": shown(value)})
    try:
        return time() if value in ("24:00", "24:00:00") else time.fromisoformat(value)
    except ValueError:
        raise FieldError(path, "bad-clock", {"value": shown(value)}) from None


def in_range(day: date, path: str) -> None:
    """Raise where a date is so far away that calendars of zones mean nothing."""
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise FieldError(path, "time-out-of-range", {"first": FIRST_YEAR, "last": LAST_YEAR})


def days_in_month(year: int, month: int) -> int:
    """Days of a month, 29 in a leap February."""
    return 29 if month == 2 and isleap(year) else _DAYS_IN_MONTH[month - 1]


def add_days(anchor: int, days: int, zone: ZoneInfo) -> int:
    """The same wall clock so many days later."""
    naive = local(anchor, zone).replace(tzinfo=None, fold=0)
    return wall(naive + timedelta(days=days), zone)


def add_months(anchor: int, months: int, zone: ZoneInfo) -> int:
    """The same day and wall clock so many months later, on the month's last day where it is shorter."""
    naive = local(anchor, zone).replace(tzinfo=None, fold=0)
    year, index = divmod(naive.year * 12 + naive.month - 1 + months, 12)
    day = min(naive.day, days_in_month(year, index + 1))
    return wall(naive.replace(year=year, month=index + 1, day=day), zone)


def same_anchor(first: int, second: int, zone: ZoneInfo, *, months: bool) -> bool:
    """Whether calendar terms counted from either moment end alike: same wall clock and, for months, same day of the month."""
    one, other = local(first, zone), local(second, zone)
    return one.time() == other.time() and (not months or one.day == other.day)


@lru_cache(maxsize=4096)
def period_starts(zone: ZoneInfo, unit: str, year: int) -> tuple[int, ...]:
    """The moments in a local year at which a calendar day, week (Monday) or month begins, and the year's end for months."""
    if unit == "month":
        return tuple(wall(datetime(year, month, 1), zone) for month in range(1, 13))  # noqa: DTZ001 (the zone is beside it)
    days = (date(year, 1, 1) + timedelta(days=n) for n in range(366))
    return tuple(
        wall(datetime.combine(day, time()), zone)
        for day in days
        if day.year == year and (unit == "day" or day.weekday() == 0)
    )


class Calendar:
    """The days, weeks or months of a zone around a span of time."""

    def __init__(self, zone: ZoneInfo, unit: str, first: int, last: int) -> None:
        years = range(local(first, zone).year - 1, local(last, zone).year + 2)
        self.starts = [start for year in years for start in period_starts(zone, unit, year)]

    def at(self, moment: int) -> int:
        """The period a moment lies in."""
        return bisect_right(self.starts, moment) - 1

    def split(self, start: int, stop: int) -> list[tuple[int, int, int]]:
        """[start, stop) cut at the periods: (period, from, to)."""
        pieces, index = [], self.at(start)
        while start < stop:
            end = min(stop, self.starts[index + 1])
            pieces.append((index, start, end))
            start, index = end, index + 1
        return pieces

    def length(self, index: int) -> int:
        """Microseconds of a period."""
        return self.starts[index + 1] - self.starts[index]


def hour_cuts(start: int, stop: int, zone: ZoneInfo) -> list[tuple[int, int, int]]:
    """[start, stop) cut at each full hour of the wall clock: (start, length, times), equal whole hours gathered."""
    pieces: list[tuple[int, int, int]] = []
    for begin, end, offset in offsets(start, stop, zone):
        at = begin
        if into := (at + offset) % HOUR:
            first = min(end, at + HOUR - into)
            pieces.append((at, first - at, 1))
            at = first
        whole, rest = divmod(end - at, HOUR)
        if whole:
            pieces.append((at, HOUR, whole))
        if rest:  # up to the stop, or to a change of the offset within an hour
            pieces.append((end - rest, rest, 1))
    return pieces


def offsets(start: int, stop: int, zone: ZoneInfo) -> list[tuple[int, int, int]]:
    """[start, stop) cut where the zone's offset changes: (from, to, offset in microseconds)."""
    first, last = _year(start), _year(stop)
    changes = [change for year in range(first, last + 1) for change in _changes(zone, year)]
    index = bisect_right(changes, (start, DAY)) - 1
    spans, at = [], start
    while at < stop:
        end = min(stop, changes[index + 1][0]) if index + 1 < len(changes) else stop
        spans.append((at, end, changes[index][1]))
        at, index = end, index + 1
    return spans


def keeps_offset(zone: ZoneInfo, first: int, last: int) -> bool:
    """Whether the zone's clock is never put forward or back between two moments."""
    return len({offset for _, _, offset in offsets(first, last, zone)}) <= 1


def _year(at: int) -> int:
    return (_EPOCH + timedelta(microseconds=at)).year


@lru_cache(maxsize=4096)
def _changes(zone: ZoneInfo, year: int) -> tuple[tuple[int, int], ...]:
    """(moment, offset from then on) for a year of UTC: its beginning, and where the offset changes. At most one change a day."""
    first, last = moment(datetime(year, 1, 1, tzinfo=UTC)), moment(datetime(year + 1, 1, 1, tzinfo=UTC))
    found = [(first, _offset(first, zone))]
    for day in range(first, last, DAY):
        before, after = found[-1][1], _offset(min(day + DAY, last - SECOND), zone)
        if before != after:
            low, high = day // SECOND, min(day + DAY, last - SECOND) // SECOND  # changes fall on whole seconds
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if _offset(middle * SECOND, zone) == before else (low, middle)
            found.append((high * SECOND, after))
    return tuple(found)


def _offset(at: int, zone: ZoneInfo) -> int:
    offset = local(at, zone).utcoffset()
    return offset // _MICROSECOND if offset is not None else 0


def month_reach(at: int, months: int, zone: ZoneInfo) -> int:
    """The furthest a term of calendar months can end that begins at `at` or before, whatever its anchor. Never less for a later `at`.

    Ends on the last day of a month are moved to that day's end: they gather what began on several days, or keep a later anchor.
    """
    naive = local(at, zone).replace(tzinfo=None, fold=0)
    year, index = divmod(naive.year * 12 + naive.month - 1 + months, 12)
    last = days_in_month(year, index + 1)
    if naive.day < min(last, days_in_month(naive.year, naive.month)):
        return add_months(at, months, zone)
    return wall(datetime(year, index + 1, last) + timedelta(days=1), zone)  # noqa: DTZ001 (the zone is beside it)
