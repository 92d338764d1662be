"""Large language models: serving them and training them."""

from collections.abc import Collection

from advisor.sizing.job import Library
from advisor.sizing.llm.inference import InferenceJob, prepare_inference
from advisor.sizing.llm.training import TrainingJob, prepare_training
from advisor.sizing.workload import Workload

__all__ = ["InferenceJob", "TrainingJob", "prepare"]


def prepare(workload: Workload, library: Library, left_out: Collection[str] = ()) -> InferenceJob | TrainingJob:
    """A language-model workload ready to be asked per card kind and count.

    `left_out` names engines or frameworks whose own constants must not be used: an answer as if they had never been measured
    ("" for the runs behind an unnamed framework). Raises `shapes.NoShape` for a library row without transformer sizes.
    """
    if workload.task == "inference":
        return prepare_inference(workload, library, left_out)
    return prepare_training(workload, library, left_out)
