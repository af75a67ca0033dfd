"""Whose code it is that runs: for what `ajet` offers by plain functions, which are not told."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from .channel import Channel
from .plain import plain

_current: ContextVar[tuple[Channel, str]] = ContextVar("agentjet_episode")


def enter(channel: Channel, episode_uuid: str) -> None:
    """For the rest of the context, which is the episode's own."""
    _current.set((channel, episode_uuid))


def ask_helper(messages: list[dict[str, Any]]) -> str:
    try:
        channel, episode_uuid = _current.get()
    except LookupError:
        raise RuntimeError("The helper LLM answers the episodes of a run and their judges, not code that runs beside them.") from None
    return channel.ask("helper", {"episodeUuid": episode_uuid, "messages": plain(messages)}).result()
