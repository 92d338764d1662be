"""A translator alone adds a language: folders, words, and nothing else. Done here in a copy of the project, as CONTRIBUTING tells it."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("config", "catalog", "billing", "advisor")
WORDS = {
    "config": {"Cards and prices": "Karten und Preise", "There is no such page": "Diese Seite gibt es nicht"},
    "catalog": {"FP8 not supported. No NVLink connector.": "Kein FP8. Kein NVLink-Anschluss."},
    "advisor": {"Fits": "Passt"},
}
PAGES = {
    "cards": "/de/cards/",
    "card": "/de/cards/rtx-3080-10g/",
    "compare": "/de/cards/compare/?cmp=rtx-3080-10g&cmp=rtx-4090-24g",
    "result": "/de/advise/result/?scenario=llm&task=training&model=llama-3-8b&method=lora&amount=2000000000&unit=tokens",
    "plans": "/de/plans/?hours=1234",
    "guide": "/de/guide/",
    "doctor": "/de/doctor/",
    "accuracy": "/de/accuracy/",
    "login": "/de/login/",
    "admin": "/de/admin/login/",
    "missing": "/de/no-such-page/",
    "sitemap": "/sitemap.xml",
    "english": "/en/cards/",
}
SCRIPT = """
import json, sys
import pytest  # the settings of tests: static files as they lie
import django
django.setup()
from django.db import transaction
from django.test import Client
from catalog.actions import load_example_catalogue
from billing.models import QuoteRequest
out = {}
with transaction.atomic():
    load_example_catalogue(by=None)
    client = Client(headers={"accept-language": "de"})
    out["door"] = client.get("/").headers["Location"]
    for name, path in json.loads(sys.argv[1]).items():
        answer = client.get(path)
        out[name] = [answer.status_code, answer.content.decode()]
    asked = client.post("/de/ask/", {"contact": "Anna", "email": "anna@example.com", "message": "Acht H100?", "consent": "on"})
    out["asked"] = [asked.status_code, QuoteRequest.objects.values_list("language", flat=True).first()]
    transaction.set_rollback(True)
print(json.dumps(out))
"""


@pytest.fixture(scope="module")
def german(tmp_path_factory, django_db_setup, django_db_blocker):
    """What the copy answers once a translator has been there."""
    copy = tmp_path_factory.mktemp("copy")
    leave = shutil.ignore_patterns("__pycache__", "*.mo")
    for folder in (*FOLDERS, "templates", "static"):
        shutil.copytree(ROOT / folder, copy / folder, ignore=leave)
    shutil.copy(ROOT / "manage.py", copy)
    with django_db_blocker.unblock():
        name = connection.settings_dict["NAME"]
    environment = {
        **os.environ,
        "DATABASE_URL": os.environ["DATABASE_URL"].replace("/cardwise?", f"/{name}?"),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "ALLOWED_HOSTS": "testserver",
        "PYTHONPATH": str(copy),
    }

    def run(*command):
        done = subprocess.run(
            [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr[-3000:]
        return done.stdout

    for folder in FOLDERS:
        (copy / folder / "locale" / "de" / "LC_MESSAGES").mkdir(parents=True)
    run("manage.py", "messages")
    for folder, words in WORDS.items():
        po = copy / folder / "locale" / "de" / "LC_MESSAGES" / "django.po"
        text = po.read_text()
        for english, told in words.items():
            assert f'msgid "{english}"\nmsgstr ""' in text, f"{folder}: {english}"
            text = text.replace(f'msgid "{english}"\nmsgstr ""', f'msgid "{english}"\nmsgstr "{told}"')
        po.write_text(text)
    checked = run("manage.py", "messages", "--check", "--app", "catalog")
    return {"checked": checked, **json.loads(run("-c", SCRIPT, json.dumps(PAGES)).splitlines()[-1])}


def test_it_is_there_by_itself(german):
    assert german["door"] == "/de/"
    for name in PAGES:
        assert german[name][0] == (404 if name == "missing" else 200), name
    assert '<html lang="de"' in german["cards"][1]
    assert "Karten und Preise" in german["cards"][1]
    assert "Diese Seite gibt es nicht" in german["missing"][1]
    assert "Passt" in german["result"][1]


def test_switch_alternates_and_sitemap_know_it(german):
    assert re.search(r'<a href="/de/cards/" lang="de" hreflang="de">Deutsch</a>', german["english"][1])
    assert set(re.findall(r'rel="alternate" hreflang="([\w-]+)"', german["english"][1])) == {"zh-Hans", "en", "de"}
    assert "<loc>http://testserver/de/cards/</loc>" in german["sitemap"][1]


def test_what_is_not_yet_translated_is_english_never_chinese(german):
    assert "Compare plans" in german["cards"][1]
    for name in ("cards", "card", "compare", "result", "plans", "guide", "doctor", "accuracy", "login"):
        text = re.sub(r'<a [^>]*lang="zh-Hans"[^>]*>[^<]*</a>', "", german[name][1])
        assert not re.search(r"[\u4e00-\u9fff]", text), name


def test_words_in_the_data_are_translated_too(german):
    assert "Kein FP8. Kein NVLink-Anschluss." in german["card"][1]


def test_numbers_follow_it(german):
    assert "760,3" in german["card"][1]
    for name in ("result", "plans"):
        plain = re.sub(r"<[^>]+>", " ", german[name][1])
        assert re.search(r"\d\.\d{3}\b|\d,\d{2}\b", plain), name
        assert not re.search(r"\d,\d{3}\.\d", plain), name
    assert re.search(r"\d\.\d{3},\d{2}", german["result"][1])


def test_a_language_in_the_making_is_counted_not_refused(german):
    assert re.search(r"catalog/locale/de/.*: 1 of [\d,]+ translated", german["checked"])


def test_who_asks_in_it_is_written_to_in_a_language_there_is(german):
    assert german["asked"] == [302, "en"]
