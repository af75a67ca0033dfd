"""What a workflow sees of the Context Tracker of its episode."""

from typing import Callable


class ContextTracker:
    def __init__(self, overflows: Callable[[], bool]) -> None:
        self._overflows = overflows

    @property
    def context_overflow(self) -> bool:
        """Whether there is nothing more to gain: a prompt left no room for a reply, or what comes now is not trained."""
        return self._overflows()
