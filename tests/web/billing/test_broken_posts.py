"""The edit form as no browser sends it: lines that are counted but missing, counters and rows that are no numbers."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from billing.models import Quote
from billing.typed import whole_number
from tests.web.billing.conftest import a_quote, posted

NEW = "/en/sales/quotes/new/"
NINES = "9" * 5000
LINE = {"sku": "rtx-3090-24g-x1", "plan_kind": "hour"}
GARBAGE = st.one_of(
    st.text(max_size=12),
    st.integers(-3, 300).map(str),
    st.text("0123456789٣２²½", min_size=1, max_size=4),
    st.sampled_from([NINES, "-" + NINES, "1e9", "0x3", " 2 ", "2.0", "NaN", "\x00", "\u202e3", "9" * 18]),
)


@pytest.fixture
def seller(client, example, sam):
    client.force_login(sam)
    return client


@pytest.mark.parametrize("do", ["save", "preview"])
@pytest.mark.parametrize("count", ["2", "3", "１２", "٣"])
def test_lines_that_are_counted_but_did_not_arrive_are_told(seller, do, count):
    page = seller.post(NEW, posted([LINE], do=do, **{"lines-TOTAL_FORMS": count}))
    assert page.status_code == 422
    assert "This line did not arrive whole." in page.content.decode()
    assert not Quote.objects.exists()


def test_such_a_line_is_removed_by_its_tick(seller):
    broken = posted([LINE], **{"lines-TOTAL_FORMS": "2", "lines-1-remove": "on"})
    assert seller.post(NEW, broken).status_code == 302
    assert Quote.objects.get().revision.lines.count() == 1


def test_an_added_line_stands_after_those_that_arrived(seller):
    page = seller.post(NEW, posted([LINE], do="add-text", **{"lines-TOTAL_FORMS": "3"}))
    assert [form.sells for form in page.context["editor"].lines.forms] == ["gpu", "text"]


@pytest.mark.parametrize("do", ["save", "preview"])
def test_a_row_of_five_thousand_digits_is_refused(seller, do):
    page = seller.post(NEW, posted([LINE | {"row": NINES}], do=do))
    assert page.status_code == 422
    assert "This line did not arrive whole." in page.content.decode()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    do=st.sampled_from(["save", "preview", "add-gpu", "add-text", "add-", "", "\x00"]),
    total=st.one_of(st.none(), GARBAGE),
    initial=st.one_of(st.none(), GARBAGE),
    line=st.fixed_dictionaries({}, optional=dict.fromkeys(("row", "kind", "sku", "count", "remove"), GARBAGE)),
    editing=st.booleans(),
)
def test_no_broken_form_is_a_fault(seller, sam, do, total, initial, line, editing):
    address = f"/en/sales/quotes/{a_quote(sam).number}/edit/" if editing else NEW
    counters = {"lines-TOTAL_FORMS": total, "lines-INITIAL_FORMS": initial}
    page = seller.post(address, posted([LINE | line], do=do, version="1", **counters))
    assert page.status_code in {200, 302, 422}


@given(GARBAGE)
def test_a_whole_number_is_read_or_is_none(text):
    assert 0 <= whole_number(text) < 10**18
    assert whole_number(str(whole_number(text))) == whole_number(text)
