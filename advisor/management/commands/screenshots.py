"""`manage.py screenshots`: every page at two widths, two themes and two languages, with one contact sheet to look at."""

import re
import shutil
from argparse import ArgumentParser
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from playwright.sync_api import Browser, Error, sync_playwright

from advisor.guide.topics import TOPICS

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
LLM = "scenario=llm&task=training&model=qwen-14b&method=qlora&sequence_tokens=2048"
PAGES: dict[str, str] = {
    "home": "/",
    "wizard-scenario": "/advise/aigc/",
    "wizard-what": f"/advise/llm/training/?{LLM.split('&', 2)[2]}",
    "wizard-mistakes": "/advise/llm/training/?model=qwen-14&micro_batch=-1&go=1",
    "wizard-amount": f"/advise/amount/?{LLM}&amount=20000000&unit=tokens",
    "wizard-check": f"/advise/check/?{LLM}&amount=20000000&unit=tokens&deadline_hours=48",
    "expert": "/advise/expert/?scenario=llm&task=inference&model=llama-3-8b",
    "result-job": f"/advise/result/?{LLM}&amount=60000000&unit=tokens",
    "result-hour": "/advise/result/?scenario=llm&task=inference&model=llama-3-8b&concurrency=16",
    "result-several": "/advise/result/?preset=train-7b-full",
    "result-nothing": "/advise/result/?scenario=llm&task=training&model=llama-2-70b&method=full&max_gpus=1",
    "result-unreadable": "/advise/result/?scenario=llm&task=training&model=nothing&colour=red",
    "cards": "/cards/",
    "card": "/cards/rtx-4090-24g/",
    "compare": "/cards/compare/?cmp=rtx-3090-24g&cmp=rtx-4090-24g&cmp=a800-pcie-80g",
    "plans": "/plans/",
    "doctor": "/doctor/",
    "guide": "/guide/",
    **{f"guide-{topic}": f"/guide/{topic}/" for topic in TOPICS},
    "accuracy": "/accuracy/",
    "models": "/models/",
    "model": "/models/llama-3-8b/",
    "measurements": "/measurements/rtx-4090-24g/",
    "plans-weekly": "/plans/?sku=rtx-4090-24g-x2&pattern=weekly&days=mon&days=tue&from=09:00&to=18:00&weeks=4",
    "plans-mistakes": "/plans/?sku=rtx-3090-24g-x1&pattern=hours&hours=-1&starts=0",
    "ask": "/ask/",
    "not-found": "/nothing-here/",
    "login": "/login/",
}
WIDTHS, THEMES, LANGUAGES = (1280, 390), ("light", "dark"), ("zh-hans", "en")
STYLE = "body{font:14px sans-serif;margin:1rem}h2{margin:2rem 0 .5rem}figure{display:inline-block;margin:0 1rem 1rem 0;vertical-align:top}img{display:block;border:1px solid #999;height:420px;object-fit:cover;object-position:top}"


class Command(BaseCommand):
    help = __doc__ or ""
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--url", default="http://127.0.0.1:8000", help="a running shop, for example `manage.py demo`"
        )
        parser.add_argument("--folder", type=Path, default=settings.BASE_DIR / "screenshots")
        parser.add_argument("--only", default="", help="pages whose name matches this expression")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        folder.mkdir(parents=True, exist_ok=True)
        pages = {name: path for name, path in PAGES.items() if re.search(options["only"], name)}
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                sideways = self.shoot(browser, options["url"].rstrip("/"), folder, pages)
                browser.close()
        except Error as error:
            reason = str(error).splitlines()[0]
            raise CommandError(
                f"{reason}. Is a shop running at {options['url']}? `uv run manage.py demo` starts one."
            ) from error
        sheet = folder / "index.html"
        sheet.write_text(self.sheet(pages), encoding="utf-8")
        self.stdout.write(f"{len(pages) * 8} pictures, contact sheet: {sheet}")
        if sideways:
            raise CommandError("Scrolls sideways: " + ", ".join(sideways))

    def shoot(self, browser: Browser, base: str, folder: Path, pages: dict[str, str]) -> list[str]:
        """All pictures; names of those that scroll sideways."""
        wrong = []
        for width, theme, language in product(WIDTHS, THEMES, LANGUAGES):
            context = browser.new_context(
                viewport={"width": width, "height": 900}, color_scheme="dark" if theme == "dark" else "light"
            )
            page = context.new_page()
            for name, path in pages.items():
                page.goto(f"{base}/{language}{path}", wait_until="networkidle")
                file = picture(name, width, theme, language)
                page.screenshot(path=folder / file, full_page=True)
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wrong.append(file)
            context.close()
            self.stdout.write(f"{width} px, {theme}, {language}")
        return wrong

    def sheet(self, pages: dict[str, str]) -> str:
        """The contact sheet: a row of eight pictures for each page."""
        rows = []
        for name, path in pages.items():
            figures = "".join(
                f'<figure><a href="{file}"><img loading="lazy" src="{file}" alt=""></a><figcaption>{width} {theme} {language}</figcaption></figure>'
                for width, theme, language in product(WIDTHS, THEMES, LANGUAGES)
                for file in [picture(name, width, theme, language)]
            )
            rows.append(f"<h2>{escape(name)} <small>{escape(path)}</small></h2>{figures}")
        return f'<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>{STYLE}</style>{"".join(rows)}'


def picture(name: str, width: int, theme: str, language: str) -> str:
    """File name of one picture."""
    return f"{name}-{language}-{width}-{theme}.png"
