"""Messages as AgentJet takes them where no HTTP is between, and its gateway, which keeps to OpenAI's schema, does not."""

from __future__ import annotations

from typing import Any, List


def in_full(messages: List[Any]) -> List[dict]:
    """AgentScope's formatters leave out the type of a part, and write a message of tool calls alone with a text of None."""
    return [_message(message, at) for at, message in enumerate(messages)]


def _message(message: Any, at: int) -> dict:
    if not isinstance(message, dict):
        raise TypeError(
            f"messages[{at}] is of type {type(message).__name__}, but AgentJet only accepts dictionaries: "
            "append `message.model_dump(exclude_none=True)`."
        )
    content = message.get("content")
    if not isinstance(content, list) or all(map(_is_whole, content)):
        return message
    return {**message, "content": _parts(content)}


def _is_whole(part: Any) -> bool:
    return isinstance(part, dict) and "type" in part and ("text" not in part or isinstance(part["text"], str))


def _parts(content: List[Any]) -> List[dict]:
    parts: List[dict] = []
    for part in content:
        if _is_whole(part) or not isinstance(part, dict):
            parts.append(part)
        elif "text" not in part:
            parts.append({"type": next(iter(part), "unknown"), **part})
        elif isinstance(part["text"], str):
            parts.append({"type": "text", **part})
        else:
            parts = []  # as in upstream, a part without text restarts the text
    return parts
