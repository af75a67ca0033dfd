import type { StoredRun } from '../../tracking/core/records/tracedRun.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import { numbersIn, scoreNumbers } from './outcome.ts';
import { parseJson } from './shallowJson.ts';
import * as z from 'zod/mini';
import { commonPrefixLength } from '../../base/core/commonPrefix.ts';
import type { CompareSide, CompareRow, ComparedRange } from './protocol/tokenRpc.ts';
import { align, alignLimits, type Hunk } from './align.ts';
import type { EpisodeView } from './protocol/episodeRpc.ts';
import type { MessageLookup } from './episodeContent.ts';
import type { TraceQueries } from './traceQueries.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { clip } from './clip.ts';
import { traceErrors } from './errors.ts';
import { listedQueryLength } from './layout.ts';

export interface Task {
  readonly taskId: string;
  readonly query: string;
}

export interface SameTask {
  /** In order, at most `largestWindow.episodes`, at least one. */
  readonly episodes: readonly number[];
  readonly sameQuery: boolean;
}

const candidate = z.object({ episode: z.number(), query: z.string() });
type Candidate = z.infer<typeof candidate>;

/**
 * Returns the episodes of a task. Ids are often positions in a data set, and the other run may have used another one.
 * So a task with the same query wins over a task that only has the same id.
 */
export function sameTask(trace: TraceQueries, { taskId, query }: Task): SameTask {
  const where = (condition: string, value: string): readonly Candidate[] => {
    const statement = `SELECT episode, query FROM episodes WHERE ${condition} = :value ORDER BY episode
      LIMIT ${largestWindow.episodes}`;
    return trace.rows.all(candidate, statement, { value });
  };
  // An episode's row has only the beginning of a long query.
  const saysTheSame = (one: Candidate): boolean => (trace.query(one.episode) ?? one.query) === query;
  const found = (candidates: readonly Candidate[], sameQuery: boolean): SameTask => {
    return { episodes: candidates.map(({ episode }) => episode), sameQuery };
  };
  const byId = where('taskId', taskId);
  if (byId[0] && saysTheSame(byId[0])) return found(byId, true);
  const byQuery = query === '' ? [] : where('query', clip(query, listedQueryLength)).filter(saysTheSame);
  if (byQuery.length > 0) return found(byQuery, true);
  if (byId.length > 0) return found(byId, false);
  throw traceErrors.noSuchTask(trace.rows.file, taskId);
}

export function mostTrained(timelines: EpisodeView['timelines']): number | null {
  const most = Math.max(...timelines.map(({ trainableTokens }) => trainableTokens));
  return timelines.find(({ trainableTokens }) => trainableTokens === most)?.timeline ?? null;
}

export function comparedMessages(
  positions: readonly number[],
  messages: MessageLookup,
): readonly ComparedMessage[] {
  return positions.map((position) => {
    const { role } = messages.head(position);
    const { text, toolCalls } = messages.text(position);
    return {
      role,
      key: JSON.stringify([role, text, toolCalls]),
      tokenIds: messages.tokens(position).tokenIds,
    };
  });
}

export function compareSide(
  run: StoredRun,
  { row, timelines }: EpisodeView,
  timeline: number | null,
): CompareSide {
  return {
    experiment: run.experiment,
    tokenizer: run.tokenizer.name,
    row,
    timeline,
    timelines,
    tokens: timelines.find((one) => one.timeline === timeline)?.tokens ?? 0,
  };
}

/** Returns the reward, the metrics that the workflow and the judge logged, and the numbers in the workflow's metadata. */
export function rewardNumbers(trace: TraceQueries, episode: number): ComparableSide['parts'] {
  const [result] = trace.resultsBetween(episode, episode);
  if (result === undefined) return {};
  return Object.fromEntries([
    ...numbersIn(result.reward, 'reward'),
    ...scoreNumbers(result),
    ...numbersIn(metadataOf(trace.returned(episode)?.output), 'metadata'),
  ]);
}

function metadataOf(output = 'null'): unknown {
  const parsed = parseJson(output);
  return isRecord(parsed) ? parsed['metadata'] : undefined;
}

export interface ComparedMessage {
  readonly role: string;
  /** Equal for messages with equal role, text and tool calls. */
  readonly key: string;
  readonly tokenIds: Int32Array;
}

export interface ComparableSide {
  readonly side: CompareSide;
  readonly messages: readonly ComparedMessage[];
  readonly parts: Readonly<Record<string, number>>;
}

export interface Comparison {
  readonly rows: readonly CompareRow[];
  /** Position of the first token that differs, which is the same in both; null: all tokens are equal. */
  readonly divergence: number | null;
  /** True if something differs too much for a minimal difference. */
  readonly coarse: boolean;
}

/** The maximum number of hunks of one message. A message with more becomes one hunk. */
export const mostHunks = 20_000;

/**
 * Aligns two timelines by message, then the changed messages by token. Equal messages share a row. Between them,
 * messages of one role are paired in order, and the others have their own rows.
 */
export function compareMessages(
  left: readonly ComparedMessage[],
  right: readonly ComparedMessage[],
): Comparison {
  const rows = new Rows(left, right);
  const keys = new KeyIds();
  const numbers = (side: readonly ComparedMessage[]): Int32Array =>
    Int32Array.from(side, ({ key }) => keys.of(key));
  const { hunks, coarse } = align(numbers(left), numbers(right));
  let at = { left: 0, right: 0 };
  for (const hunk of hunks) {
    rows.addPairs(at, hunk.left.from - at.left);
    rows.addHunk(hunk);
    at = { left: hunk.left.end, right: hunk.right.end };
  }
  rows.addPairs(at, left.length - at.left);
  return { rows: rows.rows, divergence: firstDifference(left, right), coarse: coarse || rows.coarse };
}

/** Maps texts to small numbers. Equal texts have equal numbers. */
class KeyIds {
  readonly #known = new Map<string, number>();

  of(text: string): number {
    const known = this.#known.get(text) ?? this.#known.size;
    this.#known.set(text, known);
    return known;
  }
}

interface RowPosition {
  readonly left: number;
  readonly right: number;
}

class Rows {
  readonly rows: CompareRow[] = [];
  coarse = false;
  readonly #left: readonly ComparedMessage[];
  readonly #right: readonly ComparedMessage[];
  readonly #first: { readonly left: Int32Array; readonly right: Int32Array };
  #steps = alignLimits.steps;

  constructor(left: readonly ComparedMessage[], right: readonly ComparedMessage[]) {
    this.#left = left;
    this.#right = right;
    this.#first = { left: firstTokens(left), right: firstTokens(right) };
  }

  addPairs({ left, right }: RowPosition, length: number): void {
    for (let offset = 0; offset < length; offset++) this.#pair(left + offset, right + offset);
  }

  addHunk({ left, right }: Hunk): void {
    const roles = new KeyIds();
    const of = (side: readonly ComparedMessage[], from: number, end: number): Int32Array =>
      Int32Array.from(side.slice(from, end), ({ role }) => roles.of(role));
    const { hunks } = align(of(this.#left, left.from, left.end), of(this.#right, right.from, right.end));
    let at = { left: left.from, right: right.from };
    for (const hunk of hunks) {
      const [leftFrom, rightFrom] = [left.from + hunk.left.from, right.from + hunk.right.from];
      this.addPairs(at, leftFrom - at.left);
      at = { left: left.from + hunk.left.end, right: right.from + hunk.right.end };
      for (let place = leftFrom; place < at.left; place++) this.#alone('left', place);
      for (let place = rightFrom; place < at.right; place++) this.#alone('right', place);
    }
    this.addPairs(at, left.end - at.left);
  }

  #alone(side: 'left' | 'right', place: number): void {
    const message = (side === 'left' ? this.#left : this.#right)[place];
    if (message === undefined) return;
    const range = this.#rangeOf(side, place, message);
    const none = { left: null, right: null };
    this.rows.push({ kind: side, role: message.role, ...none, [side]: range, sameText: false, hunks: [] });
  }

  #pair(left: number, right: number): void {
    const [one, other] = [this.#left[left], this.#right[right]];
    if (one === undefined || other === undefined) return;
    const sides = { left: this.#rangeOf('left', left, one), right: this.#rangeOf('right', right, other) };
    const start = commonPrefixLength(one.tokenIds, other.tokenIds);
    const same = start === one.tokenIds.length && start === other.tokenIds.length;
    const common = { role: one.role, ...sides, sameText: one.key === other.key };
    this.rows.push({
      kind: same ? 'same' : 'changed',
      ...common,
      hunks: same ? [] : this.#hunks(one, other),
    });
  }

  #rangeOf(side: 'left' | 'right', message: number, { tokenIds }: ComparedMessage): ComparedRange {
    return { message, firstToken: this.#first[side][message] ?? 0, tokens: tokenIds.length };
  }

  #hunks(one: ComparedMessage, other: ComparedMessage): CompareRow['hunks'] {
    const steps = Math.max(0, this.#steps);
    const found = align(one.tokenIds, other.tokenIds, { ...alignLimits, steps });
    this.#steps -= found.steps;
    if (found.coarse) this.coarse = true;
    const { hunks } = found;
    const [first, last] = [hunks[0], hunks.at(-1)];
    if (hunks.length <= mostHunks || first === undefined || last === undefined) return hunks.flatMap(flat);
    this.coarse = true;
    return flat({
      left: { from: first.left.from, end: last.left.end },
      right: { from: first.right.from, end: last.right.end },
    });
  }
}

function flat({ left, right }: Hunk): number[] {
  return [left.from, left.end, right.from, right.end];
}

function firstTokens(messages: readonly ComparedMessage[]): Int32Array {
  let first = 0;
  return Int32Array.from(messages, ({ tokenIds }) => {
    const own = first;
    first += tokenIds.length;
    return own;
  });
}

/** Returns the position of the first token that differs. The end of one timeline is a difference. */
function firstDifference(left: readonly ComparedMessage[], right: readonly ComparedMessage[]): number | null {
  const [one, other] = [idsOf(left), idsOf(right)];
  const same = commonPrefixLength(one, other);
  return same === one.length && same === other.length ? null : same;
}

function idsOf(messages: readonly ComparedMessage[]): Int32Array {
  const starts = firstTokens(messages);
  const ids = new Int32Array(messages.reduce((sum, { tokenIds }) => sum + tokenIds.length, 0));
  for (const [index, { tokenIds }] of messages.entries()) ids.set(tokenIds, starts[index]);
  return ids;
}
