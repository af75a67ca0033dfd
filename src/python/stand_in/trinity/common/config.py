"""The parts of a config that a workflow is given."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Dict, Optional, Type, TypeVar

from trinity.common.constants import PromptType

T = TypeVar("T")


@dataclass
class FormatConfig:
    """Which columns of a row are what."""

    prompt_type: PromptType = PromptType.MESSAGES
    prompt_key: str = "prompt"
    response_key: str = "response"
    system_prompt_key: Optional[str] = None
    system_prompt: Optional[str] = None
    messages_key: str = "message"
    tools_key: str = "tools"
    image_key: Optional[str] = None
    video_key: Optional[str] = None
    reply_prefix: Optional[str] = None
    workflow_key: str = ""
    reward_fn_key: str = ""
    chosen_key: str = "chosen"
    rejected_key: str = "rejected"
    enable_concatenated_multi_turn: bool = False
    chat_template: Optional[str] = None


@dataclass
class GenerationConfig:
    """The sampling settings."""

    temperature: Optional[float] = None
    top_p: Optional[float] = None
    top_k: int = -1
    logprobs: Optional[int] = None
    max_tokens: Optional[int] = None
    n: int = 1


@dataclass
class InferenceModelConfig:
    """The settings of a model that a workflow may read."""

    model_path: Optional[str] = None
    name: Optional[str] = None
    engine_type: str = "vllm"
    temperature: Optional[float] = None
    top_p: Optional[float] = None
    top_k: Optional[int] = None
    logprobs: Optional[int] = None
    max_model_len: Optional[int] = None
    max_prompt_tokens: Optional[int] = None
    max_response_tokens: Optional[int] = None
    min_response_tokens: Optional[int] = None
    enable_prompt_truncation: Optional[bool] = None
    enable_thinking: Optional[bool] = None
    enable_history: bool = False
    enable_openai_api: bool = False
    chat_template: Optional[str] = None
    #: What else the config says of it.
    others: Dict[str, Any] = field(default_factory=dict)


def made(cls: Type[T], values: Dict[str, Any]) -> T:
    """Creates the class without unknown keys, which concern the cluster and not the workflow."""
    known = {one.name for one in fields(cls)}  # type: ignore[arg-type]
    return cls(**{key: value for key, value in values.items() if key in known})
