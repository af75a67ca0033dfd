import type { WorkflowTask } from '../task.ts';
import { BaseJudge, type Verdict } from '../workflow.ts';

/**
 * The score r that the environment service gives the episode's instance: a success from 1 on, the reward then 1 + r/2,
 * else r/2. `{sparse: false}` is sent as upstream sends it: in `messages`, where it was meant for `params`.
 */
export class EnvServiceJudge extends BaseJudge {
  override async computeReward(workflowTask: WorkflowTask): Promise<Verdict> {
    const score = await workflowTask.gymEnv.evaluate({ sparse: false });
    const isSuccess = score >= 1;
    return { reward: (isSuccess ? 1 : 0) + score * 0.5, isSuccess };
  }
}
