"""A model by its file: a GGUF header, a config.json or an adapter_config.json as fields of a workload.

Only the beginning of a file is ever read: a GGUF file of 40 GB says all that matters in its header.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from advisor.answers import without_noise
from advisor.sizing.adapter_config import AdapterError, fields_from_adapter
from advisor.sizing.answer import Note
from advisor.sizing.fields import FIELDS
from advisor.sizing.gguf_header import FILE_TYPES, GgufCut, GgufError, config_from_gguf, read_header
from advisor.sizing.hf_config import ConfigError, shape_from_config
from advisor.sizing.model_names import canonical_slug
from advisor.sizing.problems import Problem, WorkloadError

HEAD_BYTES = 2_000_000
"""Bytes that pages and API read of a file."""
LONGEST_HEADER_BYTES = 64_000_000
"""Bytes that the command line reads of a local file before it gives up on its header."""

type Kind = Literal["gguf", "config", "adapter"]


@dataclass(frozen=True, slots=True)
class ModelPart:
    """What a file says of a workload. `fields`: in the contract's names, `model` first where the file says it."""

    kind: Kind
    fields: Mapping[str, Any]
    assumptions: tuple[Note, ...] = ()

    def fill(self, body: Mapping[str, Any]) -> Mapping[str, Any]:
        """A line's object whose workload leaves the model out, with what the file says put in; any other as it is."""
        workload = body.get("workload")
        if not isinstance(workload, Mapping) or "model" in workload:
            return body
        known = {field.name for field in FIELDS.get((str(workload.get("scenario")), str(workload.get("task"))), ())}
        told = {name: value for name, value in self.fields.items() if name == "model" or name in known}
        return {**body, "workload": {**told, **workload}}


def read_model(data: bytes | Mapping[str, Any], models: Mapping[str, Mapping[str, str]], name: str = "") -> ModelPart:
    """The model in the first bytes of a file called `name`, or in a JSON object that was read already.

    `models`: the library, in which an adapter's base is looked up.

    Raises WorkloadError (path `file`) with what is wrong.
    """
    if isinstance(data, bytes) and data[:4] == b"GGUF":
        return _gguf(data, name)
    config = _json_object(data) if isinstance(data, bytes) else data
    if "peft_type" in config or ("r" in config and "target_modules" in config):
        return _adapter(config, models)
    return ModelPart("config", {"model": {"hf_config": without_noise(config)}}, _shape_notes(config))


def _json_object(data: bytes) -> Mapping[str, Any]:
    try:
        config = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _wrong("file-not-known") from error
    if not isinstance(config, dict):
        raise _wrong("file-not-known")
    return config


def read_model_file(path: Path, models: Mapping[str, Mapping[str, str]]) -> ModelPart:
    """The model of a local file: as much of it is read as its header is long. Raises OSError, WorkloadError."""
    size = HEAD_BYTES
    with path.open("rb") as file:
        while True:
            file.seek(0)
            data = file.read(size)
            if data[:4] != b"GGUF" or len(data) < size or size >= LONGEST_HEADER_BYTES or _whole(data):
                return read_model(data, models, path.name)
            size *= 4


def _whole(data: bytes) -> bool:
    try:
        return read_header(data).is_whole
    except GgufCut:
        return False
    except GgufError:
        return True  # more bytes mend nothing


def _wrong(code: str, **values: str | int) -> WorkloadError:
    return WorkloadError((Problem("file", code, values),))


def _gguf(data: bytes, name: str) -> ModelPart:
    try:
        header = read_header(data, cut_off=True)
        config = config_from_gguf(header)
    except GgufCut as error:
        raise _wrong("gguf-cut", bytes=len(data)) from error
    except GgufError as error:
        raise _wrong("gguf-damaged") from error
    notes = [*_shape_notes(config)]
    if not header.is_whole:
        notes.append(Note("gguf-head-only", "model", {"megabytes": len(data) / 1e6}))
    title = str(config.pop("_name_or_path", "") or "")
    fields: dict[str, Any] = {"model": {"hf_config": config}}
    found = header.weight_format
    if found is None and (found := format_of_name(name) or format_of_name(title)):
        notes.append(Note("format-from-name", "weight_format", {"value": found}))
    if found is not None:
        fields["weight_format"] = found
    return ModelPart("gguf", fields, tuple(notes))


def format_of_name(name: str) -> str | None:
    """The weight format a file is called by: `Qwen2.5-7B-Instruct-Q4_K_M.gguf` -> `q4_k_m`."""
    plain = re.sub(r"(?<![a-z0-9])f(?=16|32)", "fp", name.lower())
    known = sorted(set(FILE_TYPES.values()), key=len, reverse=True)
    return next((one for one in known if re.search(rf"(?<![a-z0-9]){one}(?![a-z0-9])", plain)), None)


def _adapter(config: Mapping[str, Any], models: Mapping[str, Mapping[str, str]]) -> ModelPart:
    try:
        fields = fields_from_adapter(config)
    except AdapterError as error:
        raise _wrong("not-an-adapter") from error
    base = config.get("base_model_name_or_path")
    slug = _library_slug(base, models) if isinstance(base, str) else None
    if slug is not None:
        return ModelPart("adapter", {"model": slug, **fields})
    return ModelPart("adapter", fields, (Note("adapter-base-unknown", "model", {"base": str(base or "-")[:100]}),))


def _library_slug(base: str, models: Mapping[str, Mapping[str, str]]) -> str | None:
    """The library's model of a base's name, whatever it was tuned for: tuning changes no shape."""
    name = base.rsplit("/", 1)[-1][:200]
    plain = re.sub(r"[-_](hf|instruct|chat|base|it)$", "", name, flags=re.IGNORECASE)
    return canonical_slug(name, models) or canonical_slug(plain, models)


def _shape_notes(config: Mapping[str, Any]) -> tuple[Note, ...]:
    try:
        return tuple(shape_from_config(config).notes)
    except ConfigError as error:
        raise WorkloadError((Problem("file", error.code, {"reason": error.reason}),)) from error
