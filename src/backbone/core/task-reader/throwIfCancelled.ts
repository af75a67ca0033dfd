import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';

/** Throws `task-reader/cancelled` if the run is canceled. */
export function throwIfCancelled(cancellation: CancellationToken): void {
  if (!cancellation.isCancelled) return;
  throw new CodedError({
    code: 'task-reader/cancelled',
    message: 'The run was canceled while it read tasks.',
  });
}
