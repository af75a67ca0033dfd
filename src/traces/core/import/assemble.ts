/** Makes records of a trace from the parts of an episode that an importer found. */
import { clip } from '../clip.ts';
import type { EpisodeResult } from '../../../tracking/core/records/episodeResult.ts';
import type {
  TracedCall,
  TracedMessage,
  TracedTimeline,
  TracedToken,
  TraceWriter,
  TracedEpisode,
} from '../../../tracking/core/records/trace.ts';
import { mergeCalls, withTokens } from '../../../tracking/core/mergeCalls.ts';
import { groupBy } from '../../../tracking/core/groupBy.ts';
import type { AddedMessage } from '../../../tracking/core/tracker.ts';
import type { CallPart, EpisodePart, FactsPart, ImportedMessage, TimelinePart, TokensPart } from './parts.ts';

export interface EpisodeNumber extends Omit<TracedEpisode, 'uuid' | 'query' | 'startedAt'> {
  /** The name of the episode in the format. */
  readonly name: string;
}

export class EpisodeAssembler {
  readonly #writer: TraceWriter;
  /** Ids whose texts have been written. */
  readonly #known = new Set<number>();

  constructor(writer: TraceWriter) {
    this.#writer = writer;
  }

  write(place: EpisodeNumber, parts: readonly EpisodePart[]): void {
    const facts = parts.filter((part) => part.kind === 'facts').reduce(laterWins, { kind: 'facts' });
    const calls = inOrder(parts.filter((part) => part.kind === 'call'));
    const parsed = parts.filter((part) => part.kind === 'timeline');
    const messages = new Messages();
    const { episode, taskId, taskIndex, repeat, name } = place;
    const startedAt = facts.startedAt ?? calls[0]?.startedAt ?? 0;
    const query = facts.query ?? lastOfUser(calls[0]?.messages ?? parsed[0]?.messages ?? []);
    const uuid = facts.uuid ?? name;
    this.#writer.episodeStarted({ episode, uuid, taskId, taskIndex, repeat, query, startedAt });
    const tools = parts.filter((part) => part.kind === 'tool');
    for (const [span, { name: tool, ...times }] of tools.entries())
      this.#writer.span({ ...times, episode, span, name: tool, call: null });
    const callTimelines = timelineOfCall(parsed);
    const traced = calls
      .map((call, index) => withTokensOf(call, callTimelines.get(index)))
      .map((call, index) =>
        this.#writeCall(call, { episode, call: index, agent: facts.agent ?? '' }, messages),
      );
    const timelines =
      parsed.length > 0 ? timelinesOfFormat(parsed, traced, messages) : merged(traced, messages);
    const result = resultOf(place, facts, calls, timelines);
    const tokens = this.#newTokens(parts.filter((part) => part.kind === 'tokens'));
    this.#writer.episodeEnded({ result, timelines, tokens }, messages.takeAdded());
  }

  #writeCall(
    part: CallPart,
    place: Pick<TracedCall, 'episode' | 'call' | 'agent'>,
    messages: Messages,
  ): TracedCall {
    const asked = part.messages.map((message) => messages.positionOf(message, 'env'));
    const reply = part.reply === null ? null : messages.positionOf(part.reply, 'llm');
    const traced: TracedCall = {
      ...place,
      agent: part.agent ?? place.agent,
      tag: '',
      startedAt: part.startedAt ?? 0,
      seconds: part.seconds ?? 0,
      // Only HTTP calls have a status.
      status: part.status ?? (part.error === null ? 200 : 500),
      error: part.error,
      options: JSON.stringify({ ...(part.model !== null && { model: part.model }), ...part.options }),
      tools: part.tools,
      finishReason: part.finishReason,
      messages: asked,
      reply,
      promptTokens: part.promptTokens ?? 0,
      replyTokens: part.replyTokens ?? 0,
    };
    this.#writer.callEnded(traced, messages.takeAdded(), []);
    return traced;
  }

  #newTokens(parts: readonly TokensPart[]): readonly TracedToken[] {
    return parts
      .flatMap(({ tokens }) => tokens)
      .flatMap(({ id, text, special }) => {
        if (this.#known.has(id)) return [];
        this.#known.add(id);
        return [{ id, bytes: new TextEncoder().encode(text), special }];
      });
  }
}

function laterWins(all: FactsPart, one: FactsPart): FactsPart {
  return { ...all, ...one, metrics: { ...all.metrics, ...one.metrics } };
}

/** Sorts calls by start. Calls without a start keep their position. */
function inOrder(calls: readonly CallPart[]): readonly CallPart[] {
  const isTimed = calls.every(({ startedAt }) => startedAt !== null);
  return isTimed ? calls.toSorted((a, b) => (a.startedAt ?? 0) - (b.startedAt ?? 0)) : calls;
}

function lastOfUser(messages: readonly ImportedMessage[]): string {
  return messages.findLast(({ role }) => role === 'user')?.text ?? '';
}

class Messages {
  readonly all: TracedMessage[] = [];
  readonly #positions = new Map<string, number>();
  #written = 0;

  positionOf(message: ImportedMessage, author: 'env' | 'llm'): number {
    const traced = tracedMessage(message, author);
    const { ids = [], logprobs = null, lossMask = null } = message.tokens ?? {};
    const key = [
      ...[traced.role, traced.author, traced.text, traced.toolCalls ?? '', traced.toolCallId ?? ''],
      ...[ids.join(), lossMask?.join('') ?? '', logprobs?.join() ?? ''],
    ].join('\u0000');
    const known = this.#positions.get(key);
    if (known !== undefined) return known;
    this.#positions.set(key, this.all.length);
    this.all.push(traced);
    return this.all.length - 1;
  }

  takeAdded(): readonly AddedMessage[] {
    const added = this.all.slice(this.#written).map((message, index) => {
      return { position: this.#written + index, message };
    });
    this.#written = this.all.length;
    return added;
  }
}

function tracedMessage(message: ImportedMessage, author: 'env' | 'llm'): TracedMessage {
  const { role, text, toolCalls, toolCallId, fromModel, tokens } = message;
  const { ids = [], logprobs = null, lossMask = null } = tokens ?? {};
  const said = fromModel === undefined ? author : fromModel ? 'llm' : 'env';
  return {
    role,
    text,
    toolCalls,
    toolCallId,
    author: said,
    tokenIds: Int32Array.from(ids),
    logprobs: logprobs === null ? null : Float32Array.from(ids, (_, index) => logprobs[index] ?? NaN),
    lossMask: Uint8Array.from(ids, (_, index) => lossMask?.[index] ?? 0),
  };
}

/** Maps the number of a call to the first timeline that names it. */
function timelineOfCall(parsed: readonly TimelinePart[]): ReadonlyMap<number, TimelinePart> {
  const pairs = parsed.flatMap((timeline) => (timeline.calls ?? []).map((call) => [call, timeline] as const));
  return new Map(pairs.toReversed());
}

/** Returns a call whose messages have the tokens that its timeline has for the same messages. */
function withTokensOf(call: CallPart, timeline: TimelinePart | undefined): CallPart {
  if (timeline === undefined) return call;
  const same = (message: ImportedMessage, place: number): ImportedMessage => {
    const other = timeline.messages[place];
    return message.tokens === undefined && other?.tokens !== undefined && saysTheSame(message, other)
      ? other
      : message;
  };
  return {
    ...call,
    messages: call.messages.map(same),
    reply: call.reply === null ? null : same(call.reply, call.messages.length),
  };
}

function saysTheSame(a: ImportedMessage, b: ImportedMessage): boolean {
  return (
    a.role === b.role && a.text === b.text && a.toolCallId === b.toolCallId && a.toolCalls === b.toolCalls
  );
}

function timelinesOfFormat(
  parsed: readonly TimelinePart[],
  calls: readonly TracedCall[],
  messages: Messages,
): readonly TracedTimeline[] {
  const lists = parsed.map((timeline) =>
    timeline.messages.map((message) => messages.positionOf(message, 'env')),
  );
  const ending = groupBy(
    calls.filter(({ reply }) => reply !== null),
    ({ messages: asked, reply }) => `${asked.length} ${reply ?? ''}`,
  );
  const timelines = lists.map((positions, index) => {
    const contained = positions
      .flatMap((position, place) => ending.get(`${place} ${position}`) ?? [])
      .filter(({ messages: asked }) => asked.every((position, place) => positions[place] === position))
      .map(({ call }) => call)
      .toSorted((a, b) => a - b);
    const own = parsed[index]?.calls ?? contained;
    return { calls: own.filter((call) => call < calls.length), messages: positions };
  });
  return withTokens({ timelines, added: [], maskedAnew: [] }, messages.all);
}

/** Merges the calls by their texts, as AgentJet does. */
function merged(calls: readonly TracedCall[], messages: Messages): readonly TracedTimeline[] {
  const made = mergeCalls(calls, messages.all, {
    compareLevel: 'text',
    ignoreTools: true,
    lossMaskOf: ({ lossMask }) => lossMask,
  });
  const timelines = withTokens(made, messages.all);
  for (const { message } of made.added) messages.all.push(message);
  return timelines;
}

const longestError = 20_000;

function resultOf(
  { episode, taskId, repeat }: EpisodeNumber,
  facts: FactsPart,
  calls: readonly CallPart[],
  timelines: readonly TracedTimeline[],
): EpisodeResult {
  const ends = calls.map(({ startedAt, seconds }) => (startedAt ?? 0) + 1_000 * (seconds ?? 0));
  const end = facts.endedAt ?? ends.reduce((last, one) => Math.max(last, one), 0);
  const start = facts.startedAt ?? calls[0]?.startedAt ?? 0;
  const tokens = timelines.reduce((sum, timeline) => sum + timeline.tokens, 0);
  const trainableTokens = timelines.reduce((sum, timeline) => sum + timeline.trainableTokens, 0);
  const message = facts.error;
  return {
    episode,
    taskId,
    repeat,
    reward: message === undefined ? (facts.reward ?? null) : null,
    isSuccess: facts.isSuccess ?? false,
    ...(Object.keys(facts.metrics ?? {}).length > 0 && { metrics: { ...facts.metrics } }),
    llmCalls: calls.length,
    seconds: start > 0 && end > start ? (end - start) / 1_000 : 0,
    error:
      message === undefined ? null : { code: 'import/episode-error', message: clip(message, longestError) },
    // Without tokens it is unknown what would be trained.
    ...(tokens > 0 && { tracking: { timelines: timelines.length, tokens, trainableTokens, problems: [] } }),
  };
}
