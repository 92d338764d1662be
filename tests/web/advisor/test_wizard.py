"""The wizard step by step, without a script, in both languages: answers live in the address and are never lost."""

import json
import re
from html import unescape
from urllib.parse import parse_qs, urlsplit

import pytest
from django.urls import reverse
from django.utils.translation import override

from advisor.pages.home import door_presets
from advisor.presets import PRESETS
from advisor.sizing.fields import FIELDS, SCENARIOS, TASKS
from catalog.models import Price, Sku

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("example")]
LANGUAGES = ("en", "zh-hans")
QLORA = {"model": "qwen-14b", "method": "qlora", "sequence_tokens": "2048", "framework": "transformers"}
LLM = {"scenario": "llm", "task": "training", **QLORA}
CONFIG = {"architectures": ["LlamaForCausalLM"], "hidden_size": 4096, "num_hidden_layers": 32, "vocab_size": 32000,
          "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336, "model_type": "llama"}  # fmt: skip


def url(name: str, language: str = "en", **kwargs: str) -> str:
    with override(language):
        return reverse(f"advisor:{name}", kwargs=kwargs or None)


def links(page: str) -> list[str]:
    return [unescape(href) for href in re.findall(r'href="([^"]+)"', page)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_door_shows_scenarios_jobs_measurements_and_prices(client, language):
    page = client.get(url("home", language)).content.decode()
    for scenario in SCENARIOS:
        assert f"/{language}/advise/{scenario}/" in page
    assert page.count("?preset=") == 20
    assert "59.8" in page  # Wan2.2 A14B, from the fact itself
    assert page.count('<th scope="row">') >= 8
    assert "style=" not in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_door_promises_no_smaller_card_than_the_wizard(client, language):
    rows = re.findall(
        r'<li class="rl"><span><a href="([^"]+)".*?<b class="n">(\d+)',
        client.get(url("home", language)).content.decode(),
    )
    assert len(rows) == 8
    for href, size in rows:
        panel = client.get(unescape(href), headers={"hx-request": "true"}).content.decode()
        figures = re.findall(r'<dd><span class="n">([\d.]+)<small>&nbsp;(?:GiB|GB)', panel)
        assert figures[1] == size, href


def test_the_door_has_a_job_of_every_task_before_a_second_one():
    for scenario, tasks in TASKS.items():
        shown = door_presets(scenario)
        assert len(shown) == 4
        assert len({preset.task for preset in shown}) == min(4, len(tasks))


def test_every_one_click_job_is_answered(client):
    page = client.get(url("home")).content.decode()
    for href in [one for one in links(page) if "preset=" in one]:
        assert client.get(href).status_code == 200, href


def test_an_empty_catalogue_is_said_at_the_door(client, db):
    Price.objects.all().delete()
    Sku.objects.all().delete()
    page = client.get(url("home")).content.decode()
    assert "No card is on offer" in page


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("key", sorted(FIELDS))
def test_every_task_asks_all_its_fields(client, language, key):
    scenario, task = key
    response = client.get(url("what", language, scenario=scenario, task=task))
    page = response.content.decode()
    assert response.status_code == 200
    for field in FIELDS[key]:
        assert f'name="{field.name}' in page
    assert ('name="model"' in page) == (scenario != "science")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_four_steps_lead_to_the_result_with_every_answer(client, language):
    at = client.get(url("what", language, scenario="llm", task="training"), {**QLORA, "go": "1"})
    assert at.status_code == 302
    assert urlsplit(at.url).path == url("amount", language)
    said = {name: values[-1] for name, values in parse_qs(urlsplit(at.url).query).items()}
    assert said == {"scenario": "llm", "task": "training", **QLORA}
    page = client.get(at.url).content.decode()
    for name, value in QLORA.items():
        assert f'name="{name}" value="{value}"' in page  # carried on unseen
    at = client.get(
        url("amount", language),
        {**said, "amount": "20M", "unit": "tokens", "deadline_hours": "48", "require": ["ecc"], "go": "1"},
    )
    assert at.status_code == 302
    assert urlsplit(at.url).path == url("check", language)
    page = client.get(at.url).content.decode()
    assert "Qwen-14B" in page
    assert "QLoRA" in page
    assert "2,000 万" in page if language == "zh-hans" else "20M" in page
    result = next(href for href in links(page) if urlsplit(href).path == url("result", language))
    assert parse_qs(urlsplit(result).query)["require"] == ["ecc"]
    assert client.get(result).status_code == 200


def test_back_keeps_the_answers(client):
    page = client.get(url("amount"), LLM).content.decode()
    back = next(href for href in links(page) if "/advise/llm/training/" in href)
    assert parse_qs(urlsplit(back).query)["model"] == ["qwen-14b"]
    page = client.get(back).content.decode()
    assert 'value="qwen-14b"' in page
    assert re.search(r'value="qlora"[^>]* checked', page)


def test_a_choice_drawn_as_cards_always_has_one_chosen(client):
    page = client.get(url("what", scenario="llm", task="training"), {"model": "qwen-14b", "micro_batch": "2"})
    chosen = re.findall(r'name="method" value="(\w+)"[^>]* checked', page.content.decode())
    assert chosen == ["lora"]
    assert "micro_batch" in page.content.decode()


def test_presets_fill_the_form_and_know_when_they_are_filled_in(client):
    page = client.get(url("what", scenario="llm", task="training")).content.decode()
    chips = [href for href in links(page) if "/advise/llm/training/?" in href and "model=" in href]
    assert len(chips) == sum(preset.task == "training" for preset in PRESETS.values() if preset.scenario == "llm")
    filled = client.get(chips[0]).content.decode()
    assert 'aria-current="true"' in filled


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("model", "qwen-14", "There is no model “qwen-14” here. Did you mean"),
        ("micro_batch", "-1", "must be at least 1"),
        ("micro_batch", "two", "must be a number"),
        ("sequence_tokens", "1e300", "must be at most 20,000,000"),
        ("lora_rank", "3.5", "whole number"),
        ("framework", "pytorhc", "Did you mean pytorch?"),
    ],
)
def test_a_wrong_answer_is_told_at_its_field_and_kept(client, name, value, said):
    response = client.get(url("what", scenario="llm", task="training"), {**QLORA, name: value, "go": "1"})
    page = unescape(response.content.decode())
    assert response.status_code == 422
    assert f'value="{value}"' in page
    target = f"f-{name}"
    assert f'href="#{target}"' in page
    assert f'id="{target}"' in page
    assert page.count(said) == 2  # at the field and in the summary, in the same words
    assert "<title>Error:" in page
    assert 'class="errors" tabindex="-1"' in page


def test_a_mistyped_model_is_put_right_with_one_click(client):
    response = client.get(
        url("what", scenario="llm", task="training"), {**QLORA, "model": "qwen-14", "micro_batch": "3", "go": "1"}
    )
    near = [
        href
        for href in links(response.content.decode())
        if "model=qwen-14b&" in href or href.endswith("model=qwen-14b")
    ]
    assert len(near) == 1
    page = client.get(near[0]).content.decode()
    assert 'value="qwen-14b"' in page
    assert re.search(r'name="micro_batch" value="3"', page)


def test_a_missing_model_is_only_told_on_continue(client):
    address = url("what", scenario="llm", task="training")
    assert client.get(address).status_code == 200
    assert client.get(address, {"method": "lora"}).status_code == 200
    response = client.get(address, {"method": "lora", "go": "1"})
    assert response.status_code == 422
    assert "Name the model" in response.content.decode()


def test_an_unknown_name_in_the_address_is_told(client):
    response = client.get(url("what", scenario="llm", task="training"), {**QLORA, "sequense_tokens": "1"})
    assert response.status_code == 422
    assert "Did you mean sequence_tokens" in unescape(response.content.decode())


def test_limits_are_judged_on_their_own_step(client):
    response = client.get(url("amount"), {**LLM, "budget": "much", "amount": "5", "unit": "furlongs", "go": "1"})
    page = unescape(response.content.decode())
    assert response.status_code == 422
    assert 'href="#f-budget"' in page
    assert 'value="much"' in page
    assert 'href="#f-unit"' in page


def test_the_check_page_sends_each_mistake_to_its_step(client):
    response = client.get(url("check"), {**LLM, "budget": "much", "micro_batch": "0"})
    page = response.content.decode()
    assert response.status_code == 422
    errors = re.search(r'class="errors".*?</div>', page, re.S).group()
    assert url("amount") in errors
    assert url("what", scenario="llm", task="training") in errors


def test_steps_without_a_task_lead_to_the_door(client):
    for name in ("amount", "check", "result"):
        response = client.get(url(name))
        assert response.status_code == 302
        assert response.url == url("home")


def test_unknown_scenarios_and_tasks_are_not_found(client):
    assert client.get("/en/advise/lllm/").status_code == 404
    assert client.get("/en/advise/llm/traning/").status_code == 404


# -- htmx


def test_htmx_gets_the_panel_alone_and_history_the_whole_page(client):
    address = url("what", scenario="llm", task="training")
    panel = client.get(address, QLORA, headers={"hx-request": "true"})
    assert panel.status_code == 200
    assert "<html" not in panel.content.decode()
    assert panel.content.decode().lstrip().startswith('<h2 id="now">')
    assert "HX-Request" in panel["Vary"]
    restored = client.get(address, QLORA, headers={"hx-request": "true", "hx-history-restore-request": "true"})
    assert "<!doctype html>" in restored.content.decode()


def test_the_panel_follows_the_answers(client):
    address = url("what", scenario="llm", task="training")
    small = client.get(address, QLORA, headers={"hx-request": "true"}).content.decode()
    large = client.get(address, {**QLORA, "sequence_tokens": "8192"}, headers={"hx-request": "true"}).content.decode()
    need = [float(re.search(r'<dd><span class="n">([\d.]+)', panel).group(1)) for panel in (small, large)]
    assert need[1] > need[0]
    broken = client.get(address, {**QLORA, "micro_batch": "-1"}, headers={"hx-request": "true"})
    assert broken.status_code == 200
    assert "Samples per card at once must be at least 1." in broken.content.decode()


def test_a_change_is_told_in_one_line_and_the_model_recognised_anew(client):
    address = url("what", scenario="llm", task="training")
    page = client.get(address, QLORA).content.decode()
    assert page.count('id="live-said"') == page.count('id="model-note"') == 1
    change = client.get(address, {**QLORA, "model": "llama-3-8b"}, headers={"hx-request": "true"}).content.decode()
    said = re.search(r'id="live-said" hx-swap-oob="innerHTML">([^<]+)<', change).group(1)
    assert re.fullmatch(r"[\d.]+ GiB of memory, smallest card \d+ GB", said)
    assert "8.03B parameters" in change[change.index('id="model-note"') :]
    priced = client.get(url("amount"), {**LLM, "amount": "20M", "unit": "tokens"}, headers={"hx-request": "true"})
    assert "recommended: " in priced.content.decode()
    unknown = client.get(address, {**QLORA, "model": "qwen-14"}, headers={"hx-request": "true"}).content.decode()
    assert "Did you mean qwen-14b" in unescape(unknown)


@pytest.mark.parametrize(
    ("address", "answers"),
    [
        (url("what", scenario="llm", task="training"), {**QLORA, "micro_batch": "-1"}),
        (url("amount"), {**LLM, "amount": "20M", "unit": "tokens", "require": ["ecc", "nvlink"]}),
        (url("expert", "zh-hans"), {**LLM, "amount": "20M", "unit": "tokens"}),
    ],
)
def test_a_change_puts_the_answers_into_the_address_and_into_the_ways_on(client, address, answers):
    change = client.get(address, answers, headers={"hx-request": "true"})
    kept = change["HX-Replace-Url"]
    assert urlsplit(kept).path == address
    assert parse_qs(urlsplit(kept).query) == {
        name: value if isinstance(value, list) else [value] for name, value in answers.items()
    }
    page = client.get(kept).content.decode()
    for name in ("model", "amount", "micro_batch"):
        if name in answers:
            assert re.search(rf'name="{name}"[^>]*value="{answers[name]}"', page)
    ways = [href for href in links(change.content.decode()) if "/advise/" in href]
    assert all("model=qwen-14b" in href for href in ways)
    assert bool(ways) == ("expert" not in address)


def test_answers_too_long_for_an_address_stay_out_of_it(client):
    answers = {**QLORA, "model": "x" * 7_000}
    change = client.get(url("what", scenario="llm", task="training"), answers, headers={"hx-request": "true"})
    assert change.status_code == 200
    assert not change.has_header("HX-Replace-Url")


@pytest.mark.parametrize(
    ("answers", "page", "field"),
    [
        (LLM, "/advise/amount/", "f-amount"),
        (
            {
                "scenario": "speech",
                "task": "transcription",
                "model": "whisper-large-v3",
                "amount": "9",
                "unit": "requests",
            },
            "/advise/speech/transcription/",
            "f-engine",
        ),
    ],
)
def test_what_the_result_asks_back_leads_to_its_field(client, answers, page, field):
    result = client.get(url("result"), answers).content.decode()
    way = next(href for href in links(result) if href.endswith(f"#{field}"))
    assert urlsplit(way).path.endswith(page)
    assert f'id="{field}"' in client.get(way.split("#")[0]).content.decode()


def test_a_weight_format_in_the_models_name_is_taken_and_said(client):
    address = url("what", scenario="llm", task="inference")
    named = {"model": "Qwen/Qwen2.5-32B-Instruct-AWQ", "concurrency": "4"}
    page = client.get(address, named).content.decode()
    assert "Weights as the name says: awq" in page
    chosen = client.get(address, {**named, "weight_format": "bf16"}).content.decode()
    assert "Weights as the name says" not in chosen
    answer = client.get(url("result"), {"scenario": "llm", "task": "inference", **named}).content.decode()
    assert re.search(r"Weight format.{0,80}awq", answer, re.DOTALL)


def test_another_job_keeps_the_answers_it_takes(client):
    given = {**LLM, "framework": "llama-factory", "amount": "3", "unit": "epochs", "samples": "1000", "budget": "500"}
    check = client.get(url("check"), given).content.decode()
    job = next(href for href in links(check) if urlsplit(href).path == url("scenario", scenario="llm"))
    page = client.get(job).content.decode()
    kept = {
        urlsplit(href).path: parse_qs(urlsplit(href).query)
        for href in links(page)
        if "model=qwen-14b" in href and "budget=500" in href
    }
    training = kept[url("what", scenario="llm", task="training")]
    assert training == {name: [value] for name, value in given.items() if name not in ("scenario", "task")}
    other = kept[url("what", scenario="llm", task="inference")]
    assert other["model"] == ["qwen-14b"]
    assert "method" not in other
    assert client.get(url("what", scenario="llm", task="inference"), other).status_code == 200


def test_the_panel_of_step_three_tells_money(client):
    panel = client.get(
        url("amount"), {**LLM, "amount": "20M", "unit": "tokens"}, headers={"hx-request": "true"}
    ).content.decode()
    assert "Recommended" in panel
    assert "¥" in panel


# -- expert page and paste


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_expert_page_has_everything_and_goes_straight_to_the_result(client, language):
    page = client.get(url("expert", language), {"scenario": "vision", "task": "training"}).content.decode()
    for name in ("model", "kind", "image_size", "amount", "hours_per_day", "budget", "max_gpus", "priority", "stage"):
        assert f'name="{name}"' in page
    asked = {
        "scenario": "vision",
        "task": "training",
        "model": "resnet-50",
        "image_size": "224",
        "batch": "64",
        "go": "1",
    }
    response = client.get(url("expert", language), asked)
    assert response.status_code == 302
    assert urlsplit(response.url).path == url("result", language)
    assert client.get(response.url).status_code == 200


def test_a_pasted_config_leads_to_its_tasks_with_the_model_filled_in(client):
    response = client.post(url("home"), {"paste": json.dumps(CONFIG, indent=2)})
    assert response.status_code == 302
    assert urlsplit(response.url).path == url("scenario", scenario="llm")
    page = client.get(response.url).content.decode()
    training = next(href for href in links(page) if "/advise/llm/training/" in href)
    page = client.get(training).content.decode()
    assert "Recognised" in page
    going = client.get(training, {"model": parse_qs(urlsplit(training).query)["model"][0], "method": "lora", "go": "1"})
    assert going.status_code == 302
    assert client.get(going.url.replace("/amount/", "/result/")).status_code == 200


@pytest.mark.parametrize(
    ("paste", "said"),
    [
        ("{", "cannot be read as JSON"),
        ('{"a": 1,}', "cannot be read as JSON"),
        ("{}", "no figures"),
        ('{"name": "x"}', "no figures"),
        ("", "Paste a config.json"),
        ('{"x": "' + "y" * 2_000_001 + '"}', "too long"),
    ],
)
def test_a_paste_that_is_no_config_names_the_way_out(client, paste, said):
    response = client.post(url("home"), {"paste": paste})
    assert response.status_code == 422
    assert said in unescape(response.content.decode())


def test_an_error_message_goes_to_the_doctor_with_its_text(client):
    response = client.post(url("home"), {"paste": "CUDA out of memory. Tried to allocate 2.00 GiB."})
    assert response.status_code == 307
    assert response.url == url("doctor")


@pytest.mark.parametrize(
    ("config", "scenario"),
    [
        ({"model_type": "whisper", "d_model": 1280}, "speech"),
        ({"model_type": "vit", "hidden_size": 768}, "vision"),
        ({"_class_name": "FluxTransformer2DModel", "num_layers": 19}, "aigc"),
        ({"model_type": "qwen2", "hidden_size": 3584, "vocab_size": 152064}, "llm"),
    ],
)
def test_a_config_finds_its_scenario(client, config, scenario):
    response = client.post(url("home"), {"paste": json.dumps(config)})
    assert urlsplit(response.url).path == url("scenario", scenario=scenario)


def test_a_model_may_be_given_as_a_size(client):
    response = client.get(url("what", scenario="llm", task="training"), {**QLORA, "model": "13B"})
    page = response.content.decode()
    assert response.status_code == 200
    assert "Recognised" in page
    assert 'class="ladder"' in page


@pytest.mark.parametrize(
    ("language", "words"), [("en", "must be an amount such as 100.50"), ("zh-hans", "例如 100.50")]
)
def test_a_budget_in_words_is_told_how_to_write_it_and_kept(client, language, words):
    page = client.get(url("amount", language), {**LLM, "budget": "一百块", "go": "1"})
    assert page.status_code == 422
    assert words in page.content.decode()
    assert 'value="一百块"' in page.content.decode()
