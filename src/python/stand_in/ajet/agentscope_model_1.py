"""For AgentScope 1, with which AgentJet trains: messages come as dictionaries that a formatter of the agent's made."""

from __future__ import annotations

from typing import Any

from agentscope._utils._common import _create_tool_from_base_model, _json_loads_with_repair
from agentscope.message import TextBlock, ToolUseBlock
from agentscope.model import ChatResponse, DashScopeChatModel


class AgentScopeModel(DashScopeChatModel):
    """DashScope's by type only, as in training."""

    def __init__(self, client: Any, debug_model: Any) -> None:
        super().__init__(model_name="ajet", api_key="dummy-api-key", stream=False)
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
        """A tool choice is checked, and reaches debug models only; a structured model becomes the one tool, unenforced."""
        if self._debug_model is not None:
            answer = await self._debug_model(messages, tools, tool_choice, structured_model, **options)
            return _whole(answer, self._debug_model)
        if tool_choice:
            self._validate_tool_choice(tool_choice, tools)
        offered, choice = tools, tool_choice
        if structured_model is not None:
            offered = [_create_tool_from_base_model(structured_model)]
            choice = offered[0]["function"]["name"]
        schemas = self._format_tools_json_schemas(offered) if offered else None
        completion = await self._client.chat.completions.create(
            messages=messages, tools=schemas, tool_choice=_choice(choice)
        )
        message = completion.choices[0].message
        content: list = [TextBlock(type="text", text=message.content)] if message.content else []
        uses = [_tool_use(call) for call in message.tool_calls or []]
        metadata = uses[-1]["input"] if structured_model is not None and uses else None
        return ChatResponse(content=content + uses, metadata=metadata)


def _choice(tool_choice: Any) -> Any:
    """Returns the tool choice in OpenAI's form. AgentScope only uses the name of a tool."""
    if not tool_choice or tool_choice in ("auto", "none", "required"):
        return tool_choice
    return "required" if tool_choice == "any" else {"type": "function", "function": {"name": tool_choice}}


def _whole(answer: Any, model: Any) -> ChatResponse:
    if isinstance(answer, ChatResponse):
        return answer
    raise TypeError(
        f"The debug model, of type {type(model).__name__}, streams its response, which training does not support: "
        "give it stream=False."
    )


def _tool_use(call: Any) -> ToolUseBlock:
    """Repairs or rejects arguments that are not JSON, as the installed AgentScope does."""
    arguments: Any = _json_loads_with_repair(call.function.arguments or "{}")
    return ToolUseBlock(type="tool_use", id=call.id, name=call.function.name, input=arguments)
