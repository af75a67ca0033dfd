"""HTTP clients for the gateway of the run only."""

from __future__ import annotations

import http.client
import json
from typing import Any, Mapping
from urllib.parse import urlsplit


def http_client() -> Any:
    """
    For a client of OpenAI's. It asks no proxy, and reads no certificates: plain HTTP on loopback has none, and reading them
    takes more time than an episode has of its own.
    """
    import openai

    return openai.DefaultAsyncHttpxClient(verify=False, trust_env=False)


def post_chat(base_url: str, api_key: str, headers: Mapping[str, str], request: Any) -> tuple[int, str]:
    """Asks for a chat completion, by no proxy. Returns the status and the text of the answer."""
    url = urlsplit(base_url)
    connection = http.client.HTTPConnection(url.hostname or "127.0.0.1", url.port)
    own = {"Authorization": f"Bearer {api_key}", "Content-Type": "application/json", **headers}
    try:
        connection.request("POST", f"{url.path}/chat/completions", json.dumps(request), own)
        response = connection.getresponse()
        return response.status, response.read().decode("utf-8", "replace")
    finally:
        connection.close()
