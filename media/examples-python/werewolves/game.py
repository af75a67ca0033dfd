"""The rules: nights, days, votes."""

from dataclasses import dataclass
from typing import List, Optional, Sequence, Tuple

import prompts
from players import Player, Side, majority, named, names_of, of_role, show_votes, tell, winner_among
from questions import DISCUSS, RESURRECT, check_question, poison_question, shoot_question, vote_question

MOST_ROUNDS = 7
#: How often each wolf may speak in a night.
DISCUSSION_ROUNDS = 2


class BadGuyException(Exception):
    """The wolves did not manage to choose a victim."""


@dataclass
class Table:
    """What changes as the game goes on."""

    players: Sequence[Player]
    alive: Sequence[Player]
    has_healing: bool = True
    has_poison: bool = True
    round: int = 0


@dataclass(frozen=True)
class GameResult:
    #: The village wins only when no wolf is left.
    winner: Side
    rounds: int
    survivors: List[str]


async def play_game(players: Sequence[Player]) -> GameResult:
    """Plays one game to its end. Raises BadGuyException, or what a player's answer raises."""
    table = Table(players, alive=players)
    tell(players, prompts.begin(names_of(players)))
    for player in players:
        tell([player], prompts.your_role(player.name, player.role))

    is_over = False
    while not is_over and table.round < MOST_ROUNDS:
        table.round += 1
        is_over = await play_night(table) or await play_day(table)
    winner: Side = "werewolves" if of_role(table.alive, "werewolf") else "village"
    tell(players, prompts.end(winner))
    return GameResult(winner, table.round, names_of(table.alive))


async def play_night(table: Table) -> bool:
    """True when it ended the game."""
    awake = table.alive
    tell(awake, prompts.NIGHT)
    try:
        victim = await wolves_choose(table)
    except Exception as error:
        raise BadGuyException("The werewolves chose no victim.") from error
    tell(awake, prompts.WITCH_TURN)
    killed, poisoned = await witch_decides(table, victim)
    tell(awake, prompts.SEER_TURN)
    await seer_looks(table)
    # The poisoned hunter does not shoot.
    hunters = [hunter for hunter in of_role(awake, "hunter") if killed == hunter.name != poisoned]
    shot = await hunter_shoots(table, hunters[0]) if hunters else None

    dead = [name for name in (killed, poisoned, shot) if name is not None]
    bury(table, dead)
    tell(awake, prompts.died(list(dict.fromkeys(dead))) if dead else prompts.PEACEFUL)
    if killed is not None and table.round == 1:
        await last_words(awake, killed)
    return winner_among(table.alive) is not None


async def wolves_choose(table: Table) -> str:
    wolves = of_role(table.alive, "werewolf")
    names = names_of(table.alive)
    tell(wolves, prompts.wolves_discuss(names_of(wolves), names))
    for turn in range(1, DISCUSSION_ROUNDS * len(wolves) + 1):
        wolf = wolves[turn % len(wolves)]
        said = await wolf.decide(DISCUSS)
        tell(wolves, said.statement, wolf)
        # Only the first wolf's word ends the discussion, when all have spoken.
        if said.agreed and turn % len(wolves) == 0:
            break
    tell(wolves, prompts.WOLVES_VOTE)
    elected, result = await hold_vote(wolves, names)
    tell(wolves, prompts.wolves_result(result, elected))
    return elected


async def hold_vote(voters: Sequence[Player], names: Sequence[str]) -> Tuple[str, str]:
    """Everyone votes before anyone hears of other votes. Gives who is elected, and all votes as a text."""
    ballots = [(voter, await voter.decide(vote_question(names))) for voter in voters]
    for voter, ballot in ballots:
        tell(voters, f"I vote for {ballot.vote}. {ballot.statement}", voter)
    votes = [ballot.vote for _, ballot in ballots]
    return majority(votes), show_votes(votes)


async def witch_decides(table: Table, victim: str) -> Tuple[Optional[str], Optional[str]]:
    """Who is killed, and who is poisoned."""
    witches = of_role(table.alive, "witch")
    if not witches:
        return victim, None
    witch = witches[0]
    if table.has_healing and victim != witch.name:
        tell([witch], prompts.resurrect(victim))
        if await witch.decide(RESURRECT):
            table.has_healing = False
            return None, None  # one potion a night
    if not table.has_poison:
        return victim, None
    tell([witch], prompts.POISON)
    strike = await witch.decide(poison_question(names_of(table.alive)))
    table.has_poison = not strike.strikes
    return victim, strike.name


async def seer_looks(table: Table) -> None:
    for seer in of_role(table.alive, "seer"):
        tell([seer], prompts.CHECK)
        name = await seer.decide(check_question(names_of(table.alive)))
        checked = named(table.alive, name)
        if checked is not None:
            tell([seer], prompts.checked(name, checked.role))


async def hunter_shoots(table: Table, hunter: Player) -> Optional[str]:
    tell([hunter], prompts.SHOOT)
    strike = await hunter.decide(shoot_question(names_of(table.alive)))
    return strike.name


async def play_day(table: Table) -> bool:
    """True when it ended the game."""
    awake = table.alive
    names = names_of(awake)
    tell(awake, prompts.discuss(names))
    for player in awake:
        tell(awake, await player.speak(), player)
    tell(awake, prompts.vote(names))
    elected, result = await hold_vote(awake, names)
    tell(awake, prompts.vote_result(result, elected))
    await last_words(awake, elected)

    hunters = [hunter for hunter in of_role(awake, "hunter") if hunter.name == elected]
    shot = await hunter_shoots(table, hunters[0]) if hunters else None
    if shot is not None:
        tell(awake, prompts.shot(shot))
    bury(table, [elected, shot])
    return winner_among(table.alive) is not None


async def last_words(hearers: Sequence[Player], name: str) -> None:
    speaker = named(hearers, name)
    if speaker is None:
        return
    tell(hearers, prompts.last_words(name))
    tell(hearers, await speaker.speak(), speaker)


def bury(table: Table, dead: Sequence[Optional[str]]) -> None:
    table.alive = [player for player in table.alive if player.name not in dead]
