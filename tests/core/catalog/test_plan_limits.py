"""What the catalogue keeps on sale is exactly what money can be counted by: one truth in two layers, held equal here."""

from hypothesis import example, given
from hypothesis import strategies as st

from billing.costing import plans as core
from billing.costing.errors import CostingErrors
from billing.costing.money import DIGITS
from catalog.plan_limits import CURRENCIES, LIMITS, MOST_PLANS, MOST_TERM_UNITS, fault_of, sort_out

HOURLY = {"name": "hourly", "currency": "CNY", "unit_price": "2", "price_per": "hour", "per": "gpu"}


def _accepted(rules):
    try:
        core.parse_plan(rules)
    except CostingErrors:
        return False
    return True


def test_the_lists_are_the_same():
    assert set(DIGITS) == CURRENCIES
    assert MOST_TERM_UNITS == core.MOST_TERM_UNITS
    assert MOST_PLANS == core.MOST_PLANS


def test_every_limit_is_that_of_the_reader_to_the_last_unit():
    for name, (least, most) in LIMITS.items():
        for value, fits in ((least, True), (most, True), (least - 1, False), (most + 1, False)):
            rules = HOURLY | {name: value}
            assert _accepted(rules) is fits, (name, value)
            assert (fault_of(rules) is None) is fits, (name, value)
    for unit, most in MOST_TERM_UNITS.items():
        for count, fits in ((1, True), (most, True), (0, False), (most + 1, False), (32767, False)):
            rules = HOURLY | {"price_per": unit, "term": {"unit": unit, "count": count}}
            assert _accepted(rules) is fits, (unit, count)
            assert (fault_of(rules) is None) is fits, (unit, count)


@st.composite
def stored_plans(draw, name):
    """Whatever the columns of a plan can hold."""
    unit = draw(st.sampled_from(["", "day", "week", "month"]))
    plan = HOURLY | {"name": name, "currency": draw(st.sampled_from(["CNY", "CNY", "CNY", "ABC"]))}
    if unit:
        count = draw(st.sampled_from([1, 3, 120, 121, 32767]))
        plan |= {"price_per": unit, "term": {"unit": unit, "count": count}}
        plan["unused"] = draw(st.sampled_from(["lost", "refund_pro_rata", "refund_clawback"]))
        plan["after_term"] = draw(st.sampled_from(["renew", "on_demand", "stop"]))
        if plan["after_term"] == "on_demand":
            plan["on_demand_plan"] = draw(st.sampled_from(["a", "b", "c", "gone"]))
    for field in draw(st.lists(st.sampled_from(sorted(LIMITS)), max_size=2)):
        least, most = LIMITS[field]
        plan[field] = draw(st.sampled_from([least, most, most, most + 1]))
    return plan


@given(st.lists(st.sampled_from("abc").flatmap(stored_plans), max_size=6))
@example([HOURLY | {"name": f"plan-{n}"} for n in range(MOST_PLANS + 1)])
def test_what_stays_is_always_counted_and_what_goes_never_could_be(plans):
    kept, faults = sort_out(plans)
    assert len(kept) + len(faults) == len(plans)
    assert all(_accepted(plan) for plan in kept)
    assert not core.check_plans([core.parse_plan(plan) for plan in kept])
    if plans and not faults:
        core.parse_plans(plans)
    for name, fault in faults:
        if fault in {"limit", "currency", "list-price"}:
            assert any(not _accepted(plan) for plan in plans if plan["name"] == name)
