import type { BatchRules, MergeRules } from '../../tracking/core/records/tracedRun.ts';
import type { TracedMessage, TracedTimeline } from '../../tracking/core/records/trace.ts';
import {
  largestMerging,
  type MergedView,
  type MergeSetting,
  type MergingRow,
  type MergingView,
} from './protocol/mergingRpc.ts';
import { explainMerging, type Fork } from '../../tracking/core/explainMerging.ts';
import { mergeCalls, withTokens } from '../../tracking/core/mergeCalls.ts';
import { makesSample } from '../../tracking/core/samples.ts';
import { driftsOf } from './explainDrift.ts';
import type { MergedTimelines } from './episodeContent.ts';
import { forkView } from './explainFork.ts';
import type { MergeInputs, StoredMergeableCall } from './mergeInputs.ts';
import type { TokenTable } from './tokenTable.ts';

export interface ExplainTerms {
  readonly rules: MergeRules;
  readonly batch: BatchRules | undefined;
  /** True if the token ids are those of training. Drift is unknown otherwise. */
  readonly exact: boolean;
  /** The timelines in the trace; undefined: the episode runs, and they are merged from its calls so far. */
  readonly stored: readonly TracedTimeline[] | undefined;
}

/** The timelines that a setting merges an episode's calls into. */
interface Merged {
  readonly setting: MergeSetting;
  readonly calls: readonly StoredMergeableCall[];
  readonly timelines: readonly TracedTimeline[];
  /** Messages of these timelines that are not stored, by position. */
  readonly made: ReadonlyMap<number, TracedMessage>;
  readonly row: MergingRow;
}

/**
 * Explains how an episode's calls became its timelines, and what they would become with every other setting. Each
 * setting is merged once and cached.
 */
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
      : { drifts: [], count: 0 };
    return {
      own: this.#own,
      rows: this.#merged.map(({ row }) => row),
      chosen,
      drift: this.#knowsDrift(),
      timelines: merged === undefined ? [] : mergedViews(merged, forks, ends),
      forks: forks.slice(0, largestMerging.forks).map((fork) => forkView(fork, shown, parts)),
      forkCount: forks.length,
      drifts: drifts.drifts,
      driftCount: drifts.count,
      provisional: this.#terms.stored === undefined,
    };
  }

  /** Returns the timelines of another setting; undefined: the run's own. */
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
    return fixes.flatMap((fixesDrift) =>
      [own.compareLevel, own.compareLevel === 'text' ? ('token' as const) : ('text' as const)].flatMap(
        (compareLevel) =>
          [own.ignoreTools, !own.ignoreTools].map((ignoreTools) => ({
            compareLevel,
            ignoreTools,
            fixesDrift,
          })),
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
      makesSample(one.messages.map((position) => all[position] ?? nothing)),
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

const nothing: TracedMessage = {
  role: '',
  author: 'env',
  text: '',
  toolCalls: null,
  toolCallId: null,
  tokenIds: new Int32Array(),
  logprobs: null,
  lossMask: new Uint8Array(),
};
