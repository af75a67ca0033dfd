"""Runs what the backbone calls for: episodes as asyncio tasks of one loop, what is not async in threads."""

from __future__ import annotations

import asyncio
import contextvars
import importlib
import inspect
import os
import platform
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Awaitable, Callable

from .channel import Channel
from .current import enter
from .failures import WorkerFailure, failure_of
from .load import ClassLoader
from .plain import plain

#: The most episodes and judges that are not async and go on at the same time; more of them wait.
MOST_THREADS = 256


class Worker:
    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._loader = ClassLoader()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        #: What workflows returned, by episode: a judge gets the very objects, not copies that went through JSON.
        self._returned: dict[str, Any] = {}
        self._methods: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "load": self._load,
            "execute": self._execute,
            "judge": self._judge,
            "forget": self._forget,
        }

    def run(self, debug: bool) -> None:
        try:
            port = start_debugger() if debug else None
        except WorkerFailure as failure:
            self._channel.send({"type": "refused", "failure": failure_of(failure)})
            return
        self._channel.send(
            {
                "type": "ready",
                "python": platform.python_version(),
                "executable": sys.executable,
                "pid": os.getpid(),
                "debugPort": port,
            }
        )
        if port is not None:
            importlib.import_module("debugpy").wait_for_client()
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(MOST_THREADS, thread_name_prefix="agentjet"))
        loop.set_exception_handler(self._uncaught)

        def take(message: dict[str, Any]) -> None:
            loop.call_soon_threadsafe(self._take, message)

        def read() -> None:
            try:
                self._channel.read(take)
            finally:
                os._exit(0)  # the backbone has gone: whatever still runs here runs for nobody

        reader = threading.Thread(target=read, name="agentjet channel", daemon=True)
        # Not the user's: the debugger neither lists it nor holds it, so that the console may ask the environment.
        reader.is_pydev_daemon_thread = True
        reader.start()
        await asyncio.Event().wait()

    def _take(self, message: dict[str, Any]) -> None:
        number = message["id"]
        if message["type"] == "cancel":
            task = self._tasks.get(number)
            if task is not None:
                task.cancel()
            return
        work = self._answer(number, message["method"], message["params"])
        # A context of its own, so that what one episode sets in it no other sees.
        name = message["params"].get("name", message["method"])
        create = asyncio.get_running_loop().create_task
        task = contextvars.Context().run(lambda: create(work, name=name))
        self._tasks[number] = task
        task.add_done_callback(lambda _: self._tasks.pop(number, None))

    async def _answer(self, number: int, method: str, params: dict[str, Any]) -> None:
        try:
            value = await self._methods[method](params)
            self._channel.send({"type": "result", "id": number, "value": value})
        except BaseException as error:  # sys.exit() and a cancelled task included: the backbone waits for an answer
            self._channel.send({"type": "failed", "id": number, "failure": failure_of(error)})

    async def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        """Imports a class and tells what has to be known of it before an episode runs."""
        loaded = await in_thread(lambda: self._loader.load(params["kind"], params["where"], params["name"]))
        if params["what"] == "judge":
            return {"file": self._loader.file_of(loaded)}
        workflow = loaded(name="ajet-workflow")
        targets = getattr(workflow, "trainable_targets", None)
        return {"file": self._loader.file_of(loaded), "trainableTargets": plain(targets)}

    async def _execute(self, params: dict[str, Any]) -> dict[str, Any]:
        from .episode import episode_of, output_of

        enter(self._channel, params["episodeUuid"])
        cls = self._loader.load(params["kind"], params["where"], params["name_of_class"])
        workflow = cls(name="ajet-workflow")
        if params["trainableTargets"] is not None:
            workflow.trainable_targets = params["trainableTargets"]
        task, tuner = episode_of(params, self._channel)
        returned = await call(lambda: workflow.execute(task, tuner), inspect.iscoroutinefunction(workflow.execute))
        output = output_of(returned, cls)
        self._returned[params["episodeUuid"]] = (task, returned)
        return output

    async def _judge(self, params: dict[str, Any]) -> dict[str, Any]:
        from .episode import config_of, judged_of, verdict_of

        enter(self._channel, params["episodeUuid"])
        cls = self._loader.load(params["kind"], params["where"], params["name_of_class"])
        own = self._returned.get(params["episodeUuid"])
        task, output = own if own is not None else judged_of(params, self._channel)
        judge = cls(config_of(params["config"]))
        verdict = await in_thread(lambda: judge.compute_reward(task, output))
        return verdict_of(verdict, output, cls)

    async def _forget(self, params: dict[str, Any]) -> None:
        self._returned.pop(params["episodeUuid"], None)

    def _uncaught(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        failure = failure_of(error) if error is not None else {"message": context.get("message", "")}
        self._channel.send({"type": "uncaught", "failure": failure})


async def call(work: Callable[[], Any], is_async: bool) -> Any:
    """What is not async gets a thread; what comes back from there may still have to be awaited, here."""
    value = work() if is_async else await in_thread(work)
    return await value if inspect.isawaitable(value) else value


async def in_thread(work: Callable[[], Any]) -> Any:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(None, lambda: context.run(guarded, work))


def guarded(work: Callable[[], Any]) -> Any:
    """An executor's thread would take a StopIteration, and a future refuse it."""
    try:
        return work()
    except StopIteration as error:
        raise RuntimeError("StopIteration was raised") from error


def start_debugger() -> int:
    """Has debugpy listen on loopback. Processes that the user's code starts are left alone: nobody would attach to them."""
    try:
        debugpy = importlib.import_module("debugpy")
    except ImportError as error:
        raise WorkerFailure(
            "python/no-debugpy",
            f"{sys.executable} has no debugpy, without which breakpoints cannot stop.",
            f"Install it: {sys.executable} -m pip install debugpy",
        ) from error
    debugpy.configure(subProcess=False)
    _, port = debugpy.listen(("127.0.0.1", 0))
    return port
