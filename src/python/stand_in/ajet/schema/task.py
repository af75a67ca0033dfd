"""Task, and what a workflow is given and returns; fields and defaults are AgentJet's."""

from typing import Any, Dict, List, Union

from pydantic import BaseModel, Field


class Task(BaseModel):
    main_query: str = ""
    init_messages: List[dict] = Field(default_factory=list)
    task_id: str = ""
    env_type: str = ""
    metadata: dict = Field(default_factory=dict)


class WorkflowTask(BaseModel):
    env_type: str = ""
    task_id: str = ""
    task_thread_index: int = 0
    task_batch_index: int = 0
    task_tag: str = ""
    episode_uuid: str = ""
    observation_window: dict = Field(default_factory=dict)
    #: Neither is there: calls go through the tuner, and tokens are the backbone's.
    llm_inference_fn: Any = None
    tokenizer: Any = None
    task: Task = Field(default_factory=Task)
    gym_env: Any = None


class WorkflowOutput(BaseModel):
    reward: Union[float, List[float], None] = None
    is_success: Union[bool, None] = None
    metadata: Dict[str, Any] = Field(default_factory=dict)
    log_metrics: Dict[str, Union[float, List[float], Dict[str, Any]]] = Field(default_factory=dict)
