"""Reward 1 when the boxed answer is, character for character, the one the data set gives; else 0."""

import re
from typing import Any, Optional, Tuple

from ajet import WorkflowOutput, WorkflowTask
from ajet.task_judge.base_judge import BaseJudge


class MathAnswerJudge(BaseJudge):
    def compute_reward(
        self, workflow_task: WorkflowTask, workflow_output: WorkflowOutput
    ) -> Tuple[float, bool]:
        given = boxed_answer(
            text_of(workflow_output.metadata.get("final_answer"), "the output's metadata['final_answer']")
        )
        expected = reference_answer(
            text_of(workflow_task.task.metadata.get("answer"), "the task's metadata['answer']")
        )
        is_success = given == expected
        return (1.0 if is_success else 0.0), is_success


def boxed_answer(text: str) -> Optional[str]:
    r"""What stands in the first `\boxed{…}`; None when there is none."""
    match = re.search(r"\\boxed\{([^}]*)\}", text)
    return match[1] if match else None


def reference_answer(solution: str) -> str:
    """A solution ends in `#### 42`: what stands after the last `####`."""
    return solution.split("####")[-1].strip()


def text_of(value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise ValueError(f"The judge needs {what} to be a text.")
    return value
