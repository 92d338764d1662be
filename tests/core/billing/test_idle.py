"""Money that goes while nobody works: by hand from the plan's own rules, on every machine of the example list."""

from decimal import ROUND_UP, Decimal

import pytest

from billing.idle import OVERNIGHT_HOURS, SHORT_MINUTES, SHORT_STARTS, WEEKEND_HOURS, idle_money
from catalog.example import example_catalogue

OFFERS = example_catalogue().priced_offers


@pytest.mark.parametrize("offer", OFFERS, ids=lambda offer: offer.sku)
def test_sums_follow_the_list_prices(offer) -> None:
    hour, minute = (Decimal(str(offer.plan(kind)["unit_price"])) * offer.count for kind in ("hour", "minute"))
    found = idle_money(offer)
    assert found.overnight == round(hour * OVERNIGHT_HOURS, 2)
    assert found.weekend == round(hour * WEEKEND_HOURS, 2)
    assert found.short_by_hour == round(hour * SHORT_STARTS, 2), "twenty minutes are billed as an hour, each start"
    assert found.short_by_minute is not None
    exact = minute * SHORT_MINUTES * SHORT_STARTS
    assert abs(found.short_by_minute - exact) <= Decimal("0.01") * SHORT_STARTS
    assert found.saved == found.short_by_hour - found.short_by_minute
    assert found.saved > 0


def test_a_3090_left_on_overnight() -> None:
    offer = next(offer for offer in OFFERS if offer.sku == "rtx-3090-24g-x1")
    found = idle_money(offer)
    assert found.overnight == Decimal("19.80")
    assert found.short_by_hour == Decimal("13.20")
    assert found.short_by_minute == (Decimal("0.0231") * 200).quantize(Decimal("0.01"), ROUND_UP)


def test_without_a_plan_there_is_no_figure() -> None:
    offer = next(offer for offer in OFFERS if offer.sku == "rtx-3090-24g-x1")
    bare = type(offer)(**{name: getattr(offer, name) for name in offer.__slots__} | {"plans": ()})
    found = idle_money(bare)
    assert (found.overnight, found.weekend, found.short_by_hour, found.short_by_minute, found.saved) == (None,) * 5
