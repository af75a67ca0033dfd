import type { Finding } from '../protocol/hostRpc.ts';
import type { RunOrder } from '../protocol/runs.ts';
import { folderInUse } from '../runs/failures.ts';
import type { JobUse, Training } from './training.ts';

/** Other runs of the host that an order meets. */
export interface OtherRuns {
  /**
   * The run that is at work in the folder that the order resumes in, or in this one.
   *
   * @param folder absolute; null: none is known
   */
  readonly userOf: (order: Pick<RunOrder, 'from'>, folder: string | null) => string | undefined;
  /** The run that has a Ray of its own. */
  readonly rayHolder: () => string | undefined;
}

/** The run that is at work in the order's folder, and what upstream makes of that. */
export interface FolderUser {
  readonly run: string;
  readonly use: JobUse;
}

/** As it is judged when the run starts. */
export function folderUserFindings(
  { from }: RunOrder,
  { job }: Training,
  user: FolderUser | null,
): Finding[] {
  if (user === null || user.use === 'renamed') return [];
  const { message, hint } = folderInUse(user.run);
  const told = {
    id: 'folder-in-use',
    ...(hint !== undefined && { hint }),
    ...(from === undefined && { key: job.name.key }),
  };
  if (user.use === 'alone') return [{ ...told, severity: 'error', message }];
  const halves = `The run ${user.run} is at work in the same folder: that is right for the two halves of one training alone.`;
  return [{ ...told, severity: 'warning', message: halves }];
}
