"""Runs what the backbone calls for: episodes as asyncio tasks of one loop, what is not async in threads."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Awaitable, Callable

from .call import call, in_thread
from .channel import Channel
from .current import enter
from .debugger import Debugger
from .failures import WorkerFailure, failure_of
from .functions import FORMS, Functions, check_signature
from .load import Loader, targets_of
from .packages import check_packages
from .printed import send as send_printed
from .requirements import missing_packages
from .script import Scripts

#: The limit of concurrent episodes and judges that are not async. More of them wait.
MOST_THREADS = 256


class Worker:
    def __init__(self, channel: Channel, folders: list[str], plugins: list[str]) -> None:
        self._channel = channel
        self._loader = Loader()
        self._tasks: dict[int, asyncio.Task[None]] = {}
        #: What workflows returned, by episode: a judge gets the very objects, not copies that went through JSON.
        self._returned: dict[str, Any] = {}
        self._functions = Functions(channel, self._loader, self._returned)
        self._methods: dict[str, Callable[[dict[str, Any]], Awaitable[Any]]] = {
            "load": self._load,
            "execute": self._execute,
            "judge": self._judge,
            "execute-function": self._functions.execute,
            "judge-function": self._functions.judge,
            "script": Scripts(channel, self._loader).run,
            "forget": self._forget,
            "load-trinity": self._load_trinity,
            "execute-trinity": self._execute_trinity,
        }
        self._begun_with = folders, plugins
        self._debugger: Debugger | None = None
        self._trinity_runner: Any = None

    def run(self, debug: bool, debugpy_folders: list[str], bundled: bool) -> None:
        try:
            debugger = self._debugger = Debugger(debugpy_folders) if debug else None
        except WorkerFailure as failure:
            self._channel.notify("refused", {"failure": failure_of(failure)})
            self._channel.read(lambda _: None)  # Returns when the backbone closes the connection.
            return
        missing = missing_packages(self._begun_with[0], bundled)
        self._channel.notify("ready", {"debugger": debugger and debugger.address, "missing": missing})
        if debugger is not None:
            debugger.wait_for_client()
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
                os._exit(0)  # the backbone has ended, so no results are needed

        reader = threading.Thread(target=read, name="agentjet channel", daemon=True)
        # Not the user's: the debugger neither lists it nor holds it, so that the console may ask the environment.
        reader.is_pydev_daemon_thread = True
        reader.start()
        await asyncio.Event().wait()

    def _take(self, message: dict[str, Any]) -> None:
        if message["method"] == "$/cancelRequest":
            task = self._tasks.get(message["params"]["id"])
            if task is not None:
                task.cancel()
            return
        number = message["id"]
        work = self._answer(number, message["method"], message["params"])
        # A separate context, so that episodes do not see each other's values.
        name = message["params"].get("name", message["method"])
        create = asyncio.get_running_loop().create_task
        task = contextvars.Context().run(lambda: create(work, name=name))
        self._tasks[number] = task

        def done(task: "asyncio.Task[None]") -> None:
            self._tasks.pop(number, None)
            if task.cancelled():  # before its first step: it had no chance to answer
                self._channel.fail(number, failure_of(asyncio.CancelledError()))

        task.add_done_callback(done)

    async def _answer(self, number: int, method: str, params: dict[str, Any]) -> None:
        try:
            try:
                value = await self._methods[method](params)
            finally:
                send_printed(self._channel, params.get("episodeUuid"))  # before the response, which may end the episode
            self._channel.respond(number, value)
        except Exception as error:
            if self._debugger is not None and not isinstance(error, WorkerFailure):
                self._debugger.stop_at(error)  # The error ends an episode.
            self._channel.fail(number, failure_of(error))
        except BaseException as error:  # also sys.exit() and a canceled task: the backbone waits for a response
            self._channel.fail(number, failure_of(error))

    async def _load(self, params: dict[str, Any]) -> dict[str, Any]:
        """Imports a class or function and returns its properties that the backbone needs before an episode."""
        loaded = await in_thread(lambda: self._loader.load(params["kind"], params["where"], params["name"]))
        check_packages(loaded)
        if not inspect.isclass(loaded):
            check_signature(loaded, FORMS[params["what"]])
            return {"file": self._loader.file_of(loaded), "form": "function"}
        if params["what"] == "judge":
            return {"file": self._loader.file_of(loaded)}
        workflow = loaded(name="ajet-workflow")
        return {"file": self._loader.file_of(loaded), "trainableTargets": targets_of(workflow)}

    async def _execute(self, params: dict[str, Any]) -> dict[str, Any]:
        from .episode import episode_of, output_of

        enter(self._channel, params["episodeUuid"])
        cls = self._loader.load(params["kind"], params["where"], params["name_of_class"])
        workflow = cls(name="ajet-workflow")
        if params["trainableTargets"] is not None:
            workflow.trainable_targets = params["trainableTargets"]
        task, tuner = episode_of(params, self._channel)
        returned, _ = await call(lambda: workflow.execute(task, tuner), inspect.iscoroutinefunction(workflow.execute))
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

    async def _load_trinity(self, params: dict[str, Any]) -> dict[str, Any]:
        return await in_thread(lambda: self._trinity().load(params["what"], params["name"]))

    async def _execute_trinity(self, params: dict[str, Any]) -> dict[str, Any]:
        enter(self._channel, params["episodeUuid"])
        return await self._trinity().execute(params)

    def _trinity(self) -> Any:
        if self._trinity_runner is None:
            from .trinity_runner import TrinityRunner  # what it imports takes other runs no time

            self._trinity_runner = TrinityRunner(self._channel, *self._begun_with)
        return self._trinity_runner

    async def _forget(self, params: dict[str, Any]) -> None:
        self._returned.pop(params["episodeUuid"], None)
        self._functions.forget(params["episodeUuid"])

    def _uncaught(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        failure = failure_of(error) if error is not None else {"message": context.get("message", "")}
        self._channel.notify("uncaught", {"failure": failure})
