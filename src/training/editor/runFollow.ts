import { backoff } from '../../base/core/backoff.ts';
import { CancellationSource } from '../../base/core/cancellation.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import { toReport } from '../../base/core/errors.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { RunEvent } from '../core/protocol/runs.ts';
import type { ClientConnection } from '../core/wire/clientConnection.ts';

export interface RunFollowParts {
  readonly connection: Pick<ClientConnection, 'follow' | 'state'>;
  readonly run: string;
  readonly clock: Pick<Clock, 'after'>;
  readonly take: (events: readonly RunEvent[]) => void;
  /** Told why no events come, and null once they are to come again. */
  readonly tellProblem: (problem: string | null) => void;
  /** The host has no such run. */
  readonly gone: (error: unknown) => void;
}

/** Of the log, no line: a page shows what was measured. There is no source of that name. */
const noLog = ['-'];

/** Milliseconds until it is tried again, the first time and at most; and after which a new try counts as good. */
const pauses = { first: 5_000, most: 60_000 } as const;
/** Milliseconds after which a run that is followed again counts as reached. */
const good = 2_000;

/** Follows a run for a page, from its first event to its last, and anew from where it was when the host cannot go on. */
export class RunFollow implements Disposable {
  readonly #parts: RunFollowParts;
  readonly #cancellation = new CancellationSource();
  #state: 'idle' | 'following' | 'waiting' = 'idle';
  #last = 0;
  #failures = 0;
  #timer: Disposable | undefined;
  #problem: string | null = null;

  constructor(parts: RunFollowParts) {
    this.#parts = parts;
  }

  /** Unless it is at it. */
  start(): void {
    if (this.#state === 'idle') void this.#follow();
  }

  dispose(): void {
    this.#timer?.dispose();
    this.#cancellation.cancel();
  }

  async #follow(): Promise<void> {
    const { connection, run, take } = this.#parts;
    this.#state = 'following';
    const from = { after: this.#last, sources: noLog };
    try {
      for await (const events of connection.follow(run, from, this.#cancellation.token)) {
        this.#last = events.at(-1)?.seq ?? this.#last;
        this.#goesOn();
        take(events);
      }
      this.#goesOn();
    } catch (error) {
      this.#failed(error);
    }
  }

  #goesOn(): void {
    this.#failures = 0;
    this.#tell(null);
  }

  #failed(error: unknown): void {
    const { connection, clock, gone } = this.#parts;
    this.#timer?.dispose();
    const { code, message, hint } = toReport(error, 'hosts/run');
    // Of a connection that has ended, its state tells; the next one is followed by another.
    if (this.#cancellation.token.isCancelled || connection.state.kind === 'ended') return;
    if (code === 'host/no-run') {
      this.#state = 'idle'; // a host that is started anew can have it again
      gone(error);
      return;
    }
    this.#state = 'waiting';
    this.#tell(`${message} ${hint ?? ''}`.trim());
    this.#failures += 1;
    this.#timer = clock.after(backoff(this.#failures, pauses), () => {
      void this.#follow();
      this.#timer = clock.after(good, () => this.#tell(null));
    });
  }

  #tell(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.#parts.tellProblem(problem);
  }
}
