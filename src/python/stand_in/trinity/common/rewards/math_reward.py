"""Rewards of mathematics: the right answer, in the right form."""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, Optional

from trinity.common.rewards.accuracy_reward import AccuracyReward, parsed
from trinity.common.rewards.format_reward import FormatReward
from trinity.common.rewards.reward_fn import RewardFn

TAGS = r".*?<think>.*?</think>\s*<answer>.*?</answer>\s*$"


def simple_answer_parser(response: str) -> Any:
    """Returns the content of the tag in a response that has it."""
    answer = re.search(r"<answer>(.*?)</answer>", response)
    return parsed(answer.group(1) if answer else response)


class MathRewardFn(RewardFn):
    PACKAGES = AccuracyReward.PACKAGES
    DEFAULT_FORMAT_PATTERN = TAGS
    DEFAULT_ANSWER_PARSER = simple_answer_parser

    def __init__(self, answer_parser: Callable[[str], Any] = simple_answer_parser, pattern: str = TAGS) -> None:
        self.accuracy_reward = AccuracyReward(answer_parser)
        self.format_reward = FormatReward(pattern)

    def __call__(  # type: ignore[override]
        self, response: str, prompt: Optional[str] = None, truth: Optional[str] = None
    ) -> Dict[str, float]:
        return {**self.accuracy_reward(response, prompt, truth), **self.format_reward(response)}


class MathBoxedRewardFn(RewardFn):
    """The comparison is Trinity's own, of an installed package, which needs no torch for it."""

    PACKAGES = {
        "trinity.common.rewards.eval_utils": "--no-deps trinity-rft",
        "math_verify": "math-verify",
        "regex": "regex",
    }

    def __init__(self, **kwargs: Any) -> None:
        from trinity.common.rewards import eval_utils

        self._utils = eval_utils

    def __call__(  # type: ignore[override]
        self,
        response: str,
        truth: Optional[str] = None,
        with_think: Optional[bool] = False,
        format_score_coef: Optional[float] = 0.1,
        **kwargs: Any,
    ) -> Dict[str, float]:
        lacks_thought = with_think and not self._utils.validate_think_pattern(response)
        return {
            "accuracy": self._utils.compute_score_v0(response, truth),
            "format_score": -(format_score_coef or 0.1) if lacks_thought else 0.0,
        }
