"""Without a connection: what was read still opens, what was not says so, live figures say that they are old."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.django_db(transaction=True)


CONTROLLED = "navigator.serviceWorker.controller !== null"


def until(page: Page, told: str) -> None:
    """Wait for the page to say true; its policy forbids Playwright to poll by itself."""
    for _attempt in range(100):
        if page.evaluate(told):
            return
        page.wait_for_timeout(100)
    pytest.fail(told)


@pytest.mark.parametrize(("language", "words"), [("en", "No connection"), ("zh-hans", "没有网络")])
def test_what_was_read_opens_and_what_was_not_says_so(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], language: str, words: str
) -> None:
    page = open_page(f"/{language}/", workers="allow")
    until(page, CONTROLLED)
    page.goto(f"/{language}/advise/result/?preset=finetune-7b-lora")
    said = page.locator("#answer").inner_text()
    page.context.set_offline(True)
    page.reload()
    expect(page.locator("#answer")).to_have_text(said)
    page.goto(f"/{language}/plans/")
    expect(page.locator("h1")).to_have_text(words)
    assert page.evaluate("getComputedStyle(document.querySelector('.btn.main')).minHeight") == "44px"
    no_violations(page)
    page.context.set_offline(False)
    page.locator(".btn.main").click()
    expect(page.locator("h1")).not_to_have_text(words)


def test_the_page_that_brought_the_worker_opens_too_and_what_is_ones_own_is_not_kept(
    open_page: Callable[..., Page],
) -> None:
    page = open_page("/en/advise/result/?preset=finetune-7b-lora", workers="allow")
    until(page, CONTROLLED)
    until(page, "caches.open('read-1').then((one) => one.keys()).then((kept) => kept.length === 1)")
    page.locator("form:has([name=query]) button").click()
    expect(page.locator(".saved li")).to_have_count(1)
    page.context.set_offline(True)
    page.goto("/en/advise/result/?preset=finetune-7b-lora")
    expect(page.locator("#answer")).to_be_visible()
    page.goto("/en/advise/saved/")
    expect(page.locator("h1")).to_have_text("No connection")


def test_live_figures_say_that_they_are_old(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/result/?preset=finetune-7b-lora")
    page.context.set_offline(True)
    bars = page.locator("#what-if a:not([aria-current])")
    bars.nth(0).click()
    expect(page.locator("#away")).to_be_visible()
    page.context.set_offline(False)
    bars.nth(1).click()
    expect(page.locator("#what-if-answer p").first).to_be_visible()
    expect(page.locator("#away")).to_be_hidden()
