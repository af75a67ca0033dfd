import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { playGame } from './game.ts';
import { LlmPlayer } from './llmPlayer.ts';
import { roles, type Role } from './players.ts';
import { shuffle } from './shuffle.ts';

/** Answers for every player whose role is not trained; --debug-model and launch.json say where it is. */
const opponent = 'gpt-4o';

/** Nine agents play a game of Werewolf; those whose role `trainableTargets` names are trained, all others are not. */
export class ExampleWerewolves extends Workflow {
  override name = 'werewolves';
  // The wolves, or any of the other roles. Switched from outside: --trainable-targets villager,seer,witch,hunter
  override trainableTargets: readonly string[] | null = ['werewolf'];

  async execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const targets = oneSide(this.trainableTargets);
    const players = seatPlayers(Number(workflowTask.task.metadata['random_number'])).map((role, seat) => {
      const name = `Player${seat + 1}`;
      // The role is the target: a trained one gets the model that is tuned, any other the debug model.
      const client = tuner.asOpenAIClient({ agentName: name, targetTag: role, debugModel: opponent });
      return new LlmPlayer(name, role, client, targets.includes(role) ? 3 : 5);
    });

    // A good place for a first breakpoint: step into playGame, and look at `messages` of each of the players.
    try {
      const result = await playGame(players);
      const isSuccess = (result.winner === 'werewolves') === targets.includes('werewolf');
      return { reward: isSuccess ? 1 : 0, isSuccess, metadata: { ...result } };
    } catch (error) {
      // A game that cannot go on costs the trained side, whoever is to blame.
      console.error(error);
      return { reward: -0.1, isSuccess: false, metadata: { error: String(error) } };
    }
  }
}

/** Both sides at once would train each agent against itself. */
function oneSide(targets: readonly string[] | null): readonly string[] {
  if (targets === null || targets.length === 0) {
    throw new Error('trainableTargets must name the side to train.');
  }
  if (targets.includes('werewolf') && targets.length > 1) {
    throw new Error('trainableTargets must not name werewolf beside a role of the village: train one side.');
  }
  return targets;
}

/** The roles of Player1 to Player9; another number seats them otherwise. */
function seatPlayers(seed: number): Role[] {
  const seats = [...roles];
  shuffle(seats, seed);
  return seats;
}
