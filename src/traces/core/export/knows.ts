import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import type { RunView } from '../protocol/runRpc.ts';

/** Whether numbers of a kind mean anything: an imported trace has zeros in place of what its format lacks. */
export function knows({ imported }: Pick<RunView, 'imported'>, what: MissingData): boolean {
  return imported?.lacks.includes(what) !== true;
}
