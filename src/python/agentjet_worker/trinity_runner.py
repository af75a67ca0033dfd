"""Runs a Trinity workflow for one episode, as Trinity's runner does for one run of a task."""

from __future__ import annotations

import json
from typing import Any

from .call import call
from .channel import Channel
from .packages import require_packages
from .trinity_engine import Access, Engine, Ledger
from .trinity_registry import TrinityRegistry
from .trinity_result import output_of, place_of


class Seat:
    """Keeps a workflow that can be reset, with the model that it holds, for the next episode."""

    def __init__(self, channel: Channel) -> None:
        self.engine = Engine(channel)
        self.others: list[Engine] = []
        self.wrapper: Any = None
        self.auxiliary: list[Any] = []
        self.workflow: Any = None


class TrinityRunner:
    def __init__(self, channel: Channel, folders: list[str], plugins: list[str]) -> None:
        self._channel = channel
        self._registry = TrinityRegistry(folders, plugins)
        self._free: dict[type, list[Seat]] = {}

    def load(self, what: str, name: str) -> dict[str, Any]:
        """Checks that the class exists. For a workflow, also returns the location of its method."""
        if what == "workflow":
            file, line = place_of(self._registry.workflow(name))
        else:
            require_packages(self._registry.reward_fn(name), name)
            file, line = None, None
        return {"file": file, "line": line, "problems": self._registry.take_problems()}

    async def execute(self, params: dict[str, Any]) -> dict[str, Any]:
        config = params["config"]
        taskset = at(config, params["taskset"])
        cls = self._workflow_of(params, taskset)
        task = self._task_of(params, taskset, cls)
        ledger = Ledger()
        free = self._free.setdefault(cls, [])
        keeps = keeps_instance(cls, config)
        seat = free.pop() if keeps and free else Seat(self._channel)
        self._bind(seat, params, ledger)
        is_async = bool(getattr(cls, "is_async", False))
        method = "run_async" if is_async else "run"

        def work() -> Any:
            workflow = self._instance(seat, task)
            if getattr(cls, "can_repeat", False):
                workflow.set_repeat_times(1, task.run_id)
            seat.wrapper.history.clear()
            return getattr(workflow, method)()

        try:
            returned, _ = await call(work, is_async)
        except Exception:
            # Trinity's runner keeps one that failed, too; one that was given up may still be at work.
            if keeps and seat.workflow is not None:
                free.append(seat)
            raise
        if keeps:
            free.append(seat)
        return output_of(returned, cls, task, ledger, config)

    def _workflow_of(self, params: dict[str, Any], taskset: dict[str, Any]) -> Any:
        """A row may name its own."""
        own = named_by_row(params, taskset, "workflow_key")
        return self._registry.workflow(own or params["workflow"])

    def _task_of(self, params: dict[str, Any], taskset: dict[str, Any], cls: Any) -> Any:
        from trinity.common.config import FormatConfig, GenerationConfig, made
        from trinity.common.workflows.workflow import Task

        given, config = params["task"], params["config"]
        everywhere = (config.get("buffer") or {}).get("explorer_input") or {}
        reward_fn = (
            named_by_row(params, taskset, "reward_fn_key")
            or taskset.get("default_reward_fn_type")
            or everywhere.get("default_reward_fn_type")
        )
        is_eval = "eval_tasksets" in params["taskset"]
        repeats = taskset.get("repeat_times", 1) if is_eval else (config.get("algorithm") or {}).get("repeat_times", 1)
        model = config.get("model") or {}
        sampling = {**made_of(model, ("temperature", "top_p", "top_k", "logprobs")), **set_of(taskset.get("rollout_args"))}
        sampling.setdefault("max_tokens", model.get("max_response_tokens"))
        task = Task(
            workflow=cls,
            repeat_times=repeats,
            format_args=made(FormatConfig, format_of(taskset)),
            rollout_args=made(GenerationConfig, set_of(sampling)),
            workflow_args=dict(taskset.get("workflow_args") or {}),
            reward_fn_args=dict(taskset.get("reward_fn_args") or {}),
            is_eval=is_eval,
            reward_fn=self._registry.reward_fn(reward_fn),
            raw_task=given["task"]["metadata"],
            batch_id=1,
            task_id=given["taskBatchIndex"],
            run_id=params["run"],
            index={"index": int(given["taskId"]), "taskset_id": 0},
        )
        task.api_key = params["access"]["apiKey"]
        return task

    def _bind(self, seat: Seat, params: dict[str, Any], ledger: Ledger) -> None:
        from trinity.common.config import InferenceModelConfig, made
        from trinity.common.models.model import ModelWrapper

        access, config, uuid = params["access"], params["config"], params["episodeUuid"]
        explorer = config.get("explorer") or {}
        others = explorer.get("auxiliary_models") or []
        base = access["baseUrl"]
        seat.engine.bind(uuid, Access(base, access["apiKey"], {}), ledger)
        if seat.wrapper is None:
            model = made_of(config.get("model") or {}, MODEL_KEYS)
            own = made(InferenceModelConfig, {**model, **set_of(explorer.get("rollout_model"))})
            seat.wrapper = ModelWrapper(seat.engine, enable_history=own.enable_history, config=own)
            seat.others = [Engine(self._channel) for _ in others]
            for engine, other in zip(seat.others, others):
                # Trinity's validator turns the API on for them.
                settings = {**model, **set_of(other), "enable_openai_api": True, "enable_history": False}
                engine.bind(uuid, Access(base, access["apiKey"], headers_for(other, access)), Ledger())
                seat.auxiliary.append(ModelWrapper(engine, config=made(InferenceModelConfig, settings)))
            return
        for engine, other in zip(seat.others, others):
            engine.bind(uuid, Access(base, access["apiKey"], headers_for(other, access)), Ledger())

    def _instance(self, seat: Seat, task: Any) -> Any:
        if seat.workflow is None:
            seat.workflow = task.to_workflow(seat.wrapper, seat.auxiliary)
        else:
            seat.workflow.reset(task)
        return seat.workflow


MODEL_KEYS = (
    "model_path temperature top_p top_k logprobs max_model_len max_prompt_tokens max_response_tokens "
    "min_response_tokens enable_prompt_truncation"
).split()


def headers_for(other: dict[str, Any], access: dict[str, Any]) -> dict[str, str]:
    """Which of the run's debug models answers: the one of the auxiliary model's name, or of its path. It is not trained."""
    return {access["adapterHeader"]: json.dumps({"debugModel": name_of(other), "by": "name"})}


def name_of(model: dict[str, Any]) -> str:
    return model.get("name") or model.get("model_path") or "auxiliary"


def keeps_instance(cls: Any, config: dict[str, Any]) -> bool:
    """Returns true if Trinity creates a new workflow for each run, which it does for concurrent runs of a task."""
    mode = (config.get("explorer") or {}).get("concurrent_mode") or "sequential"
    one_by_one = mode == "sequential" or bool(getattr(cls, "can_repeat", False))
    return bool(getattr(cls, "can_reset", False)) and one_by_one


def format_of(taskset: dict[str, Any]) -> dict[str, Any]:
    from trinity.common.constants import PromptType

    form = set_of(taskset.get("format"))
    return {**form, "prompt_type": PromptType(str(form.get("prompt_type", "messages")).lower())}


def named_by_row(params: dict[str, Any], taskset: dict[str, Any], key: str) -> Any:
    column = (taskset.get("format") or {}).get(key)
    return params["task"]["task"]["metadata"].get(column) if column else None


def at(config: dict[str, Any], path: str) -> dict[str, Any]:
    value: Any = config
    for step in path.split("."):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value


def set_of(values: Any) -> dict[str, Any]:
    """Returns the values that are set. Null means unset."""
    return {key: value for key, value in (values or {}).items() if value is not None}


def made_of(values: dict[str, Any], keys: Any) -> dict[str, Any]:
    return {key: values[key] for key in keys if values.get(key) is not None}
