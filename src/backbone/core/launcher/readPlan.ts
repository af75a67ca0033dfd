import type { Clock, PathRules } from '../../../base/core/ports.ts';
import type { Composition } from '../../../configs/core/compose.ts';
import type { Config } from '../../../configs/core/effectiveConfig.ts';
import { firstError } from '../../../configs/core/finding.ts';
import type { RunEvent, RunRequest } from '../protocol/run.ts';
import { planRun, type RunPlan } from './runPlan.ts';

export interface PlanPorts {
  readonly clock: Clock;
  readonly paths: PathRules;
  emit(event: RunEvent): void;
  /** Returns the effective config and its problems. Rejects only if there is no config at all. */
  readConfig(request: RunRequest): Promise<Composition>;
}

/** Reads the config of a run and emits its problems. Throws the first error among them. */
export async function readPlan(
  request: RunRequest,
  ports: PlanPorts,
): Promise<{ readonly plan: RunPlan; readonly config: Config }> {
  const { config, problems } = await ports.readConfig(request);
  const error = firstError(problems);
  for (const { severity, ...report } of problems) {
    // The first error ends the run, and is reported with `run-ended`.
    if (report.message !== error?.message) ports.emit({ type: 'problem', severity, report });
  }
  if (error !== undefined) throw error;
  return { plan: planRun(request, config, new Date(ports.clock.now()), ports.paths), config };
}
