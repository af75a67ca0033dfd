import type { Severity } from '../../ruleEntry.ts';
import { lowerSeverity } from '../report.ts';
import type { Settings } from '../settings.ts';

export type Training = 'trinity' | 'verl';

/**
 * Returns the severity of a finding for one backbone; undefined if the file names the other one. The command line
 * chooses the backbone. So the severity is lower if the file names `debug` or none. Trinity counts only if the file
 * has a key that only Trinity reads.
 */
export function underBackbone(
  settings: Settings,
  training: Training,
  severity: Severity,
): Severity | undefined {
  const written = settings.typed('backbone') === undefined ? undefined : settings.text('backbone');
  if (written === training) return severity;
  if (written === 'verl' || written === 'trinity') return undefined;
  if (training === 'trinity' && !namesTrinity(settings)) return undefined;
  return lowerSeverity(severity);
}

function namesTrinity(settings: Settings): boolean {
  const { root } = settings.context.document;
  const section = root?.kind === 'mapping' && root.entries.some(({ key }) => key === 'trinity');
  return section || engineKeys.some((path) => settings.typed(path) !== undefined);
}

/** The number of engines has moved; the newer place comes first. */
export const engineKeys = ['rollout.n_vllm_engine', 'trainer_common.trinity_only__n_vllm_engine'] as const;

/** The place of a key that has moved: where the file has it, else the first that is worth something. */
export function currentPath(settings: Settings, paths: readonly string[]): string {
  const typed = paths.find((path) => settings.typed(path) !== undefined);
  return typed ?? paths.find((path) => settings.scalar(path) !== undefined) ?? paths[0] ?? '';
}

export function totalGpus(settings: Settings): number | undefined {
  const nodes = settings.number('trainer_common.nnodes');
  const perNode = settings.number('trainer_common.n_gpus_per_node');
  return nodes === undefined || perNode === undefined ? undefined : nodes * perNode;
}

/** GPUs that Trinity's engines take; the rest trains. */
export function engineGpus(settings: Settings): number | undefined {
  const engines = settings.number(currentPath(settings, engineKeys));
  const parallel = settings.number('rollout.tensor_model_parallel_size');
  return engines === undefined || parallel === undefined ? undefined : engines * parallel;
}
