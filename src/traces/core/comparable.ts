import type { CompareSide } from './protocol/tokenRpc.ts';
import type { EpisodeView } from './protocol/episodeRpc.ts';
import type { ComparableSide, ComparedMessage } from './compare.ts';
import type { MessageLookup } from './episodeContent.ts';
import type { StoredRun } from './records.ts';
import type { StoredTrace } from './stored.ts';

/** The timeline that training has the most of; null: there is none. */
export function mostTrained(timelines: EpisodeView['timelines']): number | null {
  const most = Math.max(...timelines.map(({ trainableTokens }) => trainableTokens));
  return timelines.find(({ trainableTokens }) => trainableTokens === most)?.timeline ?? null;
}

/** @param positions of the timeline's messages */
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

/** The reward, what the workflow and the judge logged, and numbers that the workflow returned beside its reward. */
export function rewardNumbers(trace: StoredTrace, episode: number): ComparableSide['parts'] {
  const [result] = trace.resultsBetween(episode, episode);
  if (result === undefined) return {};
  const { reward, metrics = {}, tracking, rewardUnused } = result;
  const own: Readonly<Record<string, number | null | undefined>> = {
    reward,
    'reward of degenerate replies': tracking?.madnessReward,
    'reward of the workflow, not used': rewardUnused,
  };
  return Object.fromEntries([
    ...Object.entries(own).flatMap(([name, value]) => numbersIn(value, name)),
    ...Object.entries(metrics).flatMap(([name, value]) => numbersIn(value, name)),
    ...numbersIn(metadataOf(trace.output(episode)), 'metadata'),
  ]);
}

function metadataOf(output: string | undefined): unknown {
  try {
    const parsed: unknown = JSON.parse(output ?? 'null');
    return typeof parsed === 'object' && parsed !== null && 'metadata' in parsed
      ? parsed.metadata
      : undefined;
  } catch {
    return undefined; // a workflow returned it, so it may be anything
  }
}

/** Parts of an episode's reward that are told, at most. */
const mostParts = 64;

/** Numbers in what a workflow returned or logged, by their path; deeper than two levels is no part of a reward. */
function numbersIn(value: unknown, path: string, depth = 2): [name: string, value: number][] {
  if (typeof value === 'number' && Number.isFinite(value)) return [[path, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return [];
  return Object.entries(value)
    .flatMap(([name, part]) => numbersIn(part, `${path}.${name}`, depth - 1))
    .slice(0, mostParts);
}
