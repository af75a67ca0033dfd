import type { CancellationToken } from '../../../base/core/cancellation.ts';
import type { Clock, FileReader, Logger } from '../../../base/core/ports.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import { taskListingOf, type EnvironmentPorts } from '../env-service/environment.ts';
import type { EnvTransport } from '../env-service/client.ts';
import type { HelperLlm } from '../helper-llm/helperLlm.ts';
import type { DataSetPorts, Row } from '../task-reader/data-set/table.ts';
import type { ReaderTools, TaskSource } from '../task-reader/taskReader.ts';
import { resolveFile, type ResolvePorts } from './userClasses.ts';
import { type RunPlan, readPlan, type PlanPorts } from './runPlan.ts';
import { readTasks } from '../task-reader/readers.ts';

export interface SourcePorts extends ResolvePorts {
  readonly clock: Clock;
  readonly files: FileReader;
  emit(event: RunEvent): void;
  readerTools(plan: RunPlan): ReaderTools;
  readonly envTransport: EnvTransport;
  readonly dataSets: DataSetPorts;
}

export interface SourceParts {
  readonly request: RunRequest;
  readonly plan: RunPlan;
  readonly helper: HelperLlm;
  readonly cancellation: CancellationToken;
}

/** Returns the source of a task reader for the config that has its section. */
export type SourceOf = (config: Config) => TaskSource;

export function taskSourceOf(
  { request, plan, helper, cancellation }: SourceParts,
  ports: SourcePorts,
): SourceOf {
  return (config) => ({
    config,
    split: request.split,
    files: ports.files,
    helper,
    tools: ports.readerTools(plan),
    cancellation,
    log: (level, message) => ports.emit({ type: 'log', level, message }),
    dataSets: ports.dataSets,
    environments: taskListingOf(config, environmentPorts(plan, ports), cancellation),
    resolveFile: (file) => resolveFile(file, request, ports),
  });
}

export function environmentPorts(
  { seed }: RunPlan,
  ports: Pick<SourcePorts, 'clock' | 'envTransport' | 'emit'>,
): EnvironmentPorts {
  const logger: Logger = { log: (level, message) => ports.emit({ type: 'log', level, message }) };
  return { transport: ports.envTransport, clock: ports.clock, seed, logger };
}

interface RowPorts extends PlanPorts, SourcePorts {
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
