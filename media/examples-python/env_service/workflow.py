"""Lets the model act in the environment, one reply a step, until it has ended; the service rewards."""

import asyncio
from typing import Any, Dict, List, Union

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

MAX_STEPS = 12


class ShopWorkflow(Workflow):
    name: str = "corner_shop"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        client = tuner.as_raw_openai_sdk_client(agent_name="shopper")
        # What the instance told when it was made: its rules as system prompt, then the errand.
        messages: List[Dict[str, Any]] = [
            {"role": message["role"], "content": message["content"]}
            for message in workflow_task.task.init_messages
        ]

        for step in range(MAX_STEPS):
            completion = await client.chat.completions.create(messages=messages)
            action = {"role": "assistant", "content": completion.choices[0].message.content or ""}
            messages.append(action)

            # A good place for a breakpoint: step over this line, look at `obs` and the server's terminal.
            # A step blocks until the service has answered; in a thread it leaves the other episodes alone.
            obs, _, terminate, _ = await asyncio.to_thread(workflow_task.gym_env.step, action)
            if terminate:
                return WorkflowOutput(metadata={"total_step": step})
            messages.append({"role": "user", "content": text_of(obs)})
        return WorkflowOutput(metadata={"total_step": MAX_STEPS - 1})


def text_of(obs: Union[str, List[Dict[str, Any]]]) -> str:
    """A service may answer with several messages; this agent reads them as one."""
    return obs if isinstance(obs, str) else "\n".join(message["content"] for message in obs)
