"""Prompt tuning, which cannot be debugged."""

from typing import Literal, Optional

from pydantic import BaseModel

from agentjet_worker.script import tune_prompt


class PromptTuneConfig(BaseModel):
    lm_model_name: str = "dashscope/qwen-plus"
    optimization_level: Optional[Literal["light", "medium", "heavy"]] = "light"
    eval_display_progress: bool = True
    eval_display_table: int = 5
    eval_num_threads: int = 16
    compare_performance: bool = True


__all__ = ["PromptTuneConfig", "tune_prompt"]
