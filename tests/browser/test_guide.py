"""The guide in a browser: no accessibility fault in either language or theme, nothing sideways on a phone, the way to the wizard."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from advisor.guide.topics import TOPICS

PAGES = ["/guide/", *(f"/guide/{slug}/" for slug in TOPICS)]


@pytest.mark.parametrize(
    ("language", "width", "theme"), [("en", 320, "light"), ("zh-hans", 390, "dark"), ("zh-hans", 1280, "light")]
)
def test_every_page_is_accessible_and_fits(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], language: str, width: int, theme: str
) -> None:
    for path in PAGES:
        page = open_page(f"/{language}{path}", width=width, theme=theme)
        no_violations(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        page.context.close()


@pytest.mark.parametrize("script", [True, False])
def test_a_topic_leads_to_the_wizard_with_its_answers(open_page: Callable[..., Page], script: bool) -> None:
    page = open_page("/en/guide/", script=script)
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Guide").click()
    page.get_by_role("main").get_by_role("link", name="Speech and audio").click()
    page.get_by_role("link", name="Transcribe 500 hours").last.click()
    page.wait_for_url("**/advise/check/?**")
    assert "amount=500" in page.url


def test_the_origin_of_a_figure_is_a_fold_away(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/guide/how-to-choose/", script=False)
    page.get_by_text("Where the figures of this page come from").click()
    row = page.get_by_role("row").filter(has_text="RTX 4090 24G against RTX 3090 24G: Memory bandwidth")
    expect(row).to_contain_text("1,008 / 936.2")
    row.get_by_role("link").click()
    assert "/cards/compare/?cmp=rtx-4090-24g&cmp=rtx-3090-24g" in page.url
