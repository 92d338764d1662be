"""The guide's topics in reading order. A slug is an address and never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Topic:
    """A page of the guide: `lead` is its one sentence, `icon` the mark in the sprite."""

    slug: str
    title: str | Promise
    lead: str | Promise
    icon: str

    @property
    def template(self) -> str:
        """Where its text is."""
        return f"advisor/guide/{self.slug}.html"


_ALL = (
    Topic(
        "how-to-choose",
        _("How to choose a card"),
        _("Memory first, then what the job saturates, then the price of the finished job."),
        "check",
    ),
    Topic(
        "language-models",
        _("Training and running language models"),
        _(
            "Training keeps far more than the weights; serving keeps every conversation. Both can be worked out beforehand."
        ),
        "llm",
    ),
    Topic(
        "images-and-video",
        _("Images and video"),
        _("Memory decides whether it runs, compute how long it takes, and video multiplies both."),
        "aigc",
    ),
    Topic(
        "speech",
        _("Speech and audio"),
        _("A few gigabytes are enough; spend what is left on batch before paying for a faster card."),
        "speech",
    ),
    Topic(
        "vision",
        _("Computer vision"),
        _(
            "Small models, many pictures: check the input pipeline, then compare the price ratio with the measured speed ratio."
        ),
        "vision",
    ),
    Topic(
        "science",
        _("Scientific simulation"),
        _("Ask the program which precision it computes in: that answer alone may divide the price by ten."),
        "science",
    ),
    Topic(
        "cards",
        _("Each card in one line"),
        _("What each card on sale here is best at, and what to know before renting it."),
        "mark",
    ),
    Topic(
        "quantisation",
        _("Quantisation: fewer bits"),
        _("A way under the memory gate. It costs accuracy, and it is not always faster."),
        "down",
    ),
    Topic(
        "several-cards",
        _("Several cards: NVLink or PCIe"),
        _("A second card adds memory only where the method splits the work, and speed only where the link carries it."),
        "link",
    ),
    Topic(
        "software-images",
        _("Images, drivers and frameworks"),
        _("A prebuilt image saves the first hour, if its builds carry code for your card."),
        "save",
    ),
    Topic(
        "billing",
        _("Ways to pay"),
        _("Minutes for trying out, hours for jobs, prepaid cards for long use: the break-even hours decide."),
        "clock",
    ),
    Topic(
        "network-and-data",
        _("Network and data safety"),
        _("A transfer that breaks off or a lost disk costs more than a few cents per hour."),
        "doc",
    ),
    Topic(
        "glossary",
        _("Glossary"),
        _("The words of this trade, each in a sentence or two."),
        "info",
    ),
    Topic(
        "faq",
        _("Questions people ask"),
        _("What is asked most before renting, and the mistakes that cost most."),
        "right",
    ),
)
TOPICS: Mapping[str, Topic] = MappingProxyType({topic.slug: topic for topic in _ALL})
