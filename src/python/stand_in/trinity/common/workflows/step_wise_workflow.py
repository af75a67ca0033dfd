"""Workflows of several steps, each of which makes experiences of the history."""

from __future__ import annotations

from typing import Any, List, Optional

from trinity.common.experience import Experience
from trinity.common.models.model import ModelWrapper
from trinity.common.workflows.workflow import Task, Workflow

NO_HISTORY = (
    "A workflow with step-wise rewards needs the history of the model, which is disabled. "
    "Set `explorer.rollout_model.enable_history: true`."
)


class _Steps(Workflow):
    def __init__(
        self,
        *,
        task: Task,
        model: ModelWrapper,
        auxiliary_models: Optional[List[ModelWrapper]] = None,
        use_openai_client: bool = True,
    ) -> None:
        super().__init__(task=task, model=model, auxiliary_models=auxiliary_models)
        assert model.enable_history, NO_HISTORY
        self.client: Any = model.get_openai_client() if use_openai_client else None

    def step(self, step_num: int) -> bool:
        """Runs a step. Returns true if there is another one."""
        raise NotImplementedError

    async def step_async(self, step_num: int) -> bool:
        raise NotImplementedError

    @property
    def max_step_num(self) -> int:
        raise NotImplementedError

    def _made(self, step: int) -> List[Experience]:
        made = self.model.extract_experience_from_history()
        for one in made:
            one.eid.step = step
        return made


class StepWiseRewardWorkflow(_Steps):
    """A workflow in which every step has its own reward."""

    def reward(self, exps: List[Experience], step_num: int) -> float:
        raise NotImplementedError

    async def reward_async(self, exps: List[Experience], step_num: int) -> float:
        raise NotImplementedError

    def run(self) -> List[Experience]:
        experiences: List[Experience] = []
        for step in range(self.max_step_num):
            goes_on = self.step(step_num=step)
            made = self._made(step)
            experiences.extend(rewarded(made, self.reward(made, step_num=step)))
            if not goes_on:
                break
        return experiences


class AsyncStepWiseRewardWorkflow(StepWiseRewardWorkflow):
    is_async: bool = True

    async def run_async(self) -> List[Experience]:
        experiences: List[Experience] = []
        for step in range(self.max_step_num):
            goes_on = await self.step_async(step_num=step)
            made = self._made(step)
            experiences.extend(rewarded(made, await self.reward_async(made, step_num=step)))
            if not goes_on:
                break
        return experiences


class RewardPropagationWorkflow(_Steps):
    """One reward, of all steps, for each of them."""

    def reward(self, exps: List[Experience]) -> float:
        raise NotImplementedError

    async def reward_async(self, exps: List[Experience]) -> float:
        raise NotImplementedError

    def run(self) -> List[Experience]:
        experiences: List[Experience] = []
        steps = 0
        for step in range(self.max_step_num):
            goes_on = self.step(step_num=step)
            experiences.extend(self._made(step))
            steps = step + 1
            if not goes_on:
                break
        return counted(rewarded(experiences, self.reward(experiences)), steps)


class AsyncRewardPropagationWorkflow(RewardPropagationWorkflow):
    is_async: bool = True

    async def run_async(self) -> List[Experience]:
        experiences: List[Experience] = []
        steps = 0
        for step in range(self.max_step_num):
            goes_on = await self.step_async(step_num=step)
            experiences.extend(self._made(step))
            steps = step + 1
            if not goes_on:
                break
        return counted(rewarded(experiences, await self.reward_async(experiences)), steps)


def rewarded(experiences: List[Experience], reward: float) -> List[Experience]:
    for one in experiences:
        one.reward = reward
    return experiences


def counted(experiences: List[Experience], steps: int) -> List[Experience]:
    for one in experiences:
        one.metrics["actual_env_steps"] = steps
    return experiences
