"""Reward functions by name."""

from trinity.common.rewards.reward_fn import RewardFn
from trinity.utils.registry import Registry

_HERE = "trinity.common.rewards"

REWARD_FUNCTIONS = Registry(
    "reward_functions",
    default_mapping={
        "rm_gallery_reward": f"{_HERE}.reward_fn.RMGalleryFn",
        "math_reward": f"{_HERE}.math_reward.MathRewardFn",
        "math_boxed_reward": f"{_HERE}.math_reward.MathBoxedRewardFn",
        "format_reward": f"{_HERE}.format_reward.FormatReward",
        "countdown_reward": f"{_HERE}.countdown_reward.CountDownRewardFn",
        "accuracy_reward": f"{_HERE}.accuracy_reward.AccuracyReward",
        "math_dapo_reward": f"{_HERE}.dapo_reward.MathDAPORewardFn",
    },
)

__all__ = ["REWARD_FUNCTIONS", "RewardFn"]
