/** Answers a viewer's requests from records, as a trace server does. */
import { CodedError } from '../../../src/base/errors.ts';
import {
  largestWindow,
  type EpisodeRow,
  type RunView,
  type TimelineView,
  type TokensView,
  type TraceMethod,
  type TraceRequest,
} from '../../../src/protocol/traceRpc.ts';
import { tokensView, viewsOf, type EpisodeRecord } from './records.ts';

export interface ScriptedRun {
  readonly run: RunView;
  readonly episodes: number;
  readonly row: (episode: number) => EpisodeRow | undefined;
  readonly record: (episode: number) => EpisodeRecord | undefined;
  /** Instead of what the record has. */
  readonly timeline?: (episode: number, timeline: number) => TimelineView;
  readonly tokens?: (episode: number, timeline: number, from: number, limit: number) => TokensView;
}

/** A trace that a test can change, slow down and break. */
export class ScriptedTrace {
  run: ScriptedRun;
  /** Requests so far, in order. */
  readonly requests: TraceRequest[] = [];
  /** How many of a method were under way at once, at most. */
  readonly mostAtOnce = new Map<TraceMethod, number>();
  readonly #underWay = new Map<TraceMethod, number>();
  readonly #held = new Map<TraceMethod, Promise<unknown>>();
  readonly #failing = new Map<TraceMethod, CodedError>();

  constructor(run: ScriptedRun) {
    this.run = run;
  }

  /** Requests of a method wait until the returned function is called. */
  hold(method: TraceMethod): () => void {
    let release: () => void = () => undefined;
    this.#held.set(method, new Promise((resolve) => (release = () => resolve(undefined))));
    return () => {
      this.#held.delete(method);
      release();
    };
  }

  /** Requests of a method fail until {@link mend}. */
  fail(method: TraceMethod, error: CodedError): void {
    this.#failing.set(method, error);
  }

  mend(method: TraceMethod): void {
    this.#failing.delete(method);
  }

  count(method: TraceMethod): number {
    return this.requests.filter((request) => request.method === method).length;
  }

  async answer(request: TraceRequest): Promise<unknown> {
    const { method } = request;
    this.requests.push(request);
    const underWay = (this.#underWay.get(method) ?? 0) + 1;
    this.#underWay.set(method, underWay);
    this.mostAtOnce.set(method, Math.max(underWay, this.mostAtOnce.get(method) ?? 0));
    try {
      await this.#held.get(method);
      const failure = this.#failing.get(method);
      if (failure) throw failure;
      return answerOf(this.run, request);
    } finally {
      this.#underWay.set(method, (this.#underWay.get(method) ?? 1) - 1);
    }
  }
}

function answerOf(run: ScriptedRun, request: TraceRequest): unknown {
  switch (request.method) {
    case 'run':
      return run.run;
    case 'episodes':
      return episodesView(run, request.from, request.limit);
    case 'episode':
      return recordOf(run, request.episode).view;
    case 'call':
      return found(recordOf(run, request.episode).calls[request.call], `call ${request.call}`);
    case 'timeline':
      return timelineView(run, request.episode, request.timeline);
    case 'tokens':
      return tokensOf(run, request);
    case 'watch':
    case 'unwatch':
      return null;
    case 'summaries':
      throw new Error('The viewer never asks for summaries.');
  }
}

function episodesView(run: ScriptedRun, from: number, limit: number) {
  if (limit > largestWindow.episodes) throw new Error(`${limit} episodes are too many to ask for.`);
  const length = Math.max(0, Math.min(limit, run.episodes - from));
  const rows = Array.from({ length }, (_, offset) => found(run.row(from + offset), 'an episode'));
  return { total: run.episodes, rows };
}

function timelineView(run: ScriptedRun, episode: number, timeline: number): TimelineView {
  if (run.timeline) return run.timeline(episode, timeline);
  const { view, timelines } = recordOf(run, episode);
  const what = `timeline ${timeline}`;
  return { row: found(view.timelines[timeline], what), messages: viewsOf(found(timelines[timeline], what)) };
}

function tokensOf(run: ScriptedRun, request: Extract<TraceRequest, { method: 'tokens' }>): TokensView {
  const { episode, timeline, from, limit } = request;
  if (limit > largestWindow.tokens) throw new Error(`${limit} tokens are too many to ask for.`);
  if (run.tokens) return run.tokens(episode, timeline, from, limit);
  return tokensView(found(recordOf(run, episode).timelines[timeline], `timeline ${timeline}`), from, limit);
}

function recordOf(run: ScriptedRun, episode: number): EpisodeRecord {
  return found(run.record(episode), `episode ${episode}`);
}

function found<T>(value: T | undefined, what: string): T {
  if (value !== undefined) return value;
  throw new CodedError({
    code: 'trace/not-there',
    message: `The trace has no ${what}.`,
    hint: 'Go back to the run and choose another.',
  });
}
