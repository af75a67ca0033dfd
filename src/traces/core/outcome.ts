/** The outcome of an episode: where its reward comes from, and what the workflow returned. */
import * as l10n from '@vscode/l10n';
import * as z from 'zod/mini';
import { count } from '../../base/core/format.ts';
import { isRecord } from '../../base/core/isRecord.ts';
import type { EpisodeResult } from '../../tracking/core/records/episodeResult.ts';
import { clip } from './clip.ts';
import type { OutcomeText, OutcomeView } from './protocol/episodeRpc.ts';
import { largestWindow } from './protocol/traceRpc.ts';
import { parseJson } from './shallowJson.ts';
import type { TraceQueries } from './traceQueries.ts';

const judgeSpan = z.object({
  name: z.string(),
  seconds: z.nullable(z.number()),
  error: z.nullable(z.string()),
});

export function outcomeView(trace: TraceQueries, episode: number): OutcomeView {
  const [result] = trace.resultsBetween(episode, episode);
  const statement = `SELECT name, seconds, error FROM spans WHERE episode = :episode AND kind = 'judge'
    ORDER BY span DESC LIMIT 1`;
  const returned = trace.returned(episode);
  return {
    scoredBy: result?.scoredBy ?? null,
    judge: trace.rows.one(judgeSpan, statement, { episode }) ?? null,
    parts: result === undefined ? [] : scoreNumbers(result).map(([name, value]) => ({ name, value })),
    attempts: result?.attempts ?? 1,
    output: outputTexts(parseJson(returned?.output ?? 'null')),
    reference: referenceTexts(parseJson(returned?.task ?? 'null')),
    printed: trace.printed(episode) ?? null,
    untrained: result?.routing?.debug.map(({ model, calls }) => ({ model, calls })) ?? [],
  };
}

/** Returns a sentence about printed output of which only the end was kept. */
export function cutText(cut: number): string {
  return l10n.t('The first {0} characters were not kept.', count(cut));
}

/** Returns the numbers of an episode's result that explain its reward, by name. */
export function scoreNumbers({ metrics = {}, ...result }: EpisodeResult): [name: string, value: number][] {
  const { tracking, rewardUnused, recorded } = result;
  const own: Readonly<Record<string, number | null | undefined>> = {
    'reward of degenerate replies': tracking?.madnessReward,
    'reward of the workflow, not used': rewardUnused,
    'recorded reward': recorded?.reward,
  };
  return [...Object.entries(own), ...Object.entries(metrics)]
    .flatMap(([name, value]) => numbersIn(value, name))
    .slice(0, mostParts);
}

const mostParts = 64;

/** Returns the numbers in what a workflow returned or logged, by path, down to two levels. */
export function numbersIn(value: unknown, path: string, depth = 2): [name: string, value: number][] {
  if (typeof value === 'number' && Number.isFinite(value)) return [[path, value]];
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === 0) return [];
  return Object.entries(value)
    .flatMap(([name, part]) => numbersIn(part, `${path}.${name}`, depth - 1))
    .slice(0, mostParts);
}

/** Names of an answer in data sets and outputs, in lower case and without separators. */
const answerNames: ReadonlySet<string> = new Set([
  ...['answer', 'answers', 'finalanswer', 'correctanswer', 'referenceanswer', 'goldanswer', 'expectedanswer'],
  ...['reference', 'groundtruth', 'gt', 'truth', 'gold', 'expected', 'expectedoutput', 'target', 'label'],
  ...['solution', 'result', 'response', 'prediction'],
]);

function isAnswer(name: string): boolean {
  return answerNames.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
}

/** Returns what the workflow returned besides its reward, with the answer first. */
function outputTexts(output: unknown): readonly OutcomeText[] {
  if (!isRecord(output)) return [];
  const { metadata, response } = output;
  const all = [
    ...(response === undefined || response === null ? [] : [['response', response] as const]),
    ...(isRecord(metadata) ? Object.entries(metadata) : []),
  ];
  const [answers, others] = [all.filter(([name]) => isAnswer(name)), all.filter(([name]) => !isAnswer(name))];
  return textsOf([...answers, ...others]);
}

/** Returns what the task has that its name says is the expected answer. */
function referenceTexts(task: unknown): readonly OutcomeText[] {
  const metadata = isRecord(task) ? task['metadata'] : undefined;
  return isRecord(metadata) ? textsOf(Object.entries(metadata).filter(([name]) => isAnswer(name))) : [];
}

const mostTexts = 32;

function textsOf(entries: readonly (readonly [name: string, value: unknown])[]): readonly OutcomeText[] {
  return entries.slice(0, mostTexts).map(([name, value]) => ({
    name: clip(name, longestName),
    text: clip(textOf(value), largestWindow.listed),
  }));
}

/** In characters. */
const longestName = 200;

/** Returns a text as it is, and the text of a chat message. Other values are JSON. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (isRecord(value) && typeof value['content'] === 'string') return value['content'];
  return JSON.stringify(value, null, 2);
}
