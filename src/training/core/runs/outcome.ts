import * as z from 'zod/mini';
import type { RunEvent, RunLauncher } from '../protocol/runs.ts';

/** The exit of a run's process, as its keeper recorded it. */
export const runExit = z.object({
  code: z.nullable(z.int()),
  signal: z.nullable(z.string()),
  /** The reason why it could not be started. */
  error: z.optional(z.string()),
});
export type RunExit = z.infer<typeof runExit>;

export interface RunEnd {
  readonly launcher: RunLauncher;
  /** The recorded exit; null if there is none and there will be none. */
  readonly exit: RunExit | null;
  /** True if the machine was restarted since then. */
  readonly rebooted: boolean;
  /** The client that canceled it before its end. */
  readonly cancelledBy: string | null;
  /** The sentence in its log that reports the failure. */
  readonly failure: string | null;
  readonly exception: string | null;
}

type RunOutcome = Pick<Extract<RunEvent, { type: 'state' }>, 'state' | 'reason' | 'exitCode'>;

/** Exit codes of the process that monitors a job on Ray. */
export const rayExits = { succeeded: 0, stopped: 130, lost: 75 } as const;

/** Returns the final state. Exit code 0 and a log without a failure mean success. */
export function outcomeOf(end: RunEnd): RunOutcome {
  const { exit, cancelledBy } = end;
  const code = exit?.code ?? null;
  const exitCode = code === null ? {} : { exitCode: code };
  const unknown = end.launcher === 'ray' ? whyUnknown(end) : undefined;
  if (unknown !== undefined) return { state: 'lost', reason: unknown, ...exitCode };
  if (cancelledBy !== null) return { state: 'cancelled', reason: `Canceled by ${cancelledBy}.`, ...exitCode };
  if (exit === null) {
    if (!end.rebooted) return { state: 'lost', reason: 'Its process ended without a result.' };
    return { state: 'rebooted', reason: 'The run ended because the machine was restarted.' };
  }
  if (exit.error !== undefined) return { state: 'failed', reason: exit.error, ...exitCode };
  if (exit.signal !== null) return { state: 'failed', reason: bySignal(exit.signal, end.exception) };
  if (end.launcher === 'ray' && exit.code === rayExits.stopped) {
    return { state: 'cancelled', reason: 'The job was stopped on Ray.', ...exitCode };
  }
  if (exit.code === 0 && end.failure === null) return { state: 'finished', ...exitCode };
  return { state: 'failed', reason: whyFailed(end, exit.code ?? 0), ...exitCode };
}

/** Undefined: Ray reported the end. A job can outlive its monitor, or a head that cannot be reached to stop it. */
function whyUnknown({ exit, cancelledBy }: RunEnd): string | undefined {
  if (exit === null || (exit.code !== rayExits.lost && exit.signal === null)) return undefined;
  const why =
    exit.signal === null
      ? "Ray's head has not reported how the job ended"
      : `The process that monitors the job was ended by ${exit.signal}`;
  if (cancelledBy === null) return `${why}.`;
  return `${why}. ${cancelledBy} had canceled the job. Check on the cluster whether it is still running.`;
}

function bySignal(signal: string, exception: string | null): string {
  const why = signal === 'SIGKILL' ? ', which the system sends when memory runs out' : '';
  return `It was killed by ${signal}${why}.${exception === null ? '' : ` Last exception: ${exception}`}`;
}

/** The maximum length of a reason, in characters. */
const reasonLength = 500;

function whyFailed({ failure, exception }: RunEnd, code: number): string {
  const [first, second] = [failure, exception].filter((text) => text !== null);
  const how = code === 0 ? 'Its log reports a failure' : `It ended with exit code ${code}`;
  if (first === undefined) return `${how}.`;
  const text = second === undefined || first.includes(second) ? first : `${first} ${second}`;
  return `${how}: ${text.length > reasonLength ? `${text.slice(0, reasonLength)}…` : text}`;
}
