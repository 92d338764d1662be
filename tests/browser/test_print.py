"""On paper: no frame, everything unfolded, dark ink on white even for somebody who reads in the dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

PAGES = {
    "guide": "/guide/language-models/",
    "plans": "/plans/",
    "card": "/cards/rtx-3090-24g/",
    "compare": "/cards/compare/?cmp=rtx-3090-24g&cmp=rtx-4090-24g",
    "result": "/advise/result/?preset=finetune-7b-qlora",
}
PAPER = 793
"""A4 across, CSS pixels."""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_whole(open_page: Callable[..., Page], name: str) -> None:
    page = open_page(f"/en{PAGES[name]}", theme="dark", width=PAPER)
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    expect(page.locator("footer.foot")).to_be_hidden()
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") == "rgb(255, 255, 255)"
    ink = page.evaluate("getComputedStyle(document.querySelector('h1')).color")
    assert max(int(part) for part in ink.removeprefix("rgb(").removesuffix(")").split(",")) < 80, ink
    folded = page.evaluate(
        """[...document.querySelectorAll('details:not([open])')].filter((one) => {
             const inner = [...one.children].find((child) => child.tagName !== 'SUMMARY');
             return inner && inner.getClientRects().length === 0;
           }).length"""
    )
    assert folded == 0, "what is folded on the screen is open on paper"
