"""Calls the user's code from the event loop that serves all episodes."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from typing import Any, Callable


async def call(work: Callable[[], Any], is_async: bool) -> tuple[Any, bool]:
    """
    What is not async gets a thread; what comes back from there may still have to be awaited, here.

    :returns: its value, and whether that was awaited
    """
    value = work() if is_async else await in_thread(work)
    return (await value, True) if inspect.isawaitable(value) else (value, False)


async def in_thread(work: Callable[[], Any]) -> Any:
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(None, lambda: context.run(guarded, work))


def guarded(work: Callable[[], Any]) -> Any:
    """An executor's thread would take a StopIteration, and a future refuse it."""
    try:
        return work()
    except StopIteration as error:
        raise RuntimeError("StopIteration was raised") from error
