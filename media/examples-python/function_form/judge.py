"""
The reward is the sum of its parts, each of which is a metric too: 1 for the right number in the box, 0.2
where a second model finds that the reply says how it got there. That model is not trained, and a run may have
none.
"""

import re
from typing import Any, Dict, Optional

from agentscope.tuner import JudgeOutput
from pydantic import BaseModel, Field


class Verdict(BaseModel):
    explained: bool = Field(description="Does the text say how it came to its number?")


async def score(task: Dict[str, Any], response: str, auxiliary_models: Dict[str, Any]) -> JudgeOutput:
    accuracy = 1.0 if boxed_number(response) == reference(str(task["answer"])) else 0.0
    critic = auxiliary_models.get("critic")
    explained = 0.2 if critic is not None and await explains(critic, response) else 0.0
    return JudgeOutput(reward=accuracy + explained, metrics={"accuracy": accuracy, "explained": explained})


async def explains(critic: Any, text: str) -> bool:
    """Structured output: the critic answers by a tool call, whose arguments are the reply's `metadata`."""
    reply = await critic([{"role": "user", "content": text}], structured_model=Verdict)
    return (reply.metadata or {}).get("explained") is True


def boxed_number(text: str) -> Optional[float]:
    r"""What stands in the last `\boxed{…}`, as a number."""
    boxed = re.findall(r"\\boxed\{([^}]*)\}", text)
    return number_in(boxed[-1].replace(",", "")) if boxed else None


def reference(solution: str) -> Optional[float]:
    """A solution ends in `#### 42`."""
    return number_in(solution.split("####")[-1])


def number_in(text: str) -> Optional[float]:
    try:
        return float(text)
    except ValueError:
        return None
