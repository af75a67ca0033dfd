"""AgentJet as workflows and judges see it, for debugging: no GPU, no torch, no Ray."""

from ajet.copilot.job import AgentJetJob, AstunerJob
from ajet.schema.task import WorkflowOutput, WorkflowTask
from ajet.tuner import AjetTuner, ModelTuner
from ajet.workflow import Workflow

__all__ = ["AgentJetJob", "AjetTuner", "AstunerJob", "ModelTuner", "Workflow", "WorkflowOutput", "WorkflowTask", "bp"]


def bp(tag: object = None, once: bool = True) -> None:
    """Does nothing: breakpoints are the editor's."""
