import { noGymEnv } from '../../../src/backbone/core/env-service/gymEnv.ts';
import type { Task, WorkflowTask } from '../../../src/sdk/core/index.ts';

/** An episode's task; `metadata` is the row's. */
export function workflowTask(metadata: Task['metadata'], more: Partial<WorkflowTask> = {}): WorkflowTask {
  return {
    task: { main_query: 'q', init_messages: [], task_id: 't1', env_type: 'no_env', metadata },
    taskId: 't1',
    envType: 'no_env',
    taskThreadIndex: 0,
    taskBatchIndex: 0,
    taskTag: 'Tt1#R0',
    episodeUuid: 'ab'.repeat(16),
    observationWindow: { step: [0], token: [0], stop: [false] },
    gymEnv: noGymEnv,
    ...more,
  };
}
