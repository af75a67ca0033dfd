"""
A TypeScript workflow and judge, for AgentJet's training: they run in Node processes beside the trainer, and reach the
model through the tuner that Python gave. Which class it is, `named.json` beside this file tells.
"""

from __future__ import annotations

from typing import Any, Tuple

from ajet import Workflow, WorkflowOutput
from ajet.task_judge.base_judge import BaseJudge

from .failures import BridgeError
from .pool import pool
from .tasks import endpoint_of, output_of, plain_output, plain_task
from .tuners import Asked

__all__ = ["BridgeError", "TypeScriptJudge", "TypeScriptWorkflow"]


class TypeScriptWorkflow(Workflow):
    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.trainable_targets = pool().targets()

    async def execute(self, workflow_task: Any, tuner: Any) -> WorkflowOutput:
        request = {
            "type": "execute",
            "task": plain_task(workflow_task),
            "endpoint": endpoint_of(tuner),
        }
        node = pool().least_busy()
        node.configure(getattr(tuner, "config", None))
        return output_of(WorkflowOutput, await node.ask(request, Asked(workflow_task, tuner)))


class TypeScriptJudge(BaseJudge):
    def compute_reward(self, workflow_task: Any, workflow_output: Any) -> Tuple[float, bool]:
        request = {
            "type": "judge",
            "task": plain_task(workflow_task),
            "output": plain_output(workflow_output),
        }
        node = pool().least_busy()
        node.configure(self.config)
        verdict = node.ask_blocking(request, Asked(workflow_task, None))
        return verdict["reward"], verdict["isSuccess"]
