/** The results of trace requests: a table of methods for one trace, and one for methods for several. */
import { largestBinary, type Conversation } from './protocol/episodeRpc.ts';
import type { OtherRunsView, RunsView, TraceSummary } from './protocol/runRpc.ts';
import { largestWindow, type ParamsOf, type TraceMethod, type TraceRequest } from './protocol/traceRpc.ts';
import { compareMessages, type ComparableSide } from './compare.ts';
import type {
  CompareView,
  ComparedToken,
  ComparedTrace,
  RewardPart,
  TokenDetail,
} from './protocol/tokenRpc.ts';
import type { ConversationViews } from './conversationViews.ts';
import { reportOf, traceErrors } from './errors.ts';
import { unreadableSummary } from './unreadable.ts';
import type { TraceViews } from './views.ts';

export interface TraceSession {
  readonly others: readonly string[];
  /** Reads from one consistent state of a trace. Throws a CodedError. */
  read<T>(trace: string, ask: (views: TraceViews) => T): T;
  watch(trace: string): void;
  unwatch(trace: string): void;
}

type SessionMethod =
  | ('watch' | 'unwatch')
  | ('summaries' | 'otherRuns' | 'runs' | 'openRun')
  | ('compare' | 'counterparts');
type ViewMethod = Exclude<TraceMethod, SessionMethod>;

/** There is no editor: the page itself shows the location or the command. */
const shownByPage = 'page' as 'editor' | 'page';

/** The methods that read one trace. Limits are cut to {@link largestWindow}. */
const viewMethods = {
  run: (views) => views.run(),
  episodes: (views, { from, limit, ...list }) =>
    views.episodes(from, Math.min(limit, largestWindow.episodes), list),
  neighbors: (views, { episode, ...list }) => views.neighbors(episode, list),
  label: (views, { episode }) => views.label(episode),
  groups: (views, { from, limit, ...list }) =>
    views.groups(from, Math.min(limit, largestWindow.episodes), list),
  group: (views, { group }) => views.group(group),
  histograms: (views) => views.histograms(),
  names: (views) => views.names(),
  episode: (views, { episode }) => views.episode(episode),
  outcome: (views, { episode }) => views.outcome(episode),
  annotate: (views, { episode, note, tags }) => views.annotate(episode, { note, tags }),
  spans: (views, { episode }) => views.spans(episode),
  call: (views, { episode, call }) => views.call(episode, call),
  timeline: (views, { episode, timeline, setting }) => views.timelines(setting).timeline(episode, timeline),
  tokens: (views, { episode, timeline, setting, from, limit }) =>
    views.timelines(setting).tokens.window(episode, timeline, from, Math.min(limit, largestWindow.tokens)),
  token: (views, { episode, timeline, setting, token }) =>
    views.timelines(setting).tokens.token(episode, timeline, token),
  strip: (views, { episode, timeline, setting, stretches }) =>
    views.timelines(setting).tokens.strip(episode, timeline, Math.min(stretches, largestWindow.stretches)),
  find: (views, { episode, timeline, setting, ...search }) =>
    views.timelines(setting).tokens.find(episode, timeline, search),
  text: (views, { episode, conversation, message, from, limit }) => {
    const window = { from, limit: Math.min(limit, largestWindow.text) };
    return conversationsOf(views, conversation).text(episode, conversation, message, window);
  },
  search: (views, { episode, conversation, ...sought }) =>
    conversationsOf(views, conversation).search(episode, conversation, sought),
  excluded: (views, { episode, call }) => views.excluded.of(episode, call),
  binary: (views, { hash, from, limit }) =>
    views.excluded.binary(hash, { from, limit: Math.min(limit, largestBinary) }),
  source: (views, { episode, of }) => views.code.source(episode, of),
  show: (views, { episode, of }) => ({ source: views.code.source(episode, of), shown: shownByPage }),
  debug: (views, { episode }) => ({ started: shownByPage, command: replayCommand(views, episode) }),
  lines: (views) => views.lines(),
  merging: (views, { episode, setting }) => views.merging(episode, setting),
} satisfies { [M in ViewMethod]: (views: TraceViews, params: ParamsOf<M>) => unknown };

function conversationsOf(views: TraceViews, of: Conversation): ConversationViews {
  return views.timelines(of.kind === 'timeline' ? of.setting : undefined).conversations;
}

/** Returns the command that replays an episode. Throws if the trace does not have the answers to its calls. */
function replayCommand(views: TraceViews, episode: number): string {
  const { episode: number, state } = views.episode(episode).row;
  const { config, trace } = views.summary();
  const named = views.run().imported === undefined ? quoted(config) : 'CONFIG.yaml';
  views.replayed(number);
  if (state !== 'ended') throw traceErrors.notEnded(trace, number);
  return `agentjet --conf ${named} --replay ${quoted(trace)} --episode ${number}`;
}

function quoted(file: string): string {
  return /^[\w./:\\@%+=,-]+$/.test(file) ? file : `'${file.replaceAll("'", "'\\''")}'`;
}

const sessionMethods = {
  watch: (session, { trace }) => {
    session.watch(trace);
    return null;
  },
  unwatch: (session, { trace }) => {
    session.unwatch(trace);
    return null;
  },
  summaries: (session, { traces }) => traces.map((trace) => summaryOf(session, trace)),
  otherRuns: (session): OtherRunsView => ({
    traces: session.others.map((trace) => summaryOf(session, trace)),
  }),
  runs: (session, { trace }): RunsView => ({
    runs: newestFirst([trace, ...session.others].map((one) => summaryOf(session, one))),
  }),
  openRun: () => null,
  compare: (session, { left, right }) => compareView(left, right, (trace, ask) => session.read(trace, ask)),
  counterparts: (session, { trace, episode, other }) => {
    const task = session.read(trace, (views) => views.task(episode));
    return session.read(other, (views) => views.counterparts(task));
  },
} satisfies { [M in SessionMethod]: (session: TraceSession, params: ParamsOf<M>) => unknown };

export function newestFirst(runs: readonly TraceSummary[]): readonly TraceSummary[] {
  return runs.toSorted((one, other) => other.startedAt - one.startedAt);
}

export type ReadTrace = <T>(trace: string, ask: (views: TraceViews) => T) => T;

export function compareView(left: ComparedTrace, right: ComparedTrace, use: ReadTrace): CompareView {
  const read = ({ trace, episode, timeline }: ComparedTrace): ComparableSide =>
    use(trace, (views) => views.comparable(episode, timeline));
  const [one, other] = [read(left), read(right)];
  const { rows, divergence, coarse } = compareMessages(one.messages, other.messages);
  const tokenOf = ({ trace, episode }: ComparedTrace, { side }: ComparableSide): TokenDetail | null => {
    const { timeline, tokens } = side;
    if (divergence === null || timeline === null || divergence >= tokens) return null;
    return use(trace, (views) => views.tokens.token(episode, timeline, divergence));
  };
  const [token, otherToken] = [tokenOf(left, one), tokenOf(right, other)];
  return {
    left: one.side,
    right: other.side,
    rows,
    coarse,
    divergence:
      divergence === null
        ? null
        : {
            token: divergence,
            left: comparedToken(token, otherToken),
            right: comparedToken(otherToken, token),
          },
    rewards: rewardParts(one.parts, other.parts),
  };
}

/** Returns a token, with the log probability that it gives to the other timeline's token. */
function comparedToken(token: TokenDetail | null, other: TokenDetail | null): ComparedToken | null {
  if (token === null) return null;
  const { id, text, logprob, message, inMessage, alternatives } = token;
  const chosen = other === null ? undefined : alternatives.find((one) => one.id === other.id);
  return { id, text, logprob, message, inMessage, otherLogprob: chosen?.logprob ?? null };
}

function rewardParts(left: ComparableSide['parts'], right: ComparableSide['parts']): readonly RewardPart[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return names.map((name) => ({ name, left: left[name] ?? null, right: right[name] ?? null }));
}

function summaryOf(session: TraceSession, trace: string): TraceSummary {
  try {
    return { ...session.read(trace, (views) => views.summary()), trace };
  } catch (error) {
    return unreadableSummary({ trace, size: 0, startedAt: 0 }, reportOf(error));
  }
}

type Methods = typeof viewMethods & typeof sessionMethods;
export type ResultOf<M extends TraceMethod> = ReturnType<Methods[M]>;

/** Returns the result of a request. Throws a CodedError. */
export function resultOf(session: TraceSession, { method, ...params }: TraceRequest): unknown {
  if (method in sessionMethods) {
    const call: (session: TraceSession, params: never) => unknown = sessionMethods[method as SessionMethod];
    return call(session, params as never);
  }
  const read: (views: TraceViews, params: never) => unknown = viewMethods[method as ViewMethod];
  return session.read((params as { readonly trace: string }).trace, (views) => read(views, params as never));
}

export interface TraceClient {
  /** Rejects with a `CodedError` made of the server's report. */
  ask<M extends TraceMethod>(method: M, params: ParamsOf<M>): Promise<ResultOf<M>>;
  onChanged(listener: (trace: string) => void): { dispose(): void };
}
