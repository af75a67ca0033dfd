/** The spans of an episode other than LLM calls: recorded ones, and tool calls derived from messages. */
import type { SpanRecord } from '../../tracking/core/records/trace.ts';
import { groupBy } from '../../tracking/core/groupBy.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import type { SpanRow } from './protocol/episodeRpc.ts';
import { parseJson } from './shallowJson.ts';
import { clip } from './clip.ts';
import type { MessageRecord } from './records.ts';
import type { CallWithTools } from './callQueries.ts';

export interface OpenTool {
  readonly call: number;
  readonly agent: string;
  readonly id: string | null;
  readonly name: string;
  /** The end of the reply, as exactly as it is known. */
  readonly from: number;
}

/** The open tool calls in order. Each lookup takes constant time. */
export class OpenTools {
  readonly #open = new Set<OpenTool>();
  /** By agent and by id, the latest last. Closed tools are removed lazily. */
  readonly #ofAgent = new Map<string, OpenTool[]>();
  readonly #named = new Map<string, OpenTool[]>();
  readonly #namedOfAgent = new Map<string, Map<string, OpenTool[]>>();

  get size(): number {
    return this.#open.size;
  }

  all(): Iterable<OpenTool> {
    return this.#open;
  }

  add(tool: OpenTool): void {
    const { agent, id } = tool;
    this.#open.add(tool);
    push(this.#ofAgent, agent, tool);
    if (id === null) return;
    push(this.#named, id, tool);
    const own = this.#namedOfAgent.get(agent) ?? new Map<string, OpenTool[]>();
    this.#namedOfAgent.set(agent, own);
    push(own, id, tool);
  }

  close(tool: OpenTool): void {
    this.#open.delete(tool);
  }

  /** Returns the latest open tool with that id, preferably the agent's. Later replies may reuse ids. */
  named(id: string, agent: string): OpenTool | undefined {
    return this.#last(this.#namedOfAgent.get(agent)?.get(id)) ?? this.#last(this.#named.get(id));
  }

  /** Returns the open tools that the agent's latest reply called. */
  latestOf(agent: string): readonly OpenTool[] {
    const own = this.#ofAgent.get(agent) ?? [];
    const last = this.#last(own);
    if (last === undefined) return [];
    const before = own.findLastIndex(({ call }) => call !== last.call);
    return own.slice(before + 1).filter((tool) => this.#open.has(tool));
  }

  #last(tools: OpenTool[] = []): OpenTool | undefined {
    for (let last = tools.at(-1); last !== undefined; last = tools.at(-1)) {
      if (this.#open.has(last)) return last;
      tools.pop();
    }
    return undefined;
  }
}

function push(lists: Map<string, OpenTool[]>, key: string, tool: OpenTool): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [tool]);
  else list.push(tool);
}

export interface EpisodeParts {
  readonly recorded: readonly SpanRecord[];
  /** In order of arrival. */
  readonly calls: readonly CallWithTools[];
  readonly messages: readonly Pick<MessageRecord, 'position' | 'role' | 'toolCallId'>[];
  readonly runs: boolean;
}

/** The maximum number of characters of a name and of an error. */
const longest = { name: 200, error: 500 } as const;

/** Returns the spans ordered by start. */
export function spanRows(parts: EpisodeParts): readonly SpanRow[] {
  const recorded = parts.recorded.filter(({ kind }) => kind !== 'tool');
  return [...recorded.map((span) => recordedRow(span, parts.runs)), ...measuredTools(parts)].toSorted(
    byStart,
  );
}

function byStart(one: { readonly startedAt: number }, other: { readonly startedAt: number }): number {
  return one.startedAt - other.startedAt;
}

/** Returns the tool spans that messages imply, with measured times where an imported trace has them, and other measured ones. */
function measuredTools(parts: EpisodeParts): readonly SpanRow[] {
  const measured = parts.recorded.filter(({ kind }) => kind === 'tool').toSorted(byStart);
  const derived = toolSpans(parts);
  if (measured.length === 0) return derived;
  const byName = groupBy(measured, ({ name }) => clip(name, longest.name));
  const rows = derived.toSorted(byStart).map((row): SpanRow => {
    const span = byName.get(row.name)?.shift();
    if (span === undefined) return row;
    const { startedAt, seconds, state, error } = recordedRow(span, parts.runs);
    return { ...row, startedAt, seconds, state, error };
  });
  return [...rows, ...[...byName.values()].flat().map((span) => recordedRow(span, parts.runs))];
}

function recordedRow({ kind, name, call, startedAt, seconds, error }: SpanRecord, runs: boolean): SpanRow {
  return {
    kind,
    name: clip(name, longest.name),
    agent: null,
    call,
    answeredBy: null,
    startedAt,
    seconds,
    state: seconds !== null ? 'ended' : runs ? 'running' : 'lost',
    error: error === null ? null : clip(error, longest.error),
  };
}

/**
 * Derives tool spans from calls, because the tuner does not see tools run. It sees the end of the reply that calls a
 * tool and the start of the request with the answer. The tool ran between them. The answers of a request are its tool
 * messages after the last reply. An answer with an id belongs to the call with that id. An answer without an id belongs to all tools of the agent's latest reply, because a timeline joins several results in a row.
 * A tool without an answer has no end.
 */
export function toolSpans({ recorded, calls, messages, runs }: EpisodeParts): readonly SpanRow[] {
  const heads = new Map(messages.map((message) => [message.position, message]));
  const open = new OpenTools();
  const rows: SpanRow[] = [];
  for (const event of eventsOf(calls)) {
    if (event.kind === 'reply') {
      for (const tool of toolsCalledBy(event.call)) open.add(tool);
      continue;
    }
    for (const tool of answeredTools(event.call, heads, open)) {
      open.close(tool);
      rows.push({ ...rowOf(tool), answeredBy: event.call.call, ...endedAt(tool, event.call.startedAt) });
    }
  }
  const going = { running: recorded.filter(({ kind }) => kind === 'call'), latest: latestOf(calls), runs };
  return [...rows, ...Array.from(open.all(), (tool) => unanswered(tool, going))];
}

interface CallEvent {
  readonly kind: 'request' | 'reply';
  readonly at: number;
  readonly call: CallWithTools;
}

/** In order, in whole milliseconds, the resolution of starts. At equal times, ends come first. */
function eventsOf(calls: readonly CallWithTools[]): readonly CallEvent[] {
  const events = calls.flatMap((call): CallEvent[] => [
    { kind: 'request', at: call.startedAt, call },
    ...(call.toolCalls === null ? [] : [{ kind: 'reply', at: Math.floor(endOf(call)), call } as const]),
  ]);
  return events.sort(
    (one, other) => one.at - other.at || Number(one.kind === 'request') - Number(other.kind === 'request'),
  );
}

function endOf({ startedAt, seconds }: CallWithTools): number {
  return startedAt + seconds * 1000;
}

function toolsCalledBy(call: CallWithTools): readonly OpenTool[] {
  return toolsCalled(call.toolCalls).map(({ id, name }) => ({
    call: call.call,
    agent: call.agent,
    id,
    name: clip(name, longest.name),
    from: endOf(call),
  }));
}

function answeredTools(
  { agent, messages }: CallWithTools,
  heads: ReadonlyMap<number, Pick<MessageRecord, 'role' | 'toolCallId'>>,
  open: OpenTools,
): readonly OpenTool[] {
  const answered = new Set<OpenTool>();
  let isLatestAnswered = false;
  for (let at = messages.length - 1; at >= 0 && open.size > 0; at--) {
    const head = heads.get(messages[at] ?? -1);
    if (head === undefined || head.role === 'assistant') break;
    if (head.role !== 'tool') continue;
    const named = head.toolCallId === null ? undefined : open.named(head.toolCallId, agent);
    if (named !== undefined) answered.add(named);
    else if (!isLatestAnswered) {
      for (const tool of open.latestOf(agent)) answered.add(tool);
      isLatestAnswered = true;
    }
  }
  return [...answered];
}

function rowOf({ name, agent, call }: OpenTool): Pick<SpanRow, 'kind' | 'name' | 'agent' | 'call' | 'error'> {
  return { kind: 'tool', name, agent, call, error: null };
}

function endedAt({ from }: OpenTool, at: number): Pick<SpanRow, 'startedAt' | 'seconds' | 'state'> {
  const startedAt = Math.min(from, at);
  return { startedAt, seconds: (at - startedAt) / 1000, state: 'ended' };
}

interface EpisodeProgress {
  readonly running: readonly SpanRecord[];
  readonly latest: ReadonlyMap<string, number>;
  readonly runs: boolean;
}

function latestOf(calls: readonly CallWithTools[]): ReadonlyMap<string, number> {
  const latest = new Map<string, number>();
  for (const { agent, startedAt } of calls)
    latest.set(agent, Math.max(startedAt, latest.get(agent) ?? startedAt));
  return latest;
}

/** If its agent has started a call since then that has not ended, that call most likely has the answer. */
function unanswered(tool: OpenTool, { running, latest, runs }: EpisodeProgress): SpanRow {
  const row = { ...rowOf(tool), answeredBy: null };
  const next = running.find(
    ({ name, startedAt }) => name === tool.agent && startedAt >= Math.floor(tool.from),
  );
  if (runs && next !== undefined) return { ...row, ...endedAt(tool, next.startedAt), answeredBy: next.call };
  const wentOn = (latest.get(tool.agent) ?? -Infinity) >= Math.floor(tool.from);
  const common = { ...row, startedAt: tool.from, seconds: null };
  return { ...common, state: runs && !wentOn ? 'running' : 'unanswered' };
}

export function toolsCalled(
  json: string | null,
): readonly { readonly id: string | null; readonly name: string }[] {
  const calls = json === null ? undefined : parseJson(json);
  if (!Array.isArray(calls)) return [];
  return (calls as readonly unknown[]).flatMap((call) => {
    if (!isRecord(call)) return [];
    const inner = isRecord(call['function']) ? call['function'] : call;
    const [id, name] = [call['id'], inner['name']];
    if (typeof name !== 'string' || name === '') return [];
    return [{ id: typeof id === 'string' && id !== '' ? id : null, name }];
  });
}

export function toolNames(json: string): readonly string[] {
  return [...new Set(toolsCalled(json).map(({ name }) => clip(name, longest.name)))];
}
