"""The whole road of a quotation in a real browser: wizard, ask, inbox, draft, approval, mail, acceptance; with and without script."""

import os
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from django.contrib.auth.models import Group, User
from playwright.sync_api import Page, expect

from billing.models import OutboxMail, Quote
from config.roles import sync_roles
from tests.browser.test_journeys import JOURNEYS, walk
from tests.web.billing.conftest import a_line, a_sent_quote

PASSWORD = "for-tests-only-12345"
WORDS = {
    "en": {
        "send_request": "Send request",
        "make": "Make a quotation of it",
        "save": "Save draft",
        "submit": "Ask for approval",
        "approve": "Approve",
        "send": "Send to customer",
        "accept": "Accept",
        "accepted": "Accepted by Wang",
        "state": "Accepted",
    },
    "zh-hans": {
        "send_request": "提交请求",
        "make": "据此报价",
        "save": "存草稿",
        "submit": "提交审批",
        "approve": "批准",
        "send": "发给客户",
        "accept": "接受报价",
        "accepted": "Wang 已于",
        "state": "已接受",
    },
}


@pytest.fixture
def staff(shop: str) -> None:
    """A salesperson and a manager."""
    sync_roles()
    for name, role in (("sam", "sales"), ("max", "manager")):
        user = User.objects.create_user(name, password=PASSWORD, email=f"{name}@example.com")
        user.groups.add(Group.objects.get(name=role))


@pytest.fixture
def keep(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[Page, str], None]:
    """Keeps a picture of a page where `SCREENSHOTS` says, else for this test alone."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)

    def shoot(page: Page, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"quote-{request.node.callspec.id}-{name}.png", full_page=True)

    return shoot


def sign_in(page: Page, name: str) -> None:
    page.locator('[name="username"]').fill(name)
    page.locator('[name="password"]').fill(PASSWORD)
    page.locator("button.main").click()


def press(page: Page, words: str) -> None:
    page.get_by_role("button", name=words, exact=True).click()


def link_of_the_mail(shop: str) -> str:
    """The path of the customer's link, as the mail has it."""
    letter = OutboxMail.objects.get(quote__isnull=False, recipient="wang@example.com")
    return re.search(r"https?://[^/\s]+(/\S+/q/\S+)", letter.body)[1]


@pytest.mark.parametrize("script", [True, False], ids=["script", "plain"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_from_the_wizard_to_the_acceptance(open_page, shop, staff, keep, no_violations, language, script) -> None:
    say = WORDS[language]
    page = open_page(f"/{language}/", script=script)
    walk(page, *JOURNEYS[3])
    answer = page.locator("#answer").inner_text()
    page.locator('form[action$="/ask/"] button.main').click()
    expect(page.locator("main")).to_contain_text(answer)
    page.locator("#id_contact").fill("Wang")
    page.locator("#id_organisation").fill("示例大学视觉实验室")
    page.locator("#id_email").fill("wang@example.com")
    press(page, say["send_request"])
    expect(page.locator(".errors")).to_be_visible()  # no consent yet
    keep(page, "1-ask")
    page.locator("#id_consent").check()
    press(page, say["send_request"])
    expect(page.locator(".errors")).to_have_count(0)

    desk = open_page(f"/{language}/sales/", script=script)
    sign_in(desk, "sam")
    keep(desk, "2-inbox")
    desk.get_by_role("link", name=re.compile("示例大学")).click()
    expect(desk.locator("main")).to_contain_text(answer)
    keep(desk, "3-request")
    desk.get_by_role("link", name=say["make"]).click()
    desk.locator("#id_lines-0-discount_percent").fill("20")
    if script:
        expect(desk.locator("#totals .fit.tight")).to_contain_text("20%")
        no_violations(desk)
    desk.locator('button[value="add-storage"]').click()
    expect(desk.locator("#id_lines-0-discount_percent")).to_have_value("20")
    desk.locator('[name$="-count"]').last.fill("450")
    keep(desk, "4-edit")
    press(desk, say["save"])
    quote = Quote.objects.get()
    assert f"/{language}/sales/quotes/{quote.number}/" in desk.url
    press(desk, say["submit"])
    expect(desk.get_by_role("button", name=say["send"])).to_have_count(0)
    keep(desk, "5-waiting")

    office = open_page(f"/{language}/sales/quotes/{quote.number}/", script=script)
    sign_in(office, "max")
    press(office, say["approve"])
    desk.reload()
    press(desk, say["send"])
    if script:
        no_violations(desk)
    keep(desk, "6-sent")

    customer = open_page(link_of_the_mail(shop), script=script)
    expect(customer.locator(".sum")).to_contain_text("¥")
    expect(customer.locator("tbody")).to_contain_text("450 GB × 30")
    if script:
        no_violations(customer)
    keep(customer, "7-offer")
    customer.get_by_role("link", name=say["accept"], exact=True).click()
    customer.locator("#id_name").fill("Wang")
    customer.locator("#id_agree").check()
    customer.locator("button.main").click()
    expect(customer.locator(".flash[role=status]")).to_contain_text(say["accepted"])
    keep(customer, "8-accepted")
    desk.reload()
    expect(desk.locator(".tag").first).to_have_text(say["state"])
    desk.goto(f"/{language}/sales/figures/")
    if script:
        no_violations(desk)
    keep(desk, "9-figures")
    quote.refresh_from_db()
    assert quote.state == "accepted"


@pytest.mark.parametrize(("width", "theme"), [(1280, "dark"), (390, "light"), (320, "light")])
def test_pages_at_every_width(open_page, shop, staff, keep, no_violations, width, theme) -> None:
    quote, link = a_sent_quote(User.objects.get(username="sam"), [a_line(), a_line(title="第二行" * 12)])
    page = open_page("/zh-hans/login/?next=/zh-hans/sales/", width=width, theme=theme)
    sign_in(page, "max")
    for path in (
        "sales/",
        "sales/quotes/",
        f"sales/quotes/{quote.number}/",
        "sales/quotes/new/",
        "sales/figures/",
        f"q/{link.token}/",
        f"q/{link.token}/accept/",
        f"q/{link.token}/decline/",
        "ask/",
        "plans/",
    ):
        page.goto(f"/zh-hans/{path}")
        no_violations(page)
        keep(page, re.sub(r"\W+", "-", path[:16]))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("percent", [0, 10])
def test_amounts_are_whole_on_a_phone(open_page, shop, staff, language, percent) -> None:
    machine = {
        "kind": "gpu",
        "title": "RTX 4090 48G (modified)",
        "count": Decimal(8),
        "discount_percent": Decimal(percent),
    }
    lines = [
        a_line(**machine, periods=Decimal(27), unit="hour", unit_price=Decimal("2.98")),
        a_line(
            **machine, periods=Decimal(1), unit="month", unit_price=Decimal(1287), discount_amount=Decimal(10 * percent)
        ),
    ]
    _quote, link = a_sent_quote(User.objects.get(username="sam"), lines, language=language)
    page = open_page(f"/{language}/q/{link.token}/", width=390)
    table = page.locator(".paper .tbl")
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_totals_follow_and_the_cursor_stays(open_page, shop, staff) -> None:
    page = open_page("/en/login/?next=/en/sales/quotes/new/")
    sign_in(page, "sam")
    page.locator("#id_lines-0-sku").select_option("rtx-3090-24g-x2")
    page.locator("#id_lines-0-periods").fill("10")
    expect(page.locator("#totals")).to_contain_text("26.40")
    page.locator("#id_lines-0-discount_percent").press_sequentially("50")
    expect(page.locator("#totals")).to_contain_text("13.20")
    expect(page.locator("#id_lines-0-discount_percent")).to_be_focused()
    page.locator("#id_lines-0-discount_percent").press("Enter")  # Enter updates, it neither saves nor loses anything
    expect(page.locator("#id_lines-0-discount_percent")).to_have_value("50")
    assert not Quote.objects.exists()
    page.locator("#id_lines-0-discount_percent").fill("500")
    expect(page.locator("#totals .flash.warn")).to_be_visible()
