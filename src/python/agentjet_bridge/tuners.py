"""Answers the requests of a TypeScript episode with the tuner and environment of Python."""

from __future__ import annotations

import asyncio
from typing import Any, Dict

from .plain import plain

#: Of a chat request, what the tuner takes.
TAKEN = ("messages", "tools", "tool_choice")


class Asked:
    def __init__(self, workflow_task: Any, tuner: Any) -> None:
        self._task = workflow_task
        self._tuner = tuner

    async def answer(self, call: Dict[str, Any]) -> Any:
        method = call["method"]
        if method == "chat":
            return await self._chat(call)
        env = self._task.gym_env
        if method == "gym-step":
            taken = await _in_thread(env.step, call["action"])
            return dict(zip(("obs", "reward", "terminate", "info"), (plain(part) for part in taken)))
        if method == "gym-evaluate":
            return plain(await _in_thread(env.evaluate, self._task.episode_uuid, call["messages"]))
        raise ValueError(f"Unknown method {method}.")

    def overflow(self) -> bool:
        """Returns true if upstream's tracker found a call so far that was not safe."""
        tracker = getattr(self._tuner, "get_context_tracker", lambda: None)()
        return bool(getattr(tracker, "context_overflow", False))

    async def _chat(self, call: Dict[str, Any]) -> Any:
        if self._tuner is None:
            raise RuntimeError("A judge cannot call the model.")
        debug = {} if call["debugModel"] is None else {"debug_model": call["debugModel"]}
        client = self._tuner.as_raw_openai_sdk_client(
            agent_name=call["agentName"], target_tag=call["targetTag"], **debug
        )
        request = {name: call["request"][name] for name in TAKEN if call["request"].get(name)}
        return plain(await client.chat.completions.create(**request))


async def _in_thread(work: Any, *given: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, lambda: work(*given))
