"""The view of a workflow on the Context Tracker of its episode."""

from typing import Callable


class ContextTracker:
    def __init__(self, overflows: Callable[[], bool]) -> None:
        self._overflows = overflows

    @property
    def context_overflow(self) -> bool:
        """True if the episode cannot gain anything more: a prompt left no room for a reply, or further calls are not trained."""
        return self._overflows()
