"""The adapter for AgentScope: a chat model of its own kind that asks the model being tuned."""

from __future__ import annotations

import json
from typing import Any

from agentscope.message import TextBlock, ToolUseBlock
from agentscope.model import ChatModelBase, ChatResponse

STRUCTURED = "generate_structured_output"


def agentscope_model(client: Any, debug_model: Any) -> Any:
    return AgentScopeModel(client, debug_model)


class AgentScopeModel(ChatModelBase):
    def __init__(self, client: Any, debug_model: Any) -> None:
        super().__init__("ajet", False)
        self._client = client
        self._debug_model = debug_model

    async def __call__(
        self,
        messages: list,
        tools: Any = None,
        tool_choice: Any = None,
        structured_model: Any = None,
        **options: Any,
    ) -> ChatResponse:
        """Tool choice reaches debug models only; a structured model becomes the one tool, whose use nothing enforces."""
        if self._debug_model is not None:
            return await self._debug_model(messages, tools, tool_choice, structured_model, **options)
        offered = [_tool_for(structured_model)] if structured_model is not None else tools
        completion = await self._client.chat.completions.create(messages=messages, tools=offered)
        message = completion.choices[0].message
        content: list = []
        if message.content:
            content.append(TextBlock(type="text", text=message.content))
        uses = [_tool_use(call) for call in message.tool_calls or []]
        metadata = uses[-1]["input"] if structured_model is not None and uses else None
        return ChatResponse(id=completion.id, content=content + uses, metadata=metadata)


def _tool_for(model: Any) -> dict:
    return {
        "type": "function",
        "function": {
            "name": STRUCTURED,
            "description": "Give the structured answer that is asked for.",
            "parameters": model.model_json_schema(),
        },
    }


def _tool_use(call: Any) -> ToolUseBlock:
    return ToolUseBlock(
        type="tool_use", id=call.id, name=call.function.name, input=_arguments(call.function.arguments)
    )


def _arguments(text: str) -> dict:
    """What is broken is mended where AgentScope's own mender is at hand; what is no object counts as no arguments."""
    try:
        from json_repair import repair_json

        value = json.loads(repair_json(text or "{}"))
    except Exception:
        value = None
    return value if isinstance(value, dict) else {}
