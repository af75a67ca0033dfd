"""The base of every workflow."""

from typing import List, Optional

from pydantic import BaseModel

from ajet.schema.task import WorkflowOutput, WorkflowTask
from ajet.tuner import AjetTuner

__all__ = ["Workflow", "WorkflowOutput", "WorkflowTask"]


class Workflow(BaseModel):
    model_config = {"extra": "allow"}

    name: str = "default_workflow"
    #: Target tags that are trained; None: all, and an empty list is all as well.
    trainable_targets: Optional[List[str]] = None

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        raise NotImplementedError(f"{type(self).__name__} does not implement `execute`.")
