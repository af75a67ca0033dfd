"""The adapter for AgentScope: a chat model of AgentScope that calls the model being trained."""

from __future__ import annotations

from typing import Any, Optional

import agentscope


def agentscope_model(client: Any, debug_model: Any, context_size: Optional[int]) -> Any:
    """
    :param client: an `OpenAIClient` of the tuner's
    :param debug_model: answers in place of the model being tuned, where it is not None
    :param context_size: how many tokens the model being tuned takes
    """
    if int(agentscope.__version__.partition(".")[0]) < 2:
        from ajet.agentscope_model_1 import AgentScopeModel

        return AgentScopeModel(client, debug_model)
    if debug_model is not None:
        return debug_model
    from ajet.agentscope_model_2 import AgentScopeModel2

    return AgentScopeModel2(client, context_size)
