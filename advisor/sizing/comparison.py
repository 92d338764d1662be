"""The same speed in the words of a measurement: units, directions and which tokens are counted."""

from collections.abc import Mapping
from typing import Any

from advisor.sizing.job import Rate

SECONDS_UNITS = frozenset({"seconds", "seconds_per_image", "seconds_per_video"})
"""Units in which less is better."""


def _number(work: Mapping[str, Any], *names: str, default: float = 1.0) -> float:
    for name in names:
        value = work.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
    return default


def throughput(value: float, unit: str, work: Mapping[str, Any]) -> tuple[float, str] | None:
    """A figure as work done per second, with the name of what is counted; None where that takes a guess.

    Steps of a denoiser are turned into images with the work's own steps and batch: `steps_per_second` counts batches,
    `image_steps_per_second` images.
    """
    if value <= 0:
        return None
    steps, batch = _number(work, "steps", default=0.0), _number(work, "batch", "micro_batch")
    match unit:
        case "seconds_per_image":
            return 1 / value, "images"
        case "seconds_per_video":
            return 1 / value, "videos"
        case "seconds":
            return 1 / value, "runs"
        case "images_per_second":
            return value, "images"
        case "videos_per_second":
            return value, "videos"
        case "steps_per_second" if work.get("scenario") == "aigc" or "steps" in work:
            return (value * batch / steps, "images") if steps else None
        case "image_steps_per_second":
            return (value / steps, "images") if steps else None
        case "samples_per_second" | "sequences_per_second" if "sequence_tokens" in work:
            return value * _number(work, "sequence_tokens"), "tokens"
        case _:
            return value, unit.removesuffix("_per_second").removesuffix("_per_day")


def _of_phase(rate: Rate, phase: str | None, work: Mapping[str, Any]) -> float | None:
    """Tokens per second of the phase a measurement counted."""
    if phase == "generation":
        return rate.generation_tokens_per_second
    if phase == "prompt":
        return rate.prompt_tokens_per_second
    if phase == "prompt_and_output":
        output = _number(work, "output_tokens", default=0.0)
        prompt = _number(work, "prompt_tokens", default=0.0)
        return rate.value * (prompt + output) / output if output else None
    return rate.value


def speed_ratio(measured: float, unit: str, phase: str | None, rate: Rate, work: Mapping[str, Any]) -> float | None:
    """How many times faster the measurement was than `rate` says; None where the two count different things.

    `work` are the completed fields of the measured workload, `rate` the computed speed of that same workload.
    """
    if unit == "tokens_per_second" and rate.unit == "tokens_per_second" and phase is not None:
        mine = _of_phase(rate, phase, work)
        return measured / mine if mine else None
    theirs, ours = throughput(measured, unit, work), throughput(rate.value, rate.unit, work)
    if theirs is None or ours is None or theirs[1] != ours[1]:
        return None
    return theirs[0] / ours[0] if ours[0] > 0 else None
