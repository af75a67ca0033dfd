import { canonicalJson } from '../../../src/base/core/canonicalJson.ts';
import type { EpisodeResult } from '../../../src/tracking/core/records/episodeResult.ts';
import type {
  TracedCall,
  TracedEpisode,
  TracedEpisodeEnd,
  TracedMessage,
  TracedSpan,
  TracedTimeline,
  TracedToken,
  TracedTraining,
  TraceWriter,
} from '../../../src/tracking/core/records/trace.ts';
import type { TracedRun, TracedRunEnd } from '../../../src/tracking/core/records/tracedRun.ts';
import type {
  CallRow,
  CallView,
  EpisodeView,
  SpanRow,
  TimelineRow,
  TimelineView,
  MessageView,
} from '../../../src/traces/core/protocol/episodeRpc.ts';
import type { EpisodeRow, EpisodesView } from '../../../src/traces/core/protocol/traceLists.ts';
import type { RunTotals } from '../../../src/traces/core/records.ts';
import type { TokensView } from '../../../src/traces/core/protocol/tokenRpc.ts';
import { takenOverMask } from '../../../src/tracking/core/replyTokens.ts';
import { mergeCalls, withTokens } from '../../../src/tracking/core/mergeCalls.ts';
import { hintOf } from '../../../src/tracking/core/finding.ts';
import { trainingReport } from '../../../src/tracking/core/report.ts';
import type { AddedMessage } from '../../../src/tracking/core/tracker.ts';

interface Kept {
  readonly episode: TracedEpisode;
  /** In the order in which they ended. */
  readonly calls: TracedCall[];
  readonly messages: Map<number, TracedMessage>;
  readonly spans: Map<number, TracedSpan>;
  end: TracedEpisodeEnd | undefined;
}

interface Content {
  readonly timelines: readonly TracedTimeline[];
  readonly messages: ReadonlyMap<number, TracedMessage>;
}

/** What is told of tokens but what is worked out of them. */
export type NaiveTokens = Omit<TokensView, 'authors' | 'drifted' | 'entropies'>;

/** A trace that keeps everything in memory and finds every answer the long way round. */
export class NaiveTrace implements TraceWriter {
  readonly file = 'memory';
  readonly run: TracedRun;
  readonly #episodes = new Map<number, Kept>();
  readonly #tokens = new Map<number, TracedToken>();
  readonly #trained: TracedTraining[] = [];
  #end: TracedRunEnd | undefined;

  constructor(run: TracedRun) {
    this.run = run;
  }

  episodeStarted(episode: TracedEpisode): void {
    const kept = { episode, calls: [], messages: new Map(), spans: new Map(), end: undefined };
    this.#episodes.set(episode.episode, kept);
  }

  callEnded(call: TracedCall, messages: readonly AddedMessage[], tokens: readonly TracedToken[]): void {
    const kept = this.#kept(call.episode);
    kept.calls.push(call);
    for (const span of kept.spans.values()) if (span.call === call.call) kept.spans.delete(span.span);
    for (const { position, message } of messages) kept.messages.set(position, message);
    for (const token of tokens) this.#tokens.set(token.id, token);
  }

  span(span: TracedSpan): void {
    this.#kept(span.episode).spans.set(span.span, span);
  }

  episodeEnded(end: TracedEpisodeEnd, messages: readonly AddedMessage[]): void {
    const kept = this.#kept(end.result.episode);
    kept.end = end;
    for (const { position, message } of messages) kept.messages.set(position, message);
  }

  trained(timelines: readonly TracedTraining[]): void {
    this.#trained.push(...timelines);
  }

  codeFound(): void {
    // No answer that is compared has it.
  }

  runEnded(end: TracedRunEnd): void {
    this.#end = end;
  }

  totals(): RunTotals {
    const results = this.#results();
    const rewards = results.flatMap(({ reward }) => (reward === null ? [] : [reward]));
    const successes = results.filter(({ reward, isSuccess }) => reward !== null && isSuccess);
    const share = (value: number): number | null => (rewards.length === 0 ? null : value / rewards.length);
    const timelines = [...this.#episodes.values()].flatMap(({ end }) => end?.timelines ?? []);
    return {
      started: this.#episodes.size,
      ended: results.length,
      failed: results.length - rewards.length,
      meanReward: share(sum(rewards)),
      successRate: share(successes.length),
      calls: sum([...this.#episodes.values()].map(({ calls }) => calls.length)),
      timelines: timelines.length,
      tokens: sum(timelines.map(({ tokens }) => tokens)),
      trainableTokens: sum(timelines.map(({ trainableTokens }) => trainableTokens)),
    };
  }

  episodes(from: number, limit: number): EpisodesView {
    const numbers = [...this.#episodes.keys()].sort((a, b) => a - b);
    return {
      total: numbers.length,
      rows: numbers.slice(from, from + limit).map((episode) => this.#row(episode, 300)),
    };
  }

  episode(episode: number): EpisodeView {
    const { calls, end } = this.#kept(episode);
    const { timelines } = this.#content(episode);
    return {
      row: this.#row(episode, Infinity),
      calls: calls.toSorted((a, b) => a.call - b.call).map((call) => this.#callRow(call)),
      timelines: timelines.map((timeline, index) =>
        timelineRow(timeline, index, end === undefined, this.#trainingOf(episode, index)),
      ),
    };
  }

  /** Those that were recorded; it tells of no tools. */
  recordedSpans(episode: number): readonly Pick<SpanRow, 'kind' | 'name' | 'call' | 'seconds' | 'error'>[] {
    return [...this.#kept(episode).spans.values()]
      .toSorted((one, other) => one.startedAt - other.startedAt || one.span - other.span)
      .map(({ kind, name, call, seconds, error }) => ({ kind, name, call, seconds, error }));
  }

  call(episode: number, number: number): CallView {
    const { calls, messages } = this.#kept(episode);
    const call = calls.find((one) => one.call === number);
    if (call === undefined) throw new Error(`no call ${number}`);
    const positions = call.reply === null ? call.messages : [...call.messages, call.reply];
    const views = messageViews(positions, messages);
    return {
      row: this.#callRow(call),
      source: call.source ?? null,
      options: call.options,
      tools: call.tools,
      messages: views.slice(0, call.messages.length),
      reply: call.reply === null ? null : (views.at(-1) ?? null),
    };
  }

  timeline(episode: number, index: number): TimelineView {
    const { timelines, messages } = this.#content(episode);
    const timeline = timelines[index];
    if (timeline === undefined) throw new Error(`no timeline ${index}`);
    const provisional = this.#kept(episode).end === undefined;
    const training = this.#trainingOf(episode, index);
    return {
      row: timelineRow(timeline, index, provisional, training),
      advantage: training?.advantage ?? this.#row(episode, Infinity).advantage,
      exact: this.run.tokenizer.exact,
      messages: messageViews(timeline.messages, messages),
    };
  }

  /** All of them at once; windows of the real one are slices of it. */
  tokens(episode: number, index: number): NaiveTokens {
    const { timelines, messages } = this.#content(episode);
    const texts: string[] = [];
    const tokens = (timelines[index]?.messages ?? []).flatMap((position, message) => {
      const found = messages.get(position);
      const ids = [...(found?.tokenIds ?? [])];
      texts.push(...textsOf(ids.map((id) => this.#tokens.get(id)?.bytes ?? new Uint8Array())));
      return ids.map((id, at) => ({
        id,
        message,
        mask: found?.lossMask[at],
        logprob: found?.logprobs?.[at],
      }));
    });
    return {
      from: 0,
      total: tokens.length,
      ids: tokens.map(({ id }) => id),
      texts,
      special: tokens.map(({ id }) => this.#tokens.get(id)?.special ?? false),
      lossMask: tokens.map(({ mask }) => (mask === 1 ? 1 : 0)),
      logprobs: tokens.map(({ logprob = NaN }) => (Number.isNaN(logprob) ? null : logprob)),
      messages: tokens.map(({ message }) => message),
      trainer: this.#trainerOf(
        episode,
        index,
        tokens.map(({ logprob = NaN }) => logprob),
      ),
    };
  }

  /** The first that was written. */
  #trainingOf(episode: number, timeline: number): TracedTraining | undefined {
    return this.#trained.find((one) => one.episode === episode && one.timeline === timeline);
  }

  #trainerOf(episode: number, timeline: number, sampler: readonly number[]): NaiveTokens['trainer'] {
    const training = this.#trainingOf(episode, timeline);
    if (training === undefined) return null;
    const known = (values: readonly number[]): (number | null)[] =>
      values.map((value) => (Number.isNaN(value) ? null : value));
    const logprobs = sampler.map((_, at) => training.logprobs[at] ?? NaN);
    return {
      logprobs: known(logprobs),
      ratios: known(sampler.map((own, at) => Math.exp((logprobs[at] ?? NaN) - own))),
      kls: known(
        sampler.map((own, at) => {
          const off = own - (training.baseLogprobs?.[at] ?? NaN);
          return Math.exp(-off) + off - 1;
        }),
      ),
    };
  }

  #kept(episode: number): Kept {
    const kept = this.#episodes.get(episode);
    if (kept === undefined) throw new Error(`no episode ${episode}`);
    return kept;
  }

  #results(): readonly EpisodeResult[] {
    return [...this.#episodes.values()].flatMap(({ end }) => (end === undefined ? [] : [end.result]));
  }

  #content(episode: number): Content {
    const { calls, messages, end } = this.#kept(episode);
    if (end !== undefined) return { timelines: end.timelines, messages };
    const inTimelines = calls.filter(
      ({ reply }) => reply === null || messages.get(reply)?.author !== 'llm(do_not_train)',
    );
    const list = Array.from(
      { length: messages.size },
      (_, position) => messages.get(position) ?? fail(`no message ${position}`),
    );
    const compared = inTimelines.map((call) => ({
      ...call,
      tools: canonicalJson(JSON.parse(call.tools ?? '[]')),
    }));
    const merged = mergeCalls(compared, list, {
      ...this.run.merging,
      lossMaskOf: (reply) => takenOverMask(reply, (id) => this.#tokens.get(id)?.special ?? false),
    });
    const added = merged.added.map(({ position, message }) => [position, message] as const);
    return { timelines: withTokens(merged, list), messages: new Map([...messages, ...added]) };
  }

  #row(number: number, queryLength: number): EpisodeRow {
    const { episode, calls, end } = this.#kept(number);
    const { timelines } = this.#content(number);
    const { repeat, tokenizer, judge } = this.run;
    const report = trainingReport(this.#results(), { repeat, approximate: !tokenizer.exact, judge });
    const verdict = report.episodes.find((one) => one.episode === number);
    const group = this.#results().filter((one) => groupOf(one, repeat) === groupOf(episode, repeat));
    const open = this.#end === undefined && group.length < repeat && verdict?.trains === true;
    const lost = end === undefined && this.#end !== undefined;
    return {
      episode: number,
      taskId: episode.taskId,
      repeat: episode.repeat,
      query: episode.query.slice(0, queryLength),
      state: end !== undefined ? 'ended' : lost ? 'lost' : 'running',
      reward: end?.result.reward ?? null,
      isSuccess: end?.result.isSuccess ?? false,
      startedAt: episode.startedAt,
      seconds: end?.result.seconds ?? null,
      calls: calls.length,
      timelines: timelines.length,
      tokens: sum(timelines.map(({ tokens }) => tokens)),
      trainableTokens: sum(timelines.map(({ trainableTokens }) => trainableTokens)),
      error: end?.result.error ?? null,
      advantage: verdict?.advantage ?? null,
      trains: lost ? false : open ? null : (verdict?.trains ?? null),
      findings: lost
        ? [
            {
              code: 'episode-lost',
              severity: 'error',
              message: 'The process ended before the episode did.',
              hint: hintOf('episode-lost'),
            },
          ]
        : (verdict?.findings ?? [])
            .map((found) => ({ ...found, hint: hintOf(found.code) }))
            .sort((one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning')),
    };
  }

  #callRow(call: TracedCall): CallRow {
    const { timelines } = this.#content(call.episode);
    const timeline = timelines.findLastIndex(({ calls }) => calls.includes(call.call));
    const { agent, tag, startedAt, seconds, status, error, promptTokens, replyTokens, finishReason } = call;
    const { askedAfter = null, firstAfter = null } = call;
    const times = { startedAt, seconds, askedAfter, firstAfter };
    const facts = { call: call.call, agent, tag, ...times, status, error };
    return { ...facts, promptTokens, replyTokens, finishReason, timeline: timeline === -1 ? null : timeline };
  }
}

function groupOf({ episode }: { readonly episode: number }, repeat: number): number {
  return Math.floor(episode / repeat);
}

function timelineRow(
  timeline: TracedTimeline,
  index: number,
  provisional: boolean,
  training: TracedTraining | undefined,
): TimelineRow {
  const { calls, messages, tokens, trainableTokens } = timeline;
  return {
    ...{ timeline: index, calls, messages: messages.length, tokens, trainableTokens, provisional },
    ...(training && { training: { advantage: training.advantage, clip: training.clip } }),
  };
}

function messageViews(
  positions: readonly number[],
  messages: ReadonlyMap<number, TracedMessage>,
): readonly MessageView[] {
  const found = positions.map((position) => messages.get(position) ?? fail(`no message ${position}`));
  return found.map((message, index) => ({
    index,
    role: message.role,
    author: message.author,
    text: message.text.slice(0, 16_384),
    length: message.text.length,
    truncated: message.text.length > 16_384,
    toolCalls: message.toolCalls,
    toolCallId: message.toolCallId,
    firstToken: sum(found.slice(0, index).map(({ tokenIds }) => tokenIds.length)),
    tokens: message.tokenIds.length,
    trainableTokens: sum([...message.lossMask]),
  }));
}

/** The text that each piece adds: what a decoder knows for certain after it, and has not known before. */
function textsOf(pieces: readonly Uint8Array[]): readonly string[] {
  const all = Uint8Array.from(pieces.flatMap((piece) => [...piece]));
  const pieceOf = pieces.flatMap((piece, index) => Array<number>(piece.length).fill(index));
  const texts = pieces.map(() => '');
  for (let start = 0; start < all.length;) {
    const length = characterLength(all.subarray(start));
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all.subarray(start, start + length));
    const piece = pieceOf[start + length - 1] ?? 0;
    texts[piece] = `${texts[piece] ?? ''}${text}`;
    start += length;
  }
  return texts;
}

/** Bytes of the first character or, where there is none, of what one U+FFFD stands for. */
function characterLength(bytes: Uint8Array): number {
  const decode = (count: number): string =>
    new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(0, count));
  let length = 1;
  while (length < Math.min(4, bytes.length) && Array.from(decode(length + 1)).length === 1) length += 1;
  return length;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function fail(why: string): never {
  throw new Error(why);
}
