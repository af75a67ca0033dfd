import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { runEvent, type RunEvent, finalStates, type RunRecord } from '../protocol/runs.ts';
import { wireErrors } from './failures.ts';
import type { Requests } from './requests.ts';

/** The number of lines and other events that wait for their reader before the host is asked to stop. */
const mostWaiting = 20_000;

/** The events after the one with the number `after`. Log lines only of these sources; absent: of all. */
export interface FollowOptions {
  readonly after: number;
  readonly sources?: readonly string[];
}

/** A reader of one run's events. It gets each event once, in order, across connections. */
class RunFollower {
  readonly run: string;
  readonly sources: ReadonlySet<string> | undefined;
  readonly #changed: (follow: RunFollower) => void;
  last: number;
  isStalled = false;
  isOver = false;
  /** Gaps in a row. */
  gaps = 0;
  /** The last event of an ended run. */
  #until: number | undefined;
  #queue: RunEvent[][] = [];
  #waiting = 0;
  #failure: Error | undefined;
  #wake: (() => void) | undefined;

  /** @param changed called when it can take events again, and when it ends */
  constructor(run: string, { after, sources }: FollowOptions, changed: (follow: RunFollower) => void) {
    this.run = run;
    this.last = after;
    this.sources = sources && new Set(sources);
    this.#changed = changed;
  }

  /** Returns false if events are missing before these. */
  take(events: readonly RunEvent[]): boolean {
    if (this.isOver || this.isStalled) return true;
    const fresh: RunEvent[] = [];
    let isWhole = true;
    for (const event of events) {
      if (event.seq <= this.last) continue;
      isWhole = this.sources !== undefined || event.seq === this.last + 1;
      if (!isWhole) break;
      this.last = event.seq;
      if (event.type !== 'log' || (this.sources?.has(event.source) ?? true)) fresh.push(event);
      if (event.type === 'state' && finalStates.includes(event.state)) this.isOver = true;
    }
    if (fresh.length > 0) {
      this.#queue.push(fresh);
      this.#waiting += linesOf(fresh);
    }
    if (this.#until !== undefined && this.last >= this.#until) this.isOver = true;
    this.isStalled = this.#waiting > mostWaiting;
    this.#wake?.();
    if (this.isOver || this.isStalled) this.#changed(this);
    return isWhole;
  }

  /** Takes the record of the run. An ended run sends no events after the last one in its record. */
  known(record: RunRecord): void {
    if (!finalStates.includes(record.state)) return;
    this.#until = record.events;
    if (this.last >= record.events) this.#end();
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
          if (this.isStalled && this.#waiting === 0) {
            this.isStalled = false;
            this.#changed(this);
          }
          continue;
        }
        if (this.#failure !== undefined) throw this.#failure;
        if (this.isOver) return;
        await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      cancelled.dispose();
      this.#end();
    }
  }

  #end(): void {
    const before = this.isOver;
    this.isOver = true;
    this.#wake?.();
    if (!before) this.#changed(this);
  }
}

function linesOf(events: readonly RunEvent[]): number {
  return events.reduce((sum, event) => sum + (event.type === 'log' ? event.lines.length : 1), 0);
}

/** The number of gaps in a row after which a follower fails. */
const mostGaps = 3;

/** The followers of a client. A connection follows each run once, for all of its readers. */
export class RunFollowers {
  readonly #requests: Requests;
  readonly #byRun = new Map<string, Set<RunFollower>>();
  /** Requests to follow that the host has not answered, by run. Until then it sends events of the earlier request. */
  readonly #asked = new Map<string, number>();
  #isConnected = false;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  follow(
    run: string,
    options: FollowOptions,
    cancellation: CancellationToken,
  ): AsyncIterable<readonly RunEvent[]> {
    const follow = new RunFollower(run, options, (one) => this.#changed(one));
    const all = this.#byRun.get(run) ?? new Set();
    this.#byRun.set(run, all.add(follow));
    this.#ask(run);
    return follow.events(cancellation);
  }

  connected(): void {
    this.#isConnected = true;
    for (const run of this.#byRun.keys()) this.#ask(run);
  }

  disconnected(): void {
    this.#isConnected = false;
  }

  fail(run: string, error: Error): void {
    for (const follow of [...(this.#byRun.get(run) ?? [])]) follow.fail(error);
  }

  failAll(error: Error): void {
    for (const follow of [...this.#byRun.values()].flatMap((all) => [...all])) follow.fail(error);
  }

  /** @param params parameters of `run.events`, not yet checked */
  take(params: unknown): void {
    const { run, events } = eventsOf(params);
    for (const follow of [...(this.#byRun.get(run) ?? [])]) {
      // A follower of some sources cannot detect a gap: events of an earlier request would move it past those it
      // still needs.
      if (follow.sources !== undefined && this.#asked.has(run)) continue;
      if (follow.take(events)) {
        follow.gaps = 0;
        continue;
      }
      if (this.#asked.has(run)) continue;
      follow.gaps += 1;
      if (follow.gaps > mostGaps) follow.fail(wireErrors.gap(run));
      else this.#ask(run);
    }
  }

  #changed(follow: RunFollower): void {
    const { run } = follow;
    const all = this.#byRun.get(run);
    if (follow.isOver) all?.delete(follow);
    if (all === undefined || all.size === 0) this.#byRun.delete(run);
    const rest = [...(this.#byRun.get(run) ?? [])];
    if (rest.every(({ isStalled }) => isStalled)) this.#unfollow(run);
    else if (!follow.isOver && !follow.isStalled) this.#ask(run);
  }

  #unfollow(run: string): void {
    if (!this.#isConnected) return;
    this.#requests.ask('run.unfollow', { run }).catch(() => undefined);
  }

  #ask(run: string): void {
    const takers = [...(this.#byRun.get(run) ?? [])].filter(({ isStalled }) => !isStalled);
    if (!this.#isConnected || takers.length === 0) return;
    const after = Math.min(...takers.map(({ last }) => last));
    const wanted = takers.map(({ sources }) => sources);
    const sources = wanted.includes(undefined)
      ? undefined
      : [...new Set(wanted.flatMap((one) => [...(one ?? [])]))];
    this.#asked.set(run, (this.#asked.get(run) ?? 0) + 1);
    const answered = (): void => this.#answered(run);
    const params = { run, after, ...(sources !== undefined && { sources }) };
    this.#requests.ask('run.follow', params, { answered }).catch((error: unknown) => {
      answered();
      this.#refused(run, error);
    });
    // An ended run sends no more events. Its record has the number of the last one.
    this.#requests.ask('run.get', { run }).then(
      (record) => {
        for (const follow of [...(this.#byRun.get(run) ?? [])]) follow.known(record);
      },
      (error: unknown) => this.#refused(run, error),
    );
  }

  #answered(run: string): void {
    const left = (this.#asked.get(run) ?? 0) - 1;
    if (left > 0) this.#asked.set(run, left);
    else this.#asked.delete(run);
  }

  #refused(run: string, error: unknown): void {
    if (error instanceof CodedError && error.code !== 'host/connection-lost') this.fail(run, error);
  }
}

function eventsOf(params: unknown): { readonly run: string; readonly events: readonly RunEvent[] } {
  const { run, events } = isRecord(params) ? params : {};
  if (typeof run !== 'string' || !Array.isArray(events)) {
    throw wireErrors.badAnswer('run.events', 'its parameters are invalid');
  }
  return { run, events: events.map(eventOf) };
}

/** Log lines, by far the most events, are checked by hand, because a schema takes several times as long. */
function eventOf(json: unknown): RunEvent {
  if (isLines(json)) return json;
  const parsed = runEvent.safeParse(json);
  if (!parsed.success) throw wireErrors.badAnswer('run.events', 'it has an event of an unknown type');
  return parsed.data;
}

function isLines(json: unknown): json is RunEvent {
  if (!isRecord(json) || json['type'] !== 'log' || json['part'] !== undefined) return false;
  const { seq, at, source, lines, to } = json;
  return (
    Number.isSafeInteger(seq) &&
    typeof at === 'number' &&
    typeof source === 'string' &&
    typeof to === 'number' &&
    Array.isArray(lines) &&
    lines.every((line) => typeof line === 'string')
  );
}
