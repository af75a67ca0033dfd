"""In place of AgentScope where it is not installed: what functions for its tuner need, `agentscope.tuner` and the model."""
