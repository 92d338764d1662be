"""Which file answers for which scenario."""

from collections.abc import Callable, Collection, Mapping

from advisor.sizing import llm, science, vision
from advisor.sizing.diffusion import job as diffusion
from advisor.sizing.job import Job, Library
from advisor.sizing.speech import job as speech
from advisor.sizing.workload import Workload

PREPARE: Mapping[str, Callable[[Workload, Library], Job]] = {
    "llm": llm.prepare,
    "aigc": diffusion.prepare,
    "speech": speech.prepare,
    "vision": vision.prepare,
    "science": science.prepare,
}
"""Scenario -> its `prepare`."""


def job_of(workload: Workload, library: Library, left_out: Collection[str] = ()) -> Job:
    """The scenario's own view of a workload.

    `left_out`: engines or frameworks of language models to be treated as never measured (validation), "" for unnamed ones.
    """
    if left_out and workload.scenario == "llm":
        return llm.prepare(workload, library, left_out)
    return PREPARE[workload.scenario](workload, library)
