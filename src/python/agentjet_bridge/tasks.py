"""Tasks and outputs, in the words of the TypeScript SDK and back."""

from __future__ import annotations

from typing import Any, Dict, Optional

from .plain import plain


def plain_task(given: Any) -> Dict[str, Any]:
    task = given.task
    window = given.observation_window or {}
    return {
        "task": {
            "main_query": task.main_query or "",
            "init_messages": [plain(message) for message in task.init_messages or []],
            "task_id": str(task.task_id or ""),
            "env_type": task.env_type or "",
            "metadata": plain(task.metadata or {}),
        },
        "taskId": str(given.task_id or ""),
        "envType": given.env_type or "",
        "taskThreadIndex": int(given.task_thread_index or 0),
        "taskBatchIndex": int(given.task_batch_index or 0),
        "taskTag": str(given.task_tag or ""),
        "episodeUuid": given.episode_uuid or "",
        "observationWindow": {
            "step": [int(step) for step in window.get("step", ())],
            "token": [int(token) for token in window.get("token", ())],
            "stop": [bool(stop) for stop in window.get("stop", ())],
        },
        "serviceUrl": getattr(given.gym_env, "service_url", None),
    }


def endpoint_of(tuner: Any) -> Optional[Dict[str, str]]:
    """None where the run was started without the server: then the tuner raises, and clients go through this process."""
    if not _serves(getattr(tuner, "config", None)):
        return None
    given = tuner.as_oai_baseurl_apikey()
    return {"baseUrl": given.base_url, "apiKey": given.api_key, "model": getattr(given, "model", "reserved_field")}


def _serves(config: Any) -> bool:
    own = getattr(config, "ajet", None)
    names = ("enable_experimental_interchange_server", "enable_interchange_server")
    return any(bool(getattr(own, name, False)) for name in names)


def plain_output(output: Any) -> Dict[str, Any]:
    reward = output.reward
    return {
        "reward": float(reward) if isinstance(reward, (int, float)) else None,
        "isSuccess": output.is_success,
        "metadata": plain(output.metadata or {}),
        # The release on PyPI, 0.0.1, has none.
        "logMetrics": plain(getattr(output, "log_metrics", None) or {}),
    }


def output_of(kind: Any, output: Dict[str, Any]) -> Any:
    return kind(
        reward=output["reward"],
        is_success=output["isSuccess"],
        metadata=output["metadata"],
        log_metrics=output["logMetrics"],
    )
