"""One Node.js process, which runs many episodes at a time. It can be called from any thread and any event loop."""

from __future__ import annotations

import asyncio
import concurrent.futures
import json
import os
import signal
import socket
import subprocess
import threading
from typing import Any, Dict, List, Optional

from .failures import BridgeError, lost, of_report, slow_start
from .plain import plain_config
from .tuners import Asked

DESCRIPTOR = "AGENTJET_BRIDGE_FD"
START_SECONDS = 120.0
#: The time that the process has to end a canceled episode. An endless loop in a workflow never ends.
CANCEL_SECONDS = 20.0


class _Request:
    def __init__(self, asked: Asked, loop: Optional[asyncio.AbstractEventLoop]) -> None:
        self.asked = asked
        self.loop = loop
        self.result: concurrent.futures.Future[Any] = concurrent.futures.Future()


class NodeProcess:
    def __init__(self, command: List[str], opening: Dict[str, Any]) -> None:
        self._lock = threading.Lock()
        self._requests: Dict[int, _Request] = {}
        self._next = 1
        self._configuring = threading.Lock()
        self._is_configured = False
        self._is_over = False
        self._opened: concurrent.futures.Future[Any] = concurrent.futures.Future()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                env={**os.environ, DESCRIPTOR: str(theirs.fileno())},
            )
        self._tell({"type": "open", **opening})
        threading.Thread(target=self._read, name="agentjet-bridge", daemon=True).start()

    @property
    def busy(self) -> int:
        return len(self._requests)

    @property
    def has_ended(self) -> bool:
        return self._is_over or self._process.poll() is not None or (
            self._opened.done() and isinstance(self._opened.exception(), BridgeError)
        )

    def configure(self, config: Any) -> None:
        """Sends the effective config, once."""
        with self._configuring:
            if not self._is_configured:
                self._tell({"type": "config", "config": plain_config(config)})
                self._is_configured = True

    def opened(self) -> Dict[str, Any]:
        """Returns the message of the process about the loaded user code. Blocks until then."""
        try:
            return self._opened.result(START_SECONDS)
        except concurrent.futures.TimeoutError:
            self.kill()
            raise slow_start(START_SECONDS) from None

    async def ask(self, request: Dict[str, Any], asked: Asked) -> Any:
        number, waiting = self._begin(request, asked, asyncio.get_running_loop())
        try:
            return await asyncio.wrap_future(waiting.result)
        except asyncio.CancelledError:
            self._cancel(number)
            raise

    def ask_blocking(self, request: Dict[str, Any], asked: Asked) -> Any:
        _, waiting = self._begin(request, asked, None)
        return waiting.result.result()

    def kill(self) -> None:
        """Ends the process. It receives no more requests, even before it has ended."""
        self._is_over = True
        self._process.kill()

    def _begin(self, request: Dict[str, Any], asked: Asked, loop: Any) -> Any:
        waiting = _Request(asked, loop)
        with self._lock:
            number = self._next
            self._next += 1
            self._requests[number] = waiting
        self._tell({**request, "id": number})
        if self._is_over or self._process.poll() is not None:
            self._fail(self._end())
        return number, waiting

    def _cancel(self, number: int) -> None:
        """Cancels an episode. A process that does not end it in time is killed with all its episodes."""
        left = _Request(Asked(None, None), None)
        with self._lock:
            if number not in self._requests:
                return  # it has ended, and its result is on the way
            self._requests[number] = left
        timer = threading.Timer(CANCEL_SECONDS, self.kill)
        timer.daemon = True
        left.result.add_done_callback(lambda _: timer.cancel())
        timer.start()
        self._tell({"type": "cancel", "id": number})
        if self.has_ended:
            self._fail(self._end())

    def _tell(self, message: Dict[str, Any]) -> None:
        try:
            self._send(message)
        except OSError:
            pass  # it has ended, which the reader reports

    def _send(self, message: Dict[str, Any]) -> None:
        line = json.dumps(message, allow_nan=False).encode() + b"\n"
        with self._lock:
            self._socket.sendall(line)

    def _read(self) -> None:
        try:
            with self._socket.makefile("rb") as lines:
                for line in lines:
                    self._take(json.loads(line))
        except (OSError, ValueError):
            pass  # it ended in the middle of a line
        self._is_over = True
        self._fail(self._end())

    def _end(self) -> BridgeError:
        try:
            code = self._process.wait(10)
        except subprocess.TimeoutExpired:
            self.kill()
            return lost("closed its connection unexpectedly")
        if code < 0:
            return lost(f"was ended by {_signal_name(-code)}")
        return lost(f"ended with exit code {code}")

    def _fail(self, error: BridgeError) -> None:
        if not self._opened.done():
            self._opened.set_exception(error)
        with self._lock:
            left, self._requests = self._requests, {}
        for waiting in left.values():
            _settle(waiting, error=error)

    def _take(self, message: Dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "ready":
            self._opened.set_result(message)
        elif kind == "failed":
            self._opened.set_exception(of_report(message["error"]))
            self._process.terminate()
        elif kind == "call":
            self._call(message)
        else:
            with self._lock:
                waiting = self._requests.pop(message["id"], None)
            if waiting is None:
                return
            if kind == "done":
                _settle(waiting, value=message["value"])
            else:
                _settle(waiting, error=of_report(message["error"]))

    def _call(self, message: Dict[str, Any]) -> None:
        waiting = self._requests.get(message["episode"])
        if waiting is None:
            return
        work = self._answer(waiting.asked, message)
        if waiting.loop is None:
            threading.Thread(target=asyncio.run, args=(work,), daemon=True).start()
            return
        try:
            asyncio.run_coroutine_threadsafe(work, waiting.loop)
        except RuntimeError:
            work.close()  # the episode's loop has ended

    async def _answer(self, asked: Asked, message: Dict[str, Any]) -> None:
        answer: Dict[str, Any] = {"type": "answer", "id": message["id"], "result": None}
        try:
            answer["result"] = await asked.answer(message["call"])
            answer["overflow"] = asked.overflow()
        except Exception as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        self._tell(answer)


def _settle(waiting: _Request, value: Any = None, error: Optional[BridgeError] = None) -> None:
    try:
        if error is None:
            waiting.result.set_result(value)
        else:
            waiting.result.set_exception(error)
    except concurrent.futures.InvalidStateError:
        pass  # no caller waits for it any more


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
