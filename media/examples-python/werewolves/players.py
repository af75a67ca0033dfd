"""The table: who sits at it, who hears what, and how votes are counted."""

from collections import Counter
from typing import List, Literal, Optional, Protocol, Sequence, TypeVar

from questions import Question

Answer = TypeVar("Answer")

Role = Literal["werewolf", "villager", "seer", "witch", "hunter"]

Side = Literal["werewolves", "village"]

#: The nine seats, before they are shuffled.
ROLES: Sequence[Role] = (
    "werewolf",
    "werewolf",
    "werewolf",
    "villager",
    "villager",
    "villager",
    "seer",
    "witch",
    "hunter",
)


class Player(Protocol):
    """Who sits at the table: a model, or in a test a script."""

    name: str
    role: Role

    def hear(self, text: str) -> None:
        """Takes note of what was said; nobody else does."""

    async def speak(self) -> str:
        """Says something in its own words."""
        ...

    async def decide(self, question: Question[Answer]) -> Answer:
        """Answers one question of the moderator. Raises when no usable answer came."""
        ...


def tell(hearers: Sequence[Player], text: str, speaker: Optional[Player] = None) -> None:
    """Says it to these players and nobody else: each has messages of its own, and this is the only way in."""
    for hearer in hearers:
        if hearer is not speaker:
            hearer.hear(f"{speaker.name if speaker else 'Moderator'}: {text}")


def names_of(players: Sequence[Player]) -> List[str]:
    return [player.name for player in players]


def of_role(players: Sequence[Player], role: Role) -> List[Player]:
    return [player for player in players if player.role == role]


def named(players: Sequence[Player], name: Optional[str]) -> Optional[Player]:
    return next((player for player in players if player.name == name), None)


def winner_among(alive: Sequence[Player]) -> Optional[Side]:
    """Who has won: the wolves once they are at least half of those alive, the village once no wolf is."""
    wolves = len(of_role(alive, "werewolf"))
    if wolves * 2 >= len(alive):
        return "werewolves"
    return "village" if wolves == 0 else None


def majority(votes: Sequence[str]) -> str:
    """Who has most votes; in a tie, who of these was named first. Raises ValueError where nobody voted."""
    if not votes:
        raise ValueError("Nobody voted.")
    return Counter(votes).most_common(1)[0][0]


def show_votes(votes: Sequence[str]) -> str:
    """`Player2: 3, Player7: 1`"""
    return ", ".join(f"{name}: {count}" for name, count in Counter(votes).items())
