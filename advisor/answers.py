"""Answers in an address <-> a workload of the contract. The address holds everything; the server keeps nothing.

`scenario=llm&task=training&model=llama-3-8b&sequence_tokens=2048&amount=20M&unit=tokens&deadline_hours=48&require=ecc`: the contract's
own names, those inside `demand`, `schedule` and `constraints` without their parent. Of several values of one name the last one
counts, except for `require`. `model` is a library name, a size (`13B`), a config.json as it is, or `z:` and the same packed.
"""

import base64
import binascii
import json
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any
from urllib.parse import urlencode

from django.utils.datastructures import MultiValueDict

from advisor.library import library
from advisor.sizing.fields import CONSTRAINT_FIELDS, FIELDS, SCHEDULE_FIELDS, Field
from advisor.sizing.parsing.text import value_from_text
from advisor.sizing.parsing.workload import parse_workload
from advisor.sizing.problems import Problem, WorkloadError
from advisor.sizing.workload import Workload

type Answers = MultiValueDict[str, str]

DEMAND = ("amount", "unit", "samples")
SCHEDULE = tuple(field.name for field in SCHEDULE_FIELDS)
CONSTRAINTS = (*(field.name for field in CONSTRAINT_FIELDS), "budget", "currency", "region", "require")
PARENT: Mapping[str, str] = {
    **dict.fromkeys(DEMAND, "demand"),
    **dict.fromkeys(SCHEDULE, "schedule"),
    **dict.fromkeys(CONSTRAINTS, "constraints"),
}
"""Name in the address -> the object of the contract it lives in."""
CONTROLS = frozenset({"go", "live", "preset", "view", "was", "csrfmiddlewaretoken"})
"""Words of the address that are no answers."""
AMOUNT_LIKE = frozenset({"amount", "samples", "atoms", "cells"})
SUFFIXES: Mapping[str, Decimal] = {
    "k": Decimal(10) ** 3,
    "m": Decimal(10) ** 6,
    "b": Decimal(10) ** 9,
    "g": Decimal(10) ** 9,
    "t": Decimal(10) ** 12,
    "千": Decimal(10) ** 3,
    "万": Decimal(10) ** 4,
    "百万": Decimal(10) ** 6,
    "千万": Decimal(10) ** 7,
    "亿": Decimal(10) ** 8,
    "十亿": Decimal(10) ** 9,
    "万亿": Decimal(10) ** 12,
}
MAX_CONFIG_BYTES = 2_000_000
MAX_ADDRESS = 6_000
"""Characters of a packed config.json that still travel in an address: servers and mail programs cut longer ones."""
PLAIN_CONFIG = 900
"""Up to this length a config.json stays readable in the address."""
NOISE = frozenset(
    {
        "id2label",
        "label2id",
        "auto_map",
        "_name_or_path",
        "name_or_path",
        "transformers_version",
        "task_specific_params",
    }
)
"""Keys of a config.json that say nothing about size and can be very long."""


class ConfigTextError(ValueError):
    """Pasted text that is no config.json: `code` is `not-json`, `not-an-object`, `too-large` or `too-long-for-address`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Reading:
    """What an address says: the JSON it makes, the workload if that is in order, and else what is wrong, by input name."""

    body: Mapping[str, Any]
    workload: Workload | None
    problems: tuple[Problem, ...]

    @property
    def sound(self) -> dict[str, Any]:
        """The JSON without what is wrong in it: safe to be written in words."""
        wrong = {input_of(one.path) for one in self.problems}
        found: dict[str, Any] = {}
        for name, value in self.body.items():
            if name in PARENT.values():
                inner = {key: part for key, part in value.items() if key not in wrong}
                if inner and (name != "demand" or {"amount", "unit"} <= inner.keys()):
                    found[name] = inner
            elif name not in wrong and not any(one.startswith(f"{name}.") for one in wrong):
                found[name] = value
        return found

    def wrong_given(self, answers: Answers) -> tuple[Problem, ...]:
        """What is wrong with values that were given; what is only missing is not wrong yet."""
        return tuple(one for one in self.problems if given(answers, input_of(one.path)))


def input_of(path: str) -> str:
    """The input a problem's path belongs to: `constraints.require[0]` -> `require`, `model.hf_config` -> `model`."""
    plain = re.sub(r"\[.*?\]", "", path)
    head, _, rest = plain.partition(".")
    if head in ("demand", "schedule", "constraints"):
        return rest or {"demand": "amount", "schedule": "hours_per_day"}.get(head, head)
    if head == "gpu_hours_on":
        return plain
    return head


def last(answers: Answers, name: str) -> str:
    """The last value given for a name, without blanks round it; empty if none."""
    return next(reversed(given(answers, name)), "")


def given(answers: Answers, name: str) -> list[str]:
    """Every value given for a name, without blanks round it and without NUL, which no page may show."""
    return [value for text in answers.getlist(name) if (value := text.replace("\x00", "").strip())]


def number_text(text: str) -> str:
    """A figure as people write it (`20M`, `2千万`, `1e9`, `1,000`) as plain digits; anything else unchanged."""
    plain = re.sub(r"[,_\s，]", "", text)
    found = re.fullmatch(r"(\d{1,30}(?:\.\d{1,30})?)([a-zA-Z千万百亿十]{1,2})", plain)
    if not found or (factor := SUFFIXES.get(found[2].lower())) is None:
        return text
    try:
        value = Decimal(found[1]) * factor
    except InvalidOperation:
        return text
    return format(value.to_integral_value() if value == value.to_integral_value() else value, "f")


def pack_config(config: Mapping[str, Any]) -> str:
    """A config.json as text for an address. Raises ConfigTextError where even packed it is too long."""
    text = json.dumps(config, ensure_ascii=False, separators=(",", ":"))
    if len(text) <= PLAIN_CONFIG:
        return text
    packed = "z:" + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(packed) > MAX_ADDRESS:
        raise ConfigTextError("too-long-for-address")
    return packed


def unpack_config(text: str) -> Mapping[str, Any]:
    """A config.json from an address or a paste. Raises ConfigTextError."""
    if text.startswith("z:"):
        text = _inflated(text[2:])
    if len(text.encode()) > MAX_CONFIG_BYTES:
        raise ConfigTextError("too-large")
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigTextError("not-json") from error
    if not isinstance(value, dict):
        raise ConfigTextError("not-an-object")
    return value


def _inflated(packed: str) -> str:
    try:
        data = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        opened = zlib.decompressobj()
        text = opened.decompress(data, MAX_CONFIG_BYTES + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise ConfigTextError("not-json") from error
    if len(text) > MAX_CONFIG_BYTES or opened.unconsumed_tail:
        raise ConfigTextError("too-large")
    return text.decode(errors="replace")


def without_noise(config: Mapping[str, Any]) -> dict[str, Any]:
    """A config.json without what says nothing about size."""
    return {key: value for key, value in config.items() if key not in NOISE}


def model_json(text: str) -> object:
    """What was written as the model, in the contract's form. Raises ConfigTextError for broken configs."""
    if text.startswith(("{", "z:")):
        return {"hf_config": unpack_config(text)}
    if found := re.fullmatch(r"(\d{1,5}(?:\.\d{1,20})?(?:e-\d{1,2})?)\s*([bBmM])", text):
        size = Decimal(found[1]) / (1 if found[2] in "bB" else 1000)
        return {"parameters_b": int(size) if size == int(size) else float(size)}
    return text


def read(answers: Answers, *, scenario: str | None = None, task: str | None = None) -> Reading:
    """What the answers say. `scenario` and `task` of the page's path go before those in the query."""
    scenario, task = scenario or last(answers, "scenario"), task or last(answers, "task")
    body: dict[str, Any] = {}
    problems: list[Problem] = []
    if scenario:
        body["scenario"] = scenario
    if task:
        body["task"] = task
    fields = {field.name: field for field in FIELDS.get((scenario, task), ())}
    for name in answers:
        text = last(answers, name)
        if name in CONTROLS or name in ("scenario", "task") or not text:
            continue
        try:
            _put(body, name, text, answers, fields)
        except ConfigTextError as error:
            problems.append(Problem("model.hf_config", "not-a-config", {"reason": error.code}))
            body["model"] = {"parameters_b": 1}  # stands in, so that everything else is checked too
    if set(body.get("demand", ())) == {"unit"}:
        del body["demand"]  # a form's unit without an amount says nothing
    workload = None
    try:
        workload = parse_workload(body, library().models, library().gpus)
    except WorkloadError as error:
        problems += error.problems
    return Reading(body, None if problems else workload, tuple(problems))


def _put(body: dict[str, Any], name: str, text: str, answers: Answers, fields: Mapping[str, Field]) -> None:
    """One answer into the JSON of the contract."""
    if name == "model":
        body["model"] = model_json(text)
    elif name.startswith("gpu_hours_on."):
        inner = name.removeprefix("gpu_hours_on.")
        body.setdefault("gpu_hours_on", {})[inner] = value_from_text(_NUMBER, text) if inner == "hours" else text
    elif name in fields:
        body[name] = value_from_text(fields[name], number_text(text) if name in AMOUNT_LIKE else text)
    elif name in PARENT:
        body.setdefault(PARENT[name], {})[name] = _limit(name, text, answers)
    else:
        body[name] = text  # priority, stage, and what nobody knows: the contract's reader judges it


_NUMBER = Field("number", "number")
_NUMBERS = {field.name: field for field in (*SCHEDULE_FIELDS, *CONSTRAINT_FIELDS)}


def _limit(name: str, text: str, answers: Answers) -> object:
    if name == "require":
        return given(answers, name)
    if name in ("amount", "samples"):
        return value_from_text(_NUMBER, number_text(text))
    if name == "budget":
        return re.sub(r"[,，¥￥$\s]", "", text)
    return value_from_text(_NUMBERS[name], text) if name in _NUMBERS else text


def _number(value: float) -> str:
    """Digits that read back to the same number."""
    return str(int(value)) if isinstance(value, int) or (value == int(value) and abs(value) < 1e15) else repr(value)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list | tuple):
        return "x".join(_text(side) for side in value)
    return str(value)


def pairs(body: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A workload's JSON as the pairs of an address, in the contract's order. Raises ConfigTextError for an endless config."""
    found: list[tuple[str, str]] = []
    for name, value in body.items():
        if name == "model":
            found.append((name, _model_text(value)))
        elif name in ("demand", "schedule", "constraints"):
            found += _inner(value)
        elif name == "gpu_hours_on":
            found += [(f"gpu_hours_on.{inner}", _text(part)) for inner, part in value.items()]
        elif value is not None:
            found.append((name, _text(value)))
    return found


def _inner(values: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    for name, value in values.items():
        if name == "require":
            yield from ((name, word) for word in value)
        else:
            yield name, _text(value)


def _model_text(value: object) -> str:
    if isinstance(value, Mapping):
        if "hf_config" in value:
            return pack_config(value["hf_config"])
        return f"{_text(value['parameters_b'])}B"
    return str(value)


def query_of(workload: Workload | Mapping[str, Any]) -> str:
    """The address of a workload, without `?`."""
    body = workload.to_dict() if isinstance(workload, Workload) else workload
    return urlencode(pairs(body))


def answers_of(body: Mapping[str, Any]) -> Answers:
    """A workload's JSON as answers, as if they had come in an address."""
    found: Answers = MultiValueDict()
    for name, value in pairs(body):
        found.appendlist(name, value)
    return found


def clean_query(answers: Answers, *, drop: Iterable[str] = (), **more: str) -> str:
    """The answers as a short address: no empty values, no controls, each name once (`require` as often as given)."""
    left_out = {*CONTROLS, *drop, *more}
    kept = [(name, last(answers, name)) for name in answers if name not in left_out and name != "require"]
    kept += [("require", value) for value in dict.fromkeys(given(answers, "require")) if "require" not in drop]
    return urlencode([*more.items(), *((name, value) for name, value in kept if value)])
