"""AgentScope's model for DashScope as AgentJet's workflows use it, for grading and the like; the run's helper LLM answers."""

from __future__ import annotations

import asyncio
from typing import Any, List

from agentjet_worker.current import ask_helper
from agentscope.message import TextBlock
from agentscope.model import ChatModelBase, ChatResponse


class RobustDashScopeChatModel(ChatModelBase):
    """
    Its calls belong to no timeline. The model's name and parameters reach it only in training: while debugging they are
    those of the helper LLM, so that none of its keys is needed.
    """

    def __init__(
        self, model_name: str = "qwen3-max", stream: bool = False, max_try: int = 4, **_: Any
    ) -> None:
        super().__init__(model_name, stream)
        self.max_try = max_try

    async def __call__(
        self,
        messages: List[dict],
        tools: Any = None,
        tool_choice: Any = None,
        structured_model: Any = None,
        **_: Any,
    ) -> ChatResponse:
        if tools or structured_model:
            raise NotImplementedError(
                "While debugging, RobustDashScopeChatModel calls the helper LLM, which only returns text. It supports neither "
                "tools nor structured_model."
            )
        asked = [{"role": message["role"], "content": _text(message["content"])} for message in messages]
        text = await asyncio.to_thread(ask_helper, asked)
        return ChatResponse(content=[TextBlock(type="text", text=text)])


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text") or "" for part in content or [])
