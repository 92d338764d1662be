"""Every code of the pure core has words, and the words ask for no figure that is not there."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.utils import translation

from advisor import sentences
from advisor.pages.wizard import schedule_text
from advisor.sentences import (
    PROBLEMS,
    SENTENCES,
    figure,
    hours_text,
    money,
    note_sentence,
    problem_sentence,
    reason_words,
    sentence,
)
from advisor.sizing.answer import Note
from advisor.sizing.hf_config import ConfigError, shape_from_config
from advisor.sizing.problems import PROBLEM_SENTENCES, Problem
from advisor.templatetags.figures import about_hours
from billing import sentences as billing_sentences
from billing.costing.errors import SENTENCES as COSTING_ERRORS
from billing.costing.notes import NOTE_SENTENCES

ADVISOR = Path(sentences.__file__).parent
PURE = [
    *sorted((ADVISOR / "sizing").rglob("*.py")),
    *(
        ADVISOR / name
        for name in ("recommend.py", "reasons.py", "advice.py", "survey.py", "costs.py", "recommendation.py")
    ),
]


def literals(node: ast.expr) -> Iterator[str]:
    """Strings an expression can be: a literal, or either branch of a conditional."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from literals(node.body)
        yield from literals(node.orelse)


def codes_emitted() -> dict[str, str]:
    """Code -> where it is made, for every Note, every assumption and every change of advice."""
    found = {}
    for path in PURE:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name in {"Note", "assume", "_Change", "_plan_note"}:
                for code in literals(node.args[0]):
                    found[code] = f"{path.name}:{node.lineno}"
    return found


def test_every_code_has_a_sentence():
    emitted = codes_emitted()
    assert len(emitted) > 60
    missing = {code: where for code, where in emitted.items() if code not in SENTENCES}
    assert not missing


def test_every_placeholder_is_well_formed_in_both_languages():
    for language in ("en", "zh-hans"):
        with translation.override(language):
            for code, texts in SENTENCES.items():
                for text in texts:
                    told = str(text)
                    assert told.replace("%%", "").count("%") == len(re.findall(r"%\(\w+\)s", told)), (code, told)
    for code, texts in SENTENCES.items():
        for text in texts:
            with translation.override("en"):
                english = set(re.findall(r"%\((\w+)\)s", str(text)))
            with translation.override("zh-hans"):
                chinese = set(re.findall(r"%\((\w+)\)s", str(text)))
            assert chinese <= english, code


@pytest.mark.parametrize(
    ("note", "english", "chinese"),
    [
        (Note("use-qlora", "method", {"from": "lora"}), "instead of LoRA:", "代替 LoRA"),
        (Note("use-lora", "method", {"from": "full"}), "instead of full training", "代替 全量"),
        (Note("offload-slow", "offload", {"kind": "model"}), "(whole models in turn)", "（整个模型轮流上卡）"),
        (Note("mixed-precision", "precision", {"from": "double"}), "instead of double;", "代替 双精度"),
        (Note("shard", "sharding", {"sharding": "zero3"}), "(ZeRO-3 or FSDP)", "（ZeRO-3 或 FSDP）"),
        (Note("default", "lora_targets", {"value": "all-linear"}), ": All linear layers,", "按 全部线性层 算"),
        (Note("default", "gradient_checkpointing", {"value": False}), ": not in use,", "按 不使用 算"),
    ],
)
def test_answers_in_sentences_are_called_as_in_the_forms(note, english, chinese):
    for language, words in (("en", english), ("zh-hans", chinese)):
        with translation.override(language):
            assert words in note_sentence(note)


@pytest.mark.parametrize(
    ("cost", "english", "chinese"),
    [
        ({}, "2 times the speed for the same money", "花同样的钱，速度 2 倍"),
        ({"more": "0.01", "currency": "CNY"}, "for only ¥0.01 more", "只多花 ¥0.01"),
        ({"cost_percent": 100}, "for 100% more money", "花费多 100%"),
        ({"saves_percent": 3}, "for 3% less money", "还省 3% 的钱"),
    ],
)
def test_what_more_cards_cost_is_said_without_percentages_that_say_nothing(cost, english, chinese):
    values = {"gpu_name": "RTX 4090 24G", "count": 2, "from_count": 1, "ratio": 2, **cost}
    for language, words in (("en", english), ("zh-hans", chinese)):
        with translation.override(language):
            assert words in note_sentence(Note("second-card", None, values))


def test_problems_and_costing_errors_are_worded_as_the_core_words_them():
    with translation.override("en"):
        assert {code: str(text) for code, text in PROBLEMS.items()} == dict(PROBLEM_SENTENCES)
        assert {code: str(text) for code, text in billing_sentences.ERRORS.items()} == dict(COSTING_ERRORS)
        assert {code: str(text) for code, text in billing_sentences.NOTES.items()} == dict(NOTE_SENTENCES)


def test_the_first_sentence_whose_figures_are_there():
    with translation.override("en"):
        assert sentence("cheapest", {"of": 8, "total": "32.88", "currency": "CNY", "hours": 26.9}) == (
            "Cheapest of the 8 that fit: ¥32.88 for about 27 h"
        )
        assert (
            sentence("cheapest", {"of": 8, "total": "0.95", "currency": "CNY"}) == "Cheapest of the 8 that fit: ¥0.95"
        )
        assert sentence("cheapest", {}) == "cheapest"
        assert sentence("no-such-code", {}) == "no-such-code"


@pytest.mark.parametrize(
    ("amount", "currency", "told"),
    [
        ("32.88", "CNY", "¥32.88"),
        ("1234567.5", "CNY", "¥1,234,567.50"),
        ("0.0105", "CNY", "¥0.0105"),
        ("5", "SGD", "SGD 5.00"),
        ("-8.4", "USD", "-$8.40"),
    ],
)
def test_money(amount, currency, told):
    with translation.override("en"):
        assert money(amount, currency) == told


def test_figures():
    with translation.override("en"):
        assert [figure(value) for value in (0.1234, 3.14159, 27.44, 1234.5, 12)] == [
            "0.123",
            "3.14",
            "27.4",
            "1,234",
            "12",
        ]
        assert [hours_text(value) for value in (0, 0.004, 0.25, 3.44, 26.9, 1200)] == [
            "0",
            "<0.01",
            "0.25",
            "3.4",
            "27",
            "1,200",
        ]


@pytest.mark.parametrize(
    "config",
    [
        {"a": 1},
        {"hidden_size": 4096},
        {"hidden_size": "x", "num_hidden_layers": 32},
        {"hidden_size": 4096, "num_hidden_layers": 20_000},
        {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 8, "num_key_value_heads": 32},
    ],
)
def test_why_a_config_cannot_be_used_is_told_in_the_readers_language(config):
    with pytest.raises(ConfigError) as caught:
        shape_from_config(config)
    with translation.override("zh-hans"):
        assert reason_words(caught.value.reason) != caught.value.reason
    with translation.override("en"):
        assert reason_words(caught.value.reason) == caught.value.reason


def test_one_of_something_is_no_plural():
    values = {"hours_per_day": 1, "days_per_week": 1, "weeks": 1, "hours": 1}
    with translation.override("en"):
        assert sentence("scheduled-use", values) == "Used 1 h a day, 1 day a week, for 1 week: 1 h"
        assert sentence("scheduled-use", {**values, "weeks": 1.5}).endswith("for 1.50 weeks: 1 h")
        assert "1,001 cards" in sentence("nvlink", {"count": 1001, "gb_s": 1})
        assert [about_hours(value) for value in (0.01, 0.5, 1.02, 1.5, 27)] == [
            "1 minute",
            "30 minutes",
            "1 hour",
            "1.5 hours",
            "27 hours",
        ]
        schedule = {"hours_per_day": 1, "days_per_week": 5, "weeks": 1, "starts_per_day": 1}
        assert schedule_text(schedule) == "1 hour a day, 5 days a week, 1 week, started 1 time a day"
    with translation.override("zh-hans"):
        assert about_hours(1) == "1 小时"


def test_wrong_values_are_told_in_the_readers_language():
    problem = Problem("batch", "too-small", {"minimum": 1, "value": -1})
    with translation.override("zh-hans"):
        assert problem_sentence(problem) == "batch 至少是 1，现在是 -1。"
    with translation.override("en"):
        assert problem_sentence(problem) == "batch must be at least 1; got -1."
