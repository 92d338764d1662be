"""The chart of cost against hours in words: labels at the lines, numbered break-evens, the same figures as a table."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from billing.charts import HoursChart, HoursLine, hours_chart
from billing.hours_curve import HoursCurves
from billing.wording import plan_text
from catalog.formats import figure_text
from catalog.snapshot import PlanKind

_ONE: Mapping[PlanKind, Promise] = {
    "day": gettext_lazy("a day card"),
    "week": gettext_lazy("a week card"),
    "month": gettext_lazy("a month card"),
}
LOG_TICKS = (1, 3, 8, 24, 72, 168, 720)
DAY, WEEK, MONTH = 24, 168, 720


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A drawn plan with its direct label."""

    line: HoursLine
    label: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """Hours, and each total with whether it is the least of its row."""

    hours: int
    cells: tuple[tuple[Decimal, bool], ...]


@dataclass(frozen=True, slots=True)
class PlanChart:
    """Everything a template needs; `note` tells the break-evens, `label` is for those who do not see the drawing.

    `heads`: of the table, each plan with what follows its term.
    """

    note: str
    label: str
    chart: HoursChart
    lines: tuple[PlanLine, ...]
    mix_label: str
    own_label: str
    heads: tuple[tuple[str, str], ...]
    rows: tuple[TableRow, ...]
    axis: str


def plan_chart(curves: HoursCurves, own: float | None, own_label: str = "") -> PlanChart:
    """The chart of some curves; `own_label` stands at the line of the own use."""
    breaks = [one for one in curves.breaks if one.cost is not None]
    note = _break_words(curves)
    chart = hours_chart(
        {str(kind): points for kind, points in curves.plans.items()},
        curves.mix,
        [(float(one.hours), one.cost or 0.0) for one in breaks],
        own,
        hour_ticks(curves),
        lambda value: figure_text(Decimal(repr(round(value, 4)))),
        logarithmic=curves.logarithmic,
    )
    heads = [(plan_text(kind), _then_words(curves.then.get(kind))) for kind in curves.kinds]
    return PlanChart(
        note=note,
        label=_("Lines of cost against hours of one run. %(breaks)s") % {"breaks": note},
        chart=chart,
        lines=tuple(PlanLine(line, plan_text(line.key)) for line in chart.plans),
        mix_label=_("cheapest mix"),
        own_label=own_label if chart.own_x else "",
        heads=(*heads, (_("Mix"), "")),
        rows=tuple(
            TableRow(row.hours, tuple((total, total == min(row.totals)) for total in row.totals)) for row in curves.rows
        ),
        axis=_("hours in one run, both axes logarithmic") if curves.logarithmic else _("hours in one run"),
    )


def _break_words(curves: HoursCurves) -> str:
    """`(1) from 20 h a day card beats hourly; (2) ...`"""
    inside = [one for one in curves.breaks if one.cost is not None]
    told = [
        _("(%(number)s) from %(hours)s h %(card)s beats hourly")
        % {"number": number, "hours": figure_text(Decimal(one.from_hour)), "card": _ONE[one.kind]}
        for number, one in enumerate(inside, 1)
    ]
    return _("; ").join(told) or _("No plan overtakes another within these hours.")


def _then_words(kind: PlanKind | None) -> str:
    return _("then %(plan)s") % {"plan": plan_text(kind).lower()} if kind else ""


def hour_ticks(curves: HoursCurves) -> list[tuple[float, str]]:
    """Marks of the hours' axis, in the unit that reads best."""
    if curves.logarithmic:
        return [(float(hours), _hours_words(hours)) for hours in LOG_TICKS]
    if curves.span <= MONTH:
        ticks = [(float(hours), _hours_words(hours) if hours else "0") for hours in range(0, curves.span + 1, WEEK)]
        return ticks if curves.span % WEEK == 0 else [*ticks, (float(curves.span), "")]
    months = curves.span // MONTH
    step = max(1, months // 6)
    return [(float(each * MONTH), _("%(n)s mo") % {"n": each} if each else "0") for each in range(0, months + 1, step)]


def _hours_words(hours: int) -> str:
    if hours == MONTH:
        return _("%(n)s mo") % {"n": 1}
    if hours % WEEK == 0:
        return _("%(n)s wk") % {"n": hours // WEEK}
    if hours % DAY == 0:
        return _("%(n)s d") % {"n": hours // DAY}
    return _("%(n)s h") % {"n": hours}
