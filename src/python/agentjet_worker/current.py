"""The episode whose code runs now, for functions of `ajet` that do not receive it as an argument."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from .channel import Channel
from .plain import plain

_current: ContextVar[tuple[Channel, str]] = ContextVar("agentjet_episode")


def enter(channel: Channel, episode_uuid: str) -> None:
    """Sets the episode for the rest of the context. Each episode has its own context."""
    _current.set((channel, episode_uuid))


def episode() -> str | None:
    """Returns the episode of the context; None: other code."""
    current = _current.get(None)
    return None if current is None else current[1]


def ask_helper(messages: list[dict[str, Any]]) -> str:
    try:
        channel, episode_uuid = _current.get()
    except LookupError:
        raise RuntimeError("Only the episodes of a run and their judges can call the helper LLM, not other code.") from None
    return channel.ask("helper", {"episodeUuid": episode_uuid, "messages": plain(messages)}).result()
