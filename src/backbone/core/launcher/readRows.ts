import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { RunRequest } from '../protocol/run.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import type { Row } from '../task-reader/data-set/table.ts';
import { readTasks } from '../task-reader/readers.ts';
import { readPlan, type PlanPorts, type RunPlan } from './runPlan.ts';
import { taskSourceOf, type SourcePorts } from './taskSource.ts';

export interface RowPorts extends PlanPorts, SourcePorts {
  readonly paths: PlanPorts['paths'];
  readonly clock: SourcePorts['clock'];
  openHelper(plan: RunPlan): HelperLlm;
}

/** Returns the first rows of the data set of a Trinity-RFT config, for a preview. */
export async function readRows(
  asked: RunRequest,
  first: number,
  ports: RowPorts,
  cancellation: CancellationToken,
): Promise<readonly Row[]> {
  const request = { ...asked, split: 'training' } as const;
  const { plan, config } = await readPlan(request, ports);
  const helper = ports.openHelper(plan);
  const source = taskSourceOf({ request, plan, helper, cancellation }, ports)(config);
  const { tasks } = await readTasks(source, { first, taskIds: undefined });
  return tasks.map(({ metadata }) => metadata);
}
