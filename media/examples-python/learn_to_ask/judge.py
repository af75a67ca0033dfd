"""The reward, from 0 to 4, of what a doctor says next."""

from typing import Any, Dict, Tuple

from ajet import WorkflowOutput, WorkflowTask
from ajet.task_judge.base_judge import BaseJudge
from ajet.task_rollout.dashscope_llm_bridge import create_external_llm_fn

from grading import Grade, grade_question

STOP = "<stop />"


class Learn2AskJudge(BaseJudge):
    """
    0 for the wrong decision between asking and stopping, else 1 for the right one, up to 2 for what is asked,
    and up to 1 for its form.
    """

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        settings = config.ajet.task_judge
        # The helper LLM: in debugging the run's own, whatever its name here.
        self._ask = create_external_llm_fn(
            alien_llm_model=settings.alien_llm_model,
            alien_llm_response_length=settings.alien_llm_response_length,
        )

    def compute_reward(
        self, workflow_task: WorkflowTask, workflow_output: WorkflowOutput
    ) -> Tuple[float, bool]:
        task = workflow_task.task
        response = text_of(workflow_output.metadata, "response", "the workflow's output")
        truth = text_of(task.metadata, "decision_truth", "the task") or "continue"
        facts = text_of(task.metadata, "info_truth", "the task")

        decision = "stop" if STOP in response else "continue"
        if decision != truth:
            return 0.0, False
        if decision == "stop":
            grade = grade_stop(response)
        else:
            grade = grade_question(self._ask, task.init_messages, response, facts)
        reward = 1 + 2 * grade.content + grade.format
        # The right decision is what counts as success: it alone makes 1, from which on validation counts
        # success as well.
        return reward, reward >= 1


def grade_stop(response: str) -> Grade:
    """There is nothing to ask; only the form can be wrong: a word beside the tag."""
    return Grade(content=1.0, format=1.0 if response == STOP else 0.0)


def text_of(metadata: Dict[str, Any], name: str, owner: str) -> str:
    value = metadata.get(name)
    if not isinstance(value, str):
        raise ValueError(f"The judge needs metadata[{name!r}] of {owner} to be a text.")
    return value
