"""A player that a language model plays. All it knows of the game are its own messages."""

import json
from typing import Any, Dict, List, Optional, TypeVar

from players import Role
from prompts import system_prompt
from questions import Question

Answer = TypeVar("Answer")


class LlmPlayer:
    def __init__(self, name: str, role: Role, client: Any, tries: int) -> None:
        """
        :param client: what the tuner's ``as_raw_openai_sdk_client`` gives
        :param tries: how often it may be asked until an answer is usable
        """
        self.name = name
        self.role: Role = role
        self.messages: List[Dict[str, Any]] = [{"role": "system", "content": system_prompt(name)}]
        self._client = client
        self._tries = tries

    def hear(self, text: str) -> None:
        self.messages.append({"role": "user", "content": text})

    async def speak(self) -> str:
        reply = await self._ask()
        return reply.content or ""

    async def decide(self, question: Question[Answer]) -> Answer:
        name = question.tool["function"]["name"]
        problem = ""
        for _ in range(self._tries):
            reply = await self._ask(question.tool)
            call = next((made for made in reply.tool_calls or [] if made.function.name == name), None)
            if call is None:
                problem = "it called no tool"
                self.hear(f"Moderator: Answer by calling the tool {name}.")
                continue
            try:
                answer = question.read(parse_arguments(call.function.arguments))
            except ValueError as error:
                problem = str(error)
                self._told(call.id, f"Error: {problem}")
                continue
            self._told(call.id, "Noted.")
            return answer
        raise ValueError(f'{self.name} gave no usable answer to "{name}" in {self._tries} tries: {problem}')

    def _told(self, call_id: str, content: str) -> None:
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": content})

    async def _ask(self, tool: Optional[Dict[str, Any]] = None) -> Any:
        completion = await self._client.chat.completions.create(
            messages=self.messages, tools=[tool] if tool else []
        )
        reply = completion.choices[0].message
        self.messages.append(reply.model_dump(exclude_unset=True))
        return reply


def parse_arguments(text: str) -> Dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("The arguments must be a JSON object.")
    return value
