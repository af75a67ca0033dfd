import { Workflow, type AjetTuner, type WorkflowOutput, type WorkflowTask } from 'agentjet';
import { FrozenLakeAgent } from './agent.ts';
import { FrozenLake } from './lake.ts';

/** Lets the agent walk until it is on the goal, in a hole or out of steps. The reward is 1 on the goal, else 0. */
export class FrozenLakeWorkflow extends Workflow {
  override name = 'frozen_lake';

  async execute({ task }: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput> {
    const { size, isSlippery, maxSteps } = readSettings(tuner.config);
    const lake = new FrozenLake({
      size,
      isSlippery,
      seed: numberOf(task.metadata['random_number'], 'a task'),
    });
    const agent = new FrozenLakeAgent(tuner.asOpenAIClient({ agentName: 'frozenlake_agent' }), maxSteps);

    let reward = 0;
    let reason = 'max_steps_reached';
    let stepCount = 0;
    while (stepCount < maxSteps && reason === 'max_steps_reached') {
      stepCount += 1;
      try {
        // A good place for a first breakpoint: evaluate `lake.render()` and see where the player stands.
        const move = lake.move(await agent.choose(lake.render()));
        reward += move.reward;
        if (move.isDone) reason = 'success'; // in a hole, too: see the README
      } catch (error) {
        console.error(`The agent failed in step ${stepCount}:`, error);
        reason = 'agent_error';
      }
    }
    return { reward, metadata: { terminate_reason: reason, step_count: stepCount } };
  }
}

interface Settings {
  readonly size: number;
  readonly isSlippery: boolean;
  readonly maxSteps: number;
}

/** The example's own section of the config, and the limit that AgentJet's has. */
function readSettings(config: AjetTuner['config']): Settings {
  const { frozen_lake: lake, ajet } = config as {
    frozen_lake?: { frozen_lake_size?: unknown; is_slippery?: unknown };
    ajet: { rollout: { multi_turn: { max_steps: unknown } } };
  };
  return {
    size: numberOf(lake?.frozen_lake_size, 'frozen_lake.frozen_lake_size'),
    isSlippery: lake?.is_slippery === true,
    maxSteps: numberOf(ajet.rollout.multi_turn.max_steps, 'ajet.rollout.multi_turn.max_steps'),
  };
}

function numberOf(value: unknown, what: string): number {
  if (typeof value !== 'number') throw new Error(`Frozen lake needs ${what} to be a number.`);
  return value;
}
