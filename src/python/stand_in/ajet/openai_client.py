"""The adapter that looks like OpenAI's client."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Optional

from agentjet_worker.loopback import http_client
from agentjet_worker.packages import needed
from ajet.message_parts import in_full


class OpenAIClient:
    """
    :param debug_model: the name of what answers in place of the model being tuned; None: nothing does
    :param header: the header that marks these requests for the gateway
    """

    def __init__(self, base_url: str, api_key: str, debug_model: Optional[str], header: str) -> None:
        options = {
            "base_url": base_url,
            "api_key": api_key,
            "default_headers": {header: json.dumps(debug_model)},
        }
        self.chat = _Chat(_Completions(options, obeys_choice=debug_model is not None))


class _Chat:
    def __init__(self, completions: _Completions) -> None:
        self.completions = completions


class _Completions:
    def __init__(self, options: Dict[str, Any], obeys_choice: bool) -> None:
        self._options = options
        self._obeys_choice = obeys_choice
        self._client: Any = None

    async def create(
        self,
        messages: List[Any],
        tools: Optional[List[Any]] = None,
        tool_choice: Any = None,
        *_: Any,
        **__: Any,
    ) -> Any:
        """Sends a call. As in training, only messages and tools reach the model. A tool choice reaches debug models."""
        offered = {"tools": tools} if tools else {}
        if offered and tool_choice and self._obeys_choice:
            offered["tool_choice"] = tool_choice
        return await self._own().chat.completions.create(model="ajet", messages=in_full(messages), **offered)

    def _own(self) -> Any:
        """No time-out and no second attempt: a debugger may hold a call for hours."""
        if self._client is None:
            package = needed("openai", "openai", "this adapter")
            self._client = package.AsyncOpenAI(
                **self._options, http_client=http_client(), max_retries=0, timeout=None
            )
        return self._client
