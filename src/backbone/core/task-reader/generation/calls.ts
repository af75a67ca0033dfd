import { messageOf } from '../../../../base/core/errors.ts';
import { isPermanent } from '../../helper-llm/helperLlm.ts';
import { throwIfCancelled, type TaskSource } from '../taskReader.ts';

export interface CallResults<T> {
  /** In the order of the calls; those that failed are left out. */
  readonly results: readonly T[];
  readonly failed: number;
  readonly firstFailure: string | undefined;
}

/** Leaves out failed calls, as upstream does. Rejects if the others would fail as well, and on cancellation. */
export async function runCalls<T>(
  what: string,
  count: number,
  workers: number,
  call: (index: number) => Promise<T>,
  { cancellation, log }: Pick<TaskSource, 'cancellation' | 'log'>,
): Promise<CallResults<T>> {
  const results: { readonly index: number; readonly value: T }[] = [];
  const failures: string[] = [];
  const step = Math.max(1, Math.floor(count / 10));
  let next = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const index = next++;
      throwIfCancelled(cancellation);
      try {
        results.push({ index, value: await call(index) });
      } catch (error) {
        throwIfCancelled(cancellation);
        if (isPermanent(error)) {
          next = count; // the other workers need not try
          throw error;
        }
        const reason = messageOf(error);
        failures.push(reason);
        log('error', `${what}: call ${index + 1} of ${count} failed and is skipped: ${reason}`);
      }
      done += 1;
      if (done % step === 0 || done === count) log('info', `${what}: ${done} of ${count} calls.`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, count) }, work));
  results.sort((a, b) => a.index - b.index);
  return {
    results: results.map(({ value }) => value),
    failed: failures.length,
    firstFailure: failures[0],
  };
}
