/** Answers a viewer's requests from records, as a trace server does. */
import type { SourceView } from '../../../src/traces/core/protocol/codeRpc.ts';
import { CodedError } from '../../../src/base/core/errors.ts';
import type { MergeSetting, MergingView } from '../../../src/traces/core/protocol/mergingRpc.ts';
import type { Histogram, EpisodeRow, GroupView } from '../../../src/traces/core/protocol/traceLists.ts';
import {
  largestWindow,
  type TraceMethod,
  type TraceRequest,
} from '../../../src/traces/core/protocol/traceRpc.ts';
import type { RunView, TraceSummary } from '../../../src/traces/core/protocol/runRpc.ts';
import type { OutcomeView, TimelineView } from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { TokensView } from '../../../src/traces/core/protocol/tokenRpc.ts';
import { detailOf, findIn, stripOf } from './scriptedTokens.ts';
import { tokensView, viewsOf, type EpisodeRecord } from './records.ts';

export interface ScriptedRun {
  readonly run: RunView;
  readonly episodes: number;
  readonly row: (episode: number) => EpisodeRow | undefined;
  readonly record: (episode: number) => EpisodeRecord | undefined;
  /** Instead of everything else. */
  readonly answer?: (request: TraceRequest) => unknown;
  /** For the table over runs. */
  readonly runs?: readonly TraceSummary[];
  readonly histograms?: readonly Histogram[];
  /** Of whatever is asked for; absent: nothing has one. */
  readonly source?: SourceView;
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
      return this.run.answer ? this.run.answer(request) : answerOf(this.run, request);
    } finally {
      this.#underWay.set(method, (this.#underWay.get(method) ?? 1) - 1);
    }
  }
}

function answerOf(run: ScriptedRun, request: TraceRequest): unknown {
  switch (request.method) {
    case 'run':
      return run.run;
    case 'episodes': {
      const { total, rows } = episodesView(run, request.from, request.limit);
      const named = request.metadata?.map((name) => [name, `a ${name}`] as const) ?? [];
      const metadata = named.length > 0 && { metadata: Object.fromEntries(named) };
      return {
        total,
        rows: rows.map((row) => ({ ...row, ...metadata })),
        ...anchored(request.anchor, run.episodes),
      };
    }
    case 'groups':
      return {
        ...groupsView(run, request.from, request.limit),
        ...anchored(request.anchor, Math.ceil(run.episodes / run.run.repeat)),
      };
    case 'group':
      return groupView(run, request.group);
    case 'histograms':
      return run.histograms ?? [];
    case 'names':
      return {
        agents: ['solver', 'judge'],
        tools: ['calculate'],
        tasks: ['gsm8k-0'],
        sources: ['agent.ts:12'],
        tags: ['odd'],
        metadata: ['task.level', 'output.final_answer'],
      };
    case 'episode':
      return recordOf(run, request.episode).view;
    case 'outcome':
      return recordOf(run, request.episode).outcome ?? noOutcome;
    case 'neighbors': {
      const { episode } = request;
      const isLast = episode + 1 >= run.episodes;
      return {
        ...{ position: episode, total: run.episodes },
        ...{ previous: episode === 0 ? null : episode - 1, next: isLast ? null : episode + 1 },
      };
    }
    case 'label': {
      const { taskId, repeat } = found(run.row(request.episode), `episode ${request.episode}`);
      return { taskId, repeat };
    }
    case 'spans':
      return { spans: recordOf(run, request.episode).spans ?? [] };
    case 'call':
      return found(recordOf(run, request.episode).calls[request.call], `call ${request.call}`);
    case 'timeline':
      return timelineView(run, request.episode, request.timeline);
    case 'show':
      if (run.source === undefined) throw new Error('The run has no source.');
      return { source: run.source, shown: 'page' };
    case 'debug':
      return { started: 'page', command: `agentjet --replay x.ajtrace --episode ${request.episode}` };
    case 'source':
    case 'lines':
      throw new Error('Only the editor asks for the code.');
    case 'tokens':
      return tokensOf(run, request);
    case 'token':
      return detailOf(allTokens(run, request), request.token);
    case 'otherRuns':
      return { traces: [] };
    case 'counterparts':
    case 'compare':
      throw new Error('Comparisons are of real traces.');
    case 'strip':
      return stripOf(allTokens(run, request), request.stretches);
    case 'find':
      return findIn(allTokens(run, request), request);
    case 'runs':
      return { runs: run.runs ?? [] };
    case 'openRun':
    case 'annotate':
    case 'watch':
    case 'unwatch':
      return null;
    case 'merging':
      return ownMerging(recordOf(run, request.episode));
    case 'excluded':
      return [];
    case 'binary':
    case 'text':
    case 'search':
      throw new Error('Only a real trace can be asked for texts.');
    case 'summaries':
      throw new Error('The viewer never asks for summaries.');
  }
}

const noOutcome: OutcomeView = {
  scoredBy: 'judge',
  judge: { name: 'MathJudge', seconds: 0.25, error: null },
  parts: [],
  attempts: 1,
  output: [],
  reference: [],
  printed: null,
  untrained: [],
};

/** What the record has, by the setting that is upstream's default, with nothing to tell of others. */
function ownMerging({ view }: EpisodeRecord): MergingView {
  const own: MergeSetting = { compareLevel: 'text', ignoreTools: true, fixesDrift: true };
  const { timelines } = view;
  const { tokens, trainableTokens } = view.row;
  return {
    own,
    rows: [{ setting: own, timelines: timelines.length, samples: timelines.length, tokens, trainableTokens }],
    chosen: 0,
    drift: 'same',
    timelines: timelines.map((timeline) => ({ ...timeline, agents: ['solver'], parent: null })),
    forks: [],
    forkCount: 0,
    drifts: [],
    driftCount: 0,
    provisional: false,
  };
}

/** Entries are known by their positions. */
function anchored(anchor: number | 'newest' | undefined, total: number) {
  const newest = total === 0 ? null : total - 1;
  return anchor === 'newest' ? { anchor: newest, newest } : { anchor: anchor ?? null };
}

function episodesView(run: ScriptedRun, from: number, limit: number) {
  if (limit > largestWindow.episodes) throw new Error(`${limit} episodes are too many to ask for.`);
  const length = Math.max(0, Math.min(limit, run.episodes - from));
  const rows = Array.from({ length }, (_, offset) => found(run.row(from + offset), 'an episode'));
  return { total: run.episodes, rows };
}

function groupsView(run: ScriptedRun, from: number, limit: number) {
  const groups = Math.ceil(run.episodes / run.run.repeat);
  const length = Math.max(0, Math.min(limit, groups - from));
  const rows = Array.from({ length }, (_, offset) => groupView(run, from + offset).row);
  return { total: groups, rows };
}

/** The repeats of a task, with as much of the group as a test looks at. */
function groupView(run: ScriptedRun, group: number): GroupView {
  const { repeat } = run.run;
  const episodes = Array.from({ length: repeat }, (_, one) => run.row(group * repeat + one)).filter(
    (row) => row !== undefined,
  );
  const { taskId, query } = found(episodes[0], `episode of group ${group}`);
  const sum = (of: (row: EpisodeRow) => number) => episodes.reduce((total, row) => total + of(row), 0);
  const row = {
    ...{ group, taskId, query, failed: 0, meanReward: null, successRate: null, deviation: null },
    ...{ best: null, worst: null, trains: null, findings: [] },
    started: episodes.length,
    ended: episodes.length,
    matching: episodes.length,
    calls: sum(({ calls }) => calls),
    tokens: sum(({ tokens }) => tokens),
    trainableTokens: sum(({ trainableTokens }) => trainableTokens),
    seconds: sum(({ seconds }) => seconds ?? 0),
  };
  return { row, episodes, groups: Math.ceil(run.episodes / repeat) };
}

function timelineView(run: ScriptedRun, episode: number, timeline: number): TimelineView {
  if (run.timeline) return run.timeline(episode, timeline);
  const { view, timelines } = recordOf(run, episode);
  const what = `timeline ${timeline}`;
  const messages = viewsOf(found(timelines[timeline], what));
  return { row: found(view.timelines[timeline], what), advantage: 0.866, exact: true, messages };
}

type TokensRequest = Extract<TraceRequest, { method: 'tokens' }>;

function tokensOf(run: ScriptedRun, request: TokensRequest): TokensView {
  const { episode, timeline, from, limit } = request;
  if (limit > largestWindow.tokens) throw new Error(`${limit} tokens are too many to ask for.`);
  if (run.tokens) return run.tokens(episode, timeline, from, limit);
  return tokensView(found(recordOf(run, episode).timelines[timeline], `timeline ${timeline}`), from, limit);
}

function allTokens(
  run: ScriptedRun,
  { episode, timeline }: Pick<TokensRequest, 'episode' | 'timeline'>,
): TokensView {
  const everything = Number.MAX_SAFE_INTEGER;
  if (run.tokens) return run.tokens(episode, timeline, 0, everything);
  return tokensView(found(recordOf(run, episode).timelines[timeline], `timeline ${timeline}`), 0, everything);
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
