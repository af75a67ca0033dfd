"""All that is said to the players."""

from typing import Dict, Sequence

from players import Role

ADVICE: Dict[Role, str] = {
    "werewolf": "You know the other wolves. By day pass for a villager, or claim a role; "
    "the seer is your greatest danger.",
    "villager": "You have no power but your vote. "
    "Protect those who have one, and doubt claims without proof.",
    "seer": "Each night you look at one role. What you know wins the game, "
    "but who shows it too early is the next victim.",
    "witch": "You have one potion that saves a victim and one that kills. Use each when it matters.",
    "hunter": "When you are eliminated you may take one player with you. Be sure of whom.",
}


def system_prompt(name: str) -> str:
    """The same for all, with the advice for all roles: the own one is told in private at the beginning."""
    return "\n".join(
        [
            f"You are {name} in a game of Werewolf with nine players: "
            "three werewolves, three villagers, a seer, a witch and a hunter.",
            "Win it together with your side. "
            "Bluffing is part of the game; inventing what nobody said is not.",
            "At night the wolves choose a victim, the witch may use a potion and the seer looks at a role. "
            "By day all who live discuss, then vote to eliminate one player.",
            "The village wins when no wolf is left; the wolves win when they are half of the living.",
            *(f"If you are a {role}: {text}" for role, text in ADVICE.items()),
            "Be brief, do not repeat others, and when a tool is offered answer by calling it.",
        ]
    )


# The moderator's words. What is not for everybody says for whom it is.

NIGHT = "Night falls, and all close their eyes."
WOLVES_VOTE = "[WEREWOLVES ONLY] Now vote. Who is the victim?"
WITCH_TURN = "The witch wakes and decides on her potions."
POISON = "[WITCH ONLY] Do you use the poison, the only one you have, and on whom?"
SEER_TURN = "The seer wakes and looks at a role."
CHECK = "[SEER ONLY] At whose role do you look?"
SHOOT = "[HUNTER ONLY] You are eliminated. Do you shoot, and whom?"
PEACEFUL = "Day breaks. The night was peaceful, and nobody died."


def begin(names: Sequence[str]) -> str:
    return f"A new game begins. The players are {listed(names)}. Roles follow."


def your_role(name: str, role: Role) -> str:
    return f"[{name} ONLY] {name}, you are a {role}."


def wolves_discuss(wolves: Sequence[str], alive: Sequence[str]) -> str:
    return f"[WEREWOLVES ONLY] {listed(wolves)}, agree on a victim among the living: {listed(alive)}."


def wolves_result(votes: str, victim: str) -> str:
    return f"[WEREWOLVES ONLY] {votes}. Your victim is {victim}."


def resurrect(victim: str) -> str:
    return (
        f"[WITCH ONLY] {victim} is the victim of this night. "
        "Do you use the healing potion, the only one you have?"
    )


def checked(name: str, role: Role) -> str:
    return f"[SEER ONLY] {name} is a {role}."


def shot(name: str) -> str:
    return f"The hunter takes {name} along."


def died(names: Sequence[str]) -> str:
    return f"Day breaks. This night took {listed(names)}."


def last_words(name: str) -> str:
    return f"{name}, you are eliminated. Your last words to the others?"


def discuss(names: Sequence[str]) -> str:
    return f"{listed(names)} are alive. Speak once each, in this order."


def vote(names: Sequence[str]) -> str:
    return f"Now vote. Who of {listed(names)} is to be eliminated?"


def vote_result(votes: str, name: str) -> str:
    return f"{votes}. {name} is voted out."


def end(winner: str) -> str:
    return f"The game is over: the {winner} won."


def listed(names: Sequence[str]) -> str:
    return ", ".join(names)
