"""Words people see in answers: parts of memory, plans, verdicts, roles, stock, units of speed, how sure a figure is."""

from collections.abc import Mapping
from types import MappingProxyType

from django.utils.translation import gettext_lazy as _

from advisor.labels import Text

PARTS: Mapping[str, Text] = MappingProxyType(
    {
        "weights": _("Weights"),
        "other_models": _("Other models"),
        "gradients": _("Gradients"),
        "optimizer": _("Optimizer"),
        "adapters": _("Adapters"),
        "activations": _("Activations"),
        "kv_cache": _("KV cache"),
        "decoder_state": _("Decoder state"),
        "state": _("State of the system"),
        "framework": _("Framework"),
    }
)

PLANS: Mapping[str, Text] = MappingProxyType(
    {
        "minute": _("Minute"),
        "hour": _("Hourly"),
        "day": _("Day"),
        "week": _("Week"),
        "month": _("Month"),
        "mix": _("Mix"),
    }
)

FITS: Mapping[str, Text] = MappingProxyType({"fits": _("Fits"), "tight": _("Tight"), "does_not_fit": _("Does not fit")})

ROLES: Mapping[str, Text] = MappingProxyType(
    {
        "recommended": _("Recommended"),
        "cheapest": _("Cheapest"),
        "fastest": _("Fastest"),
        "most-headroom": _("Most headroom"),
    }
)

STOCKS: Mapping[str, Text] = MappingProxyType(
    {"available": _("in stock"), "scarce": _("few left"), "out": _("none in stock")}
)

LIMITED_BY: Mapping[str, Text] = MappingProxyType(
    {
        "memory-bandwidth": _("memory bandwidth"),
        "compute": _("compute"),
        "interconnect": _("the link between cards"),
        "capacity": _("memory size"),
        "host": _("the host"),
    }
)

SPEED_UNITS: Mapping[str, Text] = MappingProxyType(
    {
        "tokens_per_second": _("tokens/s"),
        "images_per_second": _("pictures/s"),
        "seconds_per_image": _("s per picture"),
        "seconds_per_video": _("s per video"),
        "steps_per_second": _("steps/s"),
        "x_realtime": _("× real time"),
        "samples_per_second": _("samples/s"),
        "items_per_second": _("items/s"),
        "frames_per_second": _("frames/s"),
        "ns_per_day": _("ns/day"),
        "million_cells_per_second": _("million cells/s"),
        "seconds": _("s"),
        "relative": _("relative"),
    }
)

TIERS: Mapping[str, tuple[int, Text]] = MappingProxyType(
    {
        "anchored": (3, _("high confidence: the same work was measured")),
        "known-stack": (3, _("high confidence: this model in this software was measured")),
        "new-model": (2, _("medium confidence: this software was measured, the model is worked out")),
        "unknown-stack": (1, _("low confidence: nothing near was measured")),
    }
)
"""Tier of an estimate -> bars of the meter and words."""
