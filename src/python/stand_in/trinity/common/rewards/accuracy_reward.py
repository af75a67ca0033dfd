"""The reward for an answer that equals the truth, checked with the package `math-verify`."""

from __future__ import annotations

import importlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, Optional

from agentjet_worker.packages import needed
from trinity.common.rewards.reward_fn import RewardFn
from trinity.utils.log import get_logger

#: A parse or a comparison that takes longer, in seconds, counts as failed.
LONGEST = 5


class AccuracyReward(RewardFn):
    PACKAGES = {"math_verify": "math-verify"}

    def __init__(self, answer_parser: Optional[Callable[[str], Any]] = None) -> None:
        self.answer_parser = answer_parser
        self.logger = get_logger(__name__)

    def __call__(  # type: ignore[override]
        self, response: str, prompt: Optional[str] = None, truth: Optional[str] = None
    ) -> Dict[str, float]:
        answer, gold = self._parsed(response, truth or "")
        try:
            # Trinity hands the answer in as the truth, and the truth as the answer.
            reward = float(in_time(math_verify().verify, gold=answer, target=gold, timeout_seconds=None))
        except Exception as error:
            self.logger.info(f"verify failed: {error}, answer: {answer}, gold: {gold}")
            reward = 0.0
        return {"accuracy": reward}

    def _parsed(self, response: str, truth: str) -> tuple[Any, Any]:
        if self.answer_parser:
            return self.answer_parser(response), self.answer_parser(truth)
        latex = math_verify().LatexExtractionConfig
        once = {"extraction_mode": "first_match"}
        gold = parsed(truth, extraction_config=[latex()], **once)
        normalised = importlib.import_module("latex2sympy2_extended").NormalizationConfig(
            nits=False, malformed_operators=False, basic_latex=True, equations=True, boxed="all", units=True
        )
        config = latex(normalization_config=normalised, boxed_match_priority=0, try_extract_without_anchor=False)
        return parsed(response, extraction_config=[config], **once), gold if len(gold) > 0 else truth


def parsed(text: str, **options: Any) -> Any:
    return in_time(math_verify().parse, pred=text, parsing_timeout=None, **options)


def in_time(work: Callable[..., Any], **given: Any) -> Any:
    """In a thread, since the package's own time-out works in the main one only."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(work, **given).result(timeout=LONGEST)


def math_verify() -> Any:
    return needed("math_verify", "math-verify", "this reward function")
