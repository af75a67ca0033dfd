"""How a workflow reaches the model being tuned: every call goes through the gateway of the run, by a key of its episode."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any, Callable, List, Optional

from ajet.context import ContextTracker
from ajet.openai_client import OpenAIClient

DEFAULT_AGENT = "default_agent_name"
DEFAULT_TARGET = "default_target_tag"


@dataclass(frozen=True)
class Binding:
    """What the run gives a tuner."""

    base_url: str
    episode_uuid: str
    #: The header by which an adapter tells the gateway who answers in place of the model being trained.
    adapter_header: str
    trainable_targets: Optional[List[str]]
    context_overflow: Callable[[], bool]

    def api_key(self, agent_name: str, target_tag: str) -> str:
        content = {
            "agent_name": agent_name,
            "target_tag": target_tag,
            "episode_uuid": self.episode_uuid,
            "episode_address": self.base_url,
        }
        return "sk-ajet-" + base64.b64encode(json.dumps(content).encode()).decode()

    def trains(self, target_tag: str) -> bool:
        """None is all, and so is an empty list, whatever its writer meant."""
        return not self.trainable_targets or target_tag in self.trainable_targets


@dataclass
class BaseUrlApiKey:
    base_url: str
    api_key: str
    model: str = "reserved_field"


class AjetTuner:
    def __init__(self, config: Any, binding: Binding) -> None:
        self.config = config
        self.trainable_targets = binding.trainable_targets
        self._binding = binding

    def as_oai_baseurl_apikey(
        self, agent_name: str = DEFAULT_AGENT, target_tag: str = DEFAULT_TARGET
    ) -> BaseUrlApiKey:
        """For agents that bring their own client. Always the model being trained, whatever the target."""
        return BaseUrlApiKey(self._binding.base_url, self._binding.api_key(agent_name, target_tag))

    def as_raw_openai_sdk_client(
        self,
        agent_name: str = DEFAULT_AGENT,
        target_tag: str = DEFAULT_TARGET,
        debug_model: Optional[str] = "gpt-4o",
    ) -> OpenAIClient:
        """An object with ``await client.chat.completions.create(messages=…, tools=…)``; other options reach no model."""
        debug = None if self._binding.trains(target_tag) else debug_model
        key = self._binding.api_key(agent_name, target_tag)
        return OpenAIClient(self._binding.base_url, key, {self._binding.adapter_header: json.dumps(debug)})

    def as_agentscope_model(
        self,
        agent_name: str = DEFAULT_AGENT,
        target_tag: str = DEFAULT_TARGET,
        debug_model: Any = None,
    ) -> Any:
        """A chat model of AgentScope's, which has to be installed."""
        from ajet.agentscope_model import agentscope_model

        client = self.as_raw_openai_sdk_client(agent_name, target_tag, None)
        return agentscope_model(client, None if self._binding.trains(target_tag) else debug_model)

    def get_context_tracker(self) -> ContextTracker:
        return ContextTracker(self._binding.context_overflow)

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("The tuner is no model itself: take `tuner.as_agentscope_model()`.")
