/** A whole episode for exports. Parts that grow with the episode are read once, and released when they are written. */
import { CodedError } from '../../../base/core/errors.ts';
import type { PrintedOutput, TracedMessage } from '../../../tracking/core/records/trace.ts';
import type { CallRow, SpanRow, TimelineRow } from '../protocol/episodeRpc.ts';
import type { TrainerTokens } from '../protocol/tokenRpc.ts';
import type { EpisodeRow } from '../protocol/traceLists.ts';
import type { TraceReader } from '../views.ts';
import type { Redactor } from './redact.ts';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';
import type { RunView } from '../protocol/runRpc.ts';

export interface ExportedMessage extends Pick<
  TracedMessage,
  'role' | 'author' | 'text' | 'toolCalls' | 'toolCallId'
> {
  readonly tokenIds: readonly number[];
  readonly lossMask: readonly (0 | 1)[];
  readonly logprobs: readonly (number | null)[] | null;
}

export interface ExportedCall {
  readonly row: CallRow;
  readonly options: string;
  readonly tools: string | null;
  readonly messages: readonly ExportedMessage[];
  readonly reply: ExportedMessage | null;
}

export interface ExportedTimeline {
  readonly row: TimelineRow;
  readonly messages: readonly ExportedMessage[];
  /** The texts of all its tokens, in order; empty for tokens within a character. */
  readonly tokenTexts: readonly string[];
  /** Ids of the chat template's tokens among them. */
  readonly specialTokens: readonly number[];
  /** Null: no training used it. */
  readonly trainer: TrainerTokens | null;
}

export interface ExportedEpisode {
  readonly uuid: string;
  readonly taskIndex: number;
  readonly row: EpisodeRow;
  readonly calls: readonly ExportedCall[];
  readonly timelines: readonly ExportedTimeline[];
  readonly spans: readonly SpanRow[];
  readonly printed: PrintedOutput | undefined;
  /** The parts of its reward and other logged numbers. */
  readonly rewards: readonly (readonly [name: string, value: number])[];
  /** The parts that cannot be read because the file is damaged. */
  readonly missing: readonly string[];
}

/** Error codes for missing parts of a damaged file. */
const lost = /^trace\/(damaged|no-such-(call|timeline|message))$/;

/** @param listed the episode's row in the list of all episodes, which exists even if nothing else can be read */
export function exportedEpisode(
  reader: TraceReader,
  listed: EpisodeRow,
  redactor: Redactor,
): ExportedEpisode {
  const { episode } = listed;
  const missing: string[] = [];
  const attempt = <T>(what: string, ask: () => T): T | undefined => {
    try {
      return ask();
    } catch (error) {
      if (!(error instanceof CodedError) || !lost.test(error.code)) throw error;
      missing.push(what);
      return undefined;
    }
  };
  const whole = attempt('calls and timelines', () => reader.read((views) => views.episode(episode)));
  const calls = (whole?.calls ?? []).flatMap(
    (call) => attempt(`call ${call.call}`, () => exportedCall(reader, episode, call, redactor)) ?? [],
  );
  const timelines = (whole?.timelines ?? []).flatMap(
    (timeline) =>
      attempt(`timeline ${timeline.timeline}`, () => exportedTimeline(reader, episode, timeline, redactor)) ??
      [],
  );
  const identity = attempt('its names', () => reader.read((views) => views.identity(episode)));
  const spans = attempt('spans', () => reader.read((views) => views.spans(episode).spans)) ?? [];
  const printed = attempt('printed output', () => reader.read((views) => views.printed(episode)));
  const rewards =
    attempt('parts of the reward', () => reader.read((views) => views.rewardParts(episode))) ?? {};
  return {
    uuid: redactor.text(identity?.uuid ?? `episode-${episode}`),
    taskIndex: identity?.taskIndex ?? 0,
    row: redactedRow(whole?.row ?? listed, redactor),
    calls,
    timelines,
    spans: spans.map((span) => redactedSpan(span, redactor)),
    printed: printed && {
      ...printed,
      parts: printed.parts.map(({ stream, text }) => ({ stream, text: redactor.message(text) })),
    },
    rewards: Object.entries(rewards).map(([name, value]) => [redactor.text(name), value]),
    missing,
  };
}

/** Names and codes stay, except for secrets in them. Sentences may repeat what a model said. */
function redactedRow(row: EpisodeRow, redactor: Redactor): EpisodeRow {
  const { taskId, query, error, findings, noted } = row;
  return {
    ...row,
    taskId: redactor.text(taskId),
    query: redactor.message(query),
    error: error && { ...error, message: redactor.message(error.message), stack: undefined },
    ...(noted !== undefined && {
      noted: { note: redactor.message(noted.note), tags: noted.tags.map((tag) => redactor.text(tag)) },
    }),
    findings: findings.map((one) => ({ ...one, message: redactor.message(one.message) })),
  };
}

function redactedSpan(span: SpanRow, redactor: Redactor): SpanRow {
  const { name, error } = span;
  return { ...span, name: redactor.text(name), error: error && redactor.message(error) };
}

function exportedCall(reader: TraceReader, episode: number, row: CallRow, redactor: Redactor): ExportedCall {
  const { options, tools, messages, reply } = reader.read((views) => ({
    ...views.call(episode, row.call),
    ...views.conversations.ofCall(episode, row.call),
  }));
  return {
    row: {
      ...row,
      agent: redactor.text(row.agent),
      tag: redactor.text(row.tag),
      error: row.error === null ? null : redactor.message(row.error),
    },
    options: redactor.json(options),
    tools: tools === null ? null : redactor.json(tools),
    messages: messages.map((message) => exportedMessage(message, redactor)),
    reply: reply === null ? null : exportedMessage(reply, redactor),
  };
}

function exportedMessage(message: TracedMessage, redactor: Redactor): ExportedMessage {
  const { role, author, text, toolCalls, toolCallId, tokenIds, lossMask, logprobs } = message;
  return {
    role,
    author,
    text: redactor.message(text),
    toolCalls: toolCalls === null ? null : redactor.json(toolCalls),
    toolCallId,
    tokenIds: Array.from(tokenIds),
    lossMask: Array.from(lossMask, (counts) => (counts === 0 ? 0 : 1)),
    logprobs: logprobs && Array.from(logprobs, (value) => (Number.isNaN(value) ? null : value)),
  };
}

function exportedTimeline(
  reader: TraceReader,
  episode: number,
  row: TimelineRow,
  redactor: Redactor,
): ExportedTimeline {
  const whole = reader.read((views) => views.conversations.ofTimeline(episode, row.timeline));
  const messages = whole.map((message) => exportedMessage(message, redactor));
  const {
    texts,
    special,
    ids,
    messages: owners,
    trainer,
  } = reader.read((views) => views.tokens.window(episode, row.timeline, 0, row.tokens));
  // The tokens of a redacted message must not reveal it: their texts and ids are removed.
  const isWhole = messages.map(({ text, toolCalls }, index) => {
    return text === whole[index]?.text && sameJson(toolCalls, whole[index].toolCalls);
  });
  return {
    row,
    messages: messages.map((message, index) => (isWhole[index] === true ? message : withoutIds(message))),
    tokenTexts: texts.map((text, index) => (isWhole[owners[index] ?? -1] === true ? text : '')),
    specialTokens: [...new Set(ids.filter((_, index) => special[index]))],
    trainer,
  };
}

/** Redaction rewrites JSON. */
function sameJson(a: string | null, b: string | null): boolean {
  if (a === b || a === null || b === null) return a === b;
  try {
    return a === JSON.stringify(JSON.parse(b));
  } catch {
    return false;
  }
}

/** A token that replaces a removed one. */
export const redactedToken = -1;

function withoutIds(message: ExportedMessage): ExportedMessage {
  return { ...message, tokenIds: message.tokenIds.map(() => redactedToken) };
}

/** Returns whether a trace has values of a kind. Imported traces have zeros for missing ones. */
export function hasValues({ imported }: Pick<RunView, 'imported'>, what: MissingData): boolean {
  return imported?.lacks.includes(what) !== true;
}
