"""Nine agents play a game of Werewolf; those whose role `trainable_targets` names are trained, no others."""

import traceback
from dataclasses import asdict
from typing import List, Optional

from ajet import AjetTuner, Workflow, WorkflowOutput, WorkflowTask

from game import play_game
from llm_player import LlmPlayer
from players import ROLES, Role
from shuffle import shuffle

#: Answers for every player whose role is not trained; --debug-model and launch.json say where it is.
OPPONENT = "gpt-4o"


class ExampleWerewolves(Workflow):
    name: str = "werewolves"
    #: The wolves, or other roles. Switched from outside: --trainable-targets villager,seer,witch,hunter
    trainable_targets: Optional[List[str]] = ["werewolf"]

    async def execute(self, workflow_task: WorkflowTask, tuner: AjetTuner) -> WorkflowOutput:
        targets = one_side(self.trainable_targets)
        players = []
        for seat, role in enumerate(seat_players(workflow_task.task.metadata["random_number"]), start=1):
            name = f"Player{seat}"
            # The role is the target: a trained one gets the model that is tuned, any other the debug model.
            client = tuner.as_raw_openai_sdk_client(agent_name=name, target_tag=role, debug_model=OPPONENT)
            players.append(LlmPlayer(name, role, client, tries=3 if role in targets else 5))

        # A good place for a first breakpoint: step into play_game, and look at `messages` of each player.
        try:
            result = await play_game(players)
        except Exception as error:
            # A game that cannot go on costs the trained side, whoever is to blame.
            traceback.print_exc()
            return WorkflowOutput(reward=-0.1, is_success=False, metadata={"error": str(error)})
        is_success = (result.winner == "werewolves") == ("werewolf" in targets)
        return WorkflowOutput(
            reward=1.0 if is_success else 0.0, is_success=is_success, metadata=asdict(result)
        )


def one_side(targets: Optional[List[str]]) -> List[str]:
    """Both sides at once would train each agent against itself."""
    if not targets:
        raise ValueError("trainable_targets must name the side to train.")
    if "werewolf" in targets and len(targets) > 1:
        raise ValueError("trainable_targets must name one side: not werewolf beside a role of the village.")
    return targets


def seat_players(seed: int) -> List[Role]:
    """The roles of Player1 to Player9; another number seats them otherwise."""
    seats = list(ROLES)
    shuffle(seats, seed)
    return seats
