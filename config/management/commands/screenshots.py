"""`manage.py screenshots`: every page at two widths, two themes and two languages, with one contact sheet to look at.

Pages of the staff are taken where `--password` is given; what a shop has none of (a quotation, a request) is left out and named.
"""

import re
import shutil
from argparse import ArgumentParser
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory
from django.utils.translation import override
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route, sync_playwright

from advisor.guide.topics import TOPICS
from catalog.limits import TooMany
from config import pages

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@dataclass(frozen=True, slots=True)
class Shot:
    """A page: its address without the language, and what is done there before the picture is taken.

    `fill`: control -> its text, or the bytes of a file, sent by `press`. `follow`: links to open one after another, or fields
    that hold an address. `staff`: signed in.
    """

    path: str
    fill: Mapping[str, str | bytes] = field(default_factory=dict)
    press: str = ""
    follow: tuple[str, ...] = ()
    staff: bool = False
    printed: bool = False


LLM = "scenario=llm&task=training&model=qwen-14b&method=qlora&sequence_tokens=2048"
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which "
    "1.12 GiB is free. Of the allocated memory 21.5 GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but "
    "unallocated."
)
ADMIN = "#content-main th a"
QUOTE = "main th a[href*='/sales/quotes/']"
SHOTS: dict[str, Shot] = {
    "home": Shot("/"),
    "home-unreadable": Shot("/", fill={"#paste": "{"}, press="button.main"),
    "home-file-unreadable": Shot("/", fill={"#file": b"GIF89a"}, press="button[formaction]"),
    "wizard-scenario": Shot("/advise/aigc/"),
    "wizard-scenario-llm": Shot("/advise/llm/?model=qwen-14b"),
    "wizard-what": Shot(f"/advise/llm/training/?{LLM.split('&', 2)[2]}"),
    "wizard-what-video": Shot("/advise/aigc/video-generation/"),
    "wizard-what-speech": Shot("/advise/speech/transcription/?model=whisper-large-v3"),
    "wizard-what-vision": Shot("/advise/vision/training/?model=yolov8x"),
    "wizard-what-science": Shot("/advise/science/simulation/"),
    "wizard-mistakes": Shot("/advise/llm/training/?model=qwen-14&micro_batch=-1&go=1"),
    "wizard-amount": Shot(f"/advise/amount/?{LLM}&amount=20000000&unit=tokens"),
    "wizard-check": Shot(f"/advise/check/?{LLM}&amount=20000000&unit=tokens&deadline_hours=48"),
    "wizard-check-mistakes": Shot(f"/advise/check/?{LLM}&amount=-2&unit=tokens&colour=red"),
    "expert": Shot("/advise/expert/?scenario=llm&task=inference&model=llama-3-8b"),
    "result-job": Shot(f"/advise/result/?{LLM}&amount=60000000&unit=tokens"),
    "result-hour": Shot("/advise/result/?scenario=llm&task=inference&model=llama-3-8b&concurrency=16"),
    "result-several": Shot("/advise/result/?preset=train-7b-full"),
    "result-nothing": Shot("/advise/result/?scenario=llm&task=training&model=llama-2-70b&method=full&max_gpus=1"),
    "result-unreadable": Shot("/advise/result/?scenario=llm&task=training&model=nothing&colour=red"),
    "result-print": Shot("/advise/result/?preset=finetune-7b-lora&view=print", printed=True),
    "saved": Shot("/advise/saved/"),
    "cards": Shot("/cards/"),
    "card": Shot("/cards/rtx-4090-24g/"),
    "compare": Shot("/cards/compare/?cmp=rtx-3090-24g&cmp=rtx-4090-24g&cmp=a800-pcie-80g"),
    "plans": Shot("/plans/"),
    "plans-weekly": Shot("/plans/?sku=rtx-4090-24g-x2&pattern=weekly&days=mon&days=tue&from=09:00&to=18:00&weeks=4"),
    "plans-mistakes": Shot("/plans/?sku=rtx-3090-24g-x1&pattern=hours&hours=-1&starts=0"),
    "doctor": Shot("/doctor/"),
    "doctor-answer": Shot("/doctor/", fill={"#paste": OOM}, press="button.main"),
    "guide": Shot("/guide/"),
    **{f"guide-{topic}": Shot(f"/guide/{topic}/") for topic in TOPICS},
    "accuracy": Shot("/accuracy/"),
    "models": Shot("/models/"),
    "model": Shot("/models/llama-3-8b/"),
    "measurements": Shot("/measurements/rtx-4090-24g/"),
    "ask": Shot("/ask/?preset=finetune-7b-lora"),
    "ask-mistakes": Shot("/ask/", press="main form button.main"),
    "offline": Shot("/offline/"),
    "not-found": Shot("/nothing-here/"),
    "login": Shot("/login/"),
    "login-mistakes": Shot("/login/", fill={"#id_username": "nobody", "#id_password": "x"}, press="button.main"),
    "gallery": Shot("/gallery/"),
    "sales-requests": Shot("/sales/?state=all", staff=True),
    "sales-request": Shot("/sales/?state=all", follow=("main th a[href*='/sales/requests/']",), staff=True),
    "sales-quotes": Shot("/sales/quotes/", staff=True),
    "sales-quote": Shot("/sales/quotes/", follow=(QUOTE,), staff=True),
    "sales-new": Shot("/sales/quotes/new/", staff=True),
    "sales-edit": Shot("/sales/quotes/?state=draft", follow=(QUOTE, "a[href$='/edit/']"), staff=True),
    "sales-figures": Shot("/sales/figures/", staff=True),
    "offer": Shot("/sales/quotes/?state=sent", follow=(QUOTE, "input[value*='/q/']"), staff=True),
    "offer-accept": Shot(
        "/sales/quotes/?state=sent", follow=(QUOTE, "input[value*='/q/']", "a[href$='/accept/']"), staff=True
    ),
    "admin": Shot("/admin/", staff=True),
    "admin-list": Shot("/admin/", follow=(ADMIN,), staff=True),
    "admin-change": Shot("/admin/", follow=(ADMIN, "#result_list th a"), staff=True),
}


def broken(request: HttpRequest) -> HttpResponse:
    """The page for a database that does not answer."""
    try:
        raise OperationalError("for the picture")
    except OperationalError:
        return pages.server_error(request)


ERRORS: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "error-403": lambda request: pages.forbidden(request, PermissionDenied()),
    "error-429": lambda request: pages.too_many(request, TooMany(540)),
    "error-500": pages.server_error,
    "error-503": broken,
}
"""Pages no address leads to: rendered here, shown in the shop's frame."""

PAPER = 718
"""Width of an A4 sheet in pixels, between margins of 1 cm."""
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
        parser.add_argument("--user", default="manager", help="who sees the pages of the staff")
        parser.add_argument("--password", default="", help="of that user; the demo prints one. Without: no staff pages")

    def handle(self, *args: Any, **options: Any) -> None:
        folder: Path = options["folder"]
        folder.mkdir(parents=True, exist_ok=True)
        only = re.compile(options["only"])
        shots = {name: shot for name, shot in SHOTS.items() if only.search(name)}
        if not options["password"]:
            shots = {name: shot for name, shot in shots.items() if not shot.staff}
        errors = [name for name in ERRORS if only.search(name)]
        camera = Camera(options["url"].rstrip("/"), folder)
        try:
            with sync_playwright() as playwright:
                browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                if any(shot.staff for shot in shots.values()):
                    camera.sign_in(browser, options["user"], options["password"])
                for look in product(WIDTHS, THEMES, LANGUAGES):
                    camera.take(browser, look, shots, errors)
                    self.stdout.write("{} px, {}, {}".format(*look))
                browser.close()
        except Error as error:
            reason = str(error).splitlines()[0]
            raise CommandError(
                f"{reason}. Is a shop running at {options['url']}? `uv run manage.py demo` starts one."
            ) from error
        sheet = folder / "index.html"
        sheet.write_text(contact_sheet([*shots, *errors], folder), encoding="utf-8")
        for name in sorted(camera.missing):
            self.stdout.write(f"{name}: nothing of the kind in this shop")
        self.stdout.write(f"{camera.taken} pictures, contact sheet: {sheet}")
        if camera.sideways:
            raise CommandError("Scrolls sideways: " + ", ".join(camera.sideways))


type Look = tuple[int, str, str]
"""Width in pixels, theme, language."""


class Camera:
    """Takes the pictures of a running shop and remembers what was wrong or missing."""

    def __init__(self, base: str, folder: Path) -> None:
        self.base = base
        self.folder = folder
        self.state: Any = None
        self.taken = 0
        self.missing: set[str] = set()
        self.sideways: list[str] = []

    def sign_in(self, browser: Browser, user: str, password: str) -> None:
        """Signs in once; every later page of the staff has that session. Raises CommandError where it is refused."""
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{self.base}/en/login/")
        page.fill("#id_username", user)
        page.fill("#id_password", password)
        page.click("main button.main")
        if page.url.endswith("/login/"):
            raise CommandError(f"The shop at {self.base} does not let {user} in.")
        self.state = context.storage_state()
        context.close()

    def take(self, browser: Browser, look: Look, shots: Mapping[str, Shot], errors: list[str]) -> None:
        """All pictures of one width, theme and language."""
        guest, staff = self.context(browser, look, None), self.context(browser, look, self.state)
        for name, shot in shots.items():
            if shot.printed and look[0] != WIDTHS[0]:
                continue
            page = (staff if shot.staff else guest).new_page()
            if shot.printed:
                page.emulate_media(media="print")
                page.set_viewport_size({"width": PAPER, "height": 900})
            if self.reach(page, shot, look[2]):
                self.keep(page, name, look)
            else:
                self.missing.add(name)
            page.close()
        for name in errors:
            page = guest.new_page()
            address = f"{self.base}/{look[2]}/{name}/"
            page.route(address, partial(answer, error_page(name, look[2])))
            page.goto(address, wait_until="networkidle")
            self.keep(page, name, look)
            page.close()
        guest.close()
        staff.close()

    def context(self, browser: Browser, look: Look, state: Any) -> BrowserContext:
        """A browser of its own."""
        width, theme, language = look
        return browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if theme == "dark" else "light",
            locale={"zh-hans": "zh-CN"}.get(language, language),
            storage_state=state,
            service_workers="block",
        )

    def reach(self, page: Page, shot: Shot, language: str) -> bool:
        """Whether the page is there and everything to do on it could be done."""
        response = page.goto(f"{self.base}/{language}{shot.path}", wait_until="networkidle")
        if shot.path == "/gallery/" and response is not None and response.status == 404:
            return False  # only where DEBUG is on
        for selector in shot.follow:
            target = page.locator(selector).first
            if not target.count():
                return False
            page.goto(target.evaluate("node => node.href || node.value"), wait_until="networkidle")
        for selector, content in shot.fill.items():
            if isinstance(content, bytes):
                page.set_input_files(selector, {"name": "model.gguf", "mimeType": "", "buffer": content})
            else:
                page.fill(selector, content)
        if shot.press:
            page.click(shot.press)
            page.wait_for_load_state("networkidle")
        return True

    def keep(self, page: Page, name: str, look: Look) -> None:
        """The picture of the whole page."""
        width = page.viewport_size["width"] if page.viewport_size else look[0]
        file = picture(name, look)
        page.screenshot(path=self.folder / file, full_page=True)
        self.taken += 1
        if page.evaluate("document.documentElement.scrollWidth") > width + 1:  # a pixel of rounding
            self.sideways.append(file)


def answer(html: str, route: Route) -> None:
    """This page instead of what the shop would say."""
    route.fulfill(body=html, content_type="text/html; charset=utf-8")


def error_page(name: str, language: str) -> str:
    """One of the `ERRORS` as the shop would answer it."""
    with override(language):
        return ERRORS[name](RequestFactory().get(f"/{language}/")).content.decode()


def contact_sheet(names: list[str], folder: Path) -> str:
    """A row of eight pictures for each page that was reached."""
    rows = []
    for name in names:
        figures = "".join(
            f'<figure><a href="{file}"><img loading="lazy" src="{file}" alt=""></a><figcaption>{" ".join(map(str, look))}</figcaption></figure>'
            for look in product(WIDTHS, THEMES, LANGUAGES)
            for file in [picture(name, look)]
            if (folder / file).exists()
        )
        path = SHOTS[name].path if name in SHOTS else ""
        rows.append(f"<h2>{escape(name)} <small>{escape(path)}</small></h2>{figures}")
    return f'<!doctype html><meta charset="utf-8"><title>Contact sheet</title><style>{STYLE}</style>{"".join(rows)}'


def picture(name: str, look: Look) -> str:
    """File name of one picture."""
    width, theme, language = look
    return f"{name}-{language}-{width}-{theme}.png"
