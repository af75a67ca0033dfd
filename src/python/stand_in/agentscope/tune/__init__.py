"""The tuner of AgentScope 1.0.8 to 1.0.11."""

from typing import Awaitable, Callable, Dict

from agentjet_worker.script import tune_as_before_1_0_12 as tune

WorkflowType = Callable[[Dict, object], Awaitable[float]]

__all__ = ["WorkflowType", "tune"]
