"""Images and video: one entry for every task of the scenario."""

from advisor.sizing.diffusion.generation import prepare_generation
from advisor.sizing.diffusion.training import prepare_training
from advisor.sizing.job import Job, Library
from advisor.sizing.workload import Workload


def prepare(workload: Workload, library: Library) -> Job:
    """An image or video workload, ready to be asked per card."""
    if workload.task.endswith("-training"):
        return prepare_training(workload, library)
    return prepare_generation(workload, library)
