"""Reading usage and plans: the three forms, clock changes, and hostile input answered by named errors in bounded time."""

import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from billing.costing.compare import compare_line, compare_mapping
from billing.costing.errors import SENTENCES, CostingErrors, FieldError
from billing.costing.jsonl import answer_lines
from billing.costing.notes import NOTE_SENTENCES
from billing.costing.plans import FIELDS, parse_plan, parse_plans
from billing.costing.quote_totals import quote_totals_line
from billing.costing.usage import parse_usage
from tests.core.billing.costing_help import errors_of

ROOT = Path(__file__).resolve().parents[3]
HOURLY = {"name": "hourly", "currency": "CNY", "unit_price": "1.88", "price_per": "hour"}
MONTH = {"name": "month", "currency": "CNY", "unit_price": "500", "price_per": "month", "term": {"unit": "month"}}


def weekly(**fields: object) -> dict:
    return {
        "weekly": {"days": ["mon", "wed"], "from": "09:00", "to": "17:30"},
        "weeks": 2,
        "from": "2026-03-02",
        **fields,
    }


# --- forms ---------------------------------------------------------------------------------------------------------------


def test_hours_are_equal_pieces_back_to_back() -> None:
    used = parse_usage({"hours": 10.5, "starts": 3, "from": "2026-03-02T08:00"})
    assert [(start.hour, stop.hour) for start, stop in used.spans] == [(8, 11), (11, 15), (15, 18)]
    assert str(used.hours) == "10.5"
    assert [note.code for note in used.assumptions] == ["back-to-back"]


def test_hours_without_a_date_say_where_they_were_laid() -> None:
    assert [note.code for note in parse_usage({"hours": "720"}).assumptions] == ["no-date"]


def test_overlaps_are_merged_with_a_warning_and_touching_ones_stay() -> None:
    used = parse_usage(
        {
            "intervals": [
                ["2026-03-02T12:00", "2026-03-02T14:00"],
                ["2026-03-02T10:00", "2026-03-02T12:30"],
                ["2026-03-02T14:00", "2026-03-02T15:00"],
            ]
        }
    )
    assert [(start.hour, stop.hour) for start, stop in used.spans] == [(10, 14), (14, 15)]
    assert [(note.code, note.params["count"]) for note in used.warnings] == [("overlap-merged", 1)]
    answer = compare_line(
        {"id": 1, "plans": [HOURLY], "usage": {"intervals": [["2026-03-02T12:00", "2026-03-02T14:00"]] * 2}}
    )
    assert "merged" in answer["comparison"]["warnings"][0]


def test_a_weekly_timetable() -> None:
    used = parse_usage(weekly())
    assert [start.strftime("%m-%d %H:%M") for start, _ in used.spans] == [
        "03-02 09:00", "03-04 09:00", "03-09 09:00", "03-11 09:00",
    ]  # fmt: skip
    assert str(used.hours) == "34"


def test_weeks_count_from_the_date_whatever_its_weekday() -> None:
    used = parse_usage(weekly(**{"from": "2026-03-05"}))  # a Thursday
    assert [start.day for start, _ in used.spans] == [9, 11, 16, 18]


@pytest.mark.parametrize(
    ("opens", "closes", "hours"),
    [("22:00", "06:00", 8), ("09:00", "09:00", 24), ("18:00", "24:00", 6), ("00:00", "00:00", 24)],
)
def test_to_before_from_runs_over_midnight(opens: str, closes: str, hours: int) -> None:
    used = parse_usage({"weekly": {"days": ["fri"], "from": opens, "to": closes}, "weeks": 1, "from": "2026-03-02"})
    assert used.hours == hours


def test_nights_over_the_clock_change() -> None:
    nights = {"weekly": {"days": ["sat"], "from": "22:00", "to": "06:00"}, "weeks": 1, "timezone": "Europe/Berlin"}
    assert parse_usage({**nights, "from": "2026-03-23"}).hours == 7
    assert parse_usage({**nights, "from": "2026-10-19"}).hours == 9


def test_times_that_do_not_exist_or_occur_twice_are_said() -> None:
    skipped = parse_usage({"intervals": [["2026-03-29T02:30", "2026-03-29T05:00"]], "timezone": "Europe/Berlin"})
    assert [note.code for note in skipped.warnings] == ["time-skipped"]
    assert str(skipped.hours) == "1.5"
    twice = parse_usage({"intervals": [["2026-10-25T02:30", "2026-10-25T05:00"]], "timezone": "Europe/Berlin"})
    assert [note.code for note in twice.warnings] == ["time-twice"]
    assert str(twice.hours) == "3.5"
    tiny = {"weekly": {"days": ["sun"], "from": "02:30", "to": "03:10"}, "weeks": 1, "timezone": "Europe/Berlin"}
    assert parse_usage({**tiny, "from": "2026-03-23"}).intervals == ()


def test_offsets_and_local_times_agree() -> None:
    local_times = parse_usage({"intervals": [["2026-03-02T10:00", "2026-03-02T11:00"]]})
    for pair in (
        ["2026-03-02T10:00:00+08:00", "2026-03-02T11:00:00+08:00"],
        ["2026-03-02T02:00:00Z", "2026-03-02T03:00:00.000z"],
    ):
        assert parse_usage({"intervals": [pair]}).intervals == local_times.intervals


# --- errors ----------------------------------------------------------------------------------------------------------------

INTERVAL = {"intervals": [["2026-03-02T10:00", "2026-03-02T11:00"]]}


@pytest.mark.parametrize(
    ("usage", "path", "code"),
    [
        ([], "usage", "not-an-object"),
        ({}, "usage", "usage-kind-missing"),
        ({"hours": 1, **INTERVAL}, "usage.intervals", "usage-kind-twice"),
        ({"hours": 1, "weeks": 2}, "usage.weeks", "not-with"),
        ({**INTERVAL, "starts": 2}, "usage.starts", "not-with"),
        ({"hour": 1, "hours": 1}, "usage.hour", "unknown-field"),
        ({"hours": -1}, "usage.hours", "too-small"),
        ({"hours": 1e300}, "usage.hours", "too-large"),
        ({"hours": 10**500}, "usage.hours", "not-a-number"),
        ({"hours": float("nan")}, "usage.hours", "not-a-number"),
        ({"hours": Decimal("Infinity")}, "usage.hours", "not-a-number"),
        ({"hours": Decimal("1E+999999")}, "usage.hours", "not-a-number"),
        ({"hours": True}, "usage.hours", "wrong-type"),
        ({"hours": "abc"}, "usage.hours", "not-a-number"),
        ({"hours": [1]}, "usage.hours", "wrong-type"),
        ({"hours": 1, "starts": 0}, "usage.starts", "too-small"),
        ({"hours": 1, "starts": 1.5}, "usage.starts", "not-whole"),
        ({"hours": 1, "starts": "2"}, "usage.starts", "wrong-type"),
        ({"hours": 1, "starts": 10**9}, "usage.starts", "too-large"),
        ({"hours": 1, "gpus": 0}, "usage.gpus", "too-small"),
        ({"hours": 1, "gpus": False}, "usage.gpus", "wrong-type"),
        ({"hours": 1, "machines": None}, "usage.machines", "wrong-type"),
        ({"hours": 1, "disk_gb": -1}, "usage.disk_gb", "too-small"),
        ({"hours": 1, "timezone": "Asia/Shanghay"}, "usage.timezone", "unknown-zone"),
        ({"hours": 1, "timezone": "../../etc/passwd"}, "usage.timezone", "unknown-zone"),
        ({"hours": 1, "timezone": "localtime"}, "usage.timezone", "unknown-zone"),
        ({"hours": 1, "timezone": "America"}, "usage.timezone", "unknown-zone"),
        ({"hours": 1, "timezone": "\0"}, "usage.timezone", "unknown-zone"),
        ({"hours": 1, "timezone": 8}, "usage.timezone", "wrong-type"),
        ({"hours": 1, "from": "yesterday"}, "usage.from", "bad-time"),
        ({"hours": 1, "keep_until": "2026-03-02T10:00"}, "usage.keep_until", "keep-without-date"),
        ({"hours": 200_000, "from": "2190-01-01"}, "usage.hours", "time-out-of-range"),
        ({"intervals": []}, "usage.intervals", "empty"),
        ({"intervals": "x"}, "usage.intervals", "not-a-list"),
        ({"intervals": [["2026-03-02T10:00", "2026-03-02T11:00"]] * 100_001}, "usage.intervals", "too-many"),
        ({"intervals": [["2026-03-02T10:00"]]}, "usage.intervals[0]", "not-a-pair"),
        ({"intervals": ["2026-03-02T10:00"]}, "usage.intervals[0]", "not-a-pair"),
        ({"intervals": [["2026-03-02T11:00", "2026-03-02T10:00"]]}, "usage.intervals[0]", "stop-before-start"),
        ({"intervals": [["2026-02-30T10:00", "2026-03-02T10:00"]]}, "usage.intervals[0][0]", "bad-time"),
        ({"intervals": [["2026-03-02", "2026-03-03"]]}, "usage.intervals[0][0]", "bad-time"),
        ({"intervals": [["2026-03-02T10:00", 5]]}, "usage.intervals[0][1]", "bad-time"),
        ({"intervals": [["0001-01-01T00:00", "2026-03-02T10:00"]]}, "usage.intervals[0][0]", "time-out-of-range"),
        ({"intervals": [["2026-03-02T10:00", "9999-12-31T23:59"]]}, "usage.intervals[0][1]", "time-out-of-range"),
        ({"intervals": [["1990-03-02T10:00", "2026-03-02T10:00"]]}, "usage.intervals", "span-too-long"),
        ({**INTERVAL, "keep_until": "2026-03-02T10:59"}, "usage.keep_until", "keep-before-stop"),
        ({**INTERVAL, "keep_until": "2126-03-02T10:59"}, "usage.keep_until", "span-too-long"),
        (weekly(weeks=0), "usage.weeks", "too-small"),
        (weekly(weeks=10**6), "usage.weeks", "too-large"),
        (weekly(**{"from": "2026-13-02"}), "usage.from", "bad-date"),
        ({"weekly": {"days": ["mon"], "from": "09:00", "to": "10:00"}}, "usage.weeks", "missing"),
        ({"weekly": 5, "weeks": 1}, "usage.weekly", "not-an-object"),
        (
            {"weekly": {"days": ["monday"], "from": "09:00", "to": "10:00"}, "weeks": 1},
            "usage.weekly.days[0]",
            "unknown-value",
        ),
        (
            {"weekly": {"days": ["mon", "mon"], "from": "09:00", "to": "10:00"}, "weeks": 1},
            "usage.weekly.days[1]",
            "duplicate-day",
        ),
        ({"weekly": {"days": [], "from": "09:00", "to": "10:00"}, "weeks": 1}, "usage.weekly.days", "empty"),
        ({"weekly": {"days": ["mon"], "from": "9:00", "to": "10:00"}, "weeks": 1}, "usage.weekly.from", "bad-clock"),
        ({"weekly": {"days": ["mon"], "from": "09:00", "to": "25:00"}, "weeks": 1}, "usage.weekly.to", "bad-clock"),
        (
            {"weekly": {"days": ["mon"], "from": "09:00", "to": "10:00", "till": 1}, "weeks": 1},
            "usage.weekly.till",
            "unknown-field",
        ),
    ],
)
def test_usage_errors(usage: object, path: str, code: str) -> None:
    assert errors_of(parse_usage, usage) == [(path, code)]


@pytest.mark.parametrize(
    ("changed", "path", "code"),
    [
        ({"unit_price": None}, "unit_price", "wrong-type"),
        ({"unit_price": "-1"}, "unit_price", "too-small"),
        ({"unit_price": "1e300"}, "unit_price", "too-large"),
        ({"unit_price": 1e300}, "unit_price", "too-large"),
        ({"unit_price": "1e-25"}, "unit_price", "too-many-decimals"),
        ({"unit_price": "9" * 5000}, "unit_price", "not-a-number"),
        ({"unit_price": float("inf")}, "unit_price", "not-a-number"),
        ({"unit_price": "NaN"}, "unit_price", "not-a-number"),
        ({"unit_price": "sNaN"}, "unit_price", "not-a-number"),
        ({"unit_price": " 1"}, "unit_price", "not-a-number"),
        ({"unit_price": True}, "unit_price", "wrong-type"),
        ({"name": ""}, "name", "empty"),
        ({"name": "x" * 500}, "name", "too-long"),
        ({"name": "a\nb"}, "name", "bad-text"),
        ({"name": 5}, "name", "wrong-type"),
        ({"currency": "RMB"}, "currency", "unknown-currency"),
        ({"price_per": "year"}, "price_per", "unknown-value"),
        ({"price_per": []}, "price_per", "wrong-type"),
        ({"per": "card"}, "per", "unknown-value"),
        ({"billing_step_seconds": 30}, "billing_step_seconds", "unknown-value"),
        ({"billing_step_seconds": 0}, "billing_step_seconds", "too-small"),
        ({"billing_step_seconds": True}, "billing_step_seconds", "wrong-type"),
        ({"money_rounding": "ceil"}, "money_rounding", "unknown-value"),
        ({"cap_hours_per_month": 0}, "cap_hours_per_month", "too-small"),
        ({"term": {"unit": "year"}}, "term.unit", "unknown-value"),
        ({"term": {"unit": "day", "count": 0}, "price_per": "day"}, "term.count", "too-small"),
        ({"term": {"unit": "day", "cnt": 1}, "price_per": "day"}, "term.cnt", "unknown-field"),
        ({"term": "month"}, "term", "not-an-object"),
        ({"term": {"unit": "day"}}, "price_per", "price-per-not-term"),
        (
            {"term": {"unit": "day"}, "price_per": "day", "unused": "refund_clawback"},
            "list_price_per_hour",
            "list-price-missing",
        ),
        (
            {"term": {"unit": "day"}, "price_per": "day", "after_term": "on_demand"},
            "on_demand_plan",
            "on-demand-plan-missing",
        ),
        ({"tax_percent": "101"}, "tax_percent", "too-large"),
        ({"prices_include_tax": 1}, "prices_include_tax", "wrong-type"),
        ({"stopped_gpu_billed": "no"}, "stopped_gpu_billed", "wrong-type"),
        ({"mounth_means": "30d"}, "mounth_means", "unknown-field"),
        ({"\ud800": 1}, "?", "unknown-field"),
    ],
)
def test_plan_errors(changed: dict, path: str, code: str) -> None:
    found = errors_of(parse_plan, {**HOURLY, **changed})
    if "term" in changed and path.startswith("term") and "price_per" not in changed:
        found = [error for error in found if error[1] != "price-per-not-term"]
    assert found == [(f"plan.{path}", code)]


@pytest.mark.parametrize(
    ("plans", "path", "code"),
    [
        (None, "plans", "not-a-list"),
        ([], "plans", "empty"),
        ([HOURLY] * 500, "plans", "too-many"),
        ([HOURLY, 5], "plans[1]", "not-an-object"),
        ([HOURLY, HOURLY], "plans[1].name", "duplicate-name"),
        ([HOURLY, {**MONTH, "currency": "USD"}], "plans[1].currency", "mixed-currencies"),
        (
            [HOURLY, {**MONTH, "after_term": "on_demand", "on_demand_plan": "hourli"}],
            "plans[1].on_demand_plan",
            "on-demand-plan-unknown",
        ),
        (
            [MONTH, {**MONTH, "name": "m", "after_term": "on_demand", "on_demand_plan": "month"}],
            "plans[1].on_demand_plan",
            "on-demand-plan-has-term",
        ),
    ],
)
def test_errors_between_plans(plans: object, path: str, code: str) -> None:
    assert errors_of(parse_plans, plans) == [(path, code)]


def test_all_errors_are_told_at_once() -> None:
    broken = {"plans": [{**HOURLY, "unit_price": "-1", "per": "box"}], "usage": {"hours": "x"}}
    assert [path for path, _ in errors_of(compare_mapping, broken)] == [
        "plans[0].unit_price",
        "plans[0].per",
        "usage.hours",
    ]


def test_suggestions_are_the_nearest_names() -> None:
    with pytest.raises(CostingErrors) as caught:
        parse_plan({**HOURLY, "bilingstep": 60, "timzone": 1})
    assert caught.value.errors[0].params["suggestion"] == "billing_step_seconds"


def test_a_stored_plan_has_the_same_fields() -> None:
    assert set(FIELDS) == {
        "name", "currency", "unit_price", "price_per", "per", "billing_step_seconds", "pieces", "money_rounding", "round_at",
        "minimum_seconds", "minimum_charge", "cap_hours_per_month", "term", "day_means", "week_means", "month_means", "unused",
        "refund_fee_percent", "list_price_per_hour", "refund_free_days", "after_term", "on_demand_plan", "stopped_gpu_billed",
        "disk_price_per_gb_day_running", "disk_price_per_gb_day_stopped", "free_disk_gb", "tax_percent", "prices_include_tax",
    }  # fmt: skip


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["1", "NaN", "month", "mon", "09:00"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*FIELDS, "unit", "count", "days", "from", "to"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(
    change=st.dictionaries(st.sampled_from(FIELDS), anything, max_size=3),
    used=st.dictionaries(
        st.sampled_from(
            [
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
            ]
        ),
        anything,
        max_size=4,
    ),
    plans=anything,
)
def test_whatever_comes_is_answered_in_json(change: dict, used: dict, plans: object) -> None:
    for asked in (
        {"id": 1, "plans": [{**HOURLY, **change}], "usage": {"hours": 1, **used}},
        {"plans": plans, "usage": used},
        plans,
    ):
        answer = compare_line(asked)
        assert ("comparison" in answer) != ("error" in answer)
        json.dumps(answer, allow_nan=False)
        money = quote_totals_line(asked)
        assert ("totals" in money) != ("error" in money)


def test_every_sentence_can_be_written() -> None:
    for code, sentence in {**SENTENCES, **NOTE_SENTENCES}.items():
        assert code == code.strip()
        assert sentence % _Anything()
    assert str(FieldError("", "not-json", {"reason": "x"})).startswith("This line")


class _Anything(dict):
    def __missing__(self, key: str) -> str:
        return key


def test_ten_years_of_hourly_starts_are_quick() -> None:
    first = datetime(2016, 1, 1, tzinfo=UTC)
    times = [(first + timedelta(hours=n)).isoformat() for n in range(87_601)]
    pairs = [[a, b] for a, b in itertools.pairwise(times)]
    begun = time.process_time()
    answer = compare_line({"id": 1, "plans": [HOURLY, MONTH], "usage": {"intervals": pairs}})
    assert answer["comparison"]["plans"][0]["total"] == "164688.00"
    assert time.process_time() - begun < 15


# --- lines of JSON -----------------------------------------------------------------------------------------------------------


def answered(*lines: str) -> Iterator[tuple[dict, bool]]:
    written = answer_lines((line.encode() for line in lines), compare_line)
    return ((json.loads(line, parse_constant=pytest.fail), good) for line, good in written)


GOOD = json.dumps({"id": "g", "plans": [HOURLY], "usage": {"hours": 1}})


@pytest.mark.parametrize(
    "bad",
    ["{", "nonsense", '{"a": NaN}', '{"a": Infinity}', "[" * 100_000, '{"id": ' + "9" * 10_000 + "}", "\x00", "5", "null", '"text"', "[]", "{}", '{"id": 7, "plans": 5}', '{"id": 1e400}', '{"id": -1e400}', '{"plans": 1e400, "usage": 1e99999999999999999999}'],
)  # fmt: skip
def test_a_bad_line_is_an_error_line_and_stops_nothing(bad: str) -> None:
    found = list(answered(GOOD, bad, "", "  ", "\ufeff" + GOOD))
    assert [good for _, good in found] == [True, False, True]
    assert found[1][0]["error"]["message"]
    assert found[1][0]["id"] == (7 if '"id": 7' in bad else None)
    assert found[2][0]["id"] == "g"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b'{"id":1e400}', "1e400 is larger than any number here"),
        (b'{"id":1,"plans":[-1e999999999]}', "-1e999999999 is larger than any number here"),
        (b"\xff\xfe", "it is not in UTF-8"),
        ('{"id":1}'.encode("utf-16"), "it is not in UTF-8"),
        ('{"id":"中"}'.encode("gb18030"), "it is not in UTF-8"),
    ],
)
def test_what_no_json_reader_would_read_is_said(line: bytes, told: str) -> None:
    for answer in (compare_line, quote_totals_line):
        written, good = next(answer_lines([line], answer))
        assert not good
        assert json.loads(written, parse_constant=pytest.fail)["error"]["message"] == f"This line is not JSON: {told}."


def test_ids_come_back_as_they_were() -> None:
    for name in ("x", 5, 1.5, "中文", "\ud800", None):
        line = json.dumps({"id": name, "plans": [HOURLY], "usage": {"hours": 1}})
        assert next(answered(line))[0]["id"] == name


def ran(*arguments: str, lines: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """A command with servers that are not there, in another zone."""
    nowhere = {"DATABASE_URL": "postgres://nobody@127.0.0.1:9/none", "REDIS_URL": "redis://127.0.0.1:9/0"}
    env = {**os.environ, **nowhere, "SECRET_KEY": "x", "TZ": "America/New_York"}
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, input=lines, capture_output=True, check=False)


def test_the_command_answers_every_line_without_database(shared: Path) -> None:
    cases = (shared / "cases" / "plan_cases.jsonl").read_text().splitlines()
    found = ran("compare_plans", "--jsonl", lines="\n".join(cases).encode() + b"\n\xff\xfe not utf-8\n")
    assert (found.returncode, found.stderr) == (1, b"")
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    assert lines[:-1] == [answer for answer, _ in answered(*cases)]
    assert lines[-1]["id"] is None


def test_the_command_exits_0_where_all_is_answered(tmp_path: Path) -> None:
    file = tmp_path / "quotes.jsonl"
    file.write_text(
        json.dumps(
            {"id": 1, "currency": "CNY", "rounding": "line", "lines": [{"quantity": "57", "unit_price": "1.99"}]}
        )
    )
    found = ran("quote_totals", "--jsonl", str(file))
    assert (found.returncode, found.stderr) == (0, b"")
    assert json.loads(found.stdout)["totals"]["net"] == "113.43"


def test_a_file_that_cannot_be_read_is_said() -> None:
    found = ran("compare_plans", "--jsonl", "no-such-file")
    assert found.returncode == 1
    assert b"no-such-file cannot be read" in found.stderr
