"""How long the cheapest mix takes, as a ratio against a fixed loop timed in the same run, and how it grows with days.

Run: uv run python -m benchmarks.mix
Claims: 366 days with three intervals a day and five plans take at most 100 ms on a machine whose fixed loop takes 18 ms (ratio 5.5);
regular or jagged starts; four times the days take at most six times as long. Exits 1 where a claim does not hold.
"""

import random
import sys
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal

from billing.costing.mix import cheapest_mix
from billing.costing.plans import Plan, parse_plans
from billing.costing.usage import Usage, parse_usage

MOST_RATIO = 5.5
MOST_GROWTH = 6.0
REPEATS = 5


def plans() -> tuple[Plan, ...]:
    """Minute, hour, day, week and calendar month."""

    def plan(name: str, price: str, per: str, **rules: object) -> dict[str, object]:
        return {"name": name, "currency": "CNY", "unit_price": price, "price_per": per, **rules}

    return parse_plans(
        [
            plan("minute", "2.1", "hour", billing_step_seconds=60),
            plan("hour", "2", "hour", billing_step_seconds=3600),
            plan("day", "30", "day", term={"unit": "day"}),
            plan("week", "150", "week", term={"unit": "week"}),
            plan("month", "500", "month", term={"unit": "month"}, month_means="calendar"),
        ]
    )


def usage(days: int, jag_seconds: int = 0) -> Usage:
    """Three runs a day; with `jag_seconds`, no two starts share a raster."""
    dice = random.Random(1)
    intervals = []
    for n in range(days):
        for hour, length in ((1, 4), (9, 5), (18, 3)):
            start = datetime(2026, 1, 1) + timedelta(days=n, hours=hour, seconds=dice.randint(0, jag_seconds))  # noqa: DTZ001
            stop = start + timedelta(hours=length, seconds=dice.randint(0, jag_seconds))
            intervals.append([start.isoformat(), stop.isoformat()])
    return parse_usage({"intervals": intervals})


def fixed_loop() -> int:
    """Work that never changes: whole numbers, a dictionary, tuples."""
    seen: dict[tuple[int, int], int] = {}
    for n in range(100_000):
        seen[(n * 7919) % 4096, n % 3] = n
    return len(seen)


def best_ms(work: Callable[[], object]) -> float:
    """The quickest of some runs, in milliseconds of this process's own time."""
    times = []
    for _ in range(REPEATS):
        begun = time.process_time()
        work()
        times.append(time.process_time() - begun)
    return min(times) * 1000


def main() -> int:
    """Measure, print, judge."""
    offered = plans()
    loop = best_ms(fixed_loop)
    print(f"fixed loop                      {loop:8.1f} ms")
    held = True
    for name, jag in (("regular", 0), ("jagged", 3000)):
        year = usage(366, jag)
        total = cheapest_mix(offered, year).total
        spent = best_ms(lambda year=year: cheapest_mix(offered, year))
        held &= spent / loop <= MOST_RATIO
        print(f"366 days x 3 x 5 plans, {name:8}{spent:8.1f} ms   {spent / loop:5.2f} x the loop   total {total}")
        assert total > Decimal(0)
    year, years = usage(366), usage(4 * 366)
    whole = best_ms(lambda: cheapest_mix(offered, years))
    growth = whole / best_ms(lambda: cheapest_mix(offered, year))
    held &= growth <= MOST_GROWTH
    print(f"four times the days             {whole:8.1f} ms   {growth:5.2f} times as long")
    print("holds" if held else "does not hold")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
