import type { BatchRules, MergeRules } from '../../tracking/core/records/tracedRun.ts';
import type { TracedMessage, TracedTimeline } from '../../tracking/core/records/trace.ts';
import {
  largestMerging,
  type MergedView,
  type MergeSetting,
  type MergingRow,
  type MergingView,
  type ForkSideView,
  type ForkView,
  type DriftDifference,
} from './protocol/mergingRpc.ts';
import { explainMerging, type Fork } from '../../tracking/core/explainMerging.ts';
import { mergeCalls, withTokens } from '../../tracking/core/mergeCalls.ts';
import { sameItems } from '../../tracking/core/branches.ts';
import { makesSample } from '../../tracking/core/samples.ts';
import { textFields } from '../../tracking/core/snaps.ts';
import type { MergedTimelines } from './episodeContent.ts';
import type { MergeInputs, StoredMergeableCall } from './mergeInputs.ts';
import { type TokenTable, tokenRun } from './tokenTable.ts';
import { excerpt, excerptStart } from '../../base/core/commonPrefix.ts';
import { align, type Hunk, type Range } from './align.ts';

export interface ExplainTerms {
  readonly rules: MergeRules;
  readonly batch: BatchRules | undefined;
  /** True if the token ids are those of training. Drift is unknown otherwise. */
  readonly exact: boolean;
  /** The timelines in the trace; undefined: the episode runs, and they are merged from its calls so far. */
  readonly stored: readonly TracedTimeline[] | undefined;
}

interface Merged {
  readonly setting: MergeSetting;
  readonly calls: readonly StoredMergeableCall[];
  readonly timelines: readonly TracedTimeline[];
  /** Messages of these timelines that are not stored, by position. */
  readonly made: ReadonlyMap<number, TracedMessage>;
  readonly row: MergingRow;
}

/** Explains how calls became timelines, also with every other setting. Each setting is merged once. */
export class MergeExplanation {
  readonly #inputs: MergeInputs;
  readonly #terms: ExplainTerms;
  readonly #table: TokenTable;
  readonly #own: MergeSetting;
  readonly #merged: readonly Merged[];

  constructor(inputs: MergeInputs, terms: ExplainTerms, table: TokenTable) {
    this.#inputs = { ...inputs, calls: inputs.calls.filter(isIn(terms.stored)) };
    this.#terms = terms;
    this.#table = table;
    const { compareLevel, ignoreTools, fixesDrift = true } = terms.rules;
    this.#own = { compareLevel, ignoreTools, fixesDrift };
    this.#merged = this.#settings().map((setting) => this.#merge(setting));
  }

  /** @param setting null, or a setting that makes no difference: the run's own */
  view(setting: MergeSetting | null): MergingView {
    const wanted = setting ?? this.#own;
    const found = this.#merged.findIndex((one) => same(one.setting, wanted));
    const chosen = Math.max(0, found);
    const merged = this.#merged[chosen];
    const forks = merged === undefined ? [] : this.#forks(merged);
    const ends = new Map(merged?.timelines.map(({ calls }, index) => [calls.at(-1) ?? -1, index]));
    const parts = { messages: this.#inputs.messages, table: this.#table, ends };
    const shown = merged?.calls ?? [];
    const drifts = this.#terms.exact
      ? driftsOf(shown, this.#inputs.messages, this.#table)
      : { drifts: [], driftCount: 0 };
    return {
      own: this.#own,
      rows: this.#merged.map(({ row }) => row),
      chosen,
      drift: this.#knowsDrift(),
      timelines: merged === undefined ? [] : mergedViews(merged, forks, ends),
      forks: forks.slice(0, largestMerging.forks).map((fork) => forkView(fork, shown, parts)),
      forkCount: forks.length,
      ...drifts,
      provisional: this.#terms.stored === undefined,
    };
  }

  withSetting(setting: MergeSetting): MergedTimelines | undefined {
    return this.#merged.slice(1).find((one) => same(one.setting, setting));
  }

  #knowsDrift(): MergingView['drift'] {
    if (this.#terms.rules.fixesDrift === undefined) return 'unknown';
    return this.#inputs.calls.some(({ otherMessages }) => otherMessages !== null) ? 'other' : 'same';
  }

  /** Returns the settings, the run's own first. */
  #settings(): readonly MergeSetting[] {
    const own = this.#own;
    const fixes = this.#knowsDrift() === 'other' ? [own.fixesDrift, !own.fixesDrift] : [own.fixesDrift];
    const levels = own.compareLevel === 'text' ? (['text', 'token'] as const) : (['token', 'text'] as const);
    const ignores = [own.ignoreTools, !own.ignoreTools];
    return fixes.flatMap((fixesDrift) =>
      levels.flatMap((compareLevel) =>
        ignores.map((ignoreTools) => ({ compareLevel, ignoreTools, fixesDrift })),
      ),
    );
  }

  #merge(setting: MergeSetting): Merged {
    const { messages, lossMaskOf } = this.#inputs;
    const calls = this.#inputs.calls.map((call) =>
      setting.fixesDrift === this.#own.fixesDrift
        ? call
        : { ...call, messages: call.otherMessages ?? call.messages },
    );
    const merged = mergeCalls(calls, messages, { ...setting, lossMaskOf });
    const isOwn = same(setting, this.#own);
    // The trace has the result of the run's own setting.
    const stored = isOwn ? this.#terms.stored : undefined;
    const timelines = stored ?? withTokens(merged, messages);
    const all = [...messages, ...merged.added.map(({ message }) => message)];
    const samples = (stored === undefined ? timelines : merged.timelines).filter((one) =>
      makesSample(one.messages.flatMap((position) => all[position] ?? [])),
    ).length;
    const sum = (of: (timeline: TracedTimeline) => number): number =>
      timelines.reduce((total, one) => total + of(one), 0);
    return {
      setting,
      calls,
      timelines,
      made: new Map(merged.added.map(({ position, message }) => [position, message])),
      row: {
        setting,
        timelines: timelines.length,
        samples: Math.min(samples, this.#terms.batch?.perEpisode ?? samples),
        tokens: sum(({ tokens }) => tokens),
        trainableTokens: sum(({ trainableTokens }) => trainableTokens),
      },
    };
  }

  #forks({ setting, calls, timelines }: Merged): readonly Fork[] {
    const { messages, lossMaskOf } = this.#inputs;
    return explainMerging(calls, messages, { ...setting, lossMaskOf }, timelines).forks;
  }
}

/** Stored timelines show which calls were kept: not the calls of a failed attempt, nor those after madness. */
function isIn(stored: readonly TracedTimeline[] | undefined): (call: StoredMergeableCall) => boolean {
  if (stored === undefined) return () => true;
  const kept = new Set(stored.flatMap(({ calls }) => calls));
  return ({ call }) => kept.has(call);
}

function same(one: MergeSetting, other: MergeSetting): boolean {
  return (
    one.compareLevel === other.compareLevel &&
    one.ignoreTools === other.ignoreTools &&
    one.fixesDrift === other.fixesDrift
  );
}

function mergedViews(
  { calls, timelines }: Merged,
  forks: readonly Fork[],
  ends: ReadonlyMap<number, number>,
): readonly MergedView[] {
  const agentOf = new Map(calls.map(({ call, agent }) => [call, agent]));
  const forkOf = new Map(forks.map((fork) => [fork.call, fork]));
  return timelines.map((timeline) => {
    const fork = forkOf.get(timeline.calls.at(-1) ?? -1);
    const parent = fork && ends.get(fork.earlier);
    return {
      calls: timeline.calls,
      agents: [...new Set(timeline.calls.map((call) => agentOf.get(call) ?? ''))],
      messages: timeline.messages.length,
      tokens: timeline.tokens,
      trainableTokens: timeline.trainableTokens,
      parent:
        fork === undefined || parent === undefined ? null : { timeline: parent, messages: fork.message },
    };
  });
}

interface ForkParts {
  readonly messages: readonly TracedMessage[];
  readonly table: TokenTable;
  /** Numbers of timelines by the calls that end them. */
  readonly ends: ReadonlyMap<number, number>;
}

const tokensBefore = 6;
const tokensBehind = 14;

function forkView(fork: Fork, calls: readonly StoredMergeableCall[], parts: ForkParts): ForkView {
  const callOf = (number: number): StoredMergeableCall | undefined =>
    calls.find(({ call }) => call === number);
  const [earlier, now] = [callOf(fork.earlier), callOf(fork.call)];
  const [one, other] = [messageOf(earlier, fork.message, parts), messageOf(now, fork.message, parts)];
  const field = fork.cause === 'tools' ? toolsField(earlier, now) : fieldOf(one, other);
  const start = excerptStart(field.before, field.now);
  const from = Math.max(0, (fork.token ?? 0) - tokensBefore);
  const side = (message: TracedMessage | undefined, value: string): ForkSideView | null => {
    if (message === undefined) return null;
    const end =
      fork.token === null ? from : Math.min(message.tokenIds.length, from + tokensBefore + tokensBehind);
    const tokens = tokenRun(message.tokenIds, from, end, parts.table);
    const more = fork.token !== null && end < message.tokenIds.length;
    return { role: message.role, text: excerpt(value, start), tokens: { ...tokens, more } };
  };
  return {
    timeline: parts.ends.get(fork.call) ?? 0,
    earlier: parts.ends.get(fork.earlier) ?? 0,
    call: fork.call,
    earlierCall: fork.earlier,
    cause: fork.cause,
    message: fork.message,
    field: field.name,
    before: side(one, field.before),
    now: side(other, field.now),
    token: fork.token,
  };
}

interface Field {
  readonly name: ForkView['field'];
  readonly before: string;
  readonly now: string;
}

function messageOf(
  call: StoredMergeableCall | undefined,
  index: number,
  { messages }: ForkParts,
): TracedMessage | undefined {
  if (call === undefined) return undefined;
  const position = index === call.messages.length ? call.reply : call.messages[index];
  return messages[position ?? -1];
}

/** Returns the first field that differs, in the order in which merging by text compares them. */
function fieldOf(one: TracedMessage | undefined, other: TracedMessage | undefined): Field {
  if (one === undefined || other === undefined) {
    return { name: 'messages', before: one?.text ?? '', now: other?.text ?? '' };
  }
  const differing = textFields.find(({ of }) => of(one) !== of(other));
  if (differing === undefined) return { name: 'tokens', before: one.text, now: other.text };
  return { name: differing.name, before: differing.of(one), now: differing.of(other) };
}

function toolsField(one: StoredMergeableCall | undefined, other: StoredMergeableCall | undefined): Field {
  return { name: 'tools', before: one?.tools ?? '', now: other?.tools ?? '' };
}

interface DriftedReply {
  readonly call: number;
  readonly again: number;
  readonly message: number;
  /** The model's message, and the template's version of it. */
  readonly made: TracedMessage;
  readonly templated: TracedMessage;
}

/** Returns replies that came back and that the chat template tokenizes differently, each pair once. */
function driftsOf(
  calls: readonly StoredMergeableCall[],
  messages: readonly TracedMessage[],
  table: TokenTable,
): Pick<MergingView, 'drifts' | 'driftCount'> {
  const found = driftedReplies(calls, messages);
  const drifts = found.slice(0, largestMerging.drifts).map(({ made, templated, ...drift }) => {
    const { hunks } = align(made.tokenIds, templated.tokenIds);
    const shown = hunks.slice(0, largestMerging.differences);
    return {
      ...drift,
      differences: shown.map((hunk) => difference(hunk, made, templated, table)),
      differenceCount: hunks.length,
    };
  });
  return { drifts, driftCount: found.length };
}

function driftedReplies(
  calls: readonly StoredMergeableCall[],
  messages: readonly TracedMessage[],
): readonly DriftedReply[] {
  const replies = new Map<string, { readonly call: number; readonly position: number }>();
  const keys = new Map<number, string>();
  const compared = new Set<string>();
  const keyAt = (position: number): string => {
    const key =
      keys.get(position) ?? JSON.stringify([messages[position]?.text, messages[position]?.toolCalls]);
    keys.set(position, key);
    return key;
  };
  const found: DriftedReply[] = [];
  for (const { call, messages: asked, reply } of calls) {
    for (const [index, position] of asked.entries()) {
      const templated = messages[position];
      if (templated?.role !== 'assistant' || templated.author === 'llm') continue;
      const known = replies.get(keyAt(position));
      const made = messages[known?.position ?? -1];
      const pair = `${position} ${known?.position}`;
      if (known === undefined || made === undefined || compared.has(pair)) continue;
      compared.add(pair);
      if (!sameItems(made.tokenIds, templated.tokenIds)) {
        found.push({ call: known.call, again: call, message: index, made, templated });
      }
    }
    if (reply !== null) replies.set(keyAt(reply), { call, position: reply });
  }
  return found;
}

function difference(
  { left, right }: Hunk,
  made: TracedMessage,
  templated: TracedMessage,
  table: TokenTable,
): DriftDifference {
  return {
    sameText: spelled(made, left, table) === spelled(templated, right, table),
    made: tokenRun(made.tokenIds, left.from, left.end, table),
    templated: tokenRun(templated.tokenIds, right.from, right.end, table),
  };
}

/** Returns the bytes of tokens as a text. Only equal bytes have equal texts. */
function spelled({ tokenIds }: TracedMessage, { from, end }: Range, table: TokenTable): string {
  return Array.from(tokenIds.subarray(from, end), (id) => table.at(id).bytes.join(' '))
    .filter((bytes) => bytes !== '')
    .join(' ');
}
