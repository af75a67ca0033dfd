"""What selects models, which is not debugged here."""

from agentjet_worker.script import select_model

__all__ = ["select_model"]
