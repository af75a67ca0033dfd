"""Speaks with the backbone: one JSON object per line, both ways, over a connection on loopback."""

from __future__ import annotations

import json
import os
import socket
import threading
from concurrent.futures import Future
from itertools import count
from typing import Any, Callable


class BackboneError(Exception):
    """The error that the backbone returned instead of a result."""


class Channel:
    """The connection to the backbone. Any thread may send messages. A separate thread reads."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._writing = threading.Lock()
        self._ids = count(1)
        self._asked: dict[int, Future[Any]] = {}
        self._owner = os.getpid()

    @classmethod
    def connect(cls, port: int, token: str) -> Channel:
        connection = socket.create_connection(("127.0.0.1", port))
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        channel = cls(connection)
        if hasattr(os, "register_at_fork"):
            # A child has no part in the run: what it wrote would fall into the midst of our lines.
            os.register_at_fork(after_in_child=connection.close)
        channel.send({"type": "hello", "token": token})
        return channel

    def send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, ensure_ascii=False, allow_nan=False).encode("utf-8", "surrogatepass")
        if os.getpid() != self._owner:
            return
        with self._writing:
            self._connection.sendall(line + b"\n")

    def ask(self, method: str, params: dict[str, Any]) -> Future[Any]:
        """A request of the worker's own; its result comes on whatever thread waits for it."""
        number = next(self._ids)
        future: Future[Any] = Future()
        self._asked[number] = future
        self.send({"type": "ask", "id": number, "method": method, "params": params})
        return future

    def read(self, take: Callable[[dict[str, Any]], None]) -> None:
        """Reads until the backbone has gone."""
        with self._connection.makefile("rb") as lines:
            for line in lines:
                message = json.loads(line)
                if message["type"] == "answer":
                    self._answer(message)
                else:
                    take(message)

    def _answer(self, message: dict[str, Any]) -> None:
        future = self._asked.pop(message["id"])
        if "error" in message:
            future.set_exception(BackboneError(message["error"]))
        else:
            future.set_result(message.get("value"))
