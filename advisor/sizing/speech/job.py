"""Speech: one entry for every task of the scenario."""

from advisor.sizing.job import Job, Library
from advisor.sizing.speech.model import model_of
from advisor.sizing.speech.synthesis import prepare_synthesis
from advisor.sizing.speech.training import prepare_training
from advisor.sizing.speech.transcription import prepare_transcription
from advisor.sizing.taken import Taken
from advisor.sizing.workload import Workload


def prepare(workload: Workload, library: Library) -> Job:
    """A speech workload, ready to be asked per card."""
    taken = Taken(workload)
    model = model_of(workload.model, library, taken)
    match workload.task:
        case "transcription":
            return prepare_transcription(taken, model)
        case "speech-synthesis":
            return prepare_synthesis(taken, model)
        case _:
            return prepare_training(taken, model)
