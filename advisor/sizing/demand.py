"""From how much work there is to hours: the demand's unit turned into what a speed counts."""

from advisor.sizing.answer import Note, Spread
from advisor.sizing.fields import FIELDS
from advisor.sizing.job import Rate
from advisor.sizing.workload import Schedule, Workload

SECONDS_PER_HOUR = 3600.0
CLIP_SECONDS = 30.0
"""Length of one audio clip where none is given: Whisper's window."""
FEMTOSECONDS_PER_STEP = 2.0
"""Time step of molecular dynamics where none is given: 2 fs with constrained bonds."""
WEEKS = 4.0
"""An open-ended schedule without a number of weeks counts as a month."""

_PER_HOUR = {
    "tokens_per_second": "tokens",
    "images_per_second": "images",
    "samples_per_second": "samples",
    "items_per_second": "samples",
    "frames_per_second": "images",
    "steps_per_second": "steps",
}
_SECONDS_EACH = {"seconds_per_image": "images", "seconds_per_video": "videos", "seconds": "requests"}


def demand_hours(workload: Workload, rate: Rate, spread: Spread, count: int) -> float | None:
    """Hours the demand takes at this speed on `count` cards, or None where demand or conversion is not known."""
    demand = workload.demand
    if demand is None:
        return None
    if demand.unit == "gpu_hours":
        return demand.amount / count
    counted, per_hour = counted_per_hour(workload, rate)
    if not counted or per_hour <= 0:
        return None
    amount = demand.amount * (demand.samples or 1.0) if demand.unit == "epochs" else demand.amount
    unit = "samples" if demand.unit == "epochs" else demand.unit
    each = _each(workload, unit, counted, spread)
    return None if each is None else amount * each / per_hour


def demand_notes(workload: Workload, rate: Rate | None) -> tuple[Note, ...]:
    """What was taken for granted when a demand was turned into hours, or that it could not be."""
    demand = workload.demand
    if demand is None or demand.unit == "gpu_hours":
        return ()
    if rate is None:
        return (Note("demand-without-speed", "demand.unit", {"unit": demand.unit}),)
    if demand_hours(workload, rate, Spread(), 1) is None:
        return (Note("demand-unit-unusable", "demand.unit", {"unit": demand.unit, "speed": rate.unit}),)
    if workload.scenario == "llm" and workload.task == "inference" and demand.unit == "tokens":
        return (Note("demand-counts-generated", "demand.unit", {"unit": demand.unit}),)
    return ()


def schedule_hours(schedule: Schedule | None) -> float | None:
    """Hours an open-ended use runs in all: hours a day x days a week x weeks (24, 7 and 4 where not given)."""
    if schedule is None:
        return None
    return (schedule.hours_per_day or 24.0) * (schedule.days_per_week or 7.0) * (schedule.weeks or WEEKS)


def counted_per_hour(workload: Workload, rate: Rate) -> tuple[str, float]:
    """What the speed counts and how many of it an hour; ("", 0) where it counts nothing a demand can name."""
    unit, value = rate.unit, rate.value
    if unit in _PER_HOUR:
        return _PER_HOUR[unit], value * SECONDS_PER_HOUR
    if unit in _SECONDS_EACH and value > 0:
        return _SECONDS_EACH[unit], SECONDS_PER_HOUR / value
    if unit == "x_realtime":
        return "audio_hours", value
    if unit == "ns_per_day":
        return "ns", value / 24
    if unit == "million_cells_per_second" and workload.get("cells"):
        return "steps", value * 1e6 * SECONDS_PER_HOUR / float(workload.get("cells"))
    return "", 0.0


def _number(workload: Workload, name: str, otherwise: float) -> float:
    value = workload.get(name)
    if value is None:
        fields = FIELDS[workload.scenario, workload.task]
        value = next((field.default for field in fields if field.name == name), None)
    return otherwise if value is None else float(value)


def _each(workload: Workload, unit: str, counted: str, spread: Spread) -> float | None:
    """How many of `counted` one `unit` of demand is."""
    if unit == counted:
        return 1.0
    if unit == "steps" and counted == "ns":
        return FEMTOSECONDS_PER_STEP * 1e-6
    samples = _samples_each(workload, unit, spread)
    if samples is None:
        return None
    per_sample = _counted_per_sample(workload, counted, spread)
    return None if per_sample is None else samples * per_sample


def _samples_each(workload: Workload, unit: str, spread: Spread) -> float | None:
    """How many single pieces of work (samples, requests, images, videos, clips) one unit of demand is."""
    if unit in ("samples", "requests", "images", "videos"):
        return 1.0
    if unit == "steps" and workload.task.endswith("training"):
        batch = _number(workload, "micro_batch", 1) if workload.get("batch") is None else _number(workload, "batch", 1)
        return batch * _number(workload, "gradient_accumulation", 1) * spread.data * spread.sharded
    if unit == "tokens":
        return 1.0 / max(1.0, _tokens_per_sample(workload))
    if unit == "audio_hours":
        return SECONDS_PER_HOUR / _number(workload, "clip_seconds", CLIP_SECONDS)
    return None


def _counted_per_sample(workload: Workload, counted: str, spread: Spread) -> float | None:
    """How many of what the speed counts one piece of work is."""
    if counted in ("samples", "images", "videos", "requests"):
        return 1.0
    if counted == "tokens":
        return _tokens_per_sample(workload)
    if counted == "audio_hours":
        return _number(workload, "clip_seconds", CLIP_SECONDS) / SECONDS_PER_HOUR
    if counted == "steps" and workload.task.endswith("training"):
        return 1.0 / (_samples_each(workload, "steps", spread) or 1.0)
    if counted == "steps" and workload.scenario == "aigc":
        return _number(workload, "steps", 30) / _number(workload, "batch", 1)
    return None


def _tokens_per_sample(workload: Workload) -> float:
    if workload.task == "inference":
        return _number(workload, "output_tokens", 512)
    if workload.get("objective") in ("grpo", "ppo"):
        return _number(workload, "sequence_tokens", 2048) * _number(workload, "generations", 1)
    return _number(workload, "sequence_tokens", 2048)
