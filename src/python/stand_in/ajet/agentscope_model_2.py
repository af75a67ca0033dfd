"""For AgentScope 2, whose models take its own messages and format them. AgentJet itself trains with AgentScope 1."""

from __future__ import annotations

from typing import Any, Optional

from agentjet_worker.loopback import http_client
from agentscope.credential import DashScopeCredential
from agentscope.model import DashScopeChatModel


class AgentScopeModel2(DashScopeChatModel):
    """Messages as for DashScope, like those of AgentScope 1; what answers is the tuner's client."""

    def __init__(self, client: Any, context_size: Optional[int]) -> None:
        size = {} if context_size is None else {"context_size": context_size}
        credential = DashScopeCredential(api_key="dummy-api-key")
        # Another attempt would be another sample of the group, so failures are reported at once.
        unused = {"http_client": http_client()}  # the default client would read certificates
        super().__init__(credential, "ajet", stream=False, max_retries=0, client_kwargs=unused, **size)
        self.client = client
