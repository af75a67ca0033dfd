"""Rewards of the countdown game: an equation of given numbers that comes to a target."""

from __future__ import annotations

import json
import re
from typing import Any, Dict, Optional

from trinity.common.rewards.reward_fn import RewardFn

RIGHT = 1.0
WELL_FORMED = 0.1


class CountDownRewardFn(RewardFn):
    def __init__(self) -> None:
        pass

    def __call__(  # type: ignore[override]
        self, response: str, prompt: Optional[str] = None, truth: Optional[str] = None
    ) -> Dict[str, float]:
        """`truth`: JSON with `numbers` and `target`."""
        wanted = json.loads(truth or "")
        target, numbers = wanted["target"], wanted["numbers"]
        equation = answer_of(response)
        if equation is None:
            return {"score": 0}
        if sorted(int(number) for number in re.findall(r"\d+", equation)) != sorted(numbers):
            return {"score": WELL_FORMED}
        result = value_of(equation)
        return {"score": RIGHT if result is not None and abs(result - target) < 1e-5 else WELL_FORMED}


def answer_of(response: str) -> Optional[str]:
    """The last answer of the last line."""
    answers = re.findall(r"<answer>(.*?)</answer>", response.split("\n")[-1])
    return answers[-1].strip() if answers else None


def value_of(equation: str) -> Any:
    """Evaluates an equation of digits, operators, brackets and blanks as Python does. Returns None on failure."""
    if re.match(r"^[\d+\-*/().\s]+$", equation) is None:
        return None
    try:
        return eval(equation, {"__builtins__": None}, {})
    except Exception:
        return None
