"""`manage.py import_prices`: preview changes nothing, apply is one version, applying again changes nothing."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command
from django.utils.translation import override

from catalog.models import CatalogueVersion, Price
from catalog.queries import current_catalogue, current_version

pytestmark = pytest.mark.django_db
LIST = "gpu,currency,price_per_hour\nRTX 3090,CNY,1.40\nRTX 4090,CNY,9.99\nno-GPU mode,CNY,0.10\n"


@pytest.fixture(autouse=True)
def _as_django_runs_commands(example):
    """In the shop's first language, whatever the shell's: a command answers in its own `--lang`."""
    with override("zh-hans"):
        yield


@pytest.fixture
def price_list(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text(LIST, encoding="utf-8-sig")
    return path


def _hour(sku):
    return current_catalogue("CNY").offer(sku).plan("hour")["unit_price"]


def test_preview_shows_and_writes_nothing(price_list, capsys):
    call_command("import_prices", price_list, "--preview")
    out = capsys.readouterr().out
    assert "Read as utf-8-sig." in out
    assert "+ 2: rtx-3090-24g-x1 hourly: 1.32 -> 1.4 CNY/hour" in out
    assert "! 3: rtx-4090-24g-x1" in out
    assert "- 4: " in out
    assert "1 changes, 1 in doubt, 0 unchanged, 1 rows not taken." in out
    assert current_version() == 1


def test_apply_writes_what_is_not_in_doubt_once(price_list, capsys):
    call_command("import_prices", price_list, "--apply")
    assert "Catalogue version 2 written." in capsys.readouterr().out
    assert (_hour("rtx-3090-24g-x1"), _hour("rtx-4090-24g-x1")) == ("1.4", "2.3")
    assert not Price.objects.get(
        sku__code="rtx-3090-24g-x1", plan__name="hourly", valid_during__endswith__isnull=True
    ).is_sample
    call_command("import_prices", price_list, "--apply")
    assert "Nothing to change." in capsys.readouterr().out
    assert current_version() == 2
    call_command("import_prices", price_list, "--apply", "--accept-flagged")
    assert _hour("rtx-4090-24g-x1") == "9.99"
    assert CatalogueVersion.objects.get(number=3).why == "Price list imported: 1 prices"


def test_open_questions_stop_an_import(tmp_path):
    path = tmp_path / "list.csv"
    path.write_text("gpu,price_per_hour\nRTX 3090,1.40\n")
    with pytest.raises(CommandError, match="questions first"):
        call_command("import_prices", path, "--apply")
    assert current_version() == 1
    call_command("import_prices", path, "--apply", "--currency", "cny")
    assert _hour("rtx-3090-24g-x1") == "1.4"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--valid-from", "tomorrow"], "--valid-from"),
        (["--valid-from", "2026-13-40T99:00Z"], "--valid-from"),
        (["--currency", "gold"], "no currency"),
    ],
)
def test_wrong_arguments_get_a_sentence(price_list, arguments, says):
    with pytest.raises(CommandError, match=says):
        call_command("import_prices", price_list, *arguments)


def test_a_missing_file_gets_a_sentence(tmp_path):
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("import_prices", tmp_path / "none.csv")


def test_a_later_beginning_keeps_todays_price(price_list):
    call_command("import_prices", price_list, "--apply", "--valid-from", "2199-01-01T00:00:00+08:00")
    assert _hour("rtx-3090-24g-x1") == "1.32"
    assert Price.objects.filter(unit_price=Decimal("1.40")).count() == 1


def test_an_overlap_with_a_later_price_is_told_and_nothing_is_written(price_list):
    later = Price.objects.get(sku__code="rtx-4090-24g-x1", plan__name="hourly")
    later.valid_during = type(later.valid_during)(datetime(2199, 1, 1, tzinfo=UTC), None)
    later.save()
    version = current_version()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("import_prices", price_list, "--apply", "--accept-flagged")
    assert current_version() == version
    assert _hour("rtx-3090-24g-x1") == "1.32", "not even the row that would have been right"


def test_it_answers_in_english_unless_asked_otherwise_as_every_command(price_list, capsys):
    call_command("import_prices", price_list)
    assert "changes," in capsys.readouterr().out
    call_command("import_prices", price_list, "--lang", "zh-hans")
    assert "changes," not in capsys.readouterr().out


@pytest.mark.parametrize("text", ["x" * 300_000, "gpu,price_per_hour\n" + "x" * 300_000 + ",1"])
def test_a_line_without_end_gets_a_sentence(tmp_path, text):
    path = tmp_path / "long.csv"
    path.write_text(text)
    with pytest.raises(CommandError, match=r"131,?072"):
        call_command("import_prices", path)
