import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { finalStates, type RunEvent, type RunRecord } from '../protocol/runs.ts';
import { wireErrors } from './failures.ts';

/** Lines, and events of other kinds, that may wait for whoever reads them before the host is told to stop. */
const mostWaiting = 20_000;

/** One reader of one run's events: takes each once, in order, from whatever connections there are. */
export class RunFollower {
  readonly run: string;
  readonly sources: ReadonlySet<string> | undefined;
  readonly #changed: (follow: RunFollower) => void;
  #last: number;
  /** Of an ended run, its last event. */
  #until: number | undefined;
  #queue: RunEvent[][] = [];
  #waiting = 0;
  #isStalled = false;
  #failure: Error | undefined;
  #isOver = false;
  #wake: (() => void) | undefined;

  /** @param changed told when it can take events again, and when it is over */
  constructor(
    run: string,
    { after, sources }: { readonly after: number; readonly sources?: readonly string[] },
    changed: (follow: RunFollower) => void,
  ) {
    this.run = run;
    this.#last = after;
    this.sources = sources && new Set(sources);
    this.#changed = changed;
  }

  /** The newest event that it has, wherever that waits. */
  get last(): number {
    return this.#last;
  }

  /** Whether it has all that it can hold. */
  get isStalled(): boolean {
    return this.#isStalled;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** False: events are missing before these. */
  take(events: readonly RunEvent[]): boolean {
    if (this.#isOver || this.#isStalled) return true;
    const fresh: RunEvent[] = [];
    let isWhole = true;
    for (const event of events) {
      if (event.seq <= this.#last) continue;
      isWhole = this.sources !== undefined || event.seq === this.#last + 1;
      if (!isWhole) break;
      this.#last = event.seq;
      if (event.type !== 'log' || (this.sources?.has(event.source) ?? true)) fresh.push(event);
      if (event.type === 'state' && finalStates.includes(event.state)) this.#isOver = true;
    }
    if (fresh.length > 0) {
      this.#queue.push(fresh);
      this.#waiting += linesOf(fresh);
    }
    if (this.#until !== undefined && this.#last >= this.#until) this.#isOver = true;
    this.#isStalled = this.#waiting > mostWaiting;
    this.#wake?.();
    if (this.#isOver || this.#isStalled) this.#changed(this);
    return isWhole;
  }

  /** What the host knows of the run now: of one that has ended, no more events come than it tells. */
  known(record: RunRecord): void {
    if (!finalStates.includes(record.state)) return;
    this.#until = record.events;
    if (this.#last >= record.events) this.#end();
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#end();
  }

  async *events(cancellation: CancellationToken): AsyncGenerator<readonly RunEvent[]> {
    const cancelled = cancellation.onCancelled(() => this.fail(wireErrors.cancelled('run.follow')));
    try {
      for (;;) {
        const next = this.#queue.shift();
        if (next !== undefined) {
          this.#waiting -= linesOf(next);
          yield next;
          if (this.#isStalled && this.#waiting === 0) {
            this.#isStalled = false;
            this.#changed(this);
          }
          continue;
        }
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#isOver) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      cancelled.dispose();
      this.#end();
    }
  }

  #end(): void {
    const before = this.#isOver;
    this.#isOver = true;
    this.#wake?.();
    if (!before) this.#changed(this);
  }
}

function linesOf(events: readonly RunEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === 'log' ? event.lines.length : 1), 0);
}
