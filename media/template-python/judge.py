"""Reward 1 when the boxed result is the task's answer, else 0."""

import re
from typing import Tuple

from ajet import WorkflowOutput, WorkflowTask
from ajet.task_judge.base_judge import BaseJudge


class NewProjectJudge(BaseJudge):
    def compute_reward(
        self, workflow_task: WorkflowTask, workflow_output: WorkflowOutput
    ) -> Tuple[float, bool]:
        boxed = re.search(r"\\boxed\{([^}]*)\}", workflow_output.metadata["answer"])
        is_success = boxed is not None and boxed[1] == workflow_task.task.metadata["answer"]
        return (1.0 if is_success else 0.0), is_success
