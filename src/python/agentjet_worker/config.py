"""The effective configuration, as workflows and judges read it."""

from __future__ import annotations

from typing import Any


class Attributes(dict):  # type: ignore[type-arg]
    """A dictionary whose keys are also attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            known = ", ".join(map(str, self)) or "none"
            raise AttributeError(f"The configuration has no `{name}`. Its keys are: {known}.") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


class Config(Attributes):
    """
    Keys are attributes too, as in the configuration that AgentJet passes on: ``config.ajet.rollout.num_repeat``. A copy for
    every episode, so that what one writes no other reads.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        super().__init__({key: wrapped(value) for key, value in values.items()})

    def to_dict(self) -> dict[str, Any]:
        return {key: unwrapped(value) for key, value in self.items()}


def wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Config(value)
    return [wrapped(item) for item in value] if isinstance(value, list) else value


def unwrapped(value: Any) -> Any:
    if isinstance(value, Config):
        return value.to_dict()
    return [unwrapped(item) for item in value] if isinstance(value, list) else value
