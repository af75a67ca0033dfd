"""The adapter that looks like OpenAI's client."""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Optional


class OpenAIClient:
    def __init__(self, base_url: str, api_key: str, headers: Dict[str, str]) -> None:
        self.chat = _Chat(_Completions(base_url, api_key, headers))


class _Chat:
    def __init__(self, completions: _Completions) -> None:
        self.completions = completions


class _Completions:
    def __init__(self, base_url: str, api_key: str, headers: Dict[str, str]) -> None:
        self._options = {"base_url": base_url, "api_key": api_key, "default_headers": headers}
        self._client: Any = None

    async def create(
        self, *, messages: List[Any], model: str = "", tools: Optional[List[Any]] = None, **_: Any
    ) -> Any:
        """As in training, only messages and tools reach the model."""
        offered = {"tools": tools} if tools else {}
        return await self._own().chat.completions.create(model="ajet", messages=messages, **offered)

    def _own(self) -> Any:
        """No time-out and no second attempt: a debugger may hold a call for hours."""
        if self._client is None:
            self._client = _package().AsyncOpenAI(**self._options, max_retries=0, timeout=None)
        return self._client


def _package() -> Any:
    try:
        import openai
    except ImportError as error:
        raise ImportError(
            f"{sys.executable} has no package `openai`, which this adapter is made of: "
            f"{sys.executable} -m pip install openai"
        ) from error
    return openai
