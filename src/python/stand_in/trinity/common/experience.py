"""Experiences, which workflows return: training samples with their rewards."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

from trinity._numbers import tensor


@dataclass
class EID:
    """Which experience it is; a workflow sets `run` and `step`, where it has several."""

    batch: Union[int, str] = ""
    task: Union[int, str] = ""
    run: int = 0
    step: int = 0
    suffix: str = field(default_factory=lambda: uuid.uuid4().hex[:6])

    @property
    def uid(self) -> str:
        return f"{self.batch}/{self.task}/{self.run}/{self.step}/{self.suffix}"

    @property
    def sid(self) -> str:
        return f"{self.batch}/{self.task}/{self.step}"

    @property
    def rid(self) -> str:
        return f"{self.batch}/{self.task}/{self.run}"

    @property
    def tid(self) -> str:
        return f"{self.batch}/{self.task}"

    def __str__(self) -> str:
        return self.uid

    def to_dict(self) -> Dict[str, Any]:
        return {name: getattr(self, name) for name in ("batch", "task", "run", "step", "suffix")}


@dataclass(frozen=True)
class CustomField:
    source_field: str
    destination_field: str
    data_type: Any


class Experience:
    """
    Tokens of a prompt and of what followed. `action_mask` says which of those that followed are the model's own; without
    it all are. Lengths: `tokens` the whole, `logprobs` and `action_mask` what follows the prompt.
    """

    def __init__(
        self,
        *,
        eid: Union[EID, Dict[str, Any], None] = None,
        tokens: Any,
        logprobs: Any = None,
        reward: Optional[float] = None,
        token_level_reward: Any = None,
        advantages: Any = None,
        returns: Any = None,
        truncate_status: Optional[str] = None,
        info: Optional[Dict[str, Any]] = None,
        metrics: Optional[Dict[str, float]] = None,
        prompt_length: int = 1,
        response_text: Optional[str] = None,
        prompt_text: Optional[str] = None,
        action_mask: Any = None,
        messages: Optional[List[dict]] = None,
        tools: Optional[List[dict]] = None,
        chosen: Any = None,
        rejected: Any = None,
        chosen_messages: Optional[List[dict]] = None,
        rejected_messages: Optional[List[dict]] = None,
        multi_modal_inputs: Optional[Dict[str, Any]] = None,
        teacher_logprobs: Any = None,
        custom_fields: Optional[List[CustomField]] = None,
    ) -> None:
        if action_mask is not None:
            self.experience_type = "multi_turn"
        elif chosen is not None and rejected is not None:
            self.experience_type = "dpo"
            prompt_length = len(tokens)
        else:
            self.experience_type = "single_turn"
            action_mask = single_turn_mask(tokens, prompt_length, logprobs, truncate_status)
        self.eid = EID(**eid) if isinstance(eid, dict) else eid or EID()
        self.tokens = tensor(tokens, "int32")
        self.prompt_length = prompt_length
        self.logprobs = tensor(logprobs, "float32")
        self.reward = reward
        self.token_level_reward = tensor(token_level_reward, "float32")
        self.advantages = tensor(advantages, "float32")
        self.returns = tensor(returns, "float32")
        self.truncate_status = truncate_status
        self.info = info or {}
        self.metrics = metrics or {}
        self.response_text = response_text
        self.prompt_text = prompt_text
        self.action_mask = tensor(action_mask, "bool")
        self.messages = messages
        self.tools = tools
        self.chosen = tensor(chosen, "int32")
        self.rejected = tensor(rejected, "int32")
        self.chosen_messages = chosen_messages
        self.rejected_messages = rejected_messages
        self.multi_modal_inputs = multi_modal_inputs
        self.teacher_logprobs = tensor(teacher_logprobs, "float32")
        self.custom_fields = custom_fields or []

    def __repr__(self) -> str:
        shown = self.response_text if self.response_text is not None else f"{len(self.tokens)} tokens"
        return f"Experience({self.eid}, reward={self.reward!r}, {shown!r})"

    def to_dict(self) -> Dict[str, Any]:
        values: Dict[str, Any] = {
            "eid": self.eid.to_dict(),
            "type": self.experience_type,
            "prompt_length": self.prompt_length,
            "response_length": len(self.tokens) - self.prompt_length,
            "info": self.info,
            "metrics": self.metrics,
        }
        names = "prompt_text response_text messages tools chosen_messages rejected_messages truncate_status"
        values.update({name: getattr(self, name) for name in names.split() if getattr(self, name) is not None})
        if self.reward is not None:
            values["reward"] = float(self.reward)
        return values


def single_turn_mask(tokens: Any, prompt_length: int, logprobs: Any, truncate_status: Optional[str]) -> List[bool]:
    assert prompt_length > 0, "An experience of one turn needs a prompt of at least one token."
    if truncate_status == "prompt_truncated":
        return [False] * len(logprobs)
    assert len(tokens) > prompt_length, (
        f"No token is left for the response: {len(tokens)} in total, {prompt_length} in the prompt."
    )
    return [True] * (len(tokens) - prompt_length)
