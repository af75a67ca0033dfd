"""Lets the agent walk until it is on the goal, in a hole or out of steps. The reward is 1 on the goal."""

import traceback
from typing import Any

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

from agent import FrozenLakeAgent
from lake import FrozenLake


class FrozenLakeWorkflow(Workflow):
    name: str = "frozen_lake"

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        # The example's own section of the config, and the limit that AgentJet's has.
        settings = tuner.config.frozen_lake
        max_steps: int = tuner.config.ajet.rollout.multi_turn.max_steps
        lake = FrozenLake(
            size=settings.frozen_lake_size,
            is_slippery=settings.is_slippery,
            seed=seed_of(workflow_task.task.metadata.get("random_number")),
        )
        agent = FrozenLakeAgent(tuner.as_raw_openai_sdk_client(agent_name="frozenlake_agent"), max_steps)

        reward = 0.0
        reason = "max_steps_reached"
        step_count = 0
        while step_count < max_steps and reason == "max_steps_reached":
            step_count += 1
            try:
                # A good place for a first breakpoint: `print(lake.render())` shows where the player stands.
                move = lake.move(await agent.choose(lake.render()))
            except Exception:
                print(f"The agent failed in step {step_count}:")
                traceback.print_exc()
                reason = "agent_error"
                continue
            reward += move.reward
            if move.is_done:
                reason = "success"  # in a hole, too: see the README
        return WorkflowOutput(reward=reward, metadata={"terminate_reason": reason, "step_count": step_count})


def seed_of(value: Any) -> int:
    if not isinstance(value, int):
        raise ValueError("Frozen lake needs random_number of a task to be a number.")
    return value
