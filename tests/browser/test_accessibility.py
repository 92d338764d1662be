"""axe on every page of the road and each of its states, and nothing that scrolls sideways on a small phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

LLM = "scenario=llm&task=training&model=qwen-14b&method=qlora&sequence_tokens=2048"
PAGES = {
    "door": "/",
    "scenario": "/advise/aigc/",
    "what": "/advise/llm/training/",
    "what, filled in": "/advise/llm/training/?model=qwen-14b&method=qlora&sequence_tokens=2048",
    "what, mistakes": "/advise/llm/training/?model=qwen-14&micro_batch=-1&go=1",
    "amount": f"/advise/amount/?{LLM}",
    "amount, mistakes": f"/advise/amount/?{LLM}&budget=much&deadline_hours=-1&go=1",
    "check": f"/advise/check/?{LLM}&amount=20000000&unit=tokens",
    "expert": "/advise/expert/?scenario=aigc&task=video-generation",
    "result, a job": f"/advise/result/?{LLM}&amount=20000000&unit=tokens",
    "result, an hour": "/advise/result/?scenario=llm&task=inference&model=llama-3-8b&concurrency=16",
    "result, several cards": "/advise/result/?preset=train-7b-full",
    "result, nothing fits": "/advise/result/?scenario=llm&task=training&model=deepseek-v3&method=full&max_gpus=1",
    "result, limits broken": f"/advise/result/?{LLM}&amount=20000000000&unit=tokens&deadline_hours=1&budget=1",
    "result, no prices": f"/advise/result/?{LLM}&amount=20000000&unit=tokens&currency=USD",
    "unreadable": "/advise/result/?scenario=llm&task=training&model=nothing&colour=red",
    "check, mistakes": f"/advise/check/?{LLM}&amount=-2&unit=tokens&colour=red",
    "expert, mistakes": "/advise/expert/?scenario=llm&task=training&model=qwen-14&micro_batch=-1&go=1",
    "accuracy": "/accuracy/",
    "model": "/models/flux.1-dev/",
    "measured on a card": "/measurements/rtx-3090-24g/",
}


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_breaks_a_rule(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], language: str
) -> None:
    for path in PAGES.values():
        page = open_page(f"/{language}{path}", theme="dark" if language == "en" else "light")
        no_violations(page)
        page.context.close()


def test_mistakes_at_the_door_break_no_rule(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None]
) -> None:
    page = open_page("/zh-hans/", width=320)
    page.locator("#paste").fill("{")
    page.locator("form.paste button.main").click()
    expect(page.locator("#paste")).to_be_focused()
    no_violations(page)
    page.locator("#file").set_input_files({"name": "model.gguf", "mimeType": "", "buffer": b"GIF89a"})
    page.locator("button[formaction]").click()
    expect(page.locator("#file")).to_be_focused()
    no_violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320


@pytest.mark.parametrize("width", [320, 390])
def test_nothing_scrolls_sideways_on_a_phone(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], width: int
) -> None:
    for name, path in PAGES.items():
        page = open_page(f"/zh-hans{path}", width=width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        if width == 320:
            no_violations(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, f"{name}, all folds open"
        page.context.close()


def test_the_api_reference_breaks_no_rule(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None]
) -> None:
    page = open_page("/api/v1/docs", width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    # Folded tables are all of one make; axe takes a minute over two thousand rows, so six tables stand for all.
    page.evaluate("[...document.querySelectorAll('details')].slice(6).forEach((one) => one.remove())")
    no_violations(page)
