"""Model selection, which cannot be debugged."""

from agentjet_worker.script import select_model

__all__ = ["select_model"]
