"""What is stored of a name is what is seen of it."""

from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.printed_text import KEPT, UNSEEN, seen


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        ("Wang\u202eiL", "WangiL"),
        ("\u202a+86 138 0000 0000\u202c", "+86 138 0000 0000"),
        ("a\u2066b\u2067c\u2068d\u2069e", "abcde"),
        ("\u200b\u200e\u200f\ufeff\u2060\u00ad\u061c", ""),
        ("a\x07b\x1b[31m\x7f\x85", "ab[31m"),
        ("one\u2028two\u2029", "onetwo"),
        ("王 小明，O’Brien-Ñu\u0301 ٣ עברית", "王 小明，O’Brien-Ñu\u0301 ٣ עברית"),
        ("one\n\ttwo\r\n", "one\n\ttwo\r\n"),
    ],
)
def test_marks_go_and_letters_stay(typed, stored):
    assert seen(typed) == stored


@given(st.text())
def test_nothing_unseen_is_left_and_nothing_seen_is_lost(text):
    left = seen(text)
    assert seen(left) == left
    assert not [letter for letter in left if category(letter) in UNSEEN and letter not in KEPT]
    assert [letter for letter in text if category(letter)[0] in "LMNPS"] == [
        letter for letter in left if category(letter)[0] in "LMNPS"
    ]
