"""Has the helper LLM grade the answer, since generated tasks have no reference."""

import re
from typing import Any, Tuple

from ajet import WorkflowOutput, WorkflowTask
from ajet.task_judge.base_judge import BaseJudge
from ajet.task_rollout.dashscope_llm_bridge import create_external_llm_fn

INSTRUCTIONS = " ".join(
    [
        "You grade an answer to a question about a passage.",
        "Give 1 for a right and short answer, 0.5 for a right one among other things, 0 for a wrong one.",
        "Reply with <score>NUMBER</score> and nothing else.",
    ]
)


class AnswerJudge(BaseJudge):
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
        answer = workflow_output.metadata.get("final_answer")
        if not isinstance(answer, str):
            raise ValueError("The judge needs the output's metadata['final_answer'].")
        question = workflow_task.task.main_query
        reply = self._ask(
            [
                {"role": "system", "content": INSTRUCTIONS},
                {
                    "role": "user",
                    "content": f"<question>\n{question}\n</question>\n\n<answer>\n{answer}\n</answer>",
                },
            ]
        )
        reward = score_in(reply["content"])
        return reward, reward == 1


def score_in(reply: str) -> float:
    """From 0 to 1. Raises ValueError where the reply has no such score."""
    match = re.search(r"<score>(\d+(?:\.\d+)?)</score>", reply, re.ASCII)
    score = float(match[1]) if match else -1.0
    if not 0 <= score <= 1:
        raise ValueError(f"The helper LLM gave no score: {reply}")
    return score
