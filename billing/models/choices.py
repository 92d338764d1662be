"""Closed sets of words several nouns share."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from billing.lifecycle import State


class Currency(models.TextChoices):
    """Currencies quotations are made in, with 0, 2 and 3 digits among them (ISO 4217)."""

    CNY = "CNY", _("Chinese yuan (CNY)")
    USD = "USD", _("US dollar (USD)")
    EUR = "EUR", _("Euro (EUR)")
    HKD = "HKD", _("Hong Kong dollar (HKD)")
    JPY = "JPY", _("Japanese yen (JPY)")
    KWD = "KWD", _("Kuwaiti dinar (KWD)")


class Rounding(models.TextChoices):
    """Where money is rounded."""

    UNIT = "unit", _("per unit")
    LINE = "line", _("per line")
    TOTAL = "total", _("on the total")


class QuoteState(models.TextChoices):
    """The states of the transition table, in words."""

    DRAFT = State.DRAFT.value, _("Draft")
    AWAITING_APPROVAL = State.AWAITING_APPROVAL.value, _("Waiting for approval")
    APPROVED = State.APPROVED.value, _("Approved")
    SENT = State.SENT.value, _("Sent")
    ACCEPTED = State.ACCEPTED.value, _("Accepted")
    DECLINED = State.DECLINED.value, _("Declined")
    EXPIRED = State.EXPIRED.value, _("Expired")
    WITHDRAWN = State.WITHDRAWN.value, _("Withdrawn")


class Language(models.TextChoices):
    """Languages a customer is written to in."""

    ZH = "zh-hans", "简体中文"
    EN = "en", "English"

    @classmethod
    def nearest(cls, code: str) -> "Language":
        """For a reader of a language: the same, or English where letters are not written in it."""
        return cls(code) if code in cls.values else cls.EN


class Scenario(models.TextChoices):
    """The five scenarios of a workload."""

    LLM = "llm", _("Large language models")
    AIGC = "aigc", _("Images and video")
    SPEECH = "speech", _("Speech")
    VISION = "vision", _("Computer vision")
    SCIENCE = "science", _("Scientific computing")
