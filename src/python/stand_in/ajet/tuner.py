"""The access of a workflow to the model being trained. Every call goes through the gateway of the run, with an episode key."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Tuple

from ajet.context import ContextTracker
from ajet.openai_client import OpenAIClient

DEFAULT_AGENT = "default_agent_name"
DEFAULT_TARGET = "default_target_tag"


@dataclass(frozen=True)
class Binding:
    """The data that a tuner receives from the run."""

    base_url: str
    episode_uuid: str
    #: The header in which an adapter names the model that answers in place of the model being trained.
    adapter_header: str
    #: The names of the debug models of the run.
    debug_models: List[str]
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
        self._registered: Dict[str, Tuple[Any, Any]] = {}

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
        return self._client(agent_name, target_tag, None if self._binding.trains(target_tag) else debug_model)

    def as_agentscope_model(
        self,
        agent_name: str = DEFAULT_AGENT,
        target_tag: str = DEFAULT_TARGET,
        debug_model: Any = None,
    ) -> Any:
        """
        A chat model of AgentScope's, which has to be installed: version 1, with which AgentJet trains, or 2. A debug model is
        asked as it is, unless the run was given another by its name.
        """
        from ajet.agentscope_model import agentscope_model

        debug = None if self._binding.trains(target_tag) else debug_model
        name = getattr(debug, "model_name", None) or getattr(debug, "model", None)
        if name in self._binding.debug_models:
            client, debug = self._client(agent_name, target_tag, name), None
        else:
            client = self._client(agent_name, target_tag, None)
        return agentscope_model(client, debug, self.config.ajet.rollout.max_model_len)

    def _client(self, agent_name: str, target_tag: str, debug_model: Optional[str]) -> OpenAIClient:
        key = self._binding.api_key(agent_name, target_tag)
        return OpenAIClient(self._binding.base_url, key, debug_model, self._binding.adapter_header)

    def get_context_tracker(self) -> ContextTracker:
        return ContextTracker(self._binding.context_overflow)

    # What follows is the tuner of AgentJet's first version: itself a chat model of AgentScope 1's.

    #: Answers come whole.
    stream = False
    model_name = "ajet"

    async def __call__(self, *args: Any, **options: Any) -> Any:
        """Calls the model being trained, whatever the targets are. Untrained targets must be registered."""
        return await self.as_agentscope_model()(*args, **options)

    def register_model(self, target_name: str, default_model: Any) -> Any:
        """Returns the model of an agent: the one being trained, or `default_model` if the target is not trained."""
        known = self._registered.get(target_name)
        if known is not None and known[0].model_name != default_model.model_name:
            raise ValueError(
                f"`{target_name}` is registered with another model: {known[0].model_name}, not {default_model.model_name}."
            )
        model = self.as_agentscope_model(target_name, target_name, default_model)
        self._registered[target_name] = (default_model, model)
        return model

    def get_model(self, target_name: str) -> Any:
        if target_name not in self._registered:
            raise ValueError(f"No model is registered for `{target_name}`. Call register_model first.")
        return self._registered[target_name][1]


#: The name that it had then.
ModelTuner = AjetTuner
