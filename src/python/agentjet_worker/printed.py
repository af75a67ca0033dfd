"""Captures what the code of episodes prints. The output still goes where it went before."""

from __future__ import annotations

import io
import sys
import threading
from collections import deque
from typing import Any

from .channel import Channel
from .current import episode

#: The most characters of an episode that are kept. Of a long output it is the end.
MOST = 65_536

_lock = threading.Lock()
_episodes: dict[str, Printed] = {}


class Printed:
    def __init__(self) -> None:
        self.parts: deque[tuple[str, str]] = deque()
        self.size = 0
        self.cut = 0

    def add(self, stream: str, text: str) -> None:
        self.parts.append((stream, text))
        self.size += len(text)
        while self.size > MOST:
            first, begin = self.parts.popleft()
            rest = begin[self.size - MOST :]
            self.size -= len(begin) - len(rest)
            self.cut += len(begin) - len(rest)
            if rest:
                self.parts.appendleft((first, rest))


class Stream(io.TextIOWrapper):
    """A standard stream that also keeps what episodes write to it."""

    def __init__(self, stream: Any, name: str) -> None:
        super().__init__(
            stream.buffer,
            encoding=stream.encoding,
            errors=stream.errors,
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        self.mode = stream.mode
        self._stream = name

    def write(self, text: str) -> int:
        written = super().write(text)
        uuid = episode()
        if uuid is not None and text:
            with _lock:
                _episodes.setdefault(uuid, Printed()).add(self._stream, text)
        return written


#: Replaced streams would close their files.
_streams: list[Any] = []


def install() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if type(stream) is io.TextIOWrapper:
            own = Stream(stream, name)
            _streams.extend((stream, own))
            setattr(sys, name, own)


def send(channel: Channel, episode_uuid: str | None) -> None:
    """Sends what an episode has printed since the last time. Nothing is sent if it printed nothing."""
    with _lock:
        printed = _episodes.pop(episode_uuid or "", None)
    if printed is None:
        return
    parts: list[dict[str, str]] = []
    for stream, text in printed.parts:
        if parts and parts[-1]["stream"] == stream:
            parts[-1]["text"] += text
        else:
            parts.append({"stream": stream, "text": text})
    channel.notify("printed", {"episodeUuid": episode_uuid, "cut": printed.cut, "parts": parts})
