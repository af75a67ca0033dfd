"""
The models that workflow and judge functions receive. They are chat models of the installed AgentScope. Without AgentScope,
they are models with the interface of AgentScope 1.0. All send their calls to the gateway of the run.
"""

from __future__ import annotations

import asyncio
import inspect
import json
from dataclasses import dataclass, field
from typing import Any

from .loopback import http_client, post_chat
from .sources import pinned

STRUCTURED = "generate_structured_output"


def chat_model(access: dict[str, Any]) -> Any:
    """
    Never streams, as in training. No time-out and no second attempt: a debugger may hold a call for hours.

    :param access: `name` of the model, `baseUrl`, `apiKey` and `headers`
    """
    try:
        import agentscope.model as models
    except ImportError:
        return ChatModel(access)
    if getattr(models, "OpenAIChatModel", ChatModel) is ChatModel:
        return ChatModel(access)
    own_client = {"default_headers": access["headers"], "max_retries": 0, "timeout": None, "http_client": http_client()}
    try:
        from agentscope.credential import OpenAICredential
    except ImportError:
        return model_of_1(models, access, {"base_url": access["baseUrl"], **own_client})
    credential = OpenAICredential(api_key=access["apiKey"], base_url=access["baseUrl"])
    return models.OpenAIChatModel(
        credential=credential, model=access["name"], stream=False, max_retries=0, client_kwargs=own_client
    )


def model_of_1(models: Any, access: dict[str, Any], client: dict[str, Any]) -> Any:
    """Up to 1.0.11 it is the model that was made for training, which takes its client ready-made."""
    trinity = getattr(models, "TrinityChatModel", None)
    if trinity is not None and not hasattr(trinity, "__deprecated__"):
        import openai

        asked = openai.AsyncOpenAI(api_key=access["apiKey"], **client)
        asked.model_path = access["name"]  # type: ignore[attr-defined]
        return trinity(asked)
    cls = models.OpenAIChatModel
    options = "client_kwargs" if "client_kwargs" in inspect.signature(cls).parameters else "client_args"
    return cls(model_name=access["name"], api_key=access["apiKey"], stream=False, **{options: client})


@dataclass
class ChatResponse:
    """The response of a model. Blocks are plain dictionaries, as in AgentScope 1.0."""

    content: list[dict[str, Any]]
    id: str = ""
    type: str = "chat"
    #: The arguments of the structured answer.
    metadata: dict[str, Any] | None = None
    usage: Any = field(default=None, repr=False)


class ChatModel:
    """``await model(messages, tools=…, tool_choice=…, structured_model=…)``, where no AgentScope is installed."""

    def __init__(self, access: dict[str, Any]) -> None:
        self.model_name: str = access["name"]
        self.stream = False
        self._access = access

    async def __call__(
        self,
        messages: list[dict[str, Any]],
        tools: list[dict[str, Any]] | None = None,
        tool_choice: str | None = None,
        structured_model: Any = None,
        **options: Any,
    ) -> ChatResponse:
        request = {"model": self.model_name, "messages": messages, **options}
        if structured_model is not None:
            tools, tool_choice = [tool_for(structured_model)], STRUCTURED
        if tools:
            request["tools"] = tools
        if tool_choice is not None:
            request["tool_choice"] = choice_of(tool_choice)
        with pinned():
            completion = await asyncio.to_thread(post, self._access, request)
        message = completion["choices"][0]["message"]
        uses = [tool_use(call) for call in message.get("tool_calls") or []]
        text = message.get("content")
        content = [{"type": "text", "text": text}] if text else []
        metadata = uses[-1]["input"] if structured_model is not None and uses else None
        return ChatResponse(content + uses, completion.get("id", ""), metadata=metadata, usage=completion.get("usage"))


def choice_of(choice: str) -> Any:
    known = {"any": "required", "auto": "auto", "none": "none", "required": "required"}
    return known.get(choice) or {"type": "function", "function": {"name": choice}}


def tool_for(model: Any) -> dict[str, Any]:
    function = {
        "name": STRUCTURED,
        "description": "Generate the required structured output with this function",
        "parameters": model.model_json_schema(),
    }
    return {"type": "function", "function": function}


def tool_use(call: dict[str, Any]) -> dict[str, Any]:
    """Arguments that are no object count as none."""
    try:
        value = json.loads(call["function"]["arguments"] or "{}")
    except ValueError:
        value = None
    arguments = value if isinstance(value, dict) else {}
    return {"type": "tool_use", "id": call["id"], "name": call["function"]["name"], "input": arguments}


def post(access: dict[str, Any], request: dict[str, Any]) -> Any:
    status, body = post_chat(access["baseUrl"], access["apiKey"], access["headers"], request)
    if status != 200:
        raise RuntimeError(f"The model responded with status {status}: {body}")
    return json.loads(body)
