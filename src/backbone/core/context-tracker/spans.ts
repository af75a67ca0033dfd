import { messageOf } from '../../../base/core/errors.ts';
import type { Disposable } from '../../../base/core/disposable.ts';
import type { Clock } from '../../../base/core/ports.ts';
import type { SpanKind, TracedSpan } from '../../../tracking/core/records/trace.ts';

export interface SpanStart {
  readonly kind: Exclude<SpanKind, 'call'>;
  /** Name of the class, the endpoint or the model. */
  readonly name: string;
}

/** @param error why it failed; null: it did not */
export type SpanEnd = (error: string | null) => void;

export type BeginSpan = (span: SpanStart) => SpanEnd;

export async function runInSpan<T>(
  begin: BeginSpan | undefined,
  span: SpanStart,
  work: () => T | Promise<T>,
): Promise<T> {
  const end = begin?.(span);
  try {
    const result = await work();
    end?.(null);
    return result;
  } catch (error) {
    end?.(messageOf(error));
    throw error;
  }
}

/** Milliseconds after which what runs is worth being seen while it does; most is over by then. */
const worthSeeing = 200;

interface Open {
  readonly span: Omit<TracedSpan, 'seconds' | 'error'>;
  /** On the clock that never goes back. */
  readonly from: number;
  readonly timer: Disposable;
}

export class EpisodeSpans {
  readonly #episode: number;
  readonly #clock: Clock;
  readonly #tell: (span: TracedSpan) => void;
  readonly #open = new Map<number, Open>();
  readonly #calls = new Map<number, number>();
  #begun = 0;
  #isClosed = false;

  constructor(episode: number, clock: Clock, tell: (span: TracedSpan) => void) {
    this.#episode = episode;
    this.#clock = clock;
    this.#tell = tell;
  }

  begin({ kind, name }: SpanStart): SpanEnd {
    if (this.#isClosed) return () => undefined;
    const span = this.#add({ kind, name, call: null, startedAt: this.#clock.now() });
    return (error) => this.#end(span, error);
  }

  callBegins(call: number, { agentName, startedAt }: { agentName: string; startedAt: number }): void {
    if (this.#isClosed) return;
    this.#calls.set(call, this.#add({ kind: 'call', name: agentName, call, startedAt }));
  }

  /** Its own record takes its place. */
  callEnded(call: number): void {
    const span = this.#calls.get(call);
    this.#calls.delete(call);
    if (span !== undefined) this.#take(span);
  }

  /** The episode is over: what never came to its end has ended with it. */
  close(): void {
    this.#isClosed = true;
    for (const call of [...this.#calls.keys()]) this.callEnded(call);
    for (const span of [...this.#open.keys()]) this.#end(span, 'The episode ended first.');
  }

  #add(begun: Pick<TracedSpan, 'kind' | 'name' | 'call' | 'startedAt'>): number {
    const position = this.#begun++;
    const span = { episode: this.#episode, span: position, ...begun };
    const timer = this.#clock.after(worthSeeing, () => this.#tell({ ...span, seconds: null, error: null }));
    this.#open.set(position, { span, from: this.#clock.monotonic(), timer });
    return position;
  }

  #end(position: number, error: string | null): void {
    const open = this.#take(position);
    if (open === undefined) return;
    this.#tell({ ...open.span, seconds: (this.#clock.monotonic() - open.from) / 1000, error });
  }

  #take(position: number): Open | undefined {
    const open = this.#open.get(position);
    this.#open.delete(position);
    open?.timer.dispose();
    return open;
  }
}
