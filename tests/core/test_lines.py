"""JSON lines in and out: a bad line is answered and never stops the rest."""

import io
import json

import pytest

from advisor.lines import MAX_LINE_BYTES, answer_lines
from advisor.sizing.problems import Problem, WorkloadError


def answers(*lines: bytes):
    def answer(body):
        if "bad" in body:
            raise WorkloadError(
                (Problem("bad", "unknown-field-near", {"value": "bad", "suggestion": "good", "allowed": "good"}),)
            )
        return {"estimate": body.get("x")}

    sink = io.StringIO()
    errors = answer_lines(io.BytesIO(b"\n".join(lines)), sink, answer)
    return errors, [json.loads(line) for line in sink.getvalue().splitlines()]


def test_every_line_is_answered_in_order():
    errors, found = answers(b'{"id":"a","x":1}', b"", b'{"id":7,"x":2}')
    assert errors == 0
    assert found == [{"id": "a", "estimate": 1}, {"id": 7, "estimate": 2}]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"not json", "not-json"),
        (b"[1]", "not-an-object"),
        (b"\xff\xfe", "not-json"),
        (b'{"id":1e400}', "not-json"),
        (b'{"id":NaN}', "not-json"),
        (b"[" * 100_000, "not-json"),
        (b'{"id":1,"x":1,"x":2}', "not-json"),
        (b'{"id":1,"x":"' + b"a" * MAX_LINE_BYTES + b'"}', "line-too-long"),
    ],
)
def test_a_bad_line_never_stops_the_rest(line, code):
    errors, found = answers(line, b'{"id":"after","x":3}')
    assert errors == 1
    assert found[0]["error"]["code"] == code
    assert found[0]["id"] is None
    assert found[1] == {"id": "after", "estimate": 3}


def test_a_broken_workload_says_where_what_is_allowed_and_what_is_nearest():
    errors, found = answers(b'{"id":"q","bad":1}')
    problem = found[0]["error"]["problems"][0]
    assert errors == 1
    assert found[0]["id"] == "q"
    assert (problem["path"], problem["allowed"], problem["suggestion"]) == ("bad", "good", "good")
    assert problem["detail"] in found[0]["error"]["detail"]


def test_half_a_pair_in_a_line_never_stops_the_rest(tmp_path):
    def answer(body):
        return {"estimate": body.get("x")}

    with (tmp_path / "out").open("w", encoding="utf-8") as sink:
        errors = answer_lines(io.BytesIO(b'{"id":"\\ud800","x":"\\udfff"}\n{"id":"after","x":3}\n'), sink, answer)
    found = [json.loads(line) for line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()]
    assert errors == 0
    assert found == [{"id": "\ud800", "estimate": "\udfff"}, {"id": "after", "estimate": 3}]


def test_an_id_that_is_no_id_comes_back_as_text():
    _, found = answers(b'{"id":{"a":1},"x":1}')
    assert found[0]["id"] == "{'a': 1}"


def test_a_line_that_is_not_in_utf_8_is_told_so():
    for line in (b"\xff\xfe", '{"id":1}'.encode("utf-16"), '{"id":"中"}'.encode("gb18030")):
        _, found = answers(line)
        assert found[0]["error"]["detail"] == "This line is not JSON: it is not in UTF-8."
