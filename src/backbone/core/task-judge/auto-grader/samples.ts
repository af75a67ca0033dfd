import type { Task } from '../../../../sdk/core/index.ts';
import type { GraderSettings } from './settings.ts';

/** An answer, and what a person thought of it. */
export type Sample =
  | { readonly mode: 'pointwise'; readonly query: string; readonly answer: string; readonly score: number }
  | {
      readonly mode: 'listwise';
      readonly query: string;
      readonly answers: readonly string[];
      /** The rank of each answer; 1 is the best. */
      readonly ranks: readonly number[];
    };

/** The contents of a sample of each mode, for messages. */
export const sampleRequirements = {
  pointwise: 'a query, an answer and a score',
  listwise: 'a query and at least two candidates of {answer, rank}',
} as const;

/** Returns undefined if the row does not have the fields for the mode. */
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

/** Returns the query as upstream does: an attribute of the task, else a field of its metadata. An empty one is ignored. */
export function queryOf(task: Task, field: string): string | undefined {
  const own = Object.hasOwn(task, field) ? textOf(task[field as keyof Task]) : undefined;
  return nonEmpty(own) ?? nonEmpty(textOf(task.metadata[field]));
}

export interface Candidate {
  readonly answer: string;
  readonly rank: unknown;
}

/** Returns an empty list if the value is not a list of candidates that all have an answer. */
export function candidatesOf(value: unknown): readonly Candidate[] {
  if (!Array.isArray(value)) return [];
  const candidates = value.map((item: unknown): Candidate | undefined => {
    if (typeof item !== 'object' || item === null || !('answer' in item)) return undefined;
    const answer = textOf(item.answer);
    return answer === undefined ? undefined : { answer, rank: 'rank' in item ? item.rank : undefined };
  });
  return candidates.includes(undefined) ? [] : candidates.filter((one) => one !== undefined);
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? undefined : JSON.stringify(value);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' || text === '[]' ? undefined : text;
}
