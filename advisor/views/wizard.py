"""The wizard: four steps, all answers in the address. Forms are GET forms; a step that is in order leads on to the next."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from advisor import labels
from advisor.answers import DEMAND, MAX_ADDRESS, Answers, Reading, clean_query, input_of, last, read
from advisor.forms.steps import amount_form, answer_troubles, problems_of_step, what_form, with_defaults
from advisor.library import library
from advisor.pages import wizard as page
from advisor.pages.currency import currency_of
from advisor.queries import catalogue_now, recommendation_now
from advisor.recommendation import Recommendation
from advisor.sentences import note_sentence
from advisor.sizing.estimate import prepare
from advisor.sizing.fields import FIELDS, TASKS

AMOUNT = 3
"""The step that asks for no model."""


def wants_partial(request: HttpRequest) -> bool:
    """htmx asks for a piece of the page; when it restores history it needs the whole."""
    htmx: Any = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.history_restore_request


def _redirect(name: str, query: str, **kwargs: str) -> HttpResponse:
    return HttpResponseRedirect(page.with_query(name, query, **kwargs))


def _carried(answers: Answers, shown: set[str]) -> list[tuple[str, str]]:
    """Answers of the other steps, which this form sends on unseen."""
    found = []
    for name in answers:
        if name not in shown and name not in {"go", "csrfmiddlewaretoken", "live"}:
            found += [
                (name, value)
                for value in (answers.getlist(name) if name == "require" else [last(answers, name)])
                if value
            ]
    return found


def _config(request: HttpRequest, answers: Answers, reading: Reading) -> dict[str, Any]:
    """A config.json that stands for the model, where another can be named instead, and models near to an unknown name."""
    model = last(answers, "model")
    rest = clean_query(answers, drop=("model",))
    return {
        "config": model if _is_config(answers) else "",
        "other_model": f"{request.path}?{rest}#f-model",
        "near": page.near_models(reading, answers, request.path),
    }


def _task_of(answers: Answers) -> tuple[str, str] | None:
    key = (last(answers, "scenario"), last(answers, "task"))
    return key if key in FIELDS else None


@require_safe
def scenario(request: HttpRequest, scenario: str) -> HttpResponse:
    """Step 2 begins: which task of the scenario. Answers already in the address go along."""
    if scenario not in TASKS:
        raise Http404
    tasks = []
    for name in TASKS[scenario]:
        query = query_for_task(request.GET, scenario, name)
        chips = page.chips(scenario, name, request.GET)
        tasks.append(
            (labels.TASKS[scenario, name], page.with_query("what", query, scenario=scenario, task=name), chips)
        )
    context = {
        "nav": "choose",
        "scenario": labels.SCENARIOS[scenario],
        "tasks": tasks,
        "steps": page.steps(2, request.GET),
        "model_note": page.model_note(request.GET),
        "config": _is_config(request.GET),
    }
    return render(request, "advisor/scenario.html", context)


def query_for_task(answers: Answers, scenario: str, task: str) -> str:
    """The answers another task of the scenario takes, too; the amount only with its unit."""
    reading = read(answers, scenario=scenario, task=task)
    wrong = {input_of(problem.path) for problem in reading.wrong_given(answers)} - {"model"}
    amount = DEMAND if wrong & set(DEMAND) else ()
    return clean_query(answers, drop=("scenario", "task", *wrong, *amount))


def _is_config(answers: Answers) -> bool:
    return last(answers, "model").startswith(("{", "z:"))


@require_safe
def what(request: HttpRequest, scenario: str, task: str) -> HttpResponse:
    """Step 2: the model and how it runs."""
    if (scenario, task) not in FIELDS:
        raise Http404
    answers = with_defaults(scenario, task, request.GET)
    reading = read(answers, scenario=scenario, task=task)
    ways = _ways_of_what(answers, reading, scenario, task)
    if wants_partial(request):
        return _live(request, reading, ways=ways, query=clean_query(request.GET, drop=("scenario", "task")))
    going = "go" in answers
    problems = problems_of_step(reading.problems if going else reading.wrong_given(answers), "what", scenario, task)
    if going and not problems:
        return _redirect("amount", clean_query(answers, scenario=scenario, task=task))
    form = what_form(scenario, task, answers, problems)
    shown = {
        "model",
        "scenario",
        "task",
        *(field.name for field in FIELDS[scenario, task]),
        "gpu_hours_on.gpu",
        "gpu_hours_on.hours",
    }
    context = {
        "nav": "choose",
        "words": labels.TASKS[scenario, task],
        "form": form,
        "troubles": form.troubles,
        "chips": page.chips(scenario, task, answers),
        **ways,
        "carried": _carried(answers, shown),
        "model_note": page.model_note(answers, reading),
        **_config(request, answers, reading),
        "live": page.live(reading, catalogue_now(currency_of(answers)), marked=bool(problems)),
        "live_url": request.path,
    }
    return render(request, "advisor/what.html", context, status=422 if problems else 200)


def _ways_of_what(answers: Answers, reading: Reading, scenario: str, task: str) -> dict[str, Any]:
    """Ways on from step 2, which carry the answers."""
    inner = clean_query(answers, drop=("scenario", "task"))
    skip = page.with_query("result", clean_query(answers, scenario=scenario, task=task))
    return {
        "steps": page.steps(2, answers, scenario, task),
        "step": 2,
        "back": page.with_query("scenario", inner, scenario=scenario),
        "skip": skip if reading.workload else "",
    }


@require_safe
def amount(request: HttpRequest) -> HttpResponse:
    """Step 3: how much, how long, which limits, what matters most."""
    answers = request.GET
    key = _task_of(answers)
    if key is None:
        return redirect("advisor:home")
    reading = read(answers)
    query = clean_query(answers)
    ways = _ways_of_amount(answers, reading, *key)
    if wants_partial(request):
        return _live(request, reading, ways=ways, query=query, with_advice=True)
    going = "go" in answers
    problems = problems_of_step(reading.problems if going else reading.wrong_given(answers), "amount", *key)
    if going and not problems:
        return _redirect("check", query)
    currency = currency_of(answers)
    form = amount_form(*key, answers, problems, currency)
    context = {
        "nav": "choose",
        "form": form,
        "troubles": form.troubles,
        **ways,
        "carried": _carried(answers, form.names),
        "live": page.live(reading, catalogue_now(currency), advice=_advice(reading, currency), marked=bool(problems)),
        "live_url": request.path,
    }
    return render(request, "advisor/amount.html", context, status=422 if problems else 200)


def _ways_of_amount(answers: Answers, reading: Reading, scenario: str, task: str) -> dict[str, Any]:
    """Ways on from step 3, which carry the answers."""
    inner = clean_query(answers, drop=("scenario", "task"))
    return {
        "steps": page.steps(AMOUNT, answers, scenario, task),
        "step": AMOUNT,
        "back": page.with_query("what", inner, scenario=scenario, task=task),
        "skip": page.with_query("result", clean_query(answers)) if reading.workload else "",
    }


@require_safe
def check(request: HttpRequest) -> HttpResponse:
    """Step 4: all answers to look over, and what is taken where nothing was said."""
    answers = request.GET
    key = _task_of(answers)
    if key is None:
        return redirect("advisor:home")
    reading = read(answers)
    query = clean_query(answers)
    context: dict[str, Any] = {
        "nav": "choose",
        "steps": page.steps(4, answers, *key),
        "step": 4,
        "back": page.with_query("amount", query),
        "lines": page.answer_lines(reading.sound, links=True),
        "result": page.with_query("result", query),
        "troubles": answer_troubles(reading, *key, answers, pages_of_steps(answers, *key)),
    }
    if reading.workload is not None:
        context["assumptions"] = [note_sentence(note) for note in prepare(reading.workload, library()).job.assumptions]
    return render(request, "advisor/check.html", context, status=200 if reading.workload else 422)


def pages_of_steps(answers: Answers, scenario: str, task: str) -> dict[str, str]:
    """Where the answers of each step can be changed."""
    inner = clean_query(answers, drop=("scenario", "task"))
    if (scenario, task) not in FIELDS:
        return {}
    return {
        "what": page.with_query("what", inner, scenario=scenario, task=task),
        "amount": page.with_query("amount", clean_query(answers, scenario=scenario, task=task)),
    }


@require_safe
def expert(request: HttpRequest) -> HttpResponse:
    """Everything on one page, with the answer beside it."""
    key = _task_of(request.GET) or ("llm", "inference")
    answers = with_defaults(*key, request.GET)
    reading = read(answers, scenario=key[0], task=key[1])
    if wants_partial(request):
        kept = clean_query(request.GET, scenario=key[0], task=key[1])
        return _live(request, reading, ways={}, query=kept, with_advice=True)
    going = "go" in answers
    query = clean_query(answers, scenario=key[0], task=key[1])
    if going and reading.workload is not None:
        return _redirect("result", query)
    problems = reading.problems if going else reading.wrong_given(answers)
    currency = currency_of(answers)
    form, use = what_form(*key, answers, problems), amount_form(*key, answers, problems, currency)
    context = {
        "nav": "choose",
        "form": form,
        "use": use,
        "key": key,
        "words": labels.TASKS[key],
        "tasks": [
            (
                labels.SCENARIOS[scenario].label,
                [
                    (
                        labels.TASKS[scenario, task].label,
                        page.with_query("expert", query_of_task(answers, scenario, task)),
                        (scenario, task) == key,
                    )
                    for task in tasks
                ],
            )
            for scenario, tasks in TASKS.items()
        ],
        "troubles": answer_troubles(reading, *key, answers, {}) if problems else (),
        "model_note": page.model_note(answers, reading),
        **_config(request, answers, reading),
        "live": page.live(reading, catalogue_now(currency), advice=_advice(reading, currency), marked=bool(problems)),
        "live_url": request.path,
    }
    return render(request, "advisor/expert.html", context, status=422 if problems else 200)


def query_of_task(answers: Answers, scenario: str, task: str) -> str:
    """The address of an empty form of another task; within a scenario the model stays."""
    model = last(answers, "model") if last(answers, "scenario") == scenario else ""
    return urlencode({"scenario": scenario, "task": task, **({"model": model} if model else {})})


def _advice(reading: Reading, currency: str) -> Recommendation | None:
    if reading.workload is None:
        return None
    return recommendation_now(reading.workload, currency)


def _live(
    request: HttpRequest, reading: Reading, *, ways: Mapping[str, Any], query: str, with_advice: bool = False
) -> HttpResponse:
    """What a changed answer changes: the panel, what was recognised of the model, the page's address and the ways on from it.

    `ways`: the links that carry the answers; `query`: the answers, so that reloading, going back and the other language keep them.
    """
    answers = request.GET
    currency = currency_of(answers)
    advice = _advice(reading, currency) if with_advice else None
    context = {
        "live": page.live(reading, catalogue_now(currency), advice=advice),
        "asks_model": "model" in answers and ways.get("step") != AMOUNT,
        "model_note": page.model_note(answers, reading),
        **ways,
    }
    response = render(request, "advisor/_live_change.html", context)
    if len(query) <= MAX_ADDRESS:
        response["HX-Replace-Url"] = f"{request.path}?{query}"
    return response
