"""What customers do, in a real browser: five scenarios, pastes, no script, a phone, the keyboard, shared addresses."""

import json
import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

LANGUAGES = ("en", "zh-hans")
CONTINUE = re.compile("^(Continue|继续)")
SHOW = re.compile("^(Show the result|看结果)")
OOM = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.12 GiB is free. Of the allocated memory 21.5 GiB is allocated by PyTorch, and 300.00 MiB is reserved by PyTorch but unallocated."
CONFIG = {"architectures": ["Qwen2ForCausalLM"], "hidden_size": 3584, "num_hidden_layers": 28, "vocab_size": 152064, "num_attention_heads": 28,
          "num_key_value_heads": 4, "intermediate_size": 18944, "model_type": "qwen2"}  # fmt: skip

JOURNEYS = [
    ("llm", "training", {"model": "qwen-14b"}, "20M", "tokens"),
    ("aigc", "image-generation", {"model": "sdxl-base-1.0"}, "2000", "images"),
    ("speech", "transcription", {"model": "whisper-large-v3"}, "500", "audio_hours"),
    ("vision", "training", {"model": "yolov8x", "image_size": "640", "batch": "16"}, "100", "epochs"),
    ("science", "simulation", {"atoms": "100000"}, "500", "ns"),
]


def walk(page: Page, scenario: str, task: str, answers: dict[str, str], amount: str, unit: str) -> None:
    """From the door to the result as a newcomer goes."""
    page.locator(f'.scen h2 a[href$="/advise/{scenario}/"]').click()
    page.locator(f'.scen h2 a[href*="/{task}/"]').click()
    for name, value in answers.items():
        page.locator(f'[name="{name}"]').first.fill(value)
    page.get_by_role("button", name=CONTINUE).click()
    page.locator('[name="amount"]').fill(amount)
    page.locator('[name="unit"]').select_option(unit)
    if unit == "epochs":
        page.locator('[name="samples"]').fill("100k")
    page.get_by_role("button", name=CONTINUE).click()
    page.get_by_role("link", name=SHOW).click()
    expect(page.locator("#answer")).to_contain_text("¥")
    expect(page.locator(".rank").first).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("journey", JOURNEYS, ids=[one[0] for one in JOURNEYS])
def test_from_the_door_to_the_answer(open_page: Callable[..., Page], language: str, journey: tuple) -> None:
    page = open_page(f"/{language}/")
    walk(page, *journey)
    assert f"/{language}/advise/result/?" in page.url
    assert f"scenario={journey[0]}" in page.url


@pytest.mark.parametrize("journey", [JOURNEYS[0], JOURNEYS[3]], ids=["llm", "vision"])
def test_the_same_without_a_script(open_page: Callable[..., Page], journey: tuple) -> None:
    walk(open_page("/en/", script=False), *journey)


def test_the_same_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page("/zh-hans/", width=390)
    walk(page, *JOURNEYS[0])
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_panel_follows_every_change(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/llm/training/?model=qwen-14b&method=qlora&sequence_tokens=512")
    need = page.locator("#live .reads dd").first
    before = need.inner_text()
    page.get_by_role("radio", name="8,192").check()
    expect(need).not_to_have_text(before)
    expect(page.locator("#live-said[role=status]")).to_contain_text("GiB of memory")
    assert "sequence_tokens=8192" in page.url
    page.go_back()  # the panel is not a step: Back does not count it
    assert "/advise/llm/training/" not in page.url


def test_an_expert_needs_ten_keys_and_no_mouse(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/")
    page.locator("body").press("Tab")
    page.keyboard.press("Enter")  # skip to the content
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # everything on one page
    expect(page.locator("#f-model")).to_be_focused()
    page.keyboard.type("qwen2.5-32b")
    expect(page.locator("#model-note")).to_contain_text("32.76B parameters")
    expect(page.locator("#live-said")).to_contain_text("recommended")
    expect(page.locator("#f-model")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.type("awq")
    expect(page.locator("#live")).to_contain_text("awq")
    expect(page.locator("#f-weight_format")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # in a field of text, Enter sends the form
    page.wait_for_url("**/advise/result/**")
    expect(page.locator("h1")).to_contain_text("Rent")


def test_back_and_change_keep_the_answers(open_page: Callable[..., Page]) -> None:
    page = open_page(
        "/en/advise/amount/?scenario=llm&task=training&model=qwen-14b&method=qlora&amount=5000000&unit=tokens"
    )
    page.locator("a.back").click()
    expect(page.locator('[name="model"]')).to_have_value("qwen-14b")
    page.get_by_role("button", name=CONTINUE).click()
    expect(page.locator('[name="amount"]')).to_have_value("5000000")
    page.go_back()
    expect(page.locator('[name="model"]')).to_have_value("qwen-14b")


def test_what_was_typed_is_there_after_going_back_and_in_the_other_language(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/llm/inference/")
    page.locator('[name="model"]').fill("Qwen/Qwen2.5-7B-Instruct")
    page.keyboard.press("Tab")
    page.wait_for_url("**/?model=Qwen**")
    page.locator('[name="output_tokens"]').fill("777")
    page.get_by_role("button", name=CONTINUE).click()  # at once: no panel was asked for the last answer
    page.wait_for_url("**/advise/amount/**")
    page.go_back()
    expect(page.locator('[name="model"]')).to_have_value("Qwen/Qwen2.5-7B-Instruct")
    expect(page.locator('[name="output_tokens"]')).to_have_value("777")
    page.locator('[name="prompt_tokens"]').fill("3000")
    page.keyboard.press("Tab")
    page.wait_for_url("**prompt_tokens=3000**")
    page.locator("header a[hreflang]").click()
    expect(page.locator('[name="prompt_tokens"]')).to_have_value("3000")


def test_mistakes_take_the_focus_and_lead_to_their_field(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/llm/training/")
    page.locator('[name="model"]').fill("qwen-14")
    page.locator('[name="micro_batch"]').fill("-2")
    page.get_by_role("button", name=CONTINUE).click()
    summary = page.locator(".errors")
    expect(summary).to_be_focused()
    assert summary.locator("li").count() == 2
    summary.locator('a[href="#f-micro_batch"]').click()
    expect(page.locator("#f-micro_batch")).to_have_value("-2")
    assert page.title().startswith("Error:")


def test_a_config_is_read_at_the_door(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/")
    page.locator("#paste").fill(json.dumps(CONFIG))
    page.get_by_role("button", name="Read it and go on").click()
    page.locator('.scen h2 a[href*="/inference/"]').click()
    expect(page.locator("main")).to_contain_text("Recognised")
    page.get_by_role("link", name="Skip, show the result now").click()
    expect(page.locator("#answer")).to_contain_text("an hour")


def test_an_out_of_memory_error_goes_to_the_doctor(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/")
    page.locator("#paste").fill(OOM)
    page.get_by_role("button", name="Read it and go on").click()
    assert page.url.endswith("/en/doctor/")
    expect(page.locator("main")).to_contain_text("23.6")


def test_a_shared_address_shows_the_same_answer_in_the_other_language(open_page: Callable[..., Page]) -> None:
    page = open_page(
        "/en/advise/result/?scenario=aigc&task=image-generation&model=sdxl-base-1.0&amount=2000&unit=images"
    )
    page.get_by_role("button", name="Share").click()
    shared = page.locator("#url").input_value()
    name = page.locator("#answer b").first.inner_text()
    other = open_page(shared)
    expect(other.locator("#answer b").first).to_have_text(name)
    other.locator('header a[hreflang="zh-Hans"]').click()
    expect(other.locator("#answer")).to_contain_text("租")
    expect(other.locator("#answer b").first).to_have_text(name)


def test_an_expert_needs_only_the_keyboard(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/expert/?scenario=llm&task=inference")
    page.locator('[name="model"]').focus()
    page.keyboard.type("llama-3-8b")
    expect(page.locator("#live")).to_contain_text("GiB")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("an hour")


def test_one_click_jobs_need_one_click(open_page: Callable[..., Page]) -> None:
    page = open_page("/zh-hans/")
    page.locator(".scen .chips a").first.click()
    expect(page.locator("#answer")).to_contain_text("¥")


def test_what_would_change_it_can_be_tried(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/result/?preset=finetune-7b-lora")
    page.locator("#change a").first.click()
    expect(page.locator("#answer")).to_be_visible()
    assert "/advise/result/?" in page.url


def test_printing_opens_everything(open_page: Callable[..., Page]) -> None:
    page = open_page("/en/advise/result/?preset=finetune-7b-lora&view=print")
    page.emulate_media(media="print")
    expect(page.locator("header.top")).to_be_hidden()
    expect(page.locator(".acts").first).to_be_hidden()
    expect(page.locator("#answer")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_other_answers_are_tried_in_place_from_the_keyboard(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], language: str
) -> None:
    page = open_page(f"/{language}/advise/result/?preset=finetune-7b-lora")
    bar = page.locator('#what-if a:not([aria-current])[id^="micro_batch"]').first
    chosen = str(bar.get_attribute("id"))
    bar.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#what-if-answer b").nth(1)).to_be_visible()
    expect(page.locator(f"#{chosen}")).to_have_attribute("aria-current", "true")
    expect(page.locator(f"#{chosen}")).to_be_focused()
    assert "micro_batch=" in page.url
    no_violations(page)
    page.locator("#what-if-answer a[hx-get]").press("Enter")
    expect(page.locator("#what-if-answer p")).to_have_count(0)
    expect(page.locator("#h-if")).to_be_focused()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_what_is_tried_is_in_the_address(open_page: Callable[..., Page], language: str) -> None:
    page = open_page(f"/{language}/advise/result/?preset=finetune-7b-lora", width=390)
    first = page.locator("#answer").inner_text()
    bar = page.locator('#what-if a:not([aria-current])[id^="micro_batch"]').last
    chosen = f"#{bar.get_attribute('id')}"
    bar.scroll_into_view_if_needed()
    place = page.locator(chosen).bounding_box()
    bar.click()
    said = page.locator("#what-if-answer b").nth(1)
    expect(said).to_be_in_viewport()
    assert page.locator(chosen).bounding_box() == place
    tried, other = said.inner_text(), page.locator("header a[hreflang]")
    assert page.url.split("?")[1] == str(other.get_attribute("href")).split("?")[1]
    page.reload()
    expect(page.locator("#answer b").first).to_have_text(tried)
    page.go_back()
    expect(page.locator("#answer")).to_have_text(first)


@pytest.mark.parametrize("script", [True, False])
def test_results_are_saved_and_compared(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], script: bool
) -> None:
    page = open_page("/zh-hans/advise/result/?preset=finetune-7b-lora", width=390, script=script)
    page.locator("form:has([name=query]) button").click()
    page.goto("/zh-hans/advise/result/?scenario=llm&task=inference&model=llama-3-8b")
    page.locator("form:has([name=query]) button").click()
    expect(page.locator(".saved li")).to_have_count(2)
    if script:
        no_violations(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".saved button").first.click()
    expect(page.locator(".saved li")).to_have_count(1)


def test_a_phone_shows_the_plans_on_demand_and_a_screen_at_once(open_page: Callable[..., Page]) -> None:
    for width, shown in ((390, False), (1280, True)):
        page = open_page("/en/advise/result/?preset=finetune-7b-lora", width=width)
        plans = page.locator(".rank .plans").nth(1)
        expect(plans).to_be_visible(visible=shown)
        if not shown:
            page.locator(".rank .rest > summary").nth(1).click()
            expect(plans).to_be_visible()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_choices_are_compared_side_by_side(
    open_page: Callable[..., Page], no_violations: Callable[[Page], None], language: str
) -> None:
    page = open_page(f"/{language}/advise/result/?preset=finetune-7b-lora")
    names = page.locator(".rank h3 a").all_inner_texts()[:2]
    page.locator('#ranking a[href*="/cards/compare/"]').click()
    heads = " ".join(page.locator("thead th").all_inner_texts())
    for name in names:
        assert re.sub(r"^\d+\s×\s", "", name) in heads
    no_violations(page)
