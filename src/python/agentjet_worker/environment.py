"""The environment of an episode, and the state of all episodes, both kept by the backbone."""

from __future__ import annotations

from typing import Any, Iterator, Sequence

from .channel import Channel
from .plain import plain


class GymEnv:
    """The episode's instance in the environment service; with other task readers every method fails."""

    def __init__(self, channel: Channel, episode_uuid: str, service_url: str | None) -> None:
        self._channel = channel
        self.episode_uuid = episode_uuid
        if service_url is not None:
            self.service_url = service_url

    def step(self, action: dict[str, Any]) -> tuple[Any, float, bool, dict[str, Any]]:
        """Blocks until the environment has answered: obs, reward, terminate, info."""
        taken = self._ask("gym-step", {"action": plain(action)})
        return taken["obs"], taken["reward"], taken["terminate"], taken["info"]

    def evaluate(self, episode_uuid: str, params: dict[str, Any] | None = None) -> float:
        return self._ask("gym-evaluate", {"messages": plain(params or {})})

    def reset(self) -> str:
        raise RuntimeError("gym_env.reset is not supported: every episode has its own new environment.")

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        return self._channel.ask(method, {"episodeUuid": self.episode_uuid, **params}).result()


class Window(Sequence[Any]):
    """One of the arrays of the observation window, by `task_thread_index`; every read asks for what is so now."""

    def __init__(self, channel: Channel, episode_uuid: str, name: str, length: int) -> None:
        self._channel = channel
        self._episode_uuid = episode_uuid
        self._name = name
        self._length = length

    def _values(self) -> list[Any]:
        params = {"episodeUuid": self._episode_uuid, "name": self._name}
        return self._channel.ask("window", params).result()

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, index: Any) -> Any:
        return self._values()[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values())
