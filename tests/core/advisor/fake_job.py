"""A job with a formula one can do in the head: so many GiB on one card, split over more; speed follows memory bandwidth."""

from dataclasses import dataclass

from advisor.sizing.answer import Host, Note, Spread
from advisor.sizing.gpu import Gpu
from advisor.sizing.job import Library, Load, Rate
from advisor.sizing.workload import Workload


@dataclass(frozen=True)
class FakeJob:
    """`need_gib` in all; tokens per second = GB/s of bandwidth x cards."""

    need_gib: float
    with_speed: bool = True
    assumptions: tuple[Note, ...] = ()

    def spread(self, gpu: Gpu, count: int) -> Spread:
        return Spread(sharded=count)

    def load(self, gpu: Gpu, count: int) -> Load:
        return Load({"weights": self.need_gib / count}, "fake", exact=True)

    def rate(self, gpu: Gpu, count: int) -> Rate | None:
        if not self.with_speed:
            return None
        return Rate(gpu.memory_bandwidth_gb_s * count, "tokens_per_second", "memory-bandwidth", "fake")

    def host(self, gpu: Gpu, count: int) -> Host:
        return Host(8.0, 4, 50.0)

    def notes(self, gpu: Gpu, count: int) -> tuple[Note, ...]:
        return ()


def fake_prepare(workload: Workload, library: Library) -> FakeJob:
    """`parameters_b` is taken for GiB; 4-bit weights need a quarter. A sequence of one token has no known speed."""
    assert workload.model is not None
    need = workload.model.parameters_b or 1.0
    if workload.get("weight_format") == "awq":
        need /= 4
    return FakeJob(need, with_speed=workload.get("prompt_tokens") != 1)
