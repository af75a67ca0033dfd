"""Rewards of the countdown game: an equation of given numbers that comes to a target."""

from __future__ import annotations

import ast
import json
import operator
import re
from typing import Any, Dict, Optional

from trinity.common.rewards.reward_fn import RewardFn

RIGHT = 1.0
WELL_FORMED = 0.1

#: The limit of integers in bits, as in the judge for TypeScript.
MOST_BITS = 2**16
OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


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
        distance = distance_to(target, equation)
        return {"score": RIGHT if distance is not None and distance < 1e-5 else WELL_FORMED}


def answer_of(response: str) -> Optional[str]:
    """The last answer of the last line."""
    answers = re.findall(r"<answer>(.*?)</answer>", response.split("\n")[-1])
    return answers[-1].strip() if answers else None


def distance_to(target: float, equation: str) -> Optional[float]:
    """Evaluates an equation of digits, operators, brackets and blanks as Python does. Returns None on failure."""
    if re.match(r"^[\d+\-*/().\s]+$", equation) is None:
        return None
    try:
        return abs(value_of(ast.parse(equation, mode="eval").body) - target)
    except Exception:
        return None


def value_of(node: ast.AST) -> Any:
    """Raises an error for an integer that grows too large, which would take too long."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return node.value
    if isinstance(node, ast.UnaryOp):
        return -value_of(node.operand) if isinstance(node.op, ast.USub) else value_of(node.operand)
    if not isinstance(node, ast.BinOp):
        raise ValueError("not arithmetic")
    left, right = value_of(node.left), value_of(node.right)
    if isinstance(node.op, ast.Pow):
        if isinstance(left, int) and isinstance(right, int) and abs(left) > 1:
            bounded(left.bit_length() * right)
        return left**right
    value = OPERATORS[type(node.op)](left, right)
    if isinstance(value, int):
        bounded(value.bit_length())
    return value


def bounded(bits: int) -> None:
    if bits > MOST_BITS:
        raise ValueError("a number in it grows too large")
