"""Asks the model for one step at a time, and remembers the whole walk."""

import re
from typing import Any, Dict, List, Optional

from lake import DIRECTIONS

SYSTEM_PROMPT = """\
You walk across a frozen lake, one cell at a time, until you (P) stand on the goal (G).

The cells: P is you, _ is ice that holds, O is a hole, G is the goal.
Reaching the goal gives 1 point. A hole ends the walk without any.
The ice can be slippery: now and then you slide to the side. Do not let that worry you.

Look at the map, think in a sentence or two, and take as few steps as you can.
End each reply with your next step, one of Up, Down, Left and Right, between triple backticks: ```Up```"""

INVALID_NOTE = (
    "Your last reply had no effect: you stand where you stood. Check the step and how you wrote it; "
    "it must be one of Up, Down, Left and Right between triple backticks."
)


class FrozenLakeAgent:
    def __init__(self, client: Any, max_steps: int) -> None:
        """:param client: what the tuner's ``as_raw_openai_sdk_client`` gives"""
        self._client = client
        self._max_steps = max_steps
        self._messages: List[Dict[str, Any]] = [{"role": "system", "content": SYSTEM_PROMPT}]
        self._step = 0
        self._last_observation: Optional[str] = None

    async def choose(self, observation: str) -> str:
        """One of the directions, or `still`."""
        self._messages.append({"role": "user", "content": self._prompt(observation)})
        completion = await self._client.chat.completions.create(messages=self._messages)
        content = completion.choices[0].message.content or ""
        self._messages.append({"role": "assistant", "content": content})
        self._last_observation = observation
        self._step += 1
        return read_action(content)

    def _prompt(self, observation: str) -> str:
        left = self._max_steps - self._step
        lines = [
            f"Current Observation ({self._step}):",
            observation,
            "You are not on the goal yet. What is your next step?",
        ]
        if observation == self._last_observation:
            lines.append(INVALID_NOTE)
        if left > 0:
            lines.append(f"Steps left: {left}.")
        return "\n".join(lines)


def read_action(reply: str) -> str:
    """What stands between the last pair of triple backticks, if it is a direction."""
    fenced = re.findall(r"```(.*?)```", reply, re.DOTALL)
    word = fenced[-1].strip().lower() if fenced else ""
    return word if word in DIRECTIONS else "still"
