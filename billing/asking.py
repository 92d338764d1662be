"""Advice on its way from a result to the ask form: plain values, signed, so that nobody rewrites an answer on the way.

Billing knows nothing of the advisor; whoever shows a result calls `signed_advice` and puts the text into the hidden field `advice`
of a form that posts to `billing:ask`.
"""

from collections.abc import Mapping
from typing import Any

from django.core import signing

SALT = "billing.advice"
MAX_AGE_SECONDS = 30 * 86_400
ADVICE_FIELDS = (
    "scenario",
    "summary",
    "workload",
    "lines",
    "reasons",
    "answer",
    "address",
    "catalogue_version",
    "model_version",
)
"""scenario: of the workload; summary: the answer in one sentence, in the reader's language; workload: as the contract has it;
lines: [{sku, gpu, count (cards in all), plan (kind), periods (in the plan's own unit), hours (of the whole job)}]; reasons: [{tone: pro|con|how, text}]; answer: the whole recommendation;
address: path of the result's page. All optional."""


class AdviceUnreadable(Exception):
    """The hidden field was changed or is older than a month."""


def signed_advice(advice: Mapping[str, Any]) -> str:
    """The advice as text for the hidden field. Raises ValueError for a key that is not of ADVICE_FIELDS."""
    if unknown := set(advice) - set(ADVICE_FIELDS):
        raise ValueError(f"no such field of an advice: {', '.join(sorted(unknown))}")
    return signing.dumps(dict(advice), salt=SALT, compress=True)


def read_advice(text: str) -> dict[str, Any] | None:
    """The advice of a hidden field; None where there is none. Raises AdviceUnreadable."""
    if not text:
        return None
    try:
        advice = signing.loads(text, salt=SALT, max_age=MAX_AGE_SECONDS)
    except signing.BadSignature:
        raise AdviceUnreadable from None
    return dict(advice)
