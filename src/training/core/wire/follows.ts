import type { CancellationToken } from '../../../base/core/cancellation.ts';
import { CodedError } from '../../../base/core/errors.ts';
import { isRecord } from '../../../base/core/isRecord.ts';
import { runEvent, type RunEvent } from '../protocol/runs.ts';
import { wireErrors } from './failures.ts';
import { RunFollower } from './follow.ts';
import type { Requests } from './requests.ts';

/** Gaps after which it is not asked again. */
const mostGaps = 3;

/** All that a client follows; a connection follows each run once, for all who read it. */
export class RunFollowers {
  readonly #requests: Requests;
  readonly #byRun = new Map<string, Set<RunFollower>>();
  /** One after another. */
  readonly #gaps = new Map<RunFollower, number>();
  /** Requests to follow, by run, that the host has not answered: until it has, it sends what it was asked for before. */
  readonly #asked = new Map<string, number>();
  #isConnected = false;

  constructor(requests: Requests) {
    this.#requests = requests;
  }

  follow(
    run: string,
    options: { readonly after: number; readonly sources?: readonly string[] },
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

  /** The host cannot tell what comes next of a run. */
  fail(run: string, error: Error): void {
    for (const follow of [...(this.#byRun.get(run) ?? [])]) follow.fail(error);
  }

  failAll(error: Error): void {
    for (const follow of [...this.#byRun.values()].flatMap((all) => [...all])) follow.fail(error);
  }

  /** @param params of `run.events`, as they came */
  take(params: unknown): void {
    const { run, events } = eventsOf(params);
    for (const follow of [...(this.#byRun.get(run) ?? [])]) {
      // One of some sources knows of no gap: what was asked for before would take it past what it has yet to get.
      if (follow.sources !== undefined && this.#asked.has(run)) continue;
      if (follow.take(events)) {
        this.#gaps.delete(follow);
        continue;
      }
      if (this.#asked.has(run)) continue;
      const gaps = (this.#gaps.get(follow) ?? 0) + 1;
      this.#gaps.set(follow, gaps);
      if (gaps > mostGaps) follow.fail(wireErrors.gap(run));
      else this.#ask(run);
    }
  }

  #changed(follow: RunFollower): void {
    const { run } = follow;
    const all = this.#byRun.get(run);
    if (follow.isOver) {
      all?.delete(follow);
      this.#gaps.delete(follow);
    }
    if (all === undefined || all.size === 0) this.#byRun.delete(run);
    const rest = [...(this.#byRun.get(run) ?? [])];
    if (rest.every(({ isStalled }) => isStalled)) this.#unfollow(run);
    else if (!follow.isOver && !follow.isStalled) this.#ask(run);
  }

  #unfollow(run: string): void {
    if (!this.#isConnected) return;
    this.#requests.ask('run.unfollow', { run }).answer.catch(() => undefined);
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
    this.#requests
      .ask('run.follow', { run, after, ...(sources !== undefined && { sources }) }, { answered })
      .answer.catch((error: unknown) => {
        answered();
        this.#refused(run, error);
      });
    // A run that has ended sends nothing more: its record tells how far to wait.
    this.#requests.ask('run.get', { run }).answer.then(
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
    if (!(error instanceof CodedError) || error.code === 'host/connection-lost') return;
    this.fail(run, error);
  }
}

function eventsOf(params: unknown): { readonly run: string; readonly events: readonly RunEvent[] } {
  const { run, events } = isRecord(params) ? params : {};
  if (typeof run !== 'string' || !Array.isArray(events)) {
    throw wireErrors.badAnswer('run.events', 'it is of another form');
  }
  return { run, events: events.map(eventOf) };
}

/** Nearly all that comes are lines of logs: these are looked at by hand, since a schema takes several times as long. */
function eventOf(json: unknown): RunEvent {
  if (isLines(json)) return json;
  const parsed = runEvent.safeParse(json);
  if (!parsed.success)
    throw wireErrors.badAnswer('run.events', 'it tells an event of a kind that is not known');
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
