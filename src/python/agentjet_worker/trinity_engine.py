"""The rollout model of a Trinity workflow: the run's gateway, and what of its answers became experiences."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Callable

from .channel import Channel
from .loopback import post_chat
from .packages import needed
from .plain import plain


class ModelFailed(RuntimeError):
    """The model did not answer; why is the run's to tell."""


@dataclass(frozen=True)
class Access:
    """The access of an episode to a model."""

    base_url: str
    api_key: str
    headers: dict[str, str]


class Ledger:
    """The responses of the model in one episode, for comparison with the experiences that the workflow returns."""

    def __init__(self) -> None:
        #: Of each answer its text and, where it became an experience, the tokens of that.
        self.answers: list[tuple[str, list[int]]] = []
        #: Of each conversation that was made into an experience its tokens, and the replies in it.
        self.conversations: list[tuple[list[int], list[str]]] = []
        #: By `update_reward`: of a workflow whose calls are recorded.
        self.experiences: list[Any] = []
        self.reward: float | None = None
        self.info: dict[str, Any] = {}


class Engine:
    """One of a run's models, for whichever episode it is bound to."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._clients: list[Any] = []
        self._uuid = ""
        self.ledger = Ledger()
        self._access = Access("", "", {})

    def bind(self, episode_uuid: str, access: Access, ledger: Ledger) -> None:
        """A workflow that is reset for another episode keeps its model, and its clients with it."""
        self._uuid = episode_uuid
        self._access = access
        self.ledger = ledger
        for client in self._clients:
            client.api_key = access.api_key

    @property
    def base_url(self) -> str:
        return self._access.base_url

    @property
    def api_key(self) -> str:
        return self._access.api_key

    def openai_client(self, kind: str, config: Any) -> Any:
        """No time-out and no second attempt: a debugger may hold a call for hours."""
        access = self._access
        client = getattr(openai_package(), kind)(
            base_url=access.base_url,
            api_key=access.api_key,
            default_headers=access.headers,
            max_retries=0,
            timeout=None,
        )
        self._clients.append(client)
        return client

    def chat(self, messages: list[Any], options: dict[str, Any], config: Any) -> list[Any]:
        """Returns `n` responses from separate calls. For None, the value of the config applies."""
        asked = {key: value for key, value in options.items() if value is not None}
        count = asked.pop("n", 1)
        asked.pop("logprobs", None)  # always returned
        if asked.get("top_k", 0) <= 0:
            asked.pop("top_k", None)  # -1 means all, which only vLLM understands
        cut = self._cut_prompt(messages, config)
        if cut is not None:
            return [cut() for _ in range(count)]
        return [made for _ in range(count) for made in self._answer(messages, asked)]

    def _answer(self, messages: list[Any], options: dict[str, Any]) -> list[Any]:
        # A reply that was begun is continued, as Trinity renders it.
        last = messages[-1] if messages else None
        continued = isinstance(last, dict) and last.get("role") == "assistant"
        form = {"continue_final_message": True, "add_generation_prompt": False} if continued else {}
        body = {"model": "trinity", "messages": messages, "return_token_ids": True, **form, **options}
        return self.answered(messages, None, self._post(plain(body)))

    def answered(self, messages: list[Any], tools: Any, completion: dict[str, Any]) -> list[Any]:
        """Experiences of a completion, one for each choice."""
        return [self._experience(messages, tools, completion, choice) for choice in completion["choices"]]

    def _experience(self, messages: list[Any], tools: Any, completion: dict[str, Any], choice: dict[str, Any]) -> Any:
        from trinity.common.experience import Experience

        text = choice["message"].get("content") or ""
        reply = {
            "message": choice["message"],
            "ids": choice.get("token_ids"),
            "promptIds": completion.get("prompt_token_ids"),
            "ended": choice.get("finish_reason") != "length",
        }
        converted = self._ask("answer", messages, tools, reply)
        length = len(converted["tokens"]) - converted["promptLength"]
        made = Experience(
            tokens=converted["tokens"],
            prompt_length=converted["promptLength"],
            logprobs=logprobs_of(choice, length),
            response_text=text,
            prompt_text=converted["promptText"],
        )
        self.ledger.answers.append((text, converted["tokens"]))
        self.ledger.experiences.append(made)
        return made

    def _cut_prompt(self, messages: list[Any], config: Any) -> Callable[[], Any] | None:
        """Trinity asks no model where the prompt is too long, and makes an experience that no loss counts."""
        most = config.max_prompt_tokens
        if not config.enable_prompt_truncation or most is None:
            return None
        converted = self._ask("prompt", messages, None, None)
        if len(converted["tokens"]) <= most:
            return None
        from trinity.common.experience import Experience

        return lambda: Experience(
            tokens=converted["tokens"][: most + 1],
            logprobs=[0.0],
            prompt_length=most,
            prompt_text=converted["text"],
            response_text="",
            truncate_status="prompt_truncated",
            reward=0.0,
        )

    def convert(self, messages: list[Any], tools: Any, config: Any) -> Any:
        from trinity.common.experience import Experience

        converted = self._ask("answer", messages, tools, None)
        tokens, start, mask = converted["tokens"], converted["promptLength"], converted["mask"]
        truncated = None
        if config.enable_prompt_truncation and start > (config.max_prompt_tokens or start):
            start = config.max_prompt_tokens
            tokens, mask, truncated = tokens[: start + 1], [False] * (start + 1), "prompt_truncated"
        elif len(tokens) > (config.max_model_len or len(tokens) + 1) - 1:
            longest = config.max_model_len - 1
            tokens, mask, truncated = tokens[:longest], mask[:longest], "response_truncated"
        said = [one for one in plain(messages) if one.get("role") == "assistant"]
        replies = [str(one.get("content") or "") for one in said]
        self.ledger.conversations.append((tokens, replies))
        return Experience(
            tokens=tokens,
            logprobs=[0.0] * (len(tokens) - start),
            prompt_length=start,
            action_mask=mask[start:],
            messages=messages,
            truncate_status=truncated,
        )

    def count(self, messages: list[Any]) -> int:
        return len(self._ask("prompt", messages, None, None)["tokens"])

    def rewarded(self, reward: float, info: dict[str, Any] | None, sample_ids: Any) -> None:
        self.ledger.reward = reward
        self.ledger.info.update(info or {})

    def _ask(self, of: str, messages: list[Any], tools: Any, reply: Any) -> Any:
        conversation = {"messages": plain(messages), "tools": plain(tools), "reply": reply}
        return self._channel.ask("experience", {"episodeUuid": self._uuid, "of": of, **conversation}).result()

    def _post(self, body: Any) -> dict[str, Any]:
        access = self._access
        status, answer = post_chat(access.base_url, access.api_key, access.headers, body)
        if status != 200:
            raise ModelFailed(reason_of(status, answer))
        return json.loads(answer)


def reason_of(status: int, answer: str) -> str:
    try:
        return json.loads(answer)["error"]["message"]
    except Exception:  # any other response
        return f"the model responded with status {status}"


def logprobs_of(choice: dict[str, Any], length: int) -> list[float]:
    """Returns the log probabilities of the server, or 0 for tokens without one."""
    content = (choice.get("logprobs") or {}).get("content") or []
    known = [float(one.get("logprob") or 0.0) for one in content]
    return known if len(known) == length else (known + [0.0] * length)[:length]


def openai_package() -> Any:
    return needed("openai", "openai", "a client of Trinity's")
