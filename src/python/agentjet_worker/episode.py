"""Converts the inputs and outputs of an episode between the backbone's JSON and the classes of `ajet`."""

from __future__ import annotations

import inspect
import math
from typing import Any

from .channel import Channel
from .config import Config
from .environment import GymEnv, Window
from .failures import WorkerFailure
from .plain import plain


def classes() -> Any:
    """Imported when the user's code has been: whose `ajet` it is, and whether it can be, shows there."""
    import ajet.schema.task as schema

    return schema


def config_of(plain_config: dict[str, Any]) -> Config:
    return Config(plain_config)


def task_of(params: dict[str, Any], channel: Channel) -> Any:
    schema = classes()
    given = params["task"]
    uuid = params["episodeUuid"]
    return schema.WorkflowTask(
        env_type=given["envType"],
        task_id=given["taskId"],
        task_thread_index=given["taskThreadIndex"],
        task_batch_index=given["taskBatchIndex"],
        task_tag=given["taskTag"],
        episode_uuid=uuid,
        observation_window={name: Window(channel, uuid, name, given["episodes"]) for name in ("step", "token", "stop")},
        task=schema.Task(**given["task"]),
        gym_env=GymEnv(channel, uuid, given["serviceUrl"]),
    )


def episode_of(params: dict[str, Any], channel: Channel) -> tuple[Any, Any]:
    from ajet.tuner import AjetTuner, Binding

    access = params["access"]
    binding = Binding(
        base_url=access["baseUrl"],
        episode_uuid=params["episodeUuid"],
        adapter_header=access["adapterHeader"],
        debug_models=access["debugModels"],
        trainable_targets=params["trainableTargets"],
        context_overflow=lambda: channel.ask("context-overflow", {"episodeUuid": params["episodeUuid"]}).result(),
    )
    return task_of(params, channel), AjetTuner(config_of(params["config"]), binding)


def output_of(returned: Any, cls: type) -> dict[str, Any]:
    schema = classes()
    if not isinstance(returned, schema.WorkflowOutput):
        raise WorkerFailure(
            "episode/no-output",
            f"`execute` of {cls.__name__} returned {type_of(returned)}, not a WorkflowOutput.",
            "Return WorkflowOutput(reward=…, is_success=…, metadata={…}).",
            place_of_method(cls, "execute"),
        )
    return {
        "reward": number_of(returned.reward),
        "isSuccess": returned.is_success,
        "metadata": plain(returned.metadata),
        "logMetrics": plain(returned.log_metrics),
    }


def judged_of(params: dict[str, Any], channel: Channel) -> tuple[Any, Any]:
    """An episode whose workflow did not run here."""
    schema = classes()
    given = params["output"]
    output = schema.WorkflowOutput(
        reward=None,
        is_success=given["isSuccess"],
        metadata=given["metadata"],
        log_metrics=given["logMetrics"],
    )
    return task_of(params, channel), output


def verdict_of(verdict: Any, output: Any, cls: type) -> dict[str, Any]:
    if inspect.isawaitable(verdict):
        verdict.close() if inspect.iscoroutine(verdict) else None
        raise bad_verdict(cls, "a coroutine: AgentJet does not await it", "Define `compute_reward` with `def`, not `async def`.")
    if not isinstance(verdict, (tuple, list)) or len(verdict) != 2:
        raise bad_verdict(cls, type_of(verdict), "Return a pair: reward, is_success.")
    reward, is_success = verdict
    return {
        "reward": number_of(reward),
        "isSuccess": bool(is_success),
        "metadata": plain(output.metadata),
        "logMetrics": plain(output.log_metrics),
    }


def bad_verdict(cls: type, what: str, hint: str) -> WorkerFailure:
    message = f"`compute_reward` of {cls.__name__} returned {what}, not a pair of reward and is_success."
    return WorkerFailure("task-judge/bad-verdict", message, hint, place_of_method(cls, "compute_reward"))


def place_of_method(cls: type, name: str) -> tuple[str | None, int | None]:
    code = getattr(inspect.unwrap(getattr(cls, name)), "__code__", None)
    return (None, None) if code is None else (code.co_filename, code.co_firstlineno)


def number_of(value: Any) -> Any:
    """Returns a number for the backbone. NaN and infinity go by name. Other values are unchanged, and the backbone rejects them."""
    value = value.item() if hasattr(value, "item") and not isinstance(value, type) else value
    if isinstance(value, float) and not math.isfinite(value):
        return {"number": str(value)}
    return plain(value)


def type_of(value: Any) -> str:
    return "None" if value is None else f"a value of type {type(value).__name__}"
