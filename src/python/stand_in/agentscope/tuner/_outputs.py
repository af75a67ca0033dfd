"""The outputs of workflows and judges. Fields and defaults are AgentScope's."""

from typing import Any, Awaitable, Callable, Dict, Optional

from pydantic import BaseModel


class WorkflowOutput(BaseModel):
    #: Needed, and taken, only where there is no judge.
    reward: Optional[float] = None
    #: For the judge.
    response: Optional[Any] = None
    metrics: Optional[Dict[str, float]] = None


class JudgeOutput(BaseModel):
    reward: float
    #: Win over the workflow's of the same name.
    metrics: Optional[Dict[str, float]] = None


WorkflowType = Callable[..., Awaitable[WorkflowOutput]]
JudgeType = Callable[..., Awaitable[JudgeOutput]]
