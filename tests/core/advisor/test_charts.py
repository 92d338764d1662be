"""Geometry of the charts: bars end where the figures say, parts add up, nobody on the front is beaten."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from advisor import charts
from advisor.sizing.answer import Memory
from billing.charts import BOTTOM, LEFT, RIGHT, TOP

MEMORY = Memory(
    20.1, 18.6, 22.1, 22.9, {"weights": 9.8, "gradients": 0.8, "optimizer": 1.7, "activations": 6.7, "framework": 1.1}
)


def number(percent: str) -> float:
    assert re.fullmatch(r"\d{1,3}(\.\d{1,2})?%", percent)
    return float(percent[:-1])


def test_the_gauge_of_the_design() -> None:
    bar = charts.memory_bar(MEMORY, 24, 24, ticks=True)
    assert [part.x for part in bar.parts] == ["0%", "40.83%", "44.17%", "51.25%", "79.17%"]
    assert (bar.usable, bar.low, bar.high, bar.over) == ("95.42%", "77.5%", "92.08%", None)
    assert bar.parts[3].fill == "url(#hatch)"
    assert [tick.label for tick in bar.ticks if tick.label] == ["0", "4", "8", "12", "16", "20"]


@pytest.mark.parametrize(("usable", "css"), [(19.0, "near"), (11.2, "over")])
def test_what_is_over_the_line_is_marked(usable: float, css: str) -> None:
    memory = Memory(20.1, 18.6, 22.1, usable, MEMORY.parts)
    bar = charts.memory_bar(memory, usable + 1, 80)
    assert bar.over is not None
    assert bar.over.css == css
    assert number(bar.over.width) == pytest.approx((22.1 - usable) / 80 * 100, abs=0.01)


sizes = st.dictionaries(st.sampled_from(charts.PART_ORDER), st.floats(0, 500), min_size=1)


@given(parts=sizes)
def test_rounded_parts_add_up_to_the_rounded_total(parts: dict[str, float]) -> None:
    total = sum(parts.values())
    shown = charts.rounded_parts(parts, total)
    assert round(sum(shown.values()), 1) == pytest.approx(round(total * 10) / 10, abs=1e-6)
    assert all(abs(shown[name] - parts[name]) <= 0.1 + 1e-9 for name in parts)


spots = st.lists(
    st.builds(charts.Spot, st.uuids().map(str), st.just("RTX"), st.floats(0.1, 1e4), st.floats(0.1, 1e5), st.booleans()),
    min_size=1, max_size=20)  # fmt: skip


@given(spots=spots)
def test_nobody_on_the_front_is_beaten(spots: list[charts.Spot]) -> None:
    front = charts.pareto(spots)
    for one in spots:
        beaten = any(
            rival.hours <= one.hours and rival.cost <= one.cost and rival is not one and (one.tight or not rival.tight)
            for rival in spots
        )
        assert (one in front) or beaten
    for one in front:
        assert not any(r.hours < one.hours and r.cost < one.cost and (one.tight or not r.tight) for r in spots)


@given(spots=spots)
@example(spots=[charts.Spot("a", "RTX", 1.0, 0.1, False), charts.Spot("b", "RTX", 1.0, 0.10000000000000002, False)])
@example(spots=[charts.Spot("a", "RTX", 7 / 3, 9.0, False), charts.Spot("b", "RTX", 7 / 3 + 1e-12, 8.0, False)])
def test_every_dot_is_inside_the_chart(spots: list[charts.Spot]) -> None:
    chart = charts.front_chart(spots, str)
    assert len(chart.dots) == len(spots)
    for dot in chart.dots:
        assert LEFT <= number(dot.x) <= RIGHT
        assert TOP <= dot.y <= BOTTOM


def test_the_front_of_the_design() -> None:
    said = [
        ("5090", 12.1, 49.66),
        ("a800", 13.0, 82.58),
        ("a100", 13.7, 59.92),
        ("4090", 15.4, 41.28),
        ("l40s", 16.0, 69.36),
        ("3090", 26.9, 32.88),
    ]
    spots = [charts.Spot(key, key, hours, cost) for key, hours, cost in said] + [
        charts.Spot("3080", "3080", 32.1, 29.17, tight=True)
    ]
    assert [one.key for one in charts.pareto(spots)] == ["5090", "4090", "3090", "3080"]
    chart = charts.front_chart(spots, lambda value: f"{value:g}")
    assert chart.line.count("H") == 2
    assert chart.dashed.startswith("M")


def test_every_part_is_drawn_and_none_is_lost() -> None:
    parts = {
        "weights": 4.0,
        "text_encoders": 1.5,
        "vae": 0.2,
        "gradients": 1.0,
        "vae_decode": 2.0,
        "somebody_new": 0.3,
        "framework": 0.5,
    }
    drawn = charts.drawn_parts(parts)
    assert list(drawn) == ["weights", "gradients", "activations", "framework"]
    assert sum(drawn.values()) == pytest.approx(sum(parts.values()))
    assert "other_models" in charts.drawn_parts({"weights": 4.0, "vae": 0.2})


def test_labels_do_not_cover_each_other() -> None:
    spots = [charts.Spot(str(i), "RTX 4090 24G", 10 + i * 3, 30 + i * 12) for i in range(6)]
    chart = charts.front_chart(spots, str)
    boxes = [
        charts._box(
            number(d.x), d.y, d.text_dx, d.text_y - d.y, d.anchor, charts._text_width(d.label), charts.CHART_WIDTH
        )
        for d in chart.dots
    ]
    assert not any(charts._hits(box, boxes[:i]) for i, box in enumerate(boxes))


def test_a_rung_over_the_line() -> None:
    rung = charts.rung(12, 11.2, Memory(20.1, 18.6, 22.1, 11.2, {}), "does_not_fit", 80)
    assert (rung.need, rung.over_x, rung.over_css) == ("14%", "14%", "over")
    assert number(rung.over_width) == pytest.approx(11.13, abs=0.01)
