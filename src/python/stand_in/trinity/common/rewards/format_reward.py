"""The reward for a response with the format of a thought and an answer."""

import re
from typing import Dict, Optional

from trinity.common.rewards.reward_fn import RewardFn

LINES = r"^<think>\n.*?\n</think>\n<answer>\n.*?\n</answer>$"


class FormatReward(RewardFn):
    def __init__(self, pattern: Optional[str] = None) -> None:
        self.pattern = pattern if pattern else LINES

    def __call__(self, response: str) -> Dict[str, float]:  # type: ignore[override]
        keeps = re.match(self.pattern, response, re.DOTALL | re.MULTILINE)
        return {"format_score": 0.1 if keeps else -0.1}
