import type { TracedSpan } from '../../tracking/core/records/trace.ts';

/** What becomes of a span's row: it is new, another takes its place, or it goes. */
export interface SpanChange {
  readonly change: 'begun' | 'ended' | 'gone';
  readonly span: TracedSpan;
}

/**
 * Spans that wait to be written. Those that run are worth a transaction of their own, and so is their end; most are over
 * when they are told, and go with what their episode writes next: a short one costs no commit.
 */
export class SpanRows {
  /** By episode, in order. */
  readonly #waiting = new Map<number, SpanChange[]>();
  /** Written as running, by episode and position. */
  readonly #running = new Map<number, Map<number, TracedSpan>>();

  /** Whether it is to be written at once. */
  add(span: TracedSpan): boolean {
    const { episode, seconds } = span;
    const running = this.#running.get(episode);
    const known = running?.has(span.span) === true;
    this.#waitingOf(episode).push({ change: known ? 'ended' : 'begun', span });
    if (seconds === null) {
      if (running) running.set(span.span, span);
      else this.#running.set(episode, new Map([[span.span, span]]));
      return true;
    }
    running?.delete(span.span);
    return known;
  }

  /** What is to be written now. Once an episode has ended it has nothing more to write. */
  take(episode: number, endedCall?: number): readonly SpanChange[] {
    const taken = this.#waiting.get(episode) ?? [];
    this.#waiting.delete(episode);
    const running = this.#running.get(episode);
    if (running === undefined) return taken;
    const gone = [...running.values()].filter(({ call }) => call !== null && call === endedCall);
    for (const { span } of gone) running.delete(span);
    if (running.size === 0) this.#running.delete(episode);
    return [...taken, ...gone.map((span) => ({ change: 'gone', span }) as const)];
  }

  #waitingOf(episode: number): SpanChange[] {
    const waiting = this.#waiting.get(episode) ?? [];
    this.#waiting.set(episode, waiting);
    return waiting;
  }
}
