"""AgentScope's tuner for debugging, by the names of its versions: a run is one on the debug backbone."""

from agentjet_worker.chat_model import ChatModel
from agentjet_worker.script import select_model, tune

from ._config import (
    AlgorithmConfig,
    DatasetConfig,
    TinkerConfig,
    TunerModelConfig,
    check_judge_function,
    check_workflow_function,
)
from ._outputs import JudgeOutput, JudgeType, WorkflowOutput, WorkflowType
from .prompt_tune import PromptTuneConfig, tune_prompt

#: What they are called in the time before 1.0.12.
Algorithm = AlgorithmConfig
Dataset = DatasetConfig
TunerChatModel = TunerModelConfig
TrinityChatModel = ChatModel

__all__ = [
    "Algorithm",
    "AlgorithmConfig",
    "Dataset",
    "DatasetConfig",
    "JudgeOutput",
    "JudgeType",
    "PromptTuneConfig",
    "TinkerConfig",
    "TrinityChatModel",
    "TunerChatModel",
    "TunerModelConfig",
    "WorkflowOutput",
    "WorkflowType",
    "check_judge_function",
    "check_workflow_function",
    "select_model",
    "tune",
    "tune_prompt",
]
