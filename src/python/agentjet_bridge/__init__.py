"""
Runs a TypeScript workflow and judge in AgentJet's training. They run in Node.js processes next to the trainer and call the
model through the tuner of Python. `named.json` in this folder names the classes.
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
