"""Speaks JSON-RPC 2.0 with the backbone, with Content-Length headers, over a connection on loopback."""

from __future__ import annotations

import json
import os
import socket
import threading
from concurrent.futures import Future
from itertools import count
from typing import Any, BinaryIO, Callable, Iterator

#: The code of error responses, from the range that JSON-RPC leaves to applications.
FAILED = -32000


class BackboneError(Exception):
    """The error response of the backbone to a request of the worker."""


class Channel:
    """Any thread may send. One separate thread reads, so that no other thread has to."""

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
            # A forked child is not part of the run: its writes would land inside our messages.
            os.register_at_fork(after_in_child=connection.close)
        channel.notify("hello", {"token": token})
        return channel

    def notify(self, method: str, params: dict[str, Any]) -> None:
        self._send({"method": method, "params": params})

    def respond(self, number: int, result: Any) -> None:
        self._send({"id": number, "result": result})

    def fail(self, number: int, failure: dict[str, Any]) -> None:
        self._send({"id": number, "error": {"code": FAILED, "message": failure["message"], "data": failure}})

    def ask(self, method: str, params: dict[str, Any]) -> Future[Any]:
        """Sends a request to the backbone. Any thread can wait for the result."""
        number = next(self._ids)
        future: Future[Any] = Future()
        self._asked[number] = future
        self._send({"id": number, "method": method, "params": params})
        return future

    def read(self, take: Callable[[dict[str, Any]], None]) -> None:
        """Passes requests and notifications on until the backbone is gone."""
        with self._connection.makefile("rb") as stream:
            for message in messages_of(stream):
                if "method" in message:
                    take(message)
                else:
                    self._settle(message)

    def _send(self, message: dict[str, Any]) -> None:
        text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, allow_nan=False)
        body = text.encode("utf-8", "surrogatepass")
        if os.getpid() != self._owner:
            return
        with self._writing:
            self._connection.sendall(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))

    def _settle(self, response: dict[str, Any]) -> None:
        future = self._asked.pop(response["id"])
        if "error" in response:
            future.set_exception(BackboneError(response["error"]["message"]))
        else:
            future.set_result(response["result"])


def messages_of(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yields messages until the end of the stream, or until one that is cut off."""
    size = 0
    for line in iter(stream.readline, b""):
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            size = int(value)
        elif line == b"\r\n":
            body = stream.read(size)
            if len(body) < size:
                return
            yield json.loads(body)
