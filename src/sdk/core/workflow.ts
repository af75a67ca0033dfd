import type { WorkflowOutput, WorkflowTask } from './task.ts';
import type { AjetTuner } from './tuner.ts';

/** The large model beside the one being tuned, chosen with `--helper…` (launch.json: `helper`). */
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
  ask: () => Promise.reject(new Error('Only a run gives a workflow or a judge its helper LLM.')),
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

  /** Runs one episode. A throw ends this episode with an error; the others go on. */
  abstract execute(workflowTask: WorkflowTask, tuner: AjetTuner): Promise<WorkflowOutput>;
}

/** A verdict; upstream’s pair `[reward, isSuccess]` is accepted as well. */
export type JudgeVerdict = Verdict | readonly [reward: number, isSuccess: boolean];

export interface Verdict {
  readonly reward: number;
  readonly isSuccess: boolean;
}

/** Scores an episode whose workflow returned no reward. Made anew for every episode, with the effective config. */
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
