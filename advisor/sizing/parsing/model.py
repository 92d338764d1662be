"""Reads which model a workload names: a name of the library, a Hugging Face config or a number of parameters."""

from collections.abc import Mapping
from typing import Any

from advisor.sizing.hf_config import ConfigError, check_config
from advisor.sizing.model_names import canonical_slug, nearest_models, scenario_of
from advisor.sizing.parsing.reader import Reader
from advisor.sizing.problems import shown, type_word
from advisor.sizing.workload import ModelRef

MAX_PARAMETERS_B = 20_000
MIN_PARAMETERS_B = 0.00001
MAX_CONFIG_ENTRIES = 20_000


def read_model(
    reader: Reader, value: object, scenario: str, models: Mapping[str, Mapping[str, str]]
) -> ModelRef | None:
    """Reads the `model` of a workload. `models`: the model library, slug -> row."""
    if scenario == "science":
        if value is not None:
            reader.report("model", "model-for-science")
        return None
    if value is None:
        reader.report("model", "missing-model")
        return None
    if isinstance(value, str):
        return _library_model(reader, value, scenario, models)
    if not isinstance(value, Mapping):
        reader.report("model", "wrong-type", wanted="a model's name or an object", got=type_word(value))
        return None
    reader.unknown_fields(value, ("hf_config", "parameters_b"), "model.", None)
    if "hf_config" in value:
        if "parameters_b" in value:
            reader.report(
                "model.parameters_b", "config-contradiction", reason="give hf_config or parameters_b, not both"
            )
        return _config_model(reader, value["hf_config"])
    if "parameters_b" not in value:
        reader.report("model", "missing-model")
        return None
    number = reader.number(value["parameters_b"], "model.parameters_b", MIN_PARAMETERS_B, MAX_PARAMETERS_B)
    return None if number is None else ModelRef(parameters_b=number)


def _library_model(
    reader: Reader, value: str, scenario: str, models: Mapping[str, Mapping[str, str]]
) -> ModelRef | None:
    slug = canonical_slug(value, models)
    if slug is None:
        if near := nearest_models(value, models, scenario):
            reader.report("model", "unknown-model-near", value=shown(value), suggestion=", ".join(near))
        else:
            reader.report("model", "unknown-model", value=shown(value))
        return None
    home = scenario_of(models[slug])
    if home and home != scenario:
        reader.report("model", "model-of-other-scenario", value=slug, home=home, scenario=scenario)
        return None
    return ModelRef(slug=slug)


def _config_model(reader: Reader, value: object) -> ModelRef | None:
    config = reader.mapping(value, "model.hf_config")
    if config is None:
        return None
    if _entries(config, MAX_CONFIG_ENTRIES) > MAX_CONFIG_ENTRIES:
        reader.report("model.hf_config", "config-too-large", maximum=MAX_CONFIG_ENTRIES)
        return None
    if _holds_nul(config):
        reader.report("model.hf_config", "unprintable")
        return None
    try:
        check_config(config)
    except ConfigError as error:
        reader.report("model.hf_config", error.code, reason=error.reason)
        return None
    return ModelRef(hf_config=config)


def _entries(value: object, limit: int) -> int:
    """Entries of a nested value, counted without recursion and no further than `limit`."""
    waiting: list[object] = [value]
    count = 0
    while waiting and count <= limit:
        item = waiting.pop()
        count += 1
        if isinstance(item, Mapping):
            waiting.extend(item.values())
        elif isinstance(item, list | tuple):
            waiting.extend(item)
        elif isinstance(item, str) and len(item) > 100_000:
            return limit + 1
    return count


def _holds_nul(config: Mapping[str, Any]) -> bool:
    """Whether a NUL stands in any name or text of a config of bounded size."""
    waiting: list[object] = [config]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str) and "\x00" in item:
            return True
        if isinstance(item, Mapping):
            waiting.extend((*item.keys(), *item.values()))
        elif isinstance(item, list | tuple):
            waiting.extend(item)
    return False
