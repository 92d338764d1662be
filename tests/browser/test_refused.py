"""What is refused while htmx asks is not silence: the page that says why is shown, at the address that was asked for."""

import pytest
from playwright.sync_api import Browser


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_is_shown(browser: Browser, shop: str, status: int) -> None:
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.goto(f"{shop}/en/plans/")
    page.route(
        "**/en/plans/?**",
        lambda route: route.fulfill(status=status, content_type="text/html", body="<h1>Too much at once</h1>"),
    )
    page.fill("[name=hours]", "77")
    page.locator("form[hx-get] button:not([name])").first.click()
    page.wait_for_selector("text=Too much at once", timeout=15_000)
    assert "hours=77" in page.url
    context.close()
