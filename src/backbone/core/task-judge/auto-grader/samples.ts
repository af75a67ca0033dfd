import type { Task } from '../../../../sdk/core/index.ts';
import type { GraderSettings } from './settings.ts';

/** An answer, and what a person thought of it. */
export type Sample =
  | { readonly mode: 'pointwise'; readonly query: string; readonly answer: string; readonly score: number }
  | {
      readonly mode: 'listwise';
      readonly query: string;
      readonly answers: readonly string[];
      /** Of each answer; 1 is the best. */
      readonly ranks: readonly number[];
    };

/** What a sample of either mode has, in words. */
export const sampleRequirements = {
  pointwise: 'a query, an answer and a score',
  listwise: 'a query and at least two candidates of {answer, rank}',
} as const;

/** Undefined: the row lacks what the mode asks for. */
export function sampleOf(
  task: Task,
  settings: Pick<GraderSettings, 'mode' | 'queryField'>,
): Sample | undefined {
  const query = queryOf(task, settings.queryField);
  if (query === undefined) return undefined;
  if (settings.mode === 'pointwise') {
    const answer = textOf(task.metadata['answer']);
    const score = task.metadata['score'];
    if (answer === undefined || typeof score !== 'number' || !Number.isFinite(score)) return undefined;
    return { mode: 'pointwise', query, answer, score };
  }
  const candidates = candidatesOf(task.metadata['candidates']);
  const ranks = candidates.map(({ rank }) => rank);
  if (candidates.length < 2 || !ranks.every((rank) => typeof rank === 'number')) return undefined;
  return { mode: 'listwise', query, answers: candidates.map(({ answer }) => answer), ranks };
}

/** As upstream looks for it: an attribute of the task, else a field of its metadata; an empty one counts as none. */
export function queryOf(task: Task, field: string): string | undefined {
  const own = Object.hasOwn(task, field) ? textOf(task[field as keyof Task]) : undefined;
  return nonEmpty(own) ?? nonEmpty(textOf(task.metadata[field]));
}

export interface Candidate {
  readonly answer: string;
  readonly rank: unknown;
}

/** None where the value is no list of candidates, or one of them has no answer. */
export function candidatesOf(value: unknown): readonly Candidate[] {
  if (!Array.isArray(value)) return [];
  const candidates = value.map((item: unknown): Candidate | undefined => {
    if (typeof item !== 'object' || item === null || !('answer' in item)) return undefined;
    const answer = textOf(item.answer);
    return answer === undefined ? undefined : { answer, rank: 'rank' in item ? item.rank : undefined };
  });
  return candidates.includes(undefined) ? [] : candidates.filter((one) => one !== undefined);
}

/** Of a text or what can be shown as one. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' || text === '[]' ? undefined : text;
}
