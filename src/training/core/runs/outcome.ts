import type { LauncherName, RunState } from '../protocol/runs.ts';

/** How a run's process ended, as its keeper noted it. */
export interface RunExit {
  readonly code: number | null;
  readonly signal: string | null;
  /** Why it could not be started at all. */
  readonly error?: string | undefined;
}

export interface RunEnd {
  readonly launcher: LauncherName;
  /** Null: there is no note, and nobody left to write one. */
  readonly exit: RunExit | null;
  /** Whether the machine was started anew since. */
  readonly rebooted: boolean;
  /** Who asked it to end, before it had. */
  readonly cancelledBy: string | null;
  /** With which sentence its log says that it failed. */
  readonly failure: string | null;
  /** The last exception in its log. */
  readonly exception: string | null;
}

export interface RunOutcome {
  readonly state: RunState;
  readonly reason?: string;
  readonly exitCode?: number;
}

/** As the process that looks after a job on Ray exits. */
const rayExits = { stopped: 130, lost: 75 } as const;

/** The final state, from what is known: a log that says nothing of a failure and an exit with 0 are a success. */
export function outcomeOf(end: RunEnd): RunOutcome {
  const { exit, cancelledBy } = end;
  const code = exit?.code ?? null;
  const exitCode = code === null ? {} : { exitCode: code };
  const unknown = end.launcher === 'ray' ? whyUnknown(end) : undefined;
  if (unknown !== undefined) return { state: 'lost', reason: unknown, ...exitCode };
  if (cancelledBy !== null)
    return { state: 'cancelled', reason: `Cancelled by ${cancelledBy}.`, ...exitCode };
  if (exit === null) {
    return end.rebooted
      ? { state: 'rebooted', reason: 'The machine was started anew, and the run ended with it.' }
      : { state: 'lost', reason: 'Its process has gone without leaving a result.' };
  }
  if (exit.error !== undefined) return { state: 'failed', reason: exit.error, ...exitCode };
  if (exit.signal !== null) return { state: 'failed', reason: bySignal(exit.signal, end.exception) };
  if (end.launcher === 'ray' && exit.code === rayExits.stopped) {
    return { state: 'cancelled', reason: 'The job was stopped on Ray.', ...exitCode };
  }
  if (exit.code === 0 && end.failure === null) return { state: 'finished', ...exitCode };
  return { state: 'failed', reason: whyFailed(end, exit.code ?? 0), ...exitCode };
}

/**
 * Undefined: Ray has told how the job ended. It goes on without who looks after it, and where its head cannot be asked to
 * stop it.
 */
function whyUnknown({ exit, cancelledBy }: RunEnd): string | undefined {
  if (exit === null || (exit.code !== rayExits.lost && exit.signal === null)) return undefined;
  const why =
    exit.signal === null
      ? "Ray's head has not told how the job ended"
      : `What looked after the job was ended by ${exit.signal}`;
  if (cancelledBy === null) return `${why}.`;
  return `${why}, which ${cancelledBy} had cancelled: look on the cluster whether it still runs.`;
}

function bySignal(signal: string, exception: string | null): string {
  const why = signal === 'SIGKILL' ? ', which the system does when memory runs out' : '';
  return `It was ended from outside by ${signal}${why}.${exception === null ? '' : ` Last: ${exception}`}`;
}

/** Characters of a reason that are shown. */
const reasonLength = 500;

function whyFailed({ failure, exception }: RunEnd, code: number): string {
  const said = [failure, exception].filter((text) => text !== null);
  const [first, second] = said;
  const how = code === 0 ? 'Its log says that it failed' : `It ended with exit code ${code}`;
  if (first === undefined) return `${how}.`;
  const text = second === undefined || first.includes(second) ? first : `${first} ${second}`;
  return `${how}: ${text.length > reasonLength ? `${text.slice(0, reasonLength)}…` : text}`;
}
