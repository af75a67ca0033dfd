"""Workflow and judge functions, as in AgentScope's tuner and called like Trinity's adapter."""

from __future__ import annotations

import inspect
import logging
import sys
from typing import Any, Callable, NamedTuple

from .call import call
from .channel import Channel
from .chat_model import chat_model
from .current import enter
from .episode import number_of, type_of
from .failures import WorkerFailure
from .load import Loader
from .plain import plain


class Form(NamedTuple):
    what: str
    essential: tuple[str, ...]
    optional: tuple[str, ...]
    #: The class of `agentscope.tuner` that it must return.
    output: str
    example: str


OPTIONAL = ("auxiliary_models", "logger")
FORMS = {
    "workflow": Form("workflow", ("task", "model"), OPTIONAL, "WorkflowOutput", "reward=…, response=…, metrics={…}"),
    "judge": Form("judge", ("task", "response"), OPTIONAL, "JudgeOutput", "reward=…, metrics={…}"),
}


class SignatureFailure(WorkerFailure, ValueError):
    """Also a ValueError, as in AgentScope."""


def check_signature(function: Callable[..., Any], form: Form) -> None:
    """Checks the names of the parameters only. Annotations, order and async do not matter."""
    fault = fault_of(inspect.signature(function), form)
    if fault is None:
        return
    hint = (
        f"A {form.what} function needs the parameters {listed(form.essential)}. "
        f"Optional parameters are {listed(form.optional)}."
    )
    message = f"The {form.what} {name_of(function)} {fault}."
    raise SignatureFailure(f"{form.what}/signature", message, hint, place_of_function(function))


def fault_of(signature: inspect.Signature, form: Form) -> str | None:
    rest = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    for name, parameter in signature.parameters.items():
        if parameter.kind in rest:
            star = rest[parameter.kind]
            return f"has the parameter `{star}{name}`, which AgentJet cannot fill by name"
    names = list(signature.parameters)
    missing = [name for name in form.essential if name not in names]
    unknown = [name for name in names if name not in form.essential + form.optional]
    faults = []
    if missing:
        faults.append(f"needs the parameter{plural(missing)} {listed(missing)}")
    if unknown:
        faults.append(f"has the unknown parameter{plural(unknown)} {listed(unknown)}")
    return " and ".join(faults) or None


def plural(names: list[str]) -> str:
    return "" if len(names) == 1 else "s"


def listed(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


class Functions:
    """The worker's methods for them."""

    def __init__(self, channel: Channel, loader: Loader, returned: dict[str, Any]) -> None:
        """
        :param returned: what workflows that are classes returned, by episode
        """
        self._channel = channel
        self._loader = loader
        self._returned = returned
        #: A judge gets the very object that its workflow returned.
        self._responses: dict[str, Any] = {}

    def forget(self, episode_uuid: str) -> None:
        self._responses.pop(episode_uuid, None)

    async def execute(self, params: dict[str, Any]) -> dict[str, Any]:
        given = {"task": params["row"], "model": chat_model(params["model"])}
        output, awaited = await self._call(params, FORMS["workflow"], given)
        self._responses[params["episodeUuid"]] = output.response
        return {
            "reward": number_of(output.reward),
            "response": plain(output.response),
            "metrics": numbers_of(output.metrics),
            "awaited": awaited,
        }

    async def judge(self, params: dict[str, Any]) -> dict[str, Any]:
        given = {"task": params["row"], "response": self._response(params)}
        output, awaited = await self._call(params, FORMS["judge"], given)
        return {"reward": number_of(output.reward), "metrics": numbers_of(output.metrics), "awaited": awaited}

    def _response(self, params: dict[str, Any]) -> Any:
        """Returns the response of a function, the metadata of a class, or JSON data if the workflow ran elsewhere."""
        uuid = params["episodeUuid"]
        if uuid in self._responses:
            return self._responses[uuid]
        own = self._returned.get(uuid)
        return params["response"] if own is None else own[1].metadata

    async def _call(self, params: dict[str, Any], form: Form, given: dict[str, Any]) -> tuple[Any, bool]:
        enter(self._channel, params["episodeUuid"])
        function = self._loader.load(params["kind"], params["where"], params["name_of_class"])
        names = inspect.signature(function).parameters
        if "auxiliary_models" in names:
            models = params["auxiliaryModels"]
            given["auxiliary_models"] = {name: chat_model(access) for name, access in models.items()}
        if "logger" in names:
            given["logger"] = logger()
        returned, awaited = await call(lambda: function(**given), inspect.iscoroutinefunction(function))
        return checked(returned, form, function), awaited


class RewardOnly:
    """A workflow of AgentScope before 1.0.12, which returns its reward, as one that returns an output."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__ = name_of(function)

    async def __call__(self, task: Any, model: Any) -> Any:
        reward, _ = await call(lambda: self.__wrapped__(task, model), True)
        return Reward(reward)


class Reward(NamedTuple):
    reward: Any
    response: None = None
    metrics: None = None


def check_first_signature(function: Callable[..., Any]) -> None:
    """Checks the signature as `agentscope.tune` did: these parameters with these annotations in this order, and async."""
    signature = inspect.signature(function)
    parameters = [(name, annotation_of(one.annotation)) for name, one in signature.parameters.items()]
    wanted = [("task", ("Dict", "dict")), ("model", ("TrinityChatModel",))]
    fits = len(parameters) == len(wanted) and all(
        name == own and annotation in known for (name, annotation), (own, known) in zip(parameters, wanted)
    )
    if inspect.iscoroutinefunction(function) and fits and annotation_of(signature.return_annotation) == "float":
        return
    raise SignatureFailure(
        "workflow/signature",
        f"The workflow {name_of(function)} does not have the signature that agentscope.tune requires.",
        "Write async def NAME(task: Dict, model: TrinityChatModel) -> float, or use agentscope.tuner.",
        place_of_function(function),
    )


def annotation_of(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    return text.partition("[")[0].rpartition(".")[2]


def checked(returned: Any, form: Form, function: Callable[..., Any]) -> Any:
    """Only who has imported the class can have made one."""
    if isinstance(returned, Reward):
        return returned
    cls = getattr(sys.modules.get("agentscope.tuner"), form.output, None)
    if cls is not None and isinstance(returned, cls):
        return returned
    what = "a coroutine" if inspect.iscoroutine(returned) else type_of(returned)
    raise WorkerFailure(
        "episode/no-output" if form.what == "workflow" else "task-judge/bad-verdict",
        f"The {form.what} {name_of(function)} returned {what}, not a {form.output} of agentscope.tuner.",
        f"Return {form.output}({form.example}).",
        place_of_function(function),
    )


def numbers_of(metrics: Any) -> Any:
    return {str(name): number_of(value) for name, value in metrics.items()} if isinstance(metrics, dict) else metrics


def name_of(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def place_of_function(function: Callable[..., Any]) -> tuple[str | None, int | None]:
    code = getattr(inspect.unwrap(function), "__code__", None)
    return (None, None) if code is None else (code.co_filename, code.co_firstlineno)


def logger() -> logging.Logger:
    """Returns the logger of functions. Like Trinity's, it logs from INFO upwards."""
    own = logging.getLogger("agentscope.tuner")
    if not own.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
        own.addHandler(handler)
        own.setLevel(logging.INFO)
        own.propagate = False
    return own
