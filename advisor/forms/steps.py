"""The forms of the wizard's steps, made from the field table: what each step asks, and which answers belong to it.

A page gets plain `Input` values to draw; reading and judging is `advisor.answers` and the contract's reader, so a form never
accepts what the API would refuse.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from advisor import labels
from advisor.answers import PARENT, Answers, Reading, input_of, last
from advisor.forms.inputs import MAIN_CHOICES, Input, InputBuilder, Option, Trouble, default_text
from advisor.forms.problems import problem_text
from advisor.sizing.fields import (
    CONSTRAINT_FIELDS,
    DEMAND_UNITS,
    FIELDS,
    PRIORITIES,
    REQUIREMENTS,
    SCHEDULE_FIELDS,
    STAGES,
    field_of,
)
from advisor.sizing.problems import Problem

SUGGESTED: dict[tuple[str, str, str], str] = {
    ("llm", "training", "method"): "lora",
    ("llm", "inference", "weight_format"): "",
    ("aigc", "image-training", "method"): "lora",
    ("aigc", "video-training", "method"): "lora",
    ("aigc", "image-generation", "width"): "1024",
    ("aigc", "image-generation", "height"): "1024",
    ("aigc", "image-editing", "width"): "1024",
    ("aigc", "image-editing", "height"): "1024",
    ("aigc", "image-training", "width"): "1024",
    ("aigc", "image-training", "height"): "1024",
    ("aigc", "video-generation", "width"): "832",
    ("aigc", "video-generation", "height"): "480",
    ("aigc", "video-generation", "frames"): "81",
    ("aigc", "video-training", "width"): "832",
    ("aigc", "video-training", "height"): "480",
    ("aigc", "video-training", "frames"): "49",
    ("science", "simulation", "precision"): "mixed",
    ("science", "simulation", "application"): "openmm",
    ("science", "structure-prediction", "application"): "alphafold3",
    ("science", "structure-prediction", "tokens"): "1024",
}
"""What a fresh form holds where the field table leaves the default to the other answers."""


@dataclass(frozen=True, slots=True)
class WhatForm:
    """Step 2: the model and the task's fields."""

    model: Input | None
    basic: tuple[Input, ...]
    expert: tuple[Input, ...]
    troubles: tuple[Trouble, ...]

    @property
    def expert_open(self) -> bool:
        """A fold that holds an error stands open."""
        return any(one.error for one in self.expert)


@dataclass(frozen=True, slots=True)
class AmountForm:
    """Step 3: how much, how long, which limits, what matters most."""

    demand: tuple[Input, ...]
    schedule: tuple[Input, ...]
    limits: tuple[Input, ...]
    expert: tuple[Input, ...]
    priority: tuple[Input, ...]
    troubles: tuple[Trouble, ...]

    @property
    def names(self) -> set[str]:
        """Names of everything this form sends."""
        groups = (*self.demand, *self.schedule, *self.limits, *self.expert, *self.priority)
        return {one.name for one in groups} | {"go"}

    @property
    def schedule_open(self) -> bool:
        """Whether something of the schedule was said or is wrong."""
        return any(one.value or one.error for one in self.schedule)

    @property
    def expert_open(self) -> bool:
        """A fold that holds a value or an error stands open."""
        return any(one.error or one.value or any(option.chosen for option in one.options) for one in self.expert)


def with_defaults(scenario: str, task: str, answers: Answers) -> Answers:
    """The answers, and where nothing but perhaps the model was answered yet, the values a fresh form holds.

    A choice drawn as cards always has one that is chosen: it cannot be left open on the page.
    """
    fields = FIELDS[scenario, task]
    fresh = not any(last(answers, field.name) for field in fields)
    filled = answers.copy()
    for field in fields:
        key = (scenario, task, field.name)
        if field.common and not last(answers, field.name) and (fresh or key in MAIN_CHOICES):
            filled.setlist(field.name, [SUGGESTED.get(key, default_text(field))])
    return filled


def what_form(scenario: str, task: str, answers: Answers, problems: Sequence[Problem]) -> WhatForm:
    """Step 2 for one task. `problems`: what shall be shown as wrong."""
    build = InputBuilder(scenario, task, answers, problems)
    model = build.model()
    fields = FIELDS[scenario, task]
    basic = tuple(build.of_field(field) for field in fields if field.common)
    expert = tuple(build.of_field(field) for field in fields if not field.common)
    return WhatForm(model, basic, expert, build.troubles())


SERVING = ("max_seconds_to_first_token", "min_tokens_per_second_per_sequence")


def amount_form(scenario: str, task: str, answers: Answers, problems: Sequence[Problem], currency: str) -> AmountForm:
    """Step 3: amount, schedule, limits, priority."""
    build = InputBuilder(scenario, task, answers, problems)
    units = DEMAND_UNITS[scenario, task]
    demand = (
        build.text("amount", hint=labels.UNIT_HINTS.get((scenario, task), "")),
        build.choice("unit", units, units[0], "select", {unit: labels.UNITS[unit] for unit in units}),
        *((build.text("samples"),) if "epochs" in units else ()),
    )
    plain = {field.name: field for field in CONSTRAINT_FIELDS}
    limits = (
        build.number(plain["deadline_hours"]),
        build.text("budget", unit=currency, small=True),
        build.number(plain["max_gpus"]),
    )
    serving = [build.number(plain[name]) for name in SERVING] if (scenario, task) == ("llm", "inference") else []
    require = Input(
        "require",
        labels.FIELDS["require"].label,
        draw="checks",
        options=tuple(
            Option(word, words.label, words.hint, chosen=word in answers.getlist("require"))
            for word in REQUIREMENTS
            for words in [labels.choice_words(scenario, "require", word)]
        ),
        error=build.error("require", labels.FIELDS["require"].label),
    )
    expert = (require, *serving, build.text("region", small=True), build.number(plain["host_ram_gib"]))
    return AmountForm(
        demand=demand,
        schedule=tuple(build.number(field) for field in SCHEDULE_FIELDS),
        limits=limits,
        expert=expert,
        priority=(
            build.choice("priority", PRIORITIES, "balanced", "radio"),
            build.choice("stage", STAGES, "production", "radio"),
        ),
        troubles=build.troubles(),
    )


def answer_troubles(
    reading: Reading, scenario: str, task: str, answers: Answers, pages: Mapping[str, str]
) -> tuple[Trouble, ...]:
    """Everything wrong with an address, for pages without fields of their own. `pages`: step -> where it can be put right."""
    build = InputBuilder(scenario, task, answers, ())
    found = []
    for problem in reading.problems:
        text = problem_text(problem, str(build.label(input_of(problem.path))))
        found.append(Trouble(text, None, pages.get(step_of(problem, scenario, task), "")))
    return tuple(dict.fromkeys(found))


def step_of(problem: Problem, scenario: str, task: str) -> Literal["what", "amount"]:
    """The wizard step on which a wrong answer can be put right."""
    name = input_of(problem.path).split(".")[0]
    inside = (scenario, task) in FIELDS and field_of(scenario, task, name) is not None
    return "amount" if name in PARENT or (name in ("priority", "stage") and not inside) else "what"


def problems_of_step(
    problems: Sequence[Problem], step: Literal["what", "amount"], scenario: str, task: str
) -> tuple[Problem, ...]:
    """Those problems that this step can put right; what belongs nowhere is shown on step 2."""
    return tuple(one for one in problems if step_of(one, scenario, task) == step)
