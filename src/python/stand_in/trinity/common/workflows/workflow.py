"""The bases of workflows, and the simple ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Dict, List, Optional, Type, Union

from trinity.common.config import FormatConfig, GenerationConfig
from trinity.common.experience import Experience
from trinity.common.models.model import ModelWrapper
from trinity.common.rewards.reward_fn import RewardFn
from trinity.utils.log import get_logger

Metrics = Dict[str, float]

#: Trinity's, word for word: it is a part of the prompt.
MATH_PROMPT = """A conversation between User and Assistant. The user asks a question, and the Assistant solves it. The assistant first thinks about the reasoning process in the mind and then provides the user with the answer. The reasoning process and answer are enclosed within <think> </think> and <answer> </answer> tags, respectively, i.e.,
<think> reasoning process here </think>
<answer> answer here </answer>.
"""


@dataclass(frozen=True)
class Status:
    """The result of a task."""

    completed_runs: int
    total_runs: int
    metrics: List[Metrics]
    successful_ids: List[str] = field(default_factory=list)
    message: Optional[str] = None

    @property
    def ok(self) -> bool:
        return self.completed_runs == self.total_runs


@dataclass
class Task(dict):
    """A row of the taskset, `raw_task`, and the settings for running it."""

    workflow: Any = None
    repeat_times: Optional[int] = None
    format_args: FormatConfig = field(default_factory=FormatConfig)
    rollout_args: GenerationConfig = field(default_factory=GenerationConfig)
    workflow_args: dict = field(default_factory=dict)
    reward_fn_args: dict = field(default_factory=dict)
    is_eval: bool = False
    reward_fn: Optional[Type[RewardFn]] = None
    raw_task: Optional[dict] = None
    batch_id: Union[int, str] = ""
    task_id: Union[int, str] = ""
    run_id: int = 0
    index: dict = field(default_factory=dict)
    #: By which the rollout model is asked for this episode.
    api_key: str = field(default="", repr=False)

    def to_workflow(self, model: ModelWrapper, auxiliary_models: Optional[List[ModelWrapper]] = None) -> Any:
        return self.workflow(model=model, task=self, auxiliary_models=auxiliary_models)

    @property
    def task_desc(self) -> Any:
        return (self.raw_task or {}).get(self.format_args.prompt_key)

    @property
    def truth(self) -> Any:
        return (self.raw_task or {}).get(self.format_args.response_key)

    def to_dict(self) -> dict:
        return self.raw_task or {}


class WorkflowBase:
    def __init__(self, task: Task, model: ModelWrapper, **_: Any) -> None:
        self.task = task
        self.model = model
        self.logger = get_logger(__name__)


class Workflow(WorkflowBase):
    """
    Runs one task and returns its experiences, by `run` or, where `is_async`, by `run_async`.

    With `can_reset` an instance is kept for the next task, by `reset`; with `can_repeat` it runs all repeats of a task at
    once, as many as `set_repeat_times` says.
    """

    can_reset: bool = False
    can_repeat: bool = False
    is_async: bool = False

    def __init__(
        self, *, task: Task, model: ModelWrapper, auxiliary_models: Optional[List[ModelWrapper]] = None
    ) -> None:
        super().__init__(task, model)
        self.auxiliary_model_wrappers = auxiliary_models
        self.auxiliary_models: Optional[List[Any]] = None
        if auxiliary_models:
            asynchronous = type(self).is_async
            self.auxiliary_models = [
                one.get_openai_async_client() if asynchronous else one.get_openai_client()
                for one in auxiliary_models
            ]
        self.run_id_base = 0

    @property
    def resettable(self) -> bool:
        return type(self).can_reset

    @property
    def repeatable(self) -> bool:
        return type(self).can_repeat

    @property
    def asynchronous(self) -> bool:
        return type(self).is_async

    def reset(self, task: Task) -> None:
        raise NotImplementedError(f"{type(self).__name__} sets `can_reset`, but does not implement `reset`.")

    def set_repeat_times(self, repeat_times: int, run_id_base: int) -> None:
        raise NotImplementedError(f"{type(self).__name__} sets `can_repeat`, but does not implement `set_repeat_times`.")

    def run(self) -> List[Experience]:
        raise NotImplementedError(f"{type(self).__name__} does not implement `run`.")

    async def run_async(self) -> List[Experience]:
        raise NotImplementedError(f"{type(self).__name__} sets `is_async`, but does not implement `run_async`.")


class MultiTurnWorkflow(Workflow):
    """Makes one experience of a whole conversation."""

    def set_repeat_times(self, repeat_times: int, run_id_base: int) -> None:
        self.repeat_times = repeat_times
        self.run_id_base = run_id_base

    def process_messages_to_experience(
        self, messages: List[dict], reward: float, info: Optional[dict] = None, truncate_status: Optional[str] = None
    ) -> Experience:
        converted = self.model.convert_messages_to_experience(messages)
        return self._build_experience_from_converted(converted, reward, info, truncate_status)

    async def process_messages_to_experience_async(
        self, messages: List[dict], reward: float, info: Optional[dict] = None, truncate_status: Optional[str] = None
    ) -> Experience:
        converted = await self.model.convert_messages_to_experience_async(messages)
        return self._build_experience_from_converted(converted, reward, info, truncate_status)

    def _build_experience_from_converted(
        self,
        converted_experience: Experience,
        reward: float,
        info: Optional[dict] = None,
        truncate_status: Optional[str] = None,
    ) -> Experience:
        """Builds the experience. A truncated response has no reward. Numbers in `info` become metrics."""
        converted, details = converted_experience, info or {}
        return Experience(
            tokens=converted.tokens,
            action_mask=converted.action_mask,
            prompt_length=converted.prompt_length,
            prompt_text=converted.prompt_text,
            response_text=converted.response_text,
            truncate_status=converted.truncate_status or truncate_status,
            reward=0.0 if converted.truncate_status == "response_truncated" else reward,
            logprobs=converted.logprobs * converted.action_mask,
            info=details,
            metrics={key: float(value) for key, value in details.items() if isinstance(value, (int, float))},
        )


class BaseSimpleWorkflow(Workflow):
    """One question, one answer, scored by a reward function."""

    def __init__(
        self, *, task: Task, model: ModelWrapper, auxiliary_models: Optional[List[ModelWrapper]] = None
    ) -> None:
        self.reset(task)
        super().__init__(task=task, model=model, auxiliary_models=auxiliary_models)

    def reset(self, task: Task) -> None:
        self.format_args = task.format_args
        self.system_prompt = task.format_args.system_prompt
        self.reply_prefix = task.format_args.reply_prefix
        self.reward_fn_args = task.reward_fn_args
        self.raw_task = task.raw_task
        self.task_desc = task.task_desc
        self.truth = task.truth
        reward_fn = task.reward_fn
        if not (isinstance(reward_fn, type) and issubclass(reward_fn, RewardFn)):
            raise ValueError(f"`reward_fn` must be a subclass of `RewardFn`, not {reward_fn!r}.")
        self.reward_fn: RewardFn = reward_fn(**self.reward_fn_args)

    def set_repeat_times(self, repeat_times: int, run_id_base: int) -> None:
        self.repeat_times = repeat_times
        self.task.rollout_args.n = repeat_times
        self.run_id_base = run_id_base

    @property
    def rollout_args(self) -> Dict[str, Any]:
        return asdict(self.task.rollout_args)

    def format_messages(self) -> List[dict]:
        said = [("system", self.system_prompt), ("user", self.task_desc), ("assistant", self.reply_prefix)]
        return [{"role": role, "content": text} for role, text in said if role == "user" or text]

    def _scored(self, responses: List[Experience]) -> List[Experience]:
        for at, response in enumerate(responses):
            parts = self.reward_fn(response=response.response_text, truth=self.truth)
            response.metrics.update(parts)
            response.reward = sum(parts.values())
            response.eid.run = at + self.run_id_base
        return responses


class SimpleWorkflow(BaseSimpleWorkflow):
    can_reset: bool = True
    can_repeat: bool = True

    def run(self) -> List[Experience]:
        return self._scored(self.model.chat(self.format_messages(), **self.rollout_args))


class AsyncSimpleWorkflow(BaseSimpleWorkflow):
    is_async: bool = True

    async def run_async(self) -> List[Experience]:
        return self._scored(await self.model.chat_async(self.format_messages(), **self.rollout_args))


class MathWorkflow(SimpleWorkflow):
    """With `math_reward` where none is named, and its prompt."""

    def reset(self, task: Task) -> None:
        from trinity.common.rewards.math_reward import MathRewardFn

        if task.reward_fn is None:
            task.reward_fn = MathRewardFn
        if task.reward_fn == MathRewardFn and task.format_args.system_prompt is None:
            task.format_args.system_prompt = MATH_PROMPT
        super().reset(task)


class AsyncMathWorkflow(AsyncSimpleWorkflow, MathWorkflow):
    pass


class WorkflowWithRecording(WorkflowBase):
    """A workflow for any agent that uses a base URL and key. Its recorded calls are trained with the reward that it sets later."""

    can_reset: bool = False
    can_repeat: bool = False
    is_async: bool = True

    def __init__(
        self, *, task: Task, model: ModelWrapper, auxiliary_models: Optional[List[ModelWrapper]] = None
    ) -> None:
        super().__init__(task, model)
        self.auxiliary_models = auxiliary_models

    @property
    def base_url(self) -> str:
        return self.model.base_url

    @property
    def api_key(self) -> str:
        return self.task.api_key

    @property
    def model_name(self) -> Optional[str]:
        return self.model.model_name

    async def run_async(self) -> Metrics:
        raise NotImplementedError(f"{type(self).__name__} does not implement `run_async`.")

    async def update_reward(
        self, reward: float, info: Optional[dict] = None, sample_ids: Optional[List[str]] = None
    ) -> None:
        await self.model.update_experience_reward_async(self.api_key, reward, info, sample_ids)
