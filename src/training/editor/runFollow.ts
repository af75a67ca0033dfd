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
  /** Receives the reason why no events arrive, and null once they arrive again. */
  readonly onProblem: (problem: string | null) => void;
  /** The host has no such run. */
  readonly gone: (error: unknown) => void;
}

/** A log source that does not exist: the page shows metrics and needs no log lines. */
const noLog = ['-'];

/** Milliseconds before the first retry and the longest delay. */
const pauses = { first: 5_000, most: 60_000 } as const;
/** Milliseconds without failure after which a retry counts as successful. */
const good = 2_000;

/** Follows the events of a run for a page. After a failure it continues from the last event. */
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

  /** Does nothing if it is already following or waiting to retry. */
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
        this.#succeeded();
        take(events);
      }
      this.#succeeded();
    } catch (error) {
      this.#failed(error);
    }
  }

  #succeeded(): void {
    this.#failures = 0;
    this.#report(null);
  }

  #failed(error: unknown): void {
    const { connection, clock, gone } = this.#parts;
    this.#timer?.dispose();
    const { code, message, hint } = toReport(error, 'hosts/run');
    // The state of an ended connection has the reason. The next connection gets a new RunFollow.
    if (this.#cancellation.token.isCancelled || connection.state.kind === 'ended') return;
    if (code === 'host/no-run') {
      this.#state = 'idle'; // a restarted host can have the run again
      gone(error);
      return;
    }
    this.#state = 'waiting';
    this.#report(`${message} ${hint ?? ''}`.trim());
    this.#failures += 1;
    this.#timer = clock.after(backoff(this.#failures, pauses), () => {
      void this.#follow();
      this.#timer = clock.after(good, () => this.#report(null));
    });
  }

  #report(problem: string | null): void {
    if (this.#problem === problem) return;
    this.#problem = problem;
    this.#parts.onProblem(problem);
  }
}
