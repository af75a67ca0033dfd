"""
The questions that want more than words. Each is a tool of its own: its schema tells the model what to decide,
and its arguments are the answer.
"""

import re
from dataclasses import dataclass
from typing import Any, Callable, Dict, Generic, Optional, Sequence, TypeVar

Answer = TypeVar("Answer")
Given = Dict[str, Any]


@dataclass(frozen=True)
class Question(Generic[Answer]):
    tool: Dict[str, Any]
    #: Raises a ValueError that says what the model should have sent.
    read: Callable[[Given], Answer]


@dataclass(frozen=True)
class Discussed:
    #: Said aloud beside the decision, to those who hear it.
    statement: str
    agreed: bool


@dataclass(frozen=True)
class Voted:
    statement: str
    vote: str


@dataclass(frozen=True)
class Strike:
    """The poison is used up by a yes, even one that names nobody."""

    strikes: bool
    name: Optional[str]


def answer_tool(name: str, description: str, decision: Dict[str, Any]) -> Dict[str, Any]:
    statement = {"type": "string", "maxLength": 80, "description": "Your reason, in one sentence."}
    properties = {"statement": statement, **decision}
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(properties),
                "additionalProperties": False,
            },
        },
    }


def statement_in(given: Given) -> str:
    statement = given.get("statement")
    return statement if isinstance(statement, str) else ""


def yes_or_no(given: Given, key: str) -> bool:
    value = given.get(key)
    if not isinstance(value, bool):
        raise ValueError(f'"{key}" must be true or false.')
    return value


def name_among(value: Any, names: Sequence[str]) -> Optional[str]:
    """Models write "player 3", "Player3 (the seer)" or 3 as well."""
    text = str(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else ""
    if text in names:
        return text
    number = re.search(r"\d+", text, re.ASCII)
    if number is None:
        return None
    return next((name for name in names if re.findall(r"\d+", name)[:1] == [number[0]]), None)


def someone(value: Any, names: Sequence[str]) -> str:
    """Who is meant; where that is nobody at the table, the first who is, since the game has to go on."""
    if not names:
        raise ValueError("There is nobody to choose from.")
    return name_among(value, names) or names[0]


DISCUSS = Question(
    answer_tool(
        "discuss",
        "Says something to the other werewolves.",
        {"reach_agreement": {"type": "boolean", "description": "Whether the werewolves agree on a victim."}},
    ),
    lambda given: Discussed(statement_in(given), yes_or_no(given, "reach_agreement")),
)

RESURRECT = Question(
    answer_tool(
        "resurrect",
        "Decides on the healing potion.",
        {"resurrect": {"type": "boolean", "description": "Whether to save the victim."}},
    ),
    lambda given: yes_or_no(given, "resurrect"),
)


def vote_question(names: Sequence[str]) -> Question[Voted]:
    choice = {"type": "string", "enum": names, "description": "Who is to be eliminated."}
    return Question(
        answer_tool("vote", "Votes for a player.", {"vote": choice}),
        lambda given: Voted(statement_in(given), someone(given.get("vote"), names)),
    )


def check_question(names: Sequence[str]) -> Question[str]:
    choice = {"type": "string", "enum": names, "description": "Whose role to look at."}
    return Question(
        answer_tool("check", "Looks at the role of a player.", {"name": choice}),
        lambda given: someone(given.get("name"), names),
    )


def poison_question(names: Sequence[str]) -> Question[Strike]:
    return strike_question("poison", "Decides on the poison.", names)


def shoot_question(names: Sequence[str]) -> Question[Strike]:
    return strike_question("shoot", "Decides on the shot.", names)


def strike_question(verb: str, description: str, names: Sequence[str]) -> Question[Strike]:
    def read(given: Given) -> Strike:
        strikes = yes_or_no(given, verb)
        return Strike(strikes, name_among(given.get("name"), names) if strikes else None)

    decision = {
        verb: {"type": "boolean", "description": f"Whether to {verb} a player."},
        "name": {
            "anyOf": [{"type": "string", "enum": names}, {"type": "null"}],
            "description": f"Whom to {verb}; null for nobody.",
        },
    }
    return Question(answer_tool(verb, description, decision), read)
