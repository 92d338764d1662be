"""What a speech job asks of the machine around its cards."""

import math

from advisor.sizing.answer import Host
from advisor.sizing.speech.model import SpeechModel
from advisor.sizing.units import gib


def host_of(model: SpeechModel, count: int, loaders: int) -> Host:
    """Memory, cores and disk for `count` cards with `loaders` cores each."""
    return Host(
        ram_gib=math.ceil(6 + 3 * gib(model.params * 2) + 2 * loaders * count), cpu_cores=loaders * count, disk_gib=40
    )
