"""The base of every judge."""

from typing import Any, Tuple

from ajet.schema.task import WorkflowOutput, WorkflowTask


class BaseJudge:
    def __init__(self, config: Any) -> None:
        self.config = config

    def compute_reward(
        self, workflow_task: WorkflowTask, workflow_output: WorkflowOutput
    ) -> Tuple[float, bool]:
        """Reward, and whether it is a success."""
        raise NotImplementedError(f"{type(self).__name__} does not implement `compute_reward`.")
