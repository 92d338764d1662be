"""A real Chromium against the real application. Without a browser these tests are skipped, on CI (CI=true) they fail."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Error, Page, sync_playwright

from catalog.actions import load_example_catalogue

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = (
    "true"  # Playwright's event loop lives in the test's own thread; no query runs in it
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "/browser/" in item.nodeid:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        except Error as error:
            if os.environ.get("CI") == "true":
                pytest.fail(f"no Chromium on CI: {error}")
            pytest.skip("no Chromium on this machine")
        yield browser
        browser.close()


@pytest.fixture
def shop(live_server) -> str:
    """The address of the application with the example catalogue."""
    load_example_catalogue(by=None)
    return str(live_server.url)


@pytest.fixture
def open_page(browser: Browser, shop: str) -> Iterator[Callable[..., Page]]:
    """`open_page("/en/", width=390, theme="dark", script=False)`: a page of its own context that fails on any script error or CSP report."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def open_(
        path: str,
        *,
        width: int = 1280,
        theme: str = "light",
        script: bool = True,
        workers: Literal["allow", "block"] = "block",
    ) -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme=theme,
            java_script_enabled=script,
            base_url=shop,
            reduced_motion="reduce",
            service_workers=workers,
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "console",
            lambda message: complaints.append(message.text) if "Content Security Policy" in message.text else None,
        )
        page.goto(path)
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def no_violations() -> Callable[[Page], None]:
    """Runs axe (WCAG 2.2 A, AA, best practice) with every fold open."""
    axe = Axe()

    def check(page: Page) -> None:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        found = axe.run(page, options={"runOnly": {"type": "tag", "values": RULES}}).response["violations"]
        told = [f"{one['id']}: {one['help']}: {[node['target'] for node in one['nodes']][:3]}" for one in found]
        assert told == [], page.url

    return check
