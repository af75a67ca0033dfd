import * as z from 'zod/mini';

/** A job in a response of the Jobs API, without the fields that are not used. */
export const rayJobInfo = z.object({
  status: z.enum(['PENDING', 'RUNNING', 'STOPPED', 'SUCCEEDED', 'FAILED']),
  message: z.nullish(z.string()),
  error_type: z.nullish(z.string()),
  driver_exit_code: z.nullish(z.int()),
});
export type RayJobInfo = z.infer<typeof rayJobInfo>;

export type RayAnswer =
  | { readonly kind: 'job'; readonly info: RayJobInfo }
  /** The head answers, but does not know the job. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'silent'; readonly why: string };

export type RayState =
  | { readonly kind: 'pending' | 'running' | 'succeeded' | 'stopped' }
  | { readonly kind: 'failed'; readonly reason: string; readonly exitCode: number | null }
  /** There is no answer, and the job may still run. */
  | { readonly kind: 'silent'; readonly since: number; readonly why: string }
  | { readonly kind: 'lost'; readonly reason: string };

/** Milliseconds without an answer after which a job counts as lost. */
export const silenceAllowed = 120_000;
/** The same limit while a job is being stopped. */
export const silenceAtEnd = 30_000;

/** The state of a submitted job, from the answers of the head alone: the end of a log is not the end of its job. */
export class RayWatch {
  #state: RayState = { kind: 'pending' };
  /** The time of the first of the attempts that failed in a row. */
  #silentSince: number | undefined;

  get state(): RayState {
    return this.#state;
  }

  get isFinal(): boolean {
    return !['pending', 'running', 'silent'].includes(this.#state.kind);
  }

  /**
   * @param now monotonic milliseconds
   * @param allowed milliseconds of silence
   */
  observe(answer: RayAnswer, now: number, allowed = silenceAllowed): RayState {
    if (!this.isFinal) this.#state = this.#next(answer, now, allowed);
    return this.#state;
  }

  #next(answer: RayAnswer, now: number, allowed: number): RayState {
    if (answer.kind === 'silent') {
      const since = (this.#silentSince ??= now);
      if (now - since < allowed) return { kind: 'silent', since, why: answer.why };
      const seconds = Math.round((now - since) / 1000);
      return { kind: 'lost', reason: `Ray's head has not responded for ${seconds} s: ${answer.why}` };
    }
    this.#silentSince = undefined;
    if (answer.kind === 'job') return stateOf(answer.info);
    const reason = "Ray's head does not know the job. It was restarted, or the job was deleted";
    return { kind: 'lost', reason };
  }
}

/** Log lines that Ray appends to the message of a failed job. The log has them already. */
const lastLines = /, last available logs[^]*$/;

function stateOf({ status, message, error_type: type, driver_exit_code: code }: RayJobInfo): RayState {
  if (status !== 'FAILED') return { kind: kinds[status] };
  const reason = [type, message?.replace(lastLines, '')].filter((part) => (part ?? '') !== '');
  return { kind: 'failed', reason: reason.join(': ') || 'Ray gives no reason', exitCode: code ?? null };
}

const kinds = {
  PENDING: 'pending',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  STOPPED: 'stopped',
} as const;
