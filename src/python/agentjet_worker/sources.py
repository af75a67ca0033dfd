"""
Adds a header with the calling line of user code to all requests with the key of an episode, whatever client sends them.
The gateway removes the header, so no model receives it.
"""

from __future__ import annotations

import http.client
import json
import os
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache, wraps
from importlib.machinery import ModuleSpec, PathFinder
from types import CodeType, FrameType, ModuleType
from typing import Any, Callable, Iterable, Iterator, Mapping

from .failures import is_users

HEADER = "x-agentjet-source"

#: Headers that carry the key, lower-case.
KEYS = ("authorization", "x-api-key")
KEY_START = "sk-ajet-"
LOOPBACK = ("127.0.0.1", "localhost", "::1")

#: The line, where the request is sent from a thread whose stack does not lead to it.
_pinned: ContextVar[str | None] = ContextVar("agentjet_source", default=None)


@contextmanager
def pinned() -> Iterator[None]:
    """Within it, also in threads that take the context along, what asks is the line that leads here."""
    token = _pinned.set(line_that_asks())
    try:
        yield
    finally:
        _pinned.reset(token)


def line_that_asks() -> str | None:
    """
    As JSON; the innermost of the user's own on the stack, of which coroutines that are awaited are a part. None: nothing
    of the user's is on it, as in a task that was made of a library's coroutine.
    """
    frame: FrameType | None = sys._getframe(1) if hasattr(sys, "_getframe") else None
    while frame is not None:
        if is_users_code(frame.f_code.co_filename):
            return json.dumps(
                {
                    "file": os.path.abspath(frame.f_code.co_filename),
                    "line": frame.f_lineno,
                    "column": None,
                    "function": name_of(frame.f_code),
                }
            )
        frame = frame.f_back
    return _pinned.get()


@lru_cache(maxsize=4096)
def is_users_code(file: str) -> bool:
    return is_users(file)


def name_of(code: CodeType) -> str | None:
    name = getattr(code, "co_qualname", code.co_name).rpartition("<locals>.")[2]
    return None if name.startswith("<") else name


def is_of_episode(host: Any, headers: Iterable[tuple[Any, Any]]) -> bool:
    return str(host) in LOOPBACK and any(str(name).lower() in KEYS and KEY_START in text_of(value) for name, value in headers)


def text_of(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def install() -> None:
    """For clients that are not imported yet, once they are."""
    patch_standard_library()
    sys.meta_path.insert(0, ClientFinder)
    for name, patch in PATCHES.items():
        if name in sys.modules:
            patch(sys.modules[name])


def patch_standard_library() -> None:
    """``http.client``, and with it ``urllib``, ``requests`` and ``urllib3``."""
    putheader = http.client.HTTPConnection.putheader

    @wraps(putheader)
    def telling(self: http.client.HTTPConnection, header: Any, *values: Any) -> None:
        putheader(self, header, *values)
        if is_of_episode(self.host, [(text_of(header), value) for value in values]):
            line = line_that_asks()
            if line is not None:
                putheader(self, HEADER, line)

    http.client.HTTPConnection.putheader = telling  # type: ignore[method-assign]


def patch_httpx(httpx: ModuleType) -> None:
    for client in (httpx.Client, httpx.AsyncClient):
        client.send = telling_httpx(client.send)


def telling_httpx(send: Callable[..., Any]) -> Callable[..., Any]:
    """Also for the asynchronous client, because the line is on the stack when the coroutine is created."""

    @wraps(send)
    def telling(self: Any, request: Any, *args: Any, **options: Any) -> Any:
        if is_of_episode(request.url.host, request.headers.items()):
            line = line_that_asks()
            if line is not None:
                request.headers[HEADER] = line
        return send(self, request, *args, **options)

    return telling


def patch_aiohttp(aiohttp: ModuleType) -> None:
    send = aiohttp.ClientSession._request

    @wraps(send)
    def telling(self: Any, method: str, url: Any, **options: Any) -> Any:
        own = options.get("headers") or {}
        headers = list(own.items() if isinstance(own, Mapping) else own)
        host = getattr(self._build_url(url), "host", None) if hasattr(self, "_build_url") else getattr(url, "host", None)
        if is_of_episode(host, [*self.headers.items(), *headers]):
            line = line_that_asks()
            if line is not None:
                options["headers"] = [*headers, (HEADER, line)]
        return send(self, method, url, **options)

    aiohttp.ClientSession._request = telling


PATCHES: dict[str, Callable[[ModuleType], None]] = {
    "httpx": patch_httpx,
    "httpx2": patch_httpx,
    "aiohttp": patch_aiohttp,
}


class ClientFinder:
    """Has a client changed as soon as it is imported."""

    @classmethod
    def find_spec(cls, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        patch = PATCHES.get(name)
        spec = PathFinder.find_spec(name, path, target) if patch is not None else None
        if patch is None or spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_patch(module: ModuleType) -> None:
            execute(module)
            patch(module)

        spec.loader.exec_module = execute_and_patch  # type: ignore[method-assign]
        return spec
