"""The helper LLM: a large model that judges and graders call. It is not trained."""

from typing import Any, Callable, Dict, List, Optional

from agentjet_worker.current import ask_helper


def create_external_llm_fn(
    alien_llm_model: str, alien_llm_response_length: int
) -> Callable[..., Dict[str, Any]]:
    """
    A function that blocks until the run's helper LLM has answered. Model and length are the config's; those given here, and
    sampling parameters, reach it only in training.
    """

    def external_llm_chat_fn(
        messages: List[Dict[str, Any]],
        sampling_params_override: Optional[Dict[str, Any]] = None,
        request_id: str = "",
    ) -> Dict[str, Any]:
        return {"role": "assistant", "content": ask_helper(messages)}

    return external_llm_chat_fn
