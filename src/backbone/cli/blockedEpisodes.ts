import { CodedError } from '../../base/core/errors.ts';
import type { Disposable } from '../../base/core/disposable.ts';
import type { Clock } from '../../base/core/ports.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import type { RunEvent } from '../core/protocol/run.ts';

/** Seconds that a run has to end an episode after its limit. Pauses of the process do not count fully. */
const grace = 10;
const tick = 500;

type Started = Extract<RunEvent, { type: 'episode-started' }>;

/** Detects episodes past their limit whose code never yields, so that no timer of that process can end them. */
export class BlockedEpisodes implements Disposable {
  readonly #running = new Map<number, { readonly event: Started; readonly since: number }>();
  /** The milliseconds that this process was running. While it is suspended, events arrive late. */
  #elapsed = 0;
  readonly #limit: number;
  readonly #ticking: Disposable;
  #found = false;

  constructor(clock: Clock, limitSeconds: number, onBlocked: (results: readonly EpisodeResult[]) => void) {
    this.#limit = limitSeconds;
    let last = clock.monotonic();
    this.#ticking = clock.every(tick, () => {
      const now = clock.monotonic();
      this.#elapsed += Math.min(now - last, 2 * tick);
      last = now;
      const results = this.#blocked();
      if (results.length === 0) return;
      this.#found = true;
      this.dispose();
      onBlocked(results);
    });
  }

  /** True once an episode was found blocked. */
  get found(): boolean {
    return this.#found;
  }

  take(event: RunEvent): void {
    if (event.type === 'episode-started') {
      this.#running.set(event.episode, { event, since: this.#elapsed });
    } else if (event.type === 'episode-ended') {
      this.#running.delete(event.result.episode);
    }
  }

  dispose(): void {
    this.#ticking.dispose();
  }

  #blocked(): EpisodeResult[] {
    const seconds = (since: number): number => (this.#elapsed - since) / 1000;
    const running = [...this.#running.values()];
    if (!running.some(({ since }) => seconds(since) > this.#limit + grace)) return [];
    const { code, message, hint } = blocked(this.#limit);
    return running.map(({ event, since }) => ({
      episode: event.episode,
      taskId: event.taskId,
      repeat: event.repeat,
      reward: null,
      isSuccess: false,
      llmCalls: 0,
      seconds: seconds(since),
      error: { code, message, hint },
    }));
  }
}

function blocked(limit: number): CodedError {
  return new CodedError({
    code: 'episode/blocked',
    message: `The run was killed: the workflow exceeded its limit of ${limit} s and blocked the event loop.`,
    hint: 'Look for a loop without an await. In a debug session, Pause shows where it is.',
  });
}
