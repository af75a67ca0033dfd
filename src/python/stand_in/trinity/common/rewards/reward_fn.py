"""The base of every reward function."""

from abc import ABC, abstractmethod
from typing import Any, Dict


class RewardFn(ABC):
    """Called with what it names of a response and its truth; the reward is the sum of what it returns."""

    @abstractmethod
    def __init__(self, **kwargs: Any) -> None: ...

    @abstractmethod
    def __call__(self, **kwargs: Any) -> Dict[str, float]: ...
