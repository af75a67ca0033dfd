"""The configuration of a tuning. Fields and defaults are AgentScope's."""

from typing import Any, Callable, Dict, List, Optional

from pydantic import BaseModel

from agentjet_worker.agentscope_stand_in import preview
from agentjet_worker.functions import FORMS, check_signature


class DatasetConfig(BaseModel):
    path: str
    #: Which of the data sets that the path has.
    name: Optional[str] = None
    split: Optional[str] = "train"
    total_epochs: int = 1
    #: Wins over the epochs.
    total_steps: Optional[int] = None

    def preview(self, n: int = 5) -> List[Any]:
        """Prints the first rows as JSON, and returns them."""
        return preview(self, n)


class AlgorithmConfig(BaseModel):
    algorithm_type: str = "multi_step_grpo"
    learning_rate: float = 1e-6
    group_size: int = 8
    batch_size: int = 32
    save_interval_steps: int = 100
    eval_interval_steps: int = 100


class TinkerConfig(BaseModel):
    rank: int = 16
    seed: Optional[int] = None
    train_mlp: bool = True
    train_attn: bool = True
    train_unembed: bool = True
    base_url: Optional[str] = None

    def get_config(self) -> Dict[str, Any]:
        return self.model_dump()


class TunerModelConfig(BaseModel):
    model_config = {"protected_namespaces": ()}

    model_path: str
    #: Of prompt and reply together.
    max_model_len: int
    #: Training ignores these two and `enable_thinking`.
    temperature: float = 1.0
    top_p: float = 1.0
    max_tokens: int = 8192
    enable_thinking: Optional[bool] = None
    tensor_parallel_size: int = 1
    inference_engine_num: int = 1
    tool_call_parser: str = "hermes"
    reasoning_parser: str = "deepseek_r1"
    tinker_config: Optional[TinkerConfig] = None

    def get_config(self) -> Dict[str, Any]:
        """Returns the settings of the model's engine."""
        return {
            "model_path": self.model_path,
            "max_model_len": self.max_model_len,
            "tensor_parallel_size": self.tensor_parallel_size,
            "engine_num": self.inference_engine_num,
            "tool_call_parser": self.tool_call_parser,
            "reasoning_parser": self.reasoning_parser,
            "enable_openai_api": True,
            "enable_auto_tool_choice": True,
        }


def check_workflow_function(func: Callable[..., Any]) -> None:
    check_signature(func, FORMS["workflow"])


def check_judge_function(func: Callable[..., Any]) -> None:
    check_signature(func, FORMS["judge"])
