import type { WorkflowOutput, WorkflowTask } from './task.ts';
import type { AjetTuner } from './tuner.ts';

/** A second, large model, selected with `--helper…` (launch.json: `helper`). It is not trained. */
export interface JudgeHelper {
  /**
   * The text of its reply, at temperature 0 and of at most `ajet.task_judge.alien_llm_response_length` tokens. Rejects
   * once its attempts are used up.
   */
  ask(
    messages: readonly { readonly role: 'system' | 'user' | 'assistant'; readonly content: string }[],
  ): Promise<string>;
}

const noHelper: JudgeHelper = {
  ask: () => Promise.reject(new Error('The helper LLM is only available during a run.')),
};

/** The agent: extend it, and name it in `ajet.rollout.user_workflow` as `file.ts->ClassName`. */
export abstract class Workflow {
  name = 'default_workflow';
  /**
   * Which target tags are trained; null: all. An empty list is all, too. Read before an episode starts; the launch
   * attribute `trainableTargets` and `--trainable-targets` win over it, and are what `execute` finds here.
   */
  trainableTargets: readonly string[] | null = null;

  /** To ask in execute, as judges do; its calls belong to no timeline. A run sets it; a test of a workflow sets its own. */
  helperLlm: JudgeHelper = noHelper;

  /** Runs one episode. A thrown error ends only this episode. */
  abstract execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput>;
}

/** A verdict; upstream’s pair `[reward, isSuccess]` is accepted as well. */
export type JudgeVerdict = Verdict | readonly [reward: number, isSuccess: boolean];

export interface Verdict {
  readonly reward: number;
  readonly isSuccess: boolean;
}

/** Scores an episode whose workflow returned no reward. Every episode gets a new instance with the effective config. */
export abstract class BaseJudge {
  /** The effective configuration, as plain data. */
  readonly config: Readonly<Record<string, unknown>>;
  /** To ask in computeReward. A run sets it when it has made the judge; a test of a judge sets its own. */
  helperLlm: JudgeHelper = noHelper;

  constructor(config: Readonly<Record<string, unknown>>) {
    this.config = config;
  }

  abstract computeReward(
    workflowTask: WorkflowTask,
    workflowOutput: WorkflowOutput,
  ): Promise<JudgeVerdict> | JudgeVerdict;
}
